//===- AttentionKernel.cpp - Online attention as a device function --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "AttentionBlock.h"
#include "KernelConstants.h"
#include "KernelEmitter.h"
#include "Mercury/Transforms/Local/AttentionLoops.h"

#include <limits>

using namespace mlir;
using namespace mercury;
using commir::OnlineAttentionOp;

static bool hasStaticLayout(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return !memref || (memref.hasStaticShape() &&
                     succeeded(memref.getStridesAndOffset(strides, offset)) &&
                     !ShapedType::isDynamic(offset) &&
                     !ShapedType::isDynamicShape(strides));
}

OnlineAttentionOp mercury::getOnlyAttention(func::FuncOp kernel) {
  OnlineAttentionOp found;
  for (Operation &op : kernel.front().without_terminator()) {
    if (isKernelConstant(&op))
      continue;
    auto attention = dyn_cast<OnlineAttentionOp>(op);
    if (!attention || found ||
        !isa<MemRefType>(attention.getQuery().getType()) ||
        !hasOnlyRanges(attention) ||
        !llvm::all_of(attention->getOperandTypes(), hasStaticLayout))
      return {};
    found = attention;
  }
  return found;
}

namespace {
/// Tiles of rows, with register tiles of scores and accumulators in f32.
class AttentionEmitter : public KernelEmitter {
public:
  bool takes(func::FuncOp kernel, const Chip &) const override {
    OnlineAttentionOp op = getOnlyAttention(kernel);
    if (!op || !op.getStateType().isF32() ||
        llvm::is_contained(op.getMapExtents(), 0))
      return false;
    AttentionShape shape(op);
    return countBlocks(shape, chooseTiling(shape)) <=
           std::numeric_limits<int32_t>::max();
  }

  void emit(func::FuncOp kernel, gpu::GPUFuncOp function,
            const Chip &) const override {
    OnlineAttentionOp op = getOnlyAttention(kernel);
    AttentionShape shape(op);
    AttentionTiling tiling = chooseTiling(shape);
    KernelBuilder b(op.getLoc(), OpBuilder::atBlockEnd(&function.front()));
    IRMapping mapping = mapKernelValues(b, kernel, function);
    AttentionBlock(kernel, op, shape, tiling, function, mapping, b).emit();
    b.finish(function, countBlocks(shape, tiling), tiling.threads);
  }

private:
  static AttentionTiling chooseTiling(const AttentionShape &shape) {
    return chooseAttentionTiling(shape.rows, shape.keys, shape.d, shape.e);
  }
  static int64_t countBlocks(const AttentionShape &shape,
                             const AttentionTiling &tiling) {
    return llvm::divideCeil(shape.rows, tiling.getRows()) * shape.batches;
  }
};
} // namespace

const KernelEmitter &mercury::attentionEmitter() {
  static AttentionEmitter emitter;
  return emitter;
}
