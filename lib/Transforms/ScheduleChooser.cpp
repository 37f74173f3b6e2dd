//===- ScheduleChooser.cpp - Schedules of a function's operators ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/ScheduleChooser.h"
#include "Mercury/Analysis/ArrangePlacement.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Analysis/ReshapePlacement.h"
#include "Mercury/Analysis/SlicePlacement.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// The schedules that names stand for balance themselves.
static constexpr llvm::StringLiteral kAutomatic("auto");

bool mercury::isContraction(const OperatorModel &model) {
  return model.inputs.size() >= 2 &&
         llvm::any_of(model.loops, [](auto &loop) { return loop.reduction; });
}

bool mercury::isDistributed(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa<scf::ForallOp, ShardOp, ReplicateOp>(op) ||
                       isa<CommunicationOpInterface>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mercury::feedsContraction(Operation *op) {
  SmallVector<Operation *> next{op};
  llvm::SmallPtrSet<Operation *, 16> seen{op};
  while (!next.empty())
    for (Operation *user : next.pop_back_val()->getUsers()) {
      auto distributable = dyn_cast<DistributableOpInterface>(user);
      if (distributable && isContraction(buildOperatorModel(distributable)))
        return true;
      if (seen.insert(user).second)
        next.push_back(user);
    }
  return false;
}

ScheduleChooser::ScheduleChooser(func::FuncOp function,
                                 const TopologyModel &topology,
                                 StringRef request, StringRef balance)
    : function(function), topology(&topology), request(request),
      balance(balance) {
  for (BlockArgument argument : function.getArguments())
    if (auto placement = function.getArgAttrOfType<PlacementAttr>(
            argument.getArgNumber(), kPlacementAttrName))
      placements[argument] = placement.getValue();
}

std::optional<Placement> ScheduleChooser::placementOf(Value value) const {
  auto it = placements.find(value);
  return it == placements.end() ? std::nullopt
                                : std::optional<Placement>(it->second);
}

void ScheduleChooser::placementsOf(
    DistributableOpInterface op, std::vector<std::optional<Placement>> &inputs,
    std::vector<std::optional<Placement>> &inits) const {
  for (OpOperand *input : tensorInputs(op))
    inputs.push_back(placementOf(input->get()));
  for (Value init :
       cast<DestinationStyleOpInterface>(op.getOperation()).getDpsInits())
    inits.push_back(placementOf(init));
}

LogicalResult ScheduleChooser::named(DistributableOpInterface op,
                                     const OperatorModel &model, StringRef name,
                                     Schedule &schedule) {
  if (name.starts_with("loops")) {
    std::string error;
    std::optional<Schedule> parsed =
        parseSchedule(std::string_view(name), error);
    if (!parsed)
      return op->emitError() << "schedule: " << error;
    schedule = *parsed;
    if (Verdict verdict = verify(schedule, model, *topology); !verdict)
      return op->emitError() << "illegal schedule: " << verdict.reason();
    return success();
  }
  if (Verdict verdict =
          makeNamedSchedule(std::string_view(name), schedule, model, *topology);
      !verdict)
    return op->emitError() << verdict.reason();
  return success();
}

/// Gives a schedule for an operator with a mask the order that is asked for.
LogicalResult ScheduleChooser::setBalance(DistributableOpInterface op,
                                          const OperatorModel &model,
                                          Schedule &schedule) {
  std::string error;
  std::optional<TokenOrder> order =
      parseBalance(std::string_view(balance),
                   balanceParts(schedule, model, *topology), error);
  if (!order)
    return op->emitError() << error;
  if (Verdict verdict = setOrder(schedule, model, *topology, TokenOrder());
      !verdict)
    return op->emitError() << "balance: " << verdict.reason();
  int64_t without = slowestWork(schedule, model, *topology);
  if (Verdict verdict = setOrder(schedule, model, *topology, *order); !verdict)
    return op->emitError() << "balance: " << verdict.reason();
  if (!request.starts_with("loops")) // that is meant as it is written
    directRings(schedule, model, *topology);
  if (order->isNatural())
    return success();
  int64_t with = slowestWork(schedule, model, *topology);
  if (with >= without)
    op->emitRemark() << "balance '" << balance
                     << "' gains nothing: the rank with the most work has "
                     << with << " iterations, and " << without << " without it";
  return success();
}

static bool isElementwise(Operation *op) {
  auto distributable = dyn_cast<DistributableOpInterface>(op);
  return distributable &&
         llvm::none_of(distributable.getLoops(), [](utils::IteratorType loop) {
           return loop == utils::IteratorType::reduction;
         });
}

/// Coupled results are finished element by element (attention divides by its
/// sum): one result moves to where it leaves, not all of the state.
void ScheduleChooser::deferExits(DistributableOpInterface op,
                                 const OperatorModel &model,
                                 Schedule &schedule) {
  bool finished = llvm::all_of(op->getUsers(), isElementwise);
  if (model.coupled.empty() || !finished)
    return;
  for (auto [result, plan] : llvm::zip(op->getResults(), schedule.results)) {
    deferred[result] = plan.exit;
    plan.exit = plan.nest;
  }
}

/// Results leave where the inputs would have.
void ScheduleChooser::takeExits(DistributableOpInterface op,
                                const OperatorModel &model,
                                Schedule &schedule) {
  for (auto [input, tensor] : llvm::zip(tensorInputs(op), model.inputs)) {
    auto it = deferred.find(input->get());
    if (it == deferred.end() || !isElementwise(op))
      continue;
    for (auto [plan, result] : llvm::zip(schedule.results, model.results)) {
      Placement exit = Placement::replicated(result.loopOfDim.size());
      for (auto [from, loop] : llvm::enumerate(tensor.loopOfDim))
        if (std::optional<size_t> dim =
                loop < 0 ? std::nullopt : result.dimOfLoop(loop)) {
          exit.dims[*dim] = it->second.dims[from];
          exit.setOrder(*dim, it->second.orderOf(from));
        }
      plan.exit = exit;
    }
    return; // all members leave alike
  }
}

/// An argument takes the placement of its first use, through reshapes.
void ScheduleChooser::placeArgument(Value value, Placement placement) {
  while (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      value.getDefiningOp())) {
    std::optional<Placement> source =
        sourcePlacement(value.getDefiningOp(), placement, *topology);
    if (!source)
      return;
    placements.try_emplace(value, placement);
    placement = *source;
    value = value.getDefiningOp()->getOperand(0);
  }
  if (isa<BlockArgument>(value))
    placements.try_emplace(value, placement);
}

