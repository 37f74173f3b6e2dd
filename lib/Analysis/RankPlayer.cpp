//===- RankPlayer.cpp - One rank runs its arithmetic ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankPlayer.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

void RankPlayer::fault(Operation *op, const Twine &message, Operation *other,
                       const Twine &note) {
  PlayFault fault;
  fault.op = op;
  fault.message = message.str();
  if (other)
    fault.notes.push_back({other, note.str()});
  shared.fault(rank, std::move(fault));
}

void RankPlayer::conflict(Operation *op,
                          const std::optional<BufferConflict> &conflict) {
  if (conflict)
    fault(op, conflict->message, conflict->other, conflict->note);
}

LogicalResult RankPlayer::cannot(Operation *op, const Twine &reason) {
  fault(op, "cannot be played: " + reason);
  return failure();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

FailureOr<Operation *> RankPlayer::run(Region &region) {
  Block *block = &region.front();
  while (true) {
    Operation *last =
        block->mightHaveTerminator() ? block->getTerminator() : nullptr;
    for (Operation &op : *block)
      if (&op != last && failed(visit(&op)))
        return failure();
    if (!last || last->getNumSuccessors() == 0)
      return last;
    if (--shared.budget < 0)
      return cannot(last, "it takes more steps than the budget allows");
    auto branch = dyn_cast<BranchOpInterface>(last);
    if (!branch)
      return cannot(last, "'" + last->getName().getStringRef() +
                              "' is no branch that can be followed");
    Block *next = last->getSuccessor(0);
    if (last->getNumSuccessors() > 1) {
      Builder b(last->getContext());
      SmallVector<Attribute> operands;
      for (Value operand : last->getOperands()) {
        std::optional<int64_t> known = number(operand);
        operands.push_back(known ? b.getIntegerAttr(operand.getType(), *known)
                                 : IntegerAttr());
      }
      next = branch.getSuccessorForOperands(operands);
      if (!next || llvm::count(last->getSuccessors(), next) != 1)
        return cannot(last, "where it branches to depends on data");
    }
    unsigned index = std::distance(last->getSuccessors().begin(),
                                   llvm::find(last->getSuccessors(), next));
    SmallVector<Cell> cells =
        getAll(branch.getSuccessorOperands(index).getForwardedOperands());
    unsigned produced = next->getNumArguments() - cells.size();
    setAll(next->getArguments().drop_front(produced), cells);
    block = next;
  }
}

LogicalResult RankPlayer::visit(Operation *op) {
  if (--shared.budget < 0)
    return cannot(op, "it takes more steps than the budget allows");
  if (isa<CommunicationOpInterface, HopOp>(op))
    return communicate(op);
  if (auto waitOp = dyn_cast<WaitOp>(op))
    return wait(waitOp);
  if (auto call = dyn_cast<func::CallOp>(op); call && shared.communicates(op))
    return shared.streams ? cannot(op, "calls a function in which " +
                                           contents() + "; inline it first")
                          : visitCall(call);
  if (isa<ShardOp, ReplicateOp, ReshardOp>(op))
    return cannot(op, "'" + op->getName().getStringRef() +
                          "' places a tensor; resolve communication first");
  if (op->getNumRegions() != 0) {
    bool isNeeded = llvm::any_of(op->getResultTypes(), [](Type type) {
      return type.isIntOrIndex() || isa<BaseMemRefType>(type);
    });
    bool isControl = isa<scf::ForOp, scf::IfOp, scf::WhileOp,
                         scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
    if (shared.communicates(op) || (isControl && isNeeded)) {
      if (shared.streams)
        addItem(StreamItem::Kind::Enter, op);
      return visitControl(op);
    }
    for (Value result : op->getResults())
      set(result, Cell());
  } else {
    evaluate(op);
  }
  if (failed(useBuffers(op)))
    return failure();
  return shared.streams ? enqueue(op) : success();
}

//===----------------------------------------------------------------------===//
// Ops with regions
//===----------------------------------------------------------------------===//

LogicalResult RankPlayer::visitControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (auto rotate = dyn_cast<RotateOp>(op))
    return visitRotate(rotate);

  Region *taken = nullptr;
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    if (std::optional<int64_t> condition = number(ifOp.getCondition()))
      taken = *condition ? &ifOp.getThenRegion() : &ifOp.getElseRegion();
  } else if (auto switchOp = dyn_cast<scf::IndexSwitchOp>(op)) {
    if (std::optional<int64_t> value = number(switchOp.getArg())) {
      taken = &switchOp.getDefaultRegion();
      for (auto [i, label] : llvm::enumerate(switchOp.getCases()))
        if (label == *value)
          taken = &switchOp.getCaseRegions()[i];
    }
  } else if (isa<scf::ExecuteRegionOp>(op)) {
    taken = &op->getRegion(0);
  } else {
    return cannot(op, contents() + " inside '" +
                          op->getName().getStringRef() + "'");
  }
  if (!taken) {
    if (shared.communicates(op))
      return cannot(op, "its condition depends on data, and " + contents() +
                            " inside");
    for (Value result : op->getResults())
      set(result, Cell());
    return useBuffers(op);
  }
  if (taken->empty())
    return success();
  FailureOr<Operation *> last = run(*taken);
  if (failed(last))
    return failure();
  setAll(op->getResults(), getAll((*last)->getOperands()));
  return success();
}

