//===- Simulator.cpp - Ranks on a machine, event by event -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/Simulator.h"
#include "SimulatedRun.h"

#include <algorithm>
#include <cmath>

using namespace mercury;
using Kind = SimulatedItem::Kind;

unsigned SimulatedProgram::nameOf(const std::string &name) {
  auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    it = names.insert(it, name);
  return it - names.begin();
}

std::string SimulatedProgram::describeStream(unsigned stream) const {
  return stream == 0 ? "compute" : print(communicators[stream - 1]);
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static bool isFigure(double value) {
  return std::isfinite(value) && value >= 0;
}

static Verdict verifyItem(const SimulatedProgram &program,
                          const SimulatedItem &item, int64_t numRanks) {
  if (item.stream > program.communicators.size())
    return Verdict::no("stream " + std::to_string(item.stream) + " of " +
                       std::to_string(program.communicators.size() + 1));
  if (item.name >= program.names.size())
    return Verdict::no("name " + std::to_string(item.name) + " of " +
                       std::to_string(program.names.size()));
  bool communicates =
      item.kind == Kind::Collective || item.kind == Kind::Transfers;
  if (communicates && item.stream == 0)
    return Verdict::no("communication on the compute stream");
  if (item.kind == Kind::Compute && item.stream != 0)
    return Verdict::no("a kernel on the stream of " +
                       program.describeStream(item.stream));
  if (!isFigure(item.seconds) || !isFigure(item.bytes))
    return Verdict::no("seconds " + std::to_string(item.seconds) +
                       " and bytes " + std::to_string(item.bytes) +
                       ", expected figures that are not negative");
  for (const SimulatedItem::Transfer &transfer : item.transfers)
    if (transfer.peer < 0 || transfer.peer >= numRanks ||
        !isFigure(transfer.bytes))
      return Verdict::no("a message of " + std::to_string(transfer.bytes) +
                         " bytes with rank " + std::to_string(transfer.peer) +
                         " of " + std::to_string(numRanks));
  return Verdict::ok();
}

static Verdict verifyProgram(const SimulatedProgram &program,
                             const TopologyModel &topology) {
  if (Verdict verdict = topology.verify(); !verdict)
    return verdict;
  int64_t numRanks = program.ranks.size();
  if (numRanks != topology.numRanks())
    return Verdict::no("the program has " + std::to_string(numRanks) +
                       " ranks, the topology " +
                       std::to_string(topology.numRanks()));
  if (topology.device.communicationShare >= 1)
    return Verdict::no("communication takes all of the compute rate: share " +
                       std::to_string(topology.device.communicationShare));
  for (const AxisList &axes : program.communicators)
    for (const AxisRef &axis : axes)
      if (Verdict verdict = topology.verify(axis); !verdict)
        return verdict;
  for (int64_t rank = 0; rank < numRanks; ++rank)
    for (const SimulatedItem &item : program.ranks[rank])
      if (Verdict verdict = verifyItem(program, item, numRanks); !verdict)
        return Verdict::no("rank " + std::to_string(rank) + ": " +
                           verdict.reason());
  return Verdict::ok();
}

//===----------------------------------------------------------------------===//
// Figures of a rank
//===----------------------------------------------------------------------===//

namespace {
using Span = std::pair<double, double>;
} // namespace

/// Spans that do not overlap, in order.
static std::vector<Span> merge(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Span> merged;
  for (const Span &span : spans) {
    if (!merged.empty() && span.first <= merged.back().second)
      merged.back().second = std::max(merged.back().second, span.second);
    else
      merged.push_back(span);
  }
  return merged;
}

static double lengthOf(const std::vector<Span> &spans) {
  double length = 0;
  for (const Span &span : spans)
    length += span.second - span.first;
  return length;
}

static Simulation::Rank
summarize(const std::vector<std::vector<TimelineEntry>> &streams) {
  Simulation::Rank rank;
  std::vector<Span> compute, communication;
  for (size_t stream = 0; stream < streams.size(); ++stream)
    for (const TimelineEntry &entry : streams[stream]) {
      rank.end = std::max(rank.end, entry.end);
      (stream == 0 ? compute : communication)
          .push_back({entry.start, entry.end});
      rank.waiting += entry.start - entry.begin;
    }
  compute = merge(std::move(compute));
  communication = merge(std::move(communication));
  rank.compute = lengthOf(compute);
  rank.communication = lengthOf(communication);
  std::vector<Span> both = compute;
  both.insert(both.end(), communication.begin(), communication.end());
  rank.exposed = lengthOf(merge(std::move(both))) - rank.compute;
  return rank;
}

Verdict mercury::simulate(const SimulatedProgram &program,
                          const TopologyModel &topology, Simulation &result) {
  result = Simulation();
  if (Verdict verdict = verifyProgram(program, topology); !verdict)
    return verdict;
  if (Verdict verdict = SimulatedRun(program, topology).run(result); !verdict)
    return verdict;
  for (const auto &streams : result.timelines)
    result.ranks.push_back(summarize(streams));
  return Verdict::ok();
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::vector<ReportSpan> mercury::spansOf(const SimulatedProgram &program,
                                         const Simulation &simulation) {
  std::vector<ReportSpan> spans;
  for (size_t rank = 0; rank < simulation.timelines.size(); ++rank)
    for (size_t stream = 0; stream < simulation.timelines[rank].size();
         ++stream) {
      std::string where = program.describeStream(stream);
      for (const TimelineEntry &entry : simulation.timelines[rank][stream]) {
        const std::string &name = program.names[entry.name];
        int64_t number = rank;
        if (entry.start > entry.begin)
          spans.push_back(
              {number, where, "wait for " + name, entry.begin, entry.start});
        spans.push_back({number, where, name, entry.start, entry.end});
      }
    }
  return spans;
}
