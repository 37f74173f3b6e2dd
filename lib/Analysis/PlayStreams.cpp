//===- PlayStreams.cpp - What a rank enqueues -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankPlayer.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

StreamItem &RankPlayer::addItem(StreamItem::Kind kind, Operation *op,
                                unsigned stream) {
  std::vector<StreamItem> &items = shared.streams->ranks[rank];
  StreamItem &item = items.emplace_back();
  item.kind = kind;
  item.op = op;
  item.stream = stream;
  item.group = items.size() - 1;
  return item;
}

StreamAccess RankPlayer::accessTo(const BufferRef &part, bool writes) const {
  return {part, writes, tracking.origin(part)};
}

static unsigned streamOf(ArrayAttr axes, CommunicatorTable &communicators) {
  return axes.empty() ? kComputeStream
                      : 1 + communicators.indexOf(toAxisList(axes));
}

/// A communication: an item on the stream of each communicator, with the tiles
/// that it takes.
size_t RankPlayer::enqueue(const CommunicationEvent &event,
                           const Flight &flight) {
  Operation *op = event.op;
  CommunicatorTable &communicators = shared.play.communicators;
  size_t group = shared.streams->ranks[rank].size();
  unsigned execution = executions[op]++;
  auto concurrent = op->getAttrOfType<ArrayAttr>(kConcurrentAttrName);
  for (unsigned communicator : flight.communicators) {
    StreamItem &item = addItem(StreamItem::Kind::Work, op, 1 + communicator);
    item.group = group;
    item.execution = execution;
    item.communicates = true;
    item.starts = event.starts;
    if (concurrent)
      for (auto axes : concurrent.getAsRange<ArrayAttr>())
        item.concurrent.push_back(streamOf(axes, communicators));
    // Only hops have several communicators; their tiles are numbered.
    auto isOn = [&](unsigned tile) {
      return flight.communicators.size() == 1 ||
             llvm::any_of(event.transfers, [&](const Transfer &transfer) {
               return transfer.tile == tile &&
                      transfer.communicator == communicator;
             });
    };
    for (auto [tile, part] : llvm::enumerate(flight.sources))
      if (isOn(tile))
        item.accesses.push_back(accessTo(part, false));
    for (auto [tile, part] : llvm::enumerate(flight.targets))
      if (isOn(tile))
        item.accesses.push_back(accessTo(part, true));
  }
  return group;
}

/// What is no communication.
LogicalResult RankPlayer::enqueue(Operation *op) {
  CommunicatorTable &communicators = shared.play.communicators;
  if (auto record = dyn_cast<RecordEventOp>(op)) {
    addItem(StreamItem::Kind::Record, op,
            streamOf(record.getStream(), communicators))
        .event = record.getEvent();
    return success();
  }
  if (auto wait = dyn_cast<WaitEventOp>(op)) {
    addItem(StreamItem::Kind::Wait, op,
            streamOf(wait.getStream(), communicators))
        .event = wait.getEvent();
    return success();
  }
  SmallVector<Value> read, written;
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    read = launch.getInputs();
    written = launch.getOutputs();
  } else if (auto check = dyn_cast<CheckDocumentsOp>(op)) {
    read.push_back(check.getValues());
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    // Memory comes and goes in the order of the compute stream.
    written.push_back(alloc);
  } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    written.push_back(dealloc.getMemref());
  } else {
    return success();
  }
  StreamItem &item = addItem(StreamItem::Kind::Work, op);
  item.execution = executions[op]++;
  if (auto launch = dyn_cast<LaunchOp>(op))
    for (Value input : launch.getInputs())
      item.numbers.push_back(number(input));
  for (auto [values, writes] : {std::pair(&read, false), {&written, true}})
    for (Value value : *values) {
      if (!isa<BaseMemRefType>(value.getType()))
        continue;
      auto it = buffers.find(value);
      if (it == buffers.end())
        return cannot(op, "which buffer it uses depends on data");
      item.accesses.push_back(accessTo(it->second, writes));
    }
  return success();
}

void RankPlayer::enqueueArguments(Operation *op) {
  StreamItem &item = addItem(StreamItem::Kind::Work, op);
  for (auto &[argument, part] : arguments)
    item.accesses.push_back(accessTo(part, true));
}

LogicalResult RankPlayer::checkHostUse(Operation *op) {
  if (isa<LaunchOp, CheckDocumentsOp, memref::AllocOp, memref::DeallocOp,
          RecordEventOp, WaitEventOp>(op))
    return success();
  for (const BufferUse &use : shared.uses(op)) {
    auto name = use.buffer.getDefiningOp<memref::GetGlobalOp>();
    if (name && !use.writes && !use.frees)
      continue;
    fault(op, "uses a buffer on the host, which does not wait for streams; "
              "only kernels and communication may");
    return failure();
  }
  return success();
}

std::string StreamTrace::describeStream(unsigned stream) const {
  return stream == kComputeStream ? "compute"
                                  : print(play.communicators.axes(stream - 1));
}

bool StreamTrace::compete(const StreamItem &a, const StreamItem &b) const {
  return a.communicates && b.communicates && a.stream != b.stream &&
         !isAlone[a.stream - 1] && !isAlone[b.stream - 1];
}

bool mercury::enqueues(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        // What the callee does is not looked at: passes over functions may be
        // changing it.
        bool isCall = false;
        if (auto call = dyn_cast<func::CallOp>(inner)) {
          auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              call, call.getCalleeAttr());
          isCall = callee && !callee.isExternal();
        }
        return isCall || isa<CommunicationOpInterface, HopOp, WaitOp, RotateOp,
                             LaunchOp, CheckDocumentsOp, RecordEventOp,
                             WaitEventOp, memref::AllocOp, memref::DeallocOp>(
                             inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

StreamTrace mercury::playStreams(func::FuncOp function,
                                 const TopologyModel &topology,
                                 int64_t budget) {
  StreamTrace trace;
  trace.ranks.resize(topology.numRanks());
  trace.play.traces.resize(topology.numRanks());
  PlayShared shared(topology, trace.play, budget);
  shared.streams = &trace;
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank)
    if (failed(
            RankPlayer(shared, rank).play(function, trace.play.traces[rank])) &&
        shared.budget < 0)
      break;
  for (size_t i = 0; i < trace.play.communicators.size(); ++i)
    trace.isAlone.push_back(topology.sizeOf(trace.play.communicators.axes(i)) ==
                            1);
  return trace;
}
