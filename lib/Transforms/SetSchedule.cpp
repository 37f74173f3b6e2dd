//===- SetSchedule.cpp - A schedule for every operator --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/ArrangePlacement.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Analysis/ReshapePlacement.h"
#include "Mercury/Analysis/SlicePlacement.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/SuggestedSchedule.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mercury {
#define GEN_PASS_DEF_SETSCHEDULEPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// The schedules that names stand for balance themselves.
static constexpr llvm::StringLiteral kAutomatic("auto");

namespace {

/// Chooses schedules in program order, so that placements of producers are
/// known.
class Chooser {
public:
  Chooser(const TopologyModel &topology, StringRef request, StringRef balance)
      : topology(topology), request(request), balance(balance) {}

  LogicalResult run(func::FuncOp function);

private:
  LogicalResult choose(DistributableOpInterface op);
  LogicalResult named(DistributableOpInterface op, const OperatorModel &model,
                      StringRef name, Schedule &schedule);
  LogicalResult setBalance(DistributableOpInterface op,
                           const OperatorModel &model, Schedule &schedule);
  bool feedsContraction(Operation *op);
  void deferExits(DistributableOpInterface op, const OperatorModel &model,
                  Schedule &schedule);
  void takeExits(DistributableOpInterface op, const OperatorModel &model,
                 Schedule &schedule);
  void placeArgument(Value value, Placement placement);
  std::optional<Placement> placementOf(Value value) const {
    auto it = placements.find(value);
    return it == placements.end() ? std::nullopt
                                  : std::optional<Placement>(it->second);
  }

  const TopologyModel &topology;
  StringRef request, balance;
  bool sawContraction = false;
  bool sawMask = false;
  bool isTaken = false; ///< some contraction has what was asked for
  llvm::DenseMap<Value, Placement> placements;
  /// Where results were to leave whose exit waits for the op that uses them.
  llvm::DenseMap<Value, Placement> deferred;
  llvm::DenseMap<Operation *, bool> feeds;
};

} // namespace

static bool isContraction(const OperatorModel &model) {
  return model.inputs.size() >= 2 &&
         llvm::any_of(model.loops, [](auto &loop) { return loop.reduction; });
}

/// Whether a contraction of the function uses the op's results, through others.
bool Chooser::feedsContraction(Operation *op) {
  if (auto it = feeds.find(op); it != feeds.end())
    return it->second;
  feeds[op] = false;
  for (Operation *user : op->getUsers()) {
    auto distributable = dyn_cast<DistributableOpInterface>(user);
    if ((distributable && isContraction(buildOperatorModel(distributable))) ||
        feedsContraction(user))
      return feeds[op] = true;
  }
  return false;
}

LogicalResult Chooser::named(DistributableOpInterface op,
                             const OperatorModel &model, StringRef name,
                             Schedule &schedule) {
  if (name.starts_with("loops")) {
    std::string error;
    std::optional<Schedule> parsed =
        parseSchedule(std::string_view(name), error);
    if (!parsed)
      return op->emitError() << "schedule: " << error;
    schedule = *parsed;
    if (Verdict verdict = verify(schedule, model, topology); !verdict)
      return op->emitError() << "illegal schedule: " << verdict.reason();
    return success();
  }
  if (Verdict verdict =
          makeNamedSchedule(std::string_view(name), schedule, model, topology);
      !verdict)
    return op->emitError() << verdict.reason();
  return success();
}