LogicalResult RankPlayer::visitFor(scf::ForOp op) {
  std::optional<int64_t> lower = number(op.getLowerBound()),
                         upper = number(op.getUpperBound()),
                         step = number(op.getStep());
  if (!lower || !upper || !step || *step <= 0) {
    if (shared.communicates(op))
      return cannot(op, "its bounds depend on data, and " + contents() +
                            " inside");
    for (Value result : op.getResults())
      set(result, Cell());
    return useBuffers(op);
  }
  SmallVector<Cell> carried = getAll(op.getInitArgs());
  for (int64_t i = *lower; i < *upper; i += *step) {
    if (--shared.budget < 0)
      return cannot(op, "it takes more steps than the budget allows");
    set(op.getInductionVar(), Cell{i, std::nullopt});
    setAll(op.getRegionIterArgs(), carried);
    FailureOr<Operation *> last = run(op.getRegion());
    if (failed(last))
      return failure();
    carried = getAll((*last)->getOperands());
  }
  setAll(op.getResults(), carried);
  return success();
}

LogicalResult RankPlayer::visitWhile(scf::WhileOp op) {
  SmallVector<Cell> carried = getAll(op.getInits());
  while (true) {
    if (--shared.budget < 0)
      return cannot(op, "it takes more steps than the budget allows");
    setAll(op.getBeforeArguments(), carried);
    FailureOr<Operation *> last = run(op.getBefore());
    if (failed(last))
      return failure();
    auto condition = cast<scf::ConditionOp>(*last);
    std::optional<int64_t> goesOn = number(condition.getCondition());
    if (!goesOn)
      return cannot(op, "its condition depends on data");
    carried = getAll(condition.getArgs());
    if (!*goesOn)
      break;
    setAll(op.getAfterArguments(), carried);
    last = run(op.getAfter());
    if (failed(last))
      return failure();
    carried = getAll((*last)->getOperands());
  }
  setAll(op.getResults(), carried);
  return success();
}

LogicalResult RankPlayer::visitRotate(RotateOp op) {
  if (op.hasBufferSemantics())
    return cannot(op, "a rotation on buffers; lower rotations first");
  SmallVector<Value> tiles(op.getTravel());
  llvm::append_range(tiles, op.getCarry());
  for (int64_t step = 0, end = op.getSteps(); step < end; ++step) {
    if (--shared.budget < 0)
      return cannot(op, "it takes more steps than the budget allows");
    set(op.getBody().getArgument(0), Cell{step, std::nullopt});
    if (failed(run(op.getBody())))
      return failure();
    if (op.hasCombine() && failed(run(op.getCombine().front())))
      return failure();
    // Tiles pass on, and partial results with them, after all steps but the
    // last.
    if (step + 1 < end && failed(hop(op, op.getHops(), tiles, {})))
      return failure();
  }
  for (Value result : op.getResults())
    set(result, Cell());
  return success();
}

LogicalResult RankPlayer::visitCall(func::CallOp op) {
  // It communicates, so it has a body.
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (++callDepth > 64)
    return cannot(op, "functions that communicate call each other too deep");
  setAll(callee.getArguments(), getAll(op.getOperands()));
  FailureOr<Operation *> last = run(callee.getBody());
  if (failed(last))
    return failure();
  --callDepth;
  setAll(op.getResults(), getAll((*last)->getOperands()));
  return success();
}

LogicalResult RankPlayer::play(func::FuncOp function,
                               CommunicationTrace &result) {
  trace = &result;
  // Buffers of the caller: no two overlap.
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType())) {
      arguments[argument] = tracking.allocate(argument);
      set(argument, Cell{std::nullopt, arguments[argument]});
    }
  if (shared.streams)
    enqueueArguments(function);
  FailureOr<Operation *> last = run(function.getBody());
  if (failed(last))
    return failure();
  if (shared.streams)
    enqueueArguments(*last);
  return finish(*last);
}