LogicalResult ScheduleChooser::choose(DistributableOpInterface op) {
  if (Value dynamic = firstDynamicValue(op))
    return op->emitError() << "has a dynamic extent in a value of type "
                           << dynamic.getType()
                           << "; only static shapes are distributed";
  OperatorModel model = buildOperatorModel(op);
  bool isAsked = model.mask && balance != kAutomatic;
  sawMask |= model.mask.has_value();
  Schedule schedule;
  if (auto given = op->getAttrOfType<ScheduleAttr>(kScheduleAttrName)) {
    schedule = given.getValue();
    if (isAsked)
      op->emitRemark() << "balance '" << balance
                       << "' is not applied: the operator has a schedule";
    deferExits(op, model, schedule);
  } else {
    std::vector<std::optional<Placement>> known, inits;
    placementsOf(op, known, inits);
    bool isOpen = llvm::none_of(known, [](auto &p) { return p.has_value(); });
    const NamedSchedule *wanted = findNamedSchedule(std::string_view(request));
    bool concerned = !wanted || concerns(*wanted, model);
    bool isDefault = request.empty() || request == "default" || !concerned;
    sawContraction |= isContraction(model);
    isTaken |= concerned && isContraction(model);
    if (isContraction(model)) {
      // Named schedules say what contractions do; the default follows.
      if (!isDefault ||
          !makeFollowingSchedule(schedule, model, *topology, known, inits))
        if (failed(named(op, model, isDefault ? "default" : request, schedule)))
          return failure();
    } else if (!makeFollowingSchedule(schedule, model, *topology, known,
                                      inits)) {
      bool keepsWhole = model.inputs.empty() || !isOpen || feedsContraction(op);
      StringRef name = keepsWhole ? "replicated" : "default";
      if (Verdict verdict = makeNamedSchedule(std::string_view(name), schedule,
                                              model, *topology);
          !verdict)
        return op->emitError() << verdict.reason();
    }
    if (isAsked && failed(setBalance(op, model, schedule)))
      return failure();
    takeExits(op, model, schedule);
    deferExits(op, model, schedule);
  }
  take(op, schedule);
  return success();
}

void ScheduleChooser::take(DistributableOpInterface op,
                           const Schedule &schedule) {
  chosen[op] = schedule;
  for (auto [result, plan] : llvm::zip(op->getResults(), schedule.results))
    placements[result] = plan.exit;
  for (auto [input, plan] : llvm::zip(tensorInputs(op), schedule.inputs))
    placeArgument(input->get(), plan.entry);
}

LogicalResult ScheduleChooser::visit(Operation &op) {
  if (auto distributable = dyn_cast<DistributableOpInterface>(op)) {
    if (op.getNumResults() && isa<RankedTensorType>(op.getResult(0).getType()))
      return choose(distributable);
    return success();
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    if (std::optional<Placement> source = placementOf(op.getOperand(0)))
      placements[op.getResult(0)] =
          reshapePlacement(&op, *source, *topology)
              .value_or(Placement::replicated(
                  cast<RankedTensorType>(op.getResult(0).getType()).getRank()));
  }
  if (auto arrange = dyn_cast<ArrangeOp>(op))
    if (std::optional<Placement> source = placementOf(arrange.getSource()))
      placements[arrange] =
          arrangedPlacement(arrange, *source, *topology).result;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    if (std::optional<Placement> source = placementOf(slice.getSource()))
      placements[slice] = slicePlacement(slice, *source);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
    std::optional<Placement> dest = placementOf(slice.getDest()),
                             source = placementOf(slice.getSource());
    placements[slice] = slicePlacement(slice, dest ? &*dest : nullptr,
                                       source ? &*source : nullptr);
  }
  return success();
}

LogicalResult ScheduleChooser::finish() {
  if (sawContraction && !sawMask && balance != kAutomatic)
    function.emitRemark() << "balance '" << balance
                          << "' changes nothing: no operator of @"
                          << function.getSymName() << " has a mask";
  if (sawContraction && !isTaken)
    return function.emitError()
           << "schedule '" << request << "' is for "
           << (findNamedSchedule(std::string_view(request))->scope ==
                       NamedSchedule::Scope::Attention
                   ? "attention"
                   : "contractions other than attention")
           << ", of which @" << function.getSymName() << " has none";
  return success();
}
