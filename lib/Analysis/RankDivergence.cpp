//===- RankDivergence.cpp - What differs between ranks --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/RankDivergence.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static bool isNumber(Value value) {
  return value.getType().isIntOrIndexOrFloat();
}

/// Elements of tensors and buffers belong to the rank that holds them; those of
/// constants do not, and extents are the same everywhere.
static bool readsOwnElements(Operation *op) {
  if (op->getNumRegions() != 0 || isa<ShapedDimOpInterface>(op) ||
      !llvm::any_of(op->getResults(), isNumber))
    return false;
  return llvm::any_of(op->getOperands(), [](Value operand) {
    if (!isa<ShapedType>(operand.getType()))
      return false;
    return !matchPattern(operand, m_Constant()) &&
           !operand.getDefiningOp<memref::GetGlobalOp>();
  });
}

RankDivergence::RankDivergence(Operation *module) {
  module->walk([&](Operation *op) {
    bool isExternalCall = false;
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          op, call.getCalleeAttr());
      isExternalCall = !callee || callee.isExternal();
    }
    if (isa<RankCoordOp>(op) || isExternalCall || readsOwnElements(op))
      markAll(op->getResults(), op);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses())
      propagate(use, cause(value));
  }
}

void RankDivergence::mark(Value value, Operation *cause) {
  if (isNumber(value) && causes.try_emplace(value, cause).second)
    worklist.push_back(value);
}

void RankDivergence::markAll(ValueRange values, Operation *cause) {
  for (Value value : values)
    mark(value, cause);
}

/// Into and out of functions; false when `use` is neither.
bool RankDivergence::propagateCall(OpOperand &use, Operation *cause) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto call = dyn_cast<func::CallOp>(user)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        user, call.getCalleeAttr());
    if (callee && !callee.isExternal())
      mark(callee.getArgument(number), cause);
    return true;
  }
  if (!isa<func::ReturnOp>(user))
    return false;
  auto function = user->getParentOfType<func::FuncOp>();
  if (auto uses = SymbolTable::getSymbolUses(
          function, function->getParentOfType<ModuleOp>()))
    for (SymbolTable::SymbolUse symbol : *uses)
      if (auto call = dyn_cast<func::CallOp>(symbol.getUser()))
        mark(call.getResult(number), cause);
  return true;
}

void RankDivergence::propagateYield(OpOperand &use, Operation *cause) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto condition = dyn_cast<scf::ConditionOp>(use.getOwner())) {
    auto loop = cast<scf::WhileOp>(parent);
    if (number == 0) {
      // How often it runs differs, and so does all that it carries.
      markAll(loop.getBeforeArguments(), cause);
      markAll(loop.getAfterArguments(), cause);
      return markAll(loop.getResults(), cause);
    }
    mark(loop.getAfterArguments()[number - 1], cause);
    return mark(loop.getResult(number - 1), cause);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return mark(loop.getBeforeArguments()[number], cause);
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    mark(loop.getRegionIterArg(number), cause);
  if (number < parent->getNumResults())
    mark(parent->getResult(number), cause);
}

void RankDivergence::propagate(OpOperand &use, Operation *cause) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (propagateCall(use, cause))
    return;
  if (auto branch = dyn_cast<BranchOpInterface>(user)) {
    if (auto argument = branch.getSuccessorBlockArgument(number))
      return mark(*argument, cause);
    for (Block &block : llvm::drop_begin(*user->getParentRegion()))
      markAll(block.getArguments(), cause);
    return;
  }
  if (user->hasTrait<OpTrait::IsTerminator>())
    return propagateYield(use, cause);
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (number >= loop.getNumControlOperands()) {
      unsigned carried = number - loop.getNumControlOperands();
      mark(loop.getRegionIterArg(carried), cause);
      return mark(loop.getResult(carried), cause);
    }
    markAll(loop.getBody()->getArguments(), cause);
  } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
    return mark(loop.getBeforeArguments()[number], cause);
  } else if (auto rotate = dyn_cast<RotateOp>(user)) {
    markAll(rotate.getBody().getArguments().drop_front(), cause);
  }
  markAll(user->getResults(), cause);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// The branch that decides whether `block` runs, if ranks take it differently.
static std::optional<RankDivergence::Control>
divergentBranch(Block *block, const RankDivergence &divergence) {
  Region *region = block->getParent();
  if (region->hasOneBlock())
    return std::nullopt;
  PostDominanceInfo postDominance(region->getParentOp());
  for (Block &from : *region) {
    if (from.getNumSuccessors() < 2)
      continue;
    Operation *branch = from.getTerminator(), *cause = nullptr;
    for (OpOperand &operand : branch->getOpOperands())
      if (!cast<BranchOpInterface>(branch).getSuccessorBlockArgument(
              operand.getOperandNumber()))
        if (!cause)
          cause = divergence.cause(operand.get());
    if (!cause)
      continue;
    bool isReached = llvm::any_of(from.getSuccessors(), [&](Block *successor) {
      return successor == block || successor->isReachable(block);
    });
    if (isReached && !postDominance.properlyPostDominates(block, &from))
      return RankDivergence::Control{branch, cause};
  }
  return std::nullopt;
}

std::optional<RankDivergence::Control>
RankDivergence::divergentControl(Operation *op) const {
  for (Operation *inner = op, *parent = op->getParentOp(); parent;
       inner = parent, parent = parent->getParentOp()) {
    SmallVector<Value> decides;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      decides = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    else if (auto ifOp = dyn_cast<scf::IfOp>(parent))
      decides = {ifOp.getCondition()};
    else if (auto switchOp = dyn_cast<scf::IndexSwitchOp>(parent))
      decides = {switchOp.getArg()};
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      decides = {loop.getConditionOp().getCondition()};
    else if (!isa<RotateOp, scf::ExecuteRegionOp, FunctionOpInterface>(parent))
      return Control{parent, nullptr};
    for (Value value : decides)
      if (Operation *found = cause(value))
        return Control{parent, found};
    if (std::optional<Control> branch =
            divergentBranch(inner->getBlock(), *this))
      return branch;
    if (isa<FunctionOpInterface>(parent))
      break;
  }
  return std::nullopt;
}
