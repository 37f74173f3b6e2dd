//===- VerifyEvents.cpp - All that must be in order is --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Events/PlayFunction.h"
#include "Mercury/Analysis/StreamFaults.h"
#include "Mercury/Transforms/EmitFault.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mercury {
#define GEN_PASS_DEF_VERIFYEVENTSPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Events as they stand in the IR
//===----------------------------------------------------------------------===//

/// Each event is recorded by one op, and not only waited for.
static LogicalResult verifyPairs(func::FuncOp function) {
  llvm::MapVector<int32_t, RecordEventOp> records;
  bool isWrong = false;
  function.walk([&](RecordEventOp record) {
    auto [it, isNew] = records.try_emplace(record.getEvent(), record);
    if (isNew)
      return;
    isWrong = true;
    InFlightDiagnostic diagnostic = record.emitError()
                                    << "records event " << record.getEvent()
                                    << ", which another op records, too";
    diagnostic.attachNote(it->second.getLoc()) << "the other op";
  });
  function.walk([&](WaitEventOp wait) {
    if (records.count(wait.getEvent()))
      return;
    isWrong = true;
    wait.emitError() << "waits for event " << wait.getEvent()
                     << ", which is never recorded";
  });
  return failure(isWrong);
}

//===----------------------------------------------------------------------===//
// Faults as diagnostics
//===----------------------------------------------------------------------===//

static std::string describeUse(const StreamItem &item, bool writes) {
  if (isa<func::FuncOp>(item.op))
    return "receives";
  if (item.op->hasTrait<OpTrait::IsTerminator>())
    return "returns";
  if (isa<memref::AllocOp>(item.op))
    return "allocates";
  if (isa<memref::DeallocOp>(item.op))
    return "frees";
  return writes ? "writes" : "reads";
}

static std::string describeExecution(const StreamItem &item) {
  return item.execution == 0
             ? ""
             : " (execution " + std::to_string(item.execution + 1) + ")";
}

static PlayFault describe(const StreamFault &fault, const StreamTrace &trace) {
  const std::vector<StreamItem> &items = trace.ranks[fault.rank];
  const StreamItem &earlier = items[fault.earlier], &later = items[fault.later];
  std::string here = trace.describeStream(later.stream);
  std::string there = trace.describeStream(earlier.stream);
  PlayFault result;
  result.op = later.op;
  result.ranks = {fault.rank};
  switch (fault.kind) {
  case StreamFault::Kind::Race: {
    const StreamAccess &access = later.accesses[fault.laterAccess];
    bool writes = earlier.accesses[fault.earlierAccess].writes;
    result.message = describeUse(later, access.writes) + " a buffer on " +
                     here + describeExecution(later) +
                     " that is still in use on " + there +
                     ": no event orders the two";
    result.notes.push_back({earlier.op, describeUse(earlier, writes) +
                                            " it on " + there +
                                            describeExecution(earlier)});
    Operation *defining = access.buffer.getDefiningOp();
    if (defining && defining != earlier.op)
      result.notes.push_back({defining, "the buffer"});
    break;
  }
  case StreamFault::Kind::Together:
    result.message = "communicates over " + here + describeExecution(later) +
                     " while communication over " + there +
                     " may be in flight: no event orders the two";
    result.notes.push_back({earlier.op, "communicates over " + there +
                                            describeExecution(earlier)});
    break;
  case StreamFault::Kind::TooMany:
    result.message = "may be in flight together with communication of others "
                     "over more than " +
                     std::to_string(kMaxCommunicators) + " sets of axes";
    break;
  }
  return result;
}

/// One fault for each two ops, with all ranks on which it happens.
static std::vector<PlayFault> describeAll(ArrayRef<StreamFault> faults,
                                          const StreamTrace &trace) {
  using Key = std::tuple<Operation *, Operation *, unsigned, int>;
  llvm::MapVector<Key, PlayFault> merged;
  for (const StreamFault &fault : faults) {
    const std::vector<StreamItem> &items = trace.ranks[fault.rank];
    const StreamItem &earlier = items[fault.earlier];
    Key key(items[fault.later].op, earlier.op, earlier.stream,
            static_cast<int>(fault.kind));
    auto it = merged.find(key);
    if (it == merged.end())
      merged[key] = describe(fault, trace);
    else if (it->second.ranks.back() != fault.rank)
      it->second.ranks.push_back(fault.rank);
  }
  std::vector<PlayFault> result;
  for (auto &entry : merged)
    result.push_back(std::move(entry.second));
  return result;
}

namespace {
struct VerifyEventsPass
    : public mercury::impl::VerifyEventsPassBase<VerifyEventsPass> {
  using VerifyEventsPassBase::VerifyEventsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FailureOr<std::optional<PlayedFunction>> played =
        playFunction(function, budget);
    if (failed(played) || failed(verifyPairs(function)))
      return signalPassFailure();
    if (!*played)
      return;
    const auto &[topology, trace] = **played;
    for (const std::vector<StreamItem> &items : trace.ranks)
      numItems += items.size();
    std::vector<PlayFault> faults = describeAll(findStreamFaults(trace), trace);
    // One order of communication for all ranks: each has one operation under
    // way, and they meet.
    if (faults.empty())
      if (std::optional<PlayFault> fault =
              findMeetingFault(trace.play, topology))
        faults.push_back(std::move(*fault));
    for (const PlayFault &fault : faults)
      emitFault(fault, topology.numRanks());
    if (!faults.empty())
      signalPassFailure();
  }
};
} // namespace
