//===- PlayCommunication.cpp - What a rank asks for -----------------------===//
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

/// NCCL hangs on groups of more point-to-point calls (pytorch#174288).
static constexpr size_t kMaxCallsPerGroup = 256;
/// What an event takes of the budget: the ranks have yet to meet.
static constexpr int64_t kEventCost = 16;

static int64_t numElements(Value value) {
  return cast<ShapedType>(value.getType()).getNumElements();
}

//===----------------------------------------------------------------------===//
// Start and wait
//===----------------------------------------------------------------------===//

void RankPlayer::checkCommunicators(Operation *op,
                                    ArrayRef<unsigned> communicators) {
  SmallVector<unsigned> all;
  Operation *other = nullptr;
  auto add = [&](ArrayRef<unsigned> list, Operation *from) {
    for (unsigned index : list) {
      const AxisList &axes = shared.play.communicators.axes(index);
      if (shared.topology.sizeOf(axes) == 1 || llvm::is_contained(all, index))
        continue;
      all.push_back(index);
      if (from != op)
        other = from;
    }
  };
  for (const auto &[request, flight] : tracking.flights)
    add(flight.communicators, flight.op);
  add(communicators, op);
  if (all.size() <= kMaxCommunicators)
    return;
  std::string names;
  for (unsigned index : all)
    names += (names.empty() ? "" : ", ") +
             print(shared.play.communicators.axes(index));
  fault(op,
        "has " + Twine(all.size()) +
            " communicators that share a rank in "
            "flight together, at most " +
            Twine(kMaxCommunicators) + " may be: " + names,
        other, "is in flight, too");
}

LogicalResult RankPlayer::issue(CommunicationEvent event,
                                ArrayRef<unsigned> communicators,
                                ArrayRef<Value> sources,
                                ArrayRef<Value> targets) {
  Operation *op = event.op;
  if ((shared.budget -= kEventCost) < 0)
    return cannot(op, "it takes more steps than the budget allows");
  Flight flight;
  flight.op = op;
  flight.event = trace->size();
  flight.communicators.assign(communicators.begin(), communicators.end());
  for (auto [values, refs, writes] :
       {std::tuple(sources, &flight.sources, false),
        std::tuple(targets, &flight.targets, true)})
    for (Value value : values) {
      if (!isa<MemRefType>(value.getType()))
        continue;
      auto it = buffers.find(value);
      if (it == buffers.end())
        return cannot(op, "which buffer travels depends on data");
      refs->push_back(it->second);
      conflict(op, tracking.access(it->second, writes));
    }
  for (auto [i, target] : llvm::enumerate(flight.targets)) {
    auto meets = [&, at = &target](const BufferRef &other) {
      return overlaps(*at, other);
    };
    if (llvm::any_of(flight.sources, meets) ||
        llvm::any_of(ArrayRef(flight.targets).take_front(i), meets))
      fault(op, "receives into a buffer that it sends or receives into "
                "elsewhere, too");
  }
  checkCommunicators(op, communicators);
  if (event.transfers.size() > kMaxCallsPerGroup)
    fault(op, "is a group of " + Twine(event.transfers.size()) +
                  " sends and receives, at most " + Twine(kMaxCallsPerGroup) +
                  " may be in one");
  event.starts = op->hasAttr("request");
  if (shared.streams)
    flight.group = enqueue(event, flight);
  if (auto request = op->getAttrOfType<IntegerAttr>("request")) {
    int32_t number = request.getInt();
    if (auto it = tracking.flights.find(number); it != tracking.flights.end())
      fault(op,
            "starts request " + Twine(number) +
                " again before it is waited for",
            it->second.op, "starts request " + Twine(number) + " before");
    tracking.flights[number] = std::move(flight);
  }
  trace->push_back(std::move(event));
  return success();
}

LogicalResult RankPlayer::wait(WaitOp op) {
  auto it = tracking.flights.find(op.getRequest());
  if (it == tracking.flights.end()) {
    fault(op, "waits for request " + Twine(op.getRequest()) +
                  ", which is not started");
    return success();
  }
  Flight &flight = it->second;
  auto isNamed = [&](const BufferRef &ref) {
    return llvm::any_of(op.getBuffers(), [&](Value value) {
      auto named = buffers.find(value);
      return named == buffers.end() || overlaps(named->second, ref);
    });
  };
  if (!llvm::all_of(flight.sources, isNamed) ||
      !llvm::all_of(flight.targets, isNamed))
    fault(op,
          "does not name a buffer that request " + Twine(op.getRequest()) +
              " has in flight; passes may move its uses across",
          flight.op, "starts request " + Twine(op.getRequest()));
  CommunicationEvent event;
  event.kind = CommunicationEvent::Kind::Wait;
  event.op = op;
  event.awaited = flight.event;
  trace->push_back(event);
  if (shared.streams)
    addItem(StreamItem::Kind::Finish, op).group = flight.group;
  tracking.flights.erase(it);
  return success();
}

