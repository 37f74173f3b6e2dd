//===- AttentionBufferization.cpp - Attention on buffers ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mercury::commir;

/// Outputs are written in place.
template <typename OpTy>
static LogicalResult
bufferizeInPlace(OpTy op, RewriterBase &rewriter,
                 const bufferization::BufferizationOptions &options,
                 bufferization::BufferizationState &state) {
  OperationState made(op->getLoc(), op->getName());
  made.addAttributes(op->getAttrs());
  SmallVector<Value> outputs;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isa<TensorType>(value.getType())) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      value = *buffer;
    }
    made.operands.push_back(value);
    if (op.isDpsInit(&operand))
      outputs.push_back(value);
  }
  rewriter.create(made);
  bufferization::replaceOpWithBufferizedValues(rewriter, op, outputs);
  return success();
}

#define MERCURY_BUFFERIZE(OP, READS_OUTPUTS)                                   \
  bool OP::bufferizesToMemoryRead(OpOperand &operand,                          \
                                  const bufferization::AnalysisState &) {      \
    return READS_OUTPUTS || !isDpsInit(&operand);                              \
  }                                                                            \
  bool OP::bufferizesToMemoryWrite(OpOperand &operand,                         \
                                   const bufferization::AnalysisState &) {     \
    return isDpsInit(&operand);                                                \
  }                                                                            \
  bufferization::AliasingValueList OP::getAliasingValues(                      \
      OpOperand &operand, const bufferization::AnalysisState &) {              \
    if (!isDpsInit(&operand))                                                  \
      return {};                                                               \
    return {{getTiedOpResult(&operand),                                        \
             bufferization::BufferRelation::Equivalent}};                      \
  }                                                                            \
  LogicalResult OP::bufferize(                                                 \
      RewriterBase &rewriter,                                                  \
      const bufferization::BufferizationOptions &options,                      \
      bufferization::BufferizationState &state) {                              \
    return bufferizeInPlace(*this, rewriter, options, state);                  \
  }
MERCURY_BUFFERIZE(AttentionOp, false)
MERCURY_BUFFERIZE(OnlineAttentionOp, true)
#undef MERCURY_BUFFERIZE
