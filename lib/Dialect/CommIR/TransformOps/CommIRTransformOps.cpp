//===- CommIRTransformOps.cpp - Schedules as transform scripts ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/TransformOps/CommIRTransformOps.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Dialect/CommIR/IR/AxisSyntax.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Transforms/Distribute.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;
using namespace mercury::commir::transform_ops;

//===----------------------------------------------------------------------===//
// What all of them need of a payload op
//===----------------------------------------------------------------------===//

/// A silenceable failure for `reason`, with a note at the payload op.
static DiagnosedSilenceableFailure
refuse(transform::TransformOpInterface script, Operation *target,
       const Twine &reason) {
  DiagnosedSilenceableFailure failure = script.emitSilenceableError() << reason;
  failure.attachNote(target->getLoc()) << "on this operator";
  return failure;
}

/// The payload op as an operator that can be scheduled, and its topology.
static DiagnosedSilenceableFailure
prepare(transform::TransformOpInterface script, Operation *target,
        DistributableOpInterface &op, TopologyModel &topology) {
  op = dyn_cast<DistributableOpInterface>(target);
  if (!op || !isa<DestinationStyleOpInterface>(target))
    return refuse(script, target,
                  "'" + target->getName().getStringRef() +
                      "' is no operator that can be distributed");
  if (llvm::none_of(target->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return refuse(script, target,
                  "'" + target->getName().getStringRef() +
                      "' has no tensor as a result");
  if (Value dynamic = firstDynamicValue(op)) {
    std::string type;
    llvm::raw_string_ostream(type) << dynamic.getType();
    return refuse(script, target,
                  "has a dynamic extent in a value of type " + Twine(type) +
                      "; only static shapes are distributed");
  }
  TopologyOp found = lookupTopology(target);
  if (!found)
    return refuse(script, target,
                  "no topology resolves: the module has none, or several and "
                  "'" +
                      Twine(kTopologyAttrName) + "' names none of them");
  topology = found.getModel();
  return DiagnosedSilenceableFailure::success();
}

/// Edits the schedule of `target`.
static DiagnosedSilenceableFailure editSchedule(
    transform::TransformOpInterface script, RewriterBase &rewriter,
    Operation *target,
    llvm::function_ref<Verdict(Schedule &, const ScheduleContext &)> edit) {
  DistributableOpInterface op;
  TopologyModel topology;
  DiagnosedSilenceableFailure ready = prepare(script, target, op, topology);
  if (!ready.succeeded())
    return ready;
  OperatorModel model = buildOperatorModel(op);
  auto present = op->getAttrOfType<ScheduleAttr>(kScheduleAttrName);
  Schedule schedule =
      present ? present.getValue() : Schedule::replicated(model);
  if (Verdict verdict = edit(schedule, ScheduleContext{model, topology});
      !verdict)
    return refuse(script, target, verdict.reason());
  rewriter.modifyOpInPlace(op, [&] {
    op->setAttr(kScheduleAttrName,
                ScheduleAttr::get(op->getContext(), schedule));
  });
  return DiagnosedSilenceableFailure::success();
}

#define GET_OP_CLASSES
#include "Mercury/Dialect/CommIR/TransformOps/CommIRTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// The primitives
//===----------------------------------------------------------------------===//

LogicalResult transform_ops::TileOp::verify() {
  if (getAxes().has_value() + getSteps().has_value() + getSize().has_value() !=
      1)
    return emitOpError("expects either axes, a number of steps, or a size");
  return success();
}

Verdict transform_ops::TileOp::edit(Schedule &s, const ScheduleContext &c) {
  if (getSteps())
    return tile(s, c, getLoop(), static_cast<int64_t>(*getSteps()));
  if (getSize())
    return localTile(s, c, getLoop(), static_cast<int64_t>(*getSize()));
  return tile(s, c, getLoop(), toAxisList(getAxesAttr()));
}

Verdict transform_ops::JoinOp::edit(Schedule &s, const ScheduleContext &c) {
  return join(s, c, getLoop(), getFactor());
}

LogicalResult transform_ops::ReorderOp::verify() {
  if (getLoops().size() != getFactors().size())
    return emitOpError() << "expects as many factors as loops, got "
                         << getFactors().size() << " and " << getLoops().size();
  for (int64_t number : llvm::concat<const int64_t>(getLoops(), getFactors()))
    if (number < 0)
      return emitOpError() << "expects numbers of loops and factors, got "
                           << number;
  return success();
}

Verdict transform_ops::ReorderOp::edit(Schedule &s, const ScheduleContext &c) {
  std::vector<std::pair<size_t, size_t>> order;
  for (auto [loop, factor] : llvm::zip_equal(getLoops(), getFactors()))
    order.emplace_back(loop, factor);
  return reorder(s, c, order);
}

Verdict transform_ops::ParallelizeOp::edit(Schedule &s,
                                           const ScheduleContext &c) {
  return parallelize(s, c, getLoop(), toAxisList(getAxes()));
}

Verdict transform_ops::ShardOp::edit(Schedule &s, const ScheduleContext &c) {
  return shard(s, c, getInput(), getDim(), toAxisList(getAxes()));
}

Verdict transform_ops::ShardResultOp::edit(Schedule &s,
                                           const ScheduleContext &c) {
  return shardResult(s, c, getNumber(), getDim(), toAxisList(getAxes()));
}

Verdict transform_ops::ShardExitOp::edit(Schedule &s,
                                         const ScheduleContext &c) {
  return shardExit(s, c, getNumber(), getDim(), toAxisList(getAxes()));
}

Verdict transform_ops::ReplicateOp::edit(Schedule &s,
                                         const ScheduleContext &c) {
  return replicate(s, c, getInput(), toAxisList(getAxes()));
}

Verdict transform_ops::ReplicateResultOp::edit(Schedule &s,
                                               const ScheduleContext &c) {
  return replicateResult(s, c, getNumber(), toAxisList(getAxes()));
}

Verdict transform_ops::ShiftOp::edit(Schedule &s, const ScheduleContext &c) {
  return shift(s, c, getLoop(), getFactor(), toAxisList(getAxes()),
               static_cast<int64_t>(getStride()),
               static_cast<int64_t>(getOffset()));
}

Verdict transform_ops::BidirectionalOp::edit(Schedule &s,
                                             const ScheduleContext &c) {
  return bidirectional(s, c, getLoop(), getFactor());
}

Verdict transform_ops::BackwardsOp::edit(Schedule &s,
                                         const ScheduleContext &c) {
  return backwards(s, c, getLoop(), getFactor());
}

Verdict transform_ops::ArrangeOp::edit(Schedule &s, const ScheduleContext &c) {
  std::string_view text = getOrder();
  TextCursor cursor(text);
  TokenOrder order;
  std::string error;
  if (!mercury::parse(cursor, order, error) ||
      (!cursor.atEnd() && !cursor.fail(error, "the end")))
    return Verdict::no("order '" + std::string(text) + "': " + error);
  return arrange(s, c, getLoop(), order);
}

Verdict transform_ops::FetchOp::edit(Schedule &s, const ScheduleContext &c) {
  return fetch(s, c, getInput(), toAxisList(getAxes()));
}

Verdict transform_ops::PatchOp::edit(Schedule &s, const ScheduleContext &c) {
  return patch(s, c, getKernel().str());
}

Verdict transform_ops::NamedScheduleOp::edit(Schedule &s,
                                             const ScheduleContext &c) {
  return makeNamedSchedule(std::string_view(getName()), s, c.op, c.topology);
}

Verdict transform_ops::SetScheduleOp::edit(Schedule &s,
                                           const ScheduleContext &c) {
  std::string error;
  std::optional<Schedule> given =
      parseSchedule(std::string_view(getSchedule()), error);
  if (!given)
    return Verdict::no("schedule: " + error);
  if (Verdict v = mercury::verify(*given, c.op, c.topology); !v)
    return Verdict::no("illegal schedule: " + v.reason());
  s = std::move(*given);
  return Verdict::ok();
}

//===----------------------------------------------------------------------===//
// distribute
//===----------------------------------------------------------------------===//

/// The loops in `scope`, outer loops first.
template <typename LoopOp>
static SmallVector<Operation *> loopsIn(Operation *scope) {
  SmallVector<Operation *> loops;
  scope->walk<WalkOrder::PreOrder>([&](LoopOp op) { loops.push_back(op); });
  return loops;
}

/// Those of `all` that were not there before.
static void appendNew(SmallVectorImpl<Operation *> &made,
                      ArrayRef<Operation *> all, ArrayRef<Operation *> before) {
  llvm::DenseSet<Operation *> old(before.begin(), before.end());
  llvm::copy_if(all, std::back_inserter(made),
                [&](Operation *op) { return !old.contains(op); });
}

DiagnosedSilenceableFailure
transform_ops::DistributeOp::apply(transform::TransformRewriter &rewriter,
                                   transform::TransformResults &results,
                                   transform::TransformState &state) {
  SmallVector<Operation *> timeLoops, rankLoops;
  for (Operation *target : state.getPayloadOps(getTarget())) {
    DistributableOpInterface op;
    TopologyModel topology;
    DiagnosedSilenceableFailure ready = prepare(*this, target, op, topology);
    if (!ready.succeeded())
      return ready;
    auto attr = op->getAttrOfType<ScheduleAttr>(kScheduleAttrName);
    if (!attr)
      return refuse(*this, target,
                    "'" + target->getName().getStringRef() +
                        "' has no schedule");
    Schedule schedule = attr.getValue();
    if (Verdict verdict =
            mercury::verify(schedule, buildOperatorModel(op), topology);
        !verdict)
      return refuse(*this, target, "illegal schedule: " + verdict.reason());
    Operation *scope = target->getParentOp();
    SmallVector<Operation *> timeBefore = loopsIn<scf::ForOp>(scope);
    SmallVector<Operation *> rankBefore = loopsIn<scf::ForallOp>(scope);
    if (failed(distribute(rewriter, op, schedule, topology)))
      return DiagnosedSilenceableFailure::definiteFailure();
    appendNew(timeLoops, loopsIn<scf::ForOp>(scope), timeBefore);
    appendNew(rankLoops, loopsIn<scf::ForallOp>(scope), rankBefore);
  }
  results.set(cast<OpResult>(getTimeLoops()), timeLoops);
  results.set(cast<OpResult>(getRankLoops()), rankLoops);
  return DiagnosedSilenceableFailure::success();
}

void transform_ops::DistributeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}