/// Gives a schedule for an operator with a mask the order that is asked for.
LogicalResult Chooser::setBalance(DistributableOpInterface op,
                                  const OperatorModel &model,
                                  Schedule &schedule) {
  std::string error;
  std::optional<TokenOrder> order =
      parseBalance(std::string_view(balance),
                   balanceParts(schedule, model, topology), error);
  if (!order)
    return op->emitError() << error;
  if (Verdict verdict = setOrder(schedule, model, topology, TokenOrder());
      !verdict)
    return op->emitError() << "balance: " << verdict.reason();
  int64_t without = slowestWork(schedule, model, topology);
  if (Verdict verdict = setOrder(schedule, model, topology, *order); !verdict)
    return op->emitError() << "balance: " << verdict.reason();
  if (!request.starts_with("loops")) // that is meant as it is written
    directRings(schedule, model, topology);
  if (order->isNatural())
    return success();
  int64_t with = slowestWork(schedule, model, topology);
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
void Chooser::deferExits(DistributableOpInterface op,
                         const OperatorModel &model, Schedule &schedule) {
  bool finished = llvm::all_of(op->getUsers(), isElementwise);
  if (model.coupled.empty() || !finished)
    return;
  for (auto [result, plan] : llvm::zip(op->getResults(), schedule.results)) {
    deferred[result] = plan.exit;
    plan.exit = plan.nest;
  }
}

/// Results leave where the inputs would have.
void Chooser::takeExits(DistributableOpInterface op, const OperatorModel &model,
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
void Chooser::placeArgument(Value value, Placement placement) {
  while (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      value.getDefiningOp())) {
    std::optional<Placement> source =
        sourcePlacement(value.getDefiningOp(), placement, topology);
    if (!source)
      return;
    placements.try_emplace(value, placement);
    placement = *source;
    value = value.getDefiningOp()->getOperand(0);
  }
  if (isa<BlockArgument>(value))
    placements.try_emplace(value, placement);
}

LogicalResult Chooser::choose(DistributableOpInterface op) {
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
  } else {
    std::vector<std::optional<Placement>> known, inits;
    for (OpOperand *input : tensorInputs(op))
      known.push_back(placementOf(input->get()));
    for (Value init :
         cast<DestinationStyleOpInterface>(op.getOperation()).getDpsInits())
      inits.push_back(placementOf(init));
    bool isOpen = llvm::none_of(known, [](auto &p) { return p.has_value(); });
    const NamedSchedule *wanted = findNamedSchedule(std::string_view(request));
    bool concerned = !wanted || concerns(*wanted, model);
    bool isDefault = request.empty() || request == "default" || !concerned;
    sawContraction |= isContraction(model);
    isTaken |= concerned && isContraction(model);
    if (isContraction(model)) {
      // Named schedules say what contractions do; the default follows.
      if (!isDefault ||
          !makeFollowingSchedule(schedule, model, topology, known, inits))
        if (failed(named(op, model, isDefault ? "default" : request, schedule)))
          return failure();
    } else if (!makeFollowingSchedule(schedule, model, topology, known,
                                      inits)) {
      bool keepsWhole = model.inputs.empty() || !isOpen || feedsContraction(op);
      StringRef name = keepsWhole ? "replicated" : "default";
      if (Verdict verdict = makeNamedSchedule(std::string_view(name), schedule,
                                              model, topology);
          !verdict)
        return op->emitError() << verdict.reason();
    }
    if (isAsked && failed(setBalance(op, model, schedule)))
      return failure();
    takeExits(op, model, schedule);
    deferExits(op, model, schedule);
    op->setAttr(kScheduleAttrName,
                ScheduleAttr::get(op->getContext(), schedule));
  }
  for (auto [result, plan] : llvm::zip(op->getResults(), schedule.results))
    placements[result] = plan.exit;
  for (auto [input, plan] : llvm::zip(tensorInputs(op), schedule.inputs))
    placeArgument(input->get(), plan.entry);
  return success();
}

LogicalResult Chooser::run(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (auto placement = function.getArgAttrOfType<PlacementAttr>(
            argument.getArgNumber(), kPlacementAttrName))
      placements[argument] = placement.getValue();
  for (Operation &op : function.front()) {
    if (auto distributable = dyn_cast<DistributableOpInterface>(op)) {
      if (op.getNumResults() &&
          isa<RankedTensorType>(op.getResult(0).getType()) &&
          failed(choose(distributable)))
        return failure();
      continue;
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      if (std::optional<Placement> source = placementOf(op.getOperand(0)))
        placements[op.getResult(0)] =
            reshapePlacement(&op, *source, topology)
                .value_or(Placement::replicated(
                    cast<RankedTensorType>(op.getResult(0).getType())
                        .getRank()));
    }
    if (auto arrange = dyn_cast<ArrangeOp>(op))
      if (std::optional<Placement> source = placementOf(arrange.getSource()))
        placements[arrange] =
            arrangedPlacement(arrange, *source, topology).result;
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      if (std::optional<Placement> source = placementOf(slice.getSource()))
        placements[slice] = slicePlacement(slice, *source);
    if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
      std::optional<Placement> dest = placementOf(slice.getDest()),
                               source = placementOf(slice.getSource());
      placements[slice] = slicePlacement(slice, dest ? &*dest : nullptr,
                                         source ? &*source : nullptr);
    }
  }
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

namespace {
struct SetSchedulePass
    : public mercury::impl::SetSchedulePassBase<SetSchedulePass> {
  using SetSchedulePassBase::SetSchedulePassBase;

  /// Lists of chunks are looked at where it is known how many there are.
  LogicalResult checkBalance() {
    std::string error;
    if (balance == kAutomatic ||
        parseBalance(std::string_view(balance), /*parts=*/1, error))
      return success();
    return getOperation().emitError() << error;
  }

  void runOnOperation() override {
    if (failed(setModuleTopology(getOperation(), topology)) ||
        failed(checkBalance()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      bool placed = function
                        .walk([](Operation *op) {
                          return isa<scf::ForallOp, ShardOp, ReplicateOp>(op) ||
                                         isa<CommunicationOpInterface>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
      bool scheduled = function
                           .walk([](DistributableOpInterface op) {
                             return op->hasAttr(kScheduleAttrName)
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
      std::string request = schedule;
      auto suggested =
          function->getAttrOfType<StringAttr>(kSuggestedScheduleAttrName);
      if (request.empty() && suggested)
        request = suggested.str();
      if (placed || (request.empty() && !scheduled))
        continue;
      TopologyOp found = lookupTopology(function);
      if (!found) {
        function.emitError()
            << "no topology resolves: the module has none, or several and '"
            << kTopologyAttrName << "' names none of them";
        return signalPassFailure();
      }
      TopologyModel model = found.getModel();
      if (failed(Chooser(model, request, balance).run(function)))
        return signalPassFailure();
      function->removeAttr(kSuggestedScheduleAttrName);
    }
  }
};
} // namespace
