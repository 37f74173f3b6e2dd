//===- BufferEffects.cpp - What ops do to buffers -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Appends the buffers that `buffer` is, one of them. False: it is a root.
static bool appendSources(Value buffer, SmallVectorImpl<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return false;
    sources.push_back(loop.getTiedLoopInit(argument)->get());
    sources.push_back(loop.getTiedLoopYieldedValue(argument)->get());
    return true;
  }
  Operation *op = buffer.getDefiningOp();
  unsigned number = cast<OpResult>(buffer).getResultNumber();
  if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
    sources.push_back(view.getViewSource());
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    sources.push_back(select.getTrueValue());
    sources.push_back(select.getFalseValue());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    sources.push_back(loop.getInitArgs()[number]);
    sources.push_back(loop.getYieldedValues()[number]);
  } else if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    sources.push_back(ifOp.thenYield().getOperand(number));
    sources.push_back(ifOp.elseYield().getOperand(number));
  } else {
    return false;
  }
  return true;
}

llvm::SmallSetVector<Value, 4> mercury::rootsOf(Value buffer) {
  llvm::SmallSetVector<Value, 4> roots;
  llvm::SmallPtrSet<Value, 8> seen;
  SmallVector<Value> left{buffer};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (seen.insert(value).second && !appendSources(value, left))
      roots.insert(value);
  }
  return roots;
}

/// A buffer that shares memory with no other such buffer.
static bool isKnownRoot(Value root) {
  if (root.getDefiningOp())
    return isa<memref::AllocOp, memref::GetGlobalOp>(root.getDefiningOp());
  return isa<func::FuncOp>(cast<BlockArgument>(root).getOwner()->getParentOp());
}

bool mercury::mayOverlap(Value a, Value b) {
  for (Value x : rootsOf(a))
    for (Value y : rootsOf(b)) {
      auto first = x.getDefiningOp<memref::GetGlobalOp>();
      auto second = y.getDefiningOp<memref::GetGlobalOp>();
      bool areOne = first && second && first.getName() == second.getName();
      if (x == y || areOne || !isKnownRoot(x) || !isKnownRoot(y))
        return true;
    }
  return false;
}

bool mercury::mayConflict(Operation *op, ArrayRef<Value> read,
                          ArrayRef<Value> written) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects)
      return inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    for (const MemoryEffects::EffectInstance &effect : list) {
      if (isa<MemoryEffects::Allocate>(effect.getEffect()) ||
          effect.getResource() == NetworkResource::get() ||
          effect.getResource() == StatusResource::get())
        continue;
      if (!effect.getValue())
        return WalkResult::interrupt();
      auto meets = [&](Value buffer) {
        return mayOverlap(effect.getValue(), buffer);
      };
      bool onlyReads = isa<MemoryEffects::Read>(effect.getEffect());
      if (llvm::any_of(written, meets) ||
          (!onlyReads && llvm::any_of(read, meets)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}
