//===- InsertEvents.cpp - Streams are tied by events ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Events/EventPlan.h"
#include "Events/PlayFunction.h"
#include "Mercury/Transforms/Gpu/Passes.h"

namespace mercury {
#define GEN_PASS_DEF_INSERTEVENTSPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// The axes of a stream as ops name it; none: compute.
static ArrayAttr nameStream(MLIRContext *context, const StreamTrace &trace,
                            unsigned stream) {
  SmallVector<Attribute> axes;
  if (stream != kComputeStream)
    for (const AxisRef &axis : trace.play.communicators.axes(stream - 1))
      axes.push_back(AxisAttr::get(context, axis));
  return ArrayAttr::get(context, axes);
}

static void insertEvents(func::FuncOp function, const StreamTrace &trace,
                         const EventPlan &plan) {
  MLIRContext *context = function.getContext();
  OpBuilder b(context);
  // Events count in order of the program.
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, plan.sources.size()));
  llvm::DenseMap<Operation *, unsigned> positions;
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions.try_emplace(op, positions.size()); });
  llvm::sort(order, [&](unsigned a, unsigned c) {
    const EventSource &x = plan.sources[a], &y = plan.sources[c];
    return std::pair(positions.lookup(x.op), x.stream) <
           std::pair(positions.lookup(y.op), y.stream);
  });
  SmallVector<int32_t> numbers(order.size());
  for (auto [number, source] : llvm::enumerate(order))
    numbers[source] = number;
  // Waits that follow an op come in the end behind its records.
  for (const EventWait &wait : plan.waits) {
    if (wait.after)
      b.setInsertionPointAfter(wait.anchor);
    else
      b.setInsertionPoint(wait.anchor);
    WaitEventOp::create(b, wait.anchor->getLoc(), numbers[wait.source],
                        nameStream(context, trace, wait.stream));
  }
  for (unsigned number : llvm::reverse(order)) {
    const EventSource &source = plan.sources[number];
    if (auto start = dyn_cast<func::FuncOp>(source.op))
      b.setInsertionPointToStart(&start.getBody().front());
    else
      b.setInsertionPointAfter(source.op);
    RecordEventOp::create(b, source.op->getLoc(), numbers[number],
                          nameStream(context, trace, source.stream));
  }
  for (const auto &[op, streams] : plan.concurrent) {
    SmallVector<Attribute> sets;
    for (unsigned stream : streams)
      sets.push_back(nameStream(context, trace, stream));
    op->setAttr(kConcurrentAttrName, ArrayAttr::get(context, sets));
  }
  function.walk([](Operation *op) {
    if (isa<WaitOp>(op))
      op->erase();
    else if (isa<CommunicationOpInterface, HopOp>(op))
      op->removeAttr("request");
  });
}

namespace {
struct InsertEventsPass
    : public mercury::impl::InsertEventsPassBase<InsertEventsPass> {
  using InsertEventsPassBase::InsertEventsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    WalkResult events = function.walk([](Operation *op) {
      if (!isa<RecordEventOp, WaitEventOp>(op))
        return WalkResult::advance();
      op->emitError("stands in a function that is to get its events");
      return WalkResult::interrupt();
    });
    FailureOr<std::optional<PlayedFunction>> played =
        playFunction(function, budget);
    if (events.wasInterrupted() || failed(played))
      return signalPassFailure();
    if (!*played)
      return;
    const StreamTrace &trace = (*played)->trace;
    EventPlan plan = planEvents(trace);
    insertEvents(function, trace, plan);
    numEvents += plan.sources.size();
    numWaits += plan.waits.size();
  }
};
} // namespace
