//===- CollectiveBufferization.cpp - Collectives on buffers ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContiguousBuffer.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mercury::commir;

// The output is written in place.

static bool writes(Operation *op, OpOperand &operand) {
  return cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
}

FailureOr<Value> mercury::commir::contiguousBuffer(
    RewriterBase &rewriter, Value tensor,
    const bufferization::BufferizationOptions &options,
    bufferization::BufferizationState &state) {
  FailureOr<Value> buffer =
      bufferization::getBuffer(rewriter, tensor, options, state);
  if (failed(buffer))
    return failure();
  auto type = cast<MemRefType>(buffer->getType());
  if (memref::isStaticShapeAndContiguousRowMajor(type))
    return buffer;
  // The wire takes contiguous bytes; a pack op of the IR made them so wherever
  // it pays, what is left is a view that needs one copy.
  auto flat = MemRefType::get(type.getShape(), type.getElementType());
  Location loc = tensor.getLoc();
  Value copy = memref::AllocOp::create(rewriter, loc, flat);
  memref::CopyOp::create(rewriter, loc, *buffer, copy);
  return copy;
}

/// Recreates `op` on the buffers of its operands, without a result.
static LogicalResult
bufferizeInPlace(Operation *op, RewriterBase &rewriter,
                 const bufferization::BufferizationOptions &options,
                 bufferization::BufferizationState &state) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  OperationState made(op->getLoc(), op->getName());
  made.addAttributes(op->getAttrs());
  Value result, staged;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<TensorType>(operand.get().getType())) {
      made.operands.push_back(operand.get());
      continue;
    }
    bool isOutput = dps.isDpsInit(&operand);
    FailureOr<Value> buffer =
        isOutput
            ? bufferization::getBuffer(rewriter, operand.get(), options, state)
            : contiguousBuffer(rewriter, operand.get(), options, state);
    if (failed(buffer))
      return failure();
    if (isOutput) {
      result = *buffer;
      auto type = cast<MemRefType>(buffer->getType());
      if (!memref::isStaticShapeAndContiguousRowMajor(type)) {
        auto flat = MemRefType::get(type.getShape(), type.getElementType());
        staged = memref::AllocOp::create(rewriter, op->getLoc(), flat);
        memref::CopyOp::create(rewriter, op->getLoc(), *buffer, staged);
        buffer = staged;
      }
    }
    made.operands.push_back(*buffer);
  }
  rewriter.create(made);
  if (staged)
    memref::CopyOp::create(rewriter, op->getLoc(), staged, result);
  bufferization::replaceOpWithBufferizedValues(rewriter, op, result);
  return success();
}

#define MERCURY_BUFFERIZE(OP, READS_OUTPUT)                                    \
  bool OP::bufferizesToMemoryRead(OpOperand &operand,                          \
                                  const bufferization::AnalysisState &) {      \
    return READS_OUTPUT || !writes(*this, operand);                            \
  }                                                                            \
  bool OP::bufferizesToMemoryWrite(OpOperand &operand,                         \
                                   const bufferization::AnalysisState &) {     \
    return writes(*this, operand);                                             \
  }                                                                            \
  bufferization::AliasingValueList OP::getAliasingValues(                      \
      OpOperand &operand, const bufferization::AnalysisState &) {              \
    if (!writes(*this, operand))                                               \
      return {};                                                               \
    return {{getResult(), bufferization::BufferRelation::Equivalent}};         \
  }                                                                            \
  LogicalResult OP::bufferize(                                                 \
      RewriterBase &rewriter,                                                  \
      const bufferization::BufferizationOptions &options,                      \
      bufferization::BufferizationState &state) {                              \
    return bufferizeInPlace(*this, rewriter, options, state);                  \
  }
MERCURY_BUFFERIZE(AllGatherOp, false)
MERCURY_BUFFERIZE(ReduceScatterOp, false)
MERCURY_BUFFERIZE(AllToAllOp, false)
MERCURY_BUFFERIZE(BroadcastOp, false)
MERCURY_BUFFERIZE(PermuteOp, true)
MERCURY_BUFFERIZE(AllReduceOp, true)
#undef MERCURY_BUFFERIZE
