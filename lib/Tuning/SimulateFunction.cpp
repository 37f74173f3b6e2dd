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
#include "llvm/ADT/StringMap.h"

#include <map>

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
  local.library = work.kernel;
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
    writers.clear();
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
          const Kernel &kernel = kernelOf(launch);
          made.name = kernel.name;
          made.seconds = secondsOf(kernel, item);
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

  struct Kernel {
    func::FuncOp function; ///< null: not known
    unsigned name = 0;
    KernelWork work;
    double seconds = 0;
    std::optional<std::pair<unsigned, unsigned>> keyRanges;
  };

  const Kernel &kernelOf(LaunchOp launch) {
    auto [it, isNew] =
        kernels.try_emplace(launch.getKernel().getLeafReference().getValue());
    Kernel &kernel = it->second;
    if (!isNew)
      return kernel;
    kernel.name =
        program.nameOf(launch.getKernel().getLeafReference().getValue().str());
    kernel.function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        launch, launch.getKernel());
    if (!kernel.function)
      return kernel;
    kernel.work = countKernelWork(kernel.function);
    kernel.seconds = times.time(localWorkOf(kernel.work)).seconds;
    kernel.keyRanges = findKeyRanges(kernel.function);
    return kernel;
  }

  /// Of one launch; notes what it writes.
  double secondsOf(const Kernel &kernel, const StreamItem &item) {
    double seconds = kernel.seconds;
    if (kernel.keyRanges) {
      if (std::optional<double> part = visiblePart(kernel, item)) {
        LocalWork work = localWorkOf(kernel.work);
        work.multiplyAdds *= *part;
        work.causal = *part < 1;
        seconds = times.time(work).seconds;
      }
    }
    forEachBuffer(item, [&](unsigned argument, const StreamAccess &access) {
      if (access.writes)
        writers[access.part.allocation] = {&item, argument};
    });
    return seconds;
  }

  /// The part of its keys that a row of the kernel sees, by what has written
  /// the ranges.
  std::optional<double> visiblePart(const Kernel &kernel,
                                    const StreamItem &item) {
    Writer begin, end;
    forEachBuffer(item, [&](unsigned argument, const StreamAccess &access) {
      auto writer = writers.find(access.part.allocation);
      if (writer == writers.end())
        return;
      if (argument == kernel.keyRanges->first)
        begin = writer->second;
      if (argument == kernel.keyRanges->second)
        end = writer->second;
    });
    if (!begin.item || begin.item != end.item)
      return std::nullopt;
    const Kernel &writer = kernelOf(cast<LaunchOp>(begin.item->op));
    std::string key;
    llvm::raw_string_ostream os(key);
    os << writer.name << ' ' << begin.argument << ' ' << end.argument << ' '
       << kernel.work.size;
    for (std::optional<int64_t> number : begin.item->numbers)
      os << ' ' << (number ? std::to_string(*number) : "?");
    auto [it, isNew] = parts.try_emplace(key);
    if (isNew && writer.function)
      it->second =
          evaluateKeyRanges(writer.function, begin.argument, end.argument,
                            begin.item->numbers, kernel.work.size);
    return it->second;
  }

  /// The accesses of a launch with the kernel's arguments that they are to.
  static void forEachBuffer(
      const StreamItem &item,
      llvm::function_ref<void(unsigned, const StreamAccess &)> visit) {
    size_t next = 0;
    for (auto [argument, operand] : llvm::enumerate(item.op->getOperands()))
      if (isa<BaseMemRefType>(operand.getType()))
        visit(argument, item.accesses[next++]);
  }

  /// Who has written to a buffer last, and which argument it is there.
  struct Writer {
    const StreamItem *item = nullptr;
    unsigned argument = 0;
  };

  const StreamTrace &trace;
  const TopologyModel &topology;
  LocalTimes times;
  SimulatedProgram program;
  llvm::StringMap<Kernel> kernels;
  llvm::DenseMap<unsigned, Writer> writers; ///< of one rank, by allocation
  std::map<std::string, std::optional<double>> parts;
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
