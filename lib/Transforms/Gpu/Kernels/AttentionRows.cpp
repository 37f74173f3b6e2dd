//===- AttentionRows.cpp - Online attention with a thread per row ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "KernelBuilder.h"
#include "KernelConstants.h"
#include "KernelEmitter.h"
#include "Mercury/Transforms/Local/AttentionLoops.h"

using namespace mlir;
using namespace mercury;
using commir::OnlineAttentionOp;

static constexpr int64_t kThreads = 128;
/// More blocks than any device runs at once; beyond, threads have several rows.
static constexpr int64_t kMostBlocks = 1 << 16;

namespace {
/// For what tiles do not take: a state in f64, extents of zero. Each thread
/// walks the keys of a row, with the accumulators in memory.
class AttentionRowsEmitter : public KernelEmitter {
public:
  bool takes(func::FuncOp kernel, const Chip &) const override {
    return bool(getOnlyAttention(kernel));
  }

  void emit(func::FuncOp kernel, gpu::GPUFuncOp function,
            const Chip &) const override {
    OnlineAttentionOp original = getOnlyAttention(kernel);
    KernelBuilder b(original.getLoc(),
                    OpBuilder::atBlockEnd(&function.front()));
    IRMapping mapping = mapKernelValues(b, kernel, function);
    auto op = cast<OnlineAttentionOp>(b.clone(*original, mapping));
    SmallVector<int64_t> extents = op.getMapExtents();
    extents.truncate(op.getKeyLoop());
    int64_t rows = llvm::product_of(extents);
    int64_t blocks =
        std::clamp<int64_t>(llvm::divideCeil(rows, kThreads), 1, kMostBlocks);

    Value thread =
        b.add(gpu::ThreadIdOp::create(b, gpu::Dimension::x),
              b.mul(gpu::BlockIdOp::create(b, gpu::Dimension::x), kThreads));
    b.loop(b.index(rows), blocks * kThreads, {}, [&](Value first, ValueRange) {
      Value row = b.add(first, thread);
      bool mayExceed = rows % (blocks * kThreads) != 0;
      b.guarded(mayExceed ? b.isLess(row, b.index(rows)) : Value(),
                [&] { emitAttentionRow(b, op, b.delinearize(row, extents)); });
      return SmallVector<Value>();
    });
    op.erase();
    b.finish(function, blocks, kThreads);
  }
};
} // namespace

const KernelEmitter &mercury::attentionRowsEmitter() {
  static AttentionRowsEmitter emitter;
  return emitter;
}
