//===- ShortenLifetimes.cpp - Buffers live from first to last use ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace mercury {
#define GEN_PASS_DEF_SHORTENLIFETIMESPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;

namespace {
/// A buffer that the function's own block makes and frees.
struct Lifetime {
  memref::DeallocOp end;
  Operation *first = nullptr, *last = nullptr; ///< uses in that block
};

struct ShortenLifetimesPass
    : public mercury::impl::ShortenLifetimesPassBase<ShortenLifetimesPass> {
  using ShortenLifetimesPassBase::ShortenLifetimesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    llvm::MapVector<Value, Lifetime> lifetimes;
    for (Block &block : function.getBody())
      measure(block, lifetimes);
    for (auto &[buffer, lifetime] : lifetimes) {
      Operation *alloc = buffer.getDefiningOp();
      if (!lifetime.first) { // nobody needs it
        lifetime.end.erase();
        alloc->erase();
        continue;
      }
      lifetime.end->moveAfter(lifetime.last);
      alloc->moveBefore(lifetime.first);
    }
  }

private:
  /// Adds the buffers that `block` makes and frees.
  static void measure(Block &block,
                      llvm::MapVector<Value, Lifetime> &lifetimes) {
    for (auto end : block.getOps<memref::DeallocOp>())
      if (auto alloc = end.getMemref().getDefiningOp<memref::AllocOp>();
          alloc && alloc->getBlock() == &block)
        lifetimes[alloc].end = end;
    for (Operation &op : block) {
      if (isa<memref::AllocOp, memref::DeallocOp>(op))
        continue;
      auto use = [&](Value buffer) {
        auto it = lifetimes.find(buffer);
        if (it == lifetimes.end())
          return;
        if (!it->second.first)
          it->second.first = &op;
        it->second.last = &op;
      };
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (isa<BaseMemRefType>(operand.getType()))
            for (Value root : rootsOf(operand))
              use(root);
      });
    }
  }
};
} // namespace
