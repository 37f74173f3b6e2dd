//===- SimulateFunction.cpp - Simulation of compiled functions ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/SimulateFunction.h"
#include "Mercury/Analysis/KernelWork.h"
#include "Mercury/Analysis/StreamTrace.h"
#include "Mercury/Tuning/LocalTimes.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Ops that all ranks together may play.
static constexpr int64_t kBudget = 50'000'000;

static LocalWork localWorkOf(const KernelWork &work) {
  LocalWork local;
  switch (work.kind) {
  case KernelWork::Kind::Contraction:
    local.kind = LocalWork::Kind::Gemm;
    break;
  case KernelWork::Kind::Attention:
    local.kind = LocalWork::Kind::Attention;
    break;
  case KernelWork::Kind::Elementwise:
    local.kind = LocalWork::Kind::Elementwise;
    break;
  }
  local.multiplyAdds = work.multiplyAdds;
  local.bytes = work.bytes;
  local.size = work.size;
  local.type = work.type;
  local.headDim = work.headDim;
  local.causal = work.isMasked;
  return local;
}

static double widthOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// The primitive of a collective, and its bytes as LinkTimes counts them: of
/// the whole tensor, where each rank of `size` gives `bytes`.
static std::optional<std::pair<Primitive, double>>
collectiveOf(Operation *op, double bytes, int64_t size) {
  if (isa<AllGatherOp>(op))
    return std::pair(Primitive::AllGather, bytes * size);
  if (isa<ReduceScatterOp>(op))
    return std::pair(Primitive::ReduceScatter, bytes);
  if (isa<AllReduceOp>(op))
    return std::pair(Primitive::AllReduce, bytes);
  if (isa<AllToAllOp>(op))
    return std::pair(Primitive::AllToAll, bytes);
  if (isa<BroadcastOp>(op))
    return std::pair(Primitive::Broadcast, bytes);
  return std::nullopt;
}

namespace {
/// Turns what was played into a program.
class ProgramBuilder {
public:
  ProgramBuilder(const StreamTrace &trace, const TopologyModel &topology)
      : trace(trace), topology(topology), times(topology.device) {}

  FailureOr<SimulatedProgram> build() {
    for (size_t i = 0; i < trace.play.communicators.size(); ++i)
      program.communicators.push_back(trace.play.communicators.axes(i));
    program.ranks.resize(trace.ranks.size());
    for (size_t rank = 0; rank < trace.ranks.size(); ++rank)
      if (failed(buildRank(rank)))
        return failure();
    return std::move(program);
  }

private:
  LogicalResult buildRank(size_t rank) {
    // Groups of items that communicate, and events that do, come in one order.
    size_t nextEvent = 0, group = 0;
    const CommunicationEvent *event = nullptr;
    const CommunicationTrace &events = trace.play.traces[rank];
    for (const StreamItem &item : trace.ranks[rank]) {
      SimulatedItem made;
      made.stream = item.stream;
      made.event = item.event;
      switch (item.kind) {
      case StreamItem::Kind::Enter:
        continue;
      case StreamItem::Kind::Record:
        made.kind = SimulatedItem::Kind::Record;
        break;
      case StreamItem::Kind::Wait:
        made.kind = SimulatedItem::Kind::Wait;
        break;
      case StreamItem::Kind::Finish:
        return item.op->emitOpError(
            "is a wait of the host; mercury-insert-events comes first");
      case StreamItem::Kind::Work:
        if (item.communicates) {
          if (!event || item.group != group) {
            while (events[nextEvent].kind == CommunicationEvent::Kind::Wait)
              ++nextEvent;
            event = &events[nextEvent++];
            group = item.group;
          }
          if (failed(fillCommunication(*event, made)))
            return failure();
        } else if (auto launch = dyn_cast<LaunchOp>(item.op)) {
          made.kind = SimulatedItem::Kind::Compute;
          std::tie(made.name, made.seconds) = kernelOf(launch);
        } else {
          continue;
        }
        break;
      }
      program.ranks[rank].push_back(std::move(made));
    }
    return success();
  }

  LogicalResult fillCommunication(const CommunicationEvent &event,
                                  SimulatedItem &item) {
    item.name = program.nameOf(event.op->getName().stripDialect().str() + " " +
                               print(program.communicators[item.stream - 1]));
    if (event.kind == CommunicationEvent::Kind::Transfers) {
      item.kind = SimulatedItem::Kind::Transfers;
      for (const Transfer &transfer : event.transfers)
        if (transfer.communicator + 1 == item.stream)
          item.transfers.push_back(
              {transfer.isSend, transfer.peer,
               transfer.count * widthOf(transfer.element)});
      return success();
    }
    item.kind = SimulatedItem::Kind::Collective;
    auto known = collectiveOf(
        event.op, event.count * widthOf(event.element),
        topology.sizeOf(program.communicators[event.communicator]));
    if (!known)
      return event.op->emitOpError("has no time that is known");
    std::tie(item.primitive, item.bytes) = *known;
    return success();
  }

  std::pair<unsigned, double> kernelOf(LaunchOp launch) {
    auto [it, isNew] = kernels.try_emplace(launch.getKernel());
    if (!isNew)
      return it->second;
    StringRef name = launch.getKernel().getLeafReference();
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        launch, launch.getKernel());
    double seconds =
        kernel ? times.time(localWorkOf(countKernelWork(kernel))).seconds : 0;
    return it->second = {program.nameOf(name.str()), seconds};
  }

  const StreamTrace &trace;
  const TopologyModel &topology;
  LocalTimes times;
  SimulatedProgram program;
  llvm::DenseMap<Attribute, std::pair<unsigned, double>> kernels;
};
} // namespace

FailureOr<SimulatedProgram>
mercury::buildSimulatedProgram(func::FuncOp function,
                               const TopologyModel &topology) {
  StreamTrace trace = playStreams(function, topology, kBudget);
  for (const PlayFault &fault : trace.play.faults) {
    InFlightDiagnostic error = fault.op->emitError(fault.message);
    if (!fault.ranks.empty())
      error << " on " << describeRanks(fault.ranks);
  }
  if (!trace.play.faults.empty())
    return failure();
  return ProgramBuilder(trace, topology).build();
}