LogicalResult RankPlayer::finish(Operation *op) {
  for (const auto &[request, flight] : tracking.flights)
    fault(flight.op,
          "starts request " + Twine(request) + ", which is never waited for",
          op, "the function ends here");
  return success();
}

//===----------------------------------------------------------------------===//
// Communicating ops
//===----------------------------------------------------------------------===//

/// A coordinate on `axes`, or nobody (-1).
FailureOr<int64_t> RankPlayer::coordinateOf(Operation *op, Value value,
                                            const AxisList &axes,
                                            StringRef what, bool allowsNobody) {
  std::optional<int64_t> at = number(value);
  if (!at)
    return cannot(op, "its " + what + " depends on data");
  int64_t size = shared.topology.sizeOf(axes);
  if (*at >= size || (*at < 0 && !allowsNobody)) {
    fault(op, "its " + what + " is coordinate " + Twine(*at) + " of " +
                  Twine(size) + " on " + print(axes) +
                  "; coordinates count inside the group");
    return failure();
  }
  return std::max<int64_t>(*at, -1);
}

LogicalResult RankPlayer::hop(Operation *op, ArrayAttr hops,
                              ArrayRef<Value> sources,
                              ArrayRef<Value> targets) {
  const TopologyModel &topology = shared.topology;
  CommunicationEvent event;
  event.kind = CommunicationEvent::Kind::Transfers;
  event.op = op;
  SmallVector<unsigned> communicators;
  for (auto [i, attr] : llvm::enumerate(hops)) {
    auto hopAttr = cast<HopAttr>(attr);
    AxisList axes;
    for (AxisAttr axis : hopAttr.getAxes())
      axes.push_back(axis.getValue());
    Transfer transfer;
    transfer.communicator = shared.play.communicators.indexOf(axes);
    if (!llvm::is_contained(communicators, transfer.communicator))
      communicators.push_back(transfer.communicator);
    transfer.count = numElements(sources[i]);
    transfer.element = getElementTypeOrSelf(sources[i]);
    transfer.tile = i;
    if (auto it = buffers.find(sources[i]); it != buffers.end())
      transfer.origin = tracking.origin(it->second).getAsOpaquePointer();
    int64_t size = topology.sizeOf(axes);
    int64_t at = topology.coordinate(rank, axes);
    for (bool isSend : {true, false}) {
      int64_t to = at + (isSend ? -hopAttr.getStride() : hopAttr.getStride());
      transfer.isSend = isSend;
      transfer.peer =
          topology.withCoordinate(rank, axes, ((to % size) + size) % size);
      event.transfers.push_back(transfer);
    }
  }
  return issue(std::move(event), communicators, sources, targets);
}

LogicalResult RankPlayer::permute(PermuteOp op, CommunicationEvent &event) {
  const AxisList &axes = shared.play.communicators.axes(event.communicator);
  FailureOr<int64_t> to = coordinateOf(op, op.getDestination(), axes,
                                       "destination", /*allowsNobody=*/true);
  if (failed(to))
    return failure();
  FailureOr<int64_t> from =
      coordinateOf(op, op.getSource(), axes, "source", /*allowsNobody=*/true);
  if (failed(from))
    return failure();
  event.kind = CommunicationEvent::Kind::Transfers;
  for (auto [peer, isSend] : {std::pair(*to, true), std::pair(*from, false)}) {
    if (peer < 0)
      continue;
    Transfer transfer;
    transfer.isSend = isSend;
    transfer.communicator = event.communicator;
    transfer.peer = shared.topology.withCoordinate(rank, axes, peer);
    transfer.count = event.count;
    transfer.element = event.element;
    event.transfers.push_back(transfer);
  }
  return success();
}

LogicalResult RankPlayer::communicate(Operation *op) {
  if (auto hops = dyn_cast<HopOp>(op))
    return hop(op, hops.getHops(), llvm::to_vector(hops.getSources()),
               llvm::to_vector(hops.getTargets()));
  auto dps = cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> sources, targets(dps.getDpsInits());
  for (Value operand : op->getOperands())
    if (isa<ShapedType>(operand.getType()) &&
        !llvm::is_contained(targets, operand))
      sources.push_back(operand);
  AxisList axes =
      toAxisList(cast<CommunicationOpInterface>(op).getCommunicationAxes());
  CommunicationEvent event;
  event.op = op;
  event.communicator = shared.play.communicators.indexOf(axes);
  Value given = sources.empty() ? targets.front() : sources.front();
  event.count = numElements(given);
  event.element = getElementTypeOrSelf(given);
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    FailureOr<int64_t> root = coordinateOf(op, broadcast.getRoot(), axes,
                                           "root", /*allowsNobody=*/false);
    if (failed(root))
      return failure();
    event.root = *root;
  }
  if (auto permutation = dyn_cast<PermuteOp>(op);
      permutation && failed(permute(permutation, event)))
    return failure();
  unsigned communicator = event.communicator;
  for (Value result : op->getResults())
    set(result, Cell());
  return issue(std::move(event), communicator, sources, targets);
}
