//===- Comparison.cpp - The best schedule beside known designs ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Comparison.h"
#include "Mercury/Tuning/Report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace mercury;
using namespace mercury::paper;

const Contender *Comparison::fastest(const std::string &family) const {
  const Contender *best = nullptr;
  for (const Contender &c : contenders)
    if (c.fits && (family.empty() || c.design->family == family) &&
        (!best || c.seconds < best->seconds))
      best = &c;
  return best;
}

const Contender *Comparison::smallest(const std::string &family) const {
  const Contender *best = nullptr;
  for (const Contender &c : contenders)
    if (c.design->family == family && (!best || c.bytes < best->bytes))
      best = &c;
  return best;
}

double Comparison::gain(const Contender *other) const {
  return other && best() ? other->seconds / best()->seconds : 0;
}

/// Whether the dimensions of `p` are cut as asked, over any order of ranks.
static bool livesAt(const std::optional<Placement> &asked, const Placement &p,
                    const TopologyModel &topology) {
  if (!asked)
    return true;
  for (size_t d = 0; d < p.dims.size(); ++d)
    if (topology.sizeOf(p.dims[d]) != topology.sizeOf(asked->dims[d]))
      return false;
  return true;
}

static bool livesAt(const Workload &w, const Schedule &s,
                    const TopologyModel &topology) {
  for (size_t i = 0; i < s.inputs.size(); ++i)
    if (!livesAt(w.entries[i], s.inputs[i].entry, topology))
      return false;
  for (size_t r = 0; r < s.results.size(); ++r)
    if (!livesAt(w.exits[r], s.results[r].exit, topology))
      return false;
  return true;
}

Comparison mercury::paper::compare(const Workload &w,
                                   const TopologyModel &topology,
                                   const CompareOptions &options,
                                   std::string &error) {
  Comparison result;
  CostModel cost(w.cost, topology);
  MemoryModel memory(w.memory, topology);
  int64_t limit = availableBytes(topology.device);
  for (const Design &design : w.designs) {
    int64_t bytes = memory.estimate(design.schedule).peak();
    result.contenders.push_back({&design, cost.seconds(design.schedule), bytes,
                                 limit <= 0 || bytes <= limit});
    if (!livesAt(w, design.schedule, topology))
      error =
          design.name + " has its tensors elsewhere: " + print(design.schedule);
  }
  SearchOptions search;
  search.space = spaceFor(w.cost.op);
  search.memoryLimit = limit;
  search.top = 1;
  search.budget = options.budget;
  search.pareto = options.pareto;
  if (!options.placesFreely) {
    search.entries = w.entries;
    search.exits = w.exits;
    search.anyOrder = true;
  }
  result.found = findSchedules(cost, memory, topology, search);
  result.assumptions = cost.assumptions();
  const Contender *fastest = result.fastest();
  if (!fastest || (result.best() &&
                   fastest->seconds >= result.best()->seconds * (1 - 1e-9)))
    return result;
  // The space has the designs: a faster one is a fault of a search that says
  // that it has seen all; one that the budget ended is helped out.
  if (result.found.isProven)
    error = fastest->design->name + " takes " + timeText(fastest->seconds) +
            " and fits, the best that was found " +
            (result.best() ? timeText(result.best()->seconds) : "nothing");
  else
    result.found.best.insert(
        result.found.best.begin(),
        {fastest->design->schedule, fastest->seconds, fastest->bytes});
  return result;
}

void Gains::add(const std::string &key, double gain, const std::string &where) {
  if (gain <= 0)
    return;
  Of &of = list[key];
  of.logs += std::log(gain);
  ++of.count;
  if (gain > of.most) {
    of.most = gain;
    of.where = where;
  }
}

double Gains::Of::mean() const { return count ? std::exp(logs / count) : 0; }

Gains::Of Gains::of(const std::string &key) const {
  auto it = list.find(key);
  return it == list.end() ? Of() : it->second;
}

std::string mercury::paper::gainText(double gain) {
  char text[32];
  std::snprintf(text, sizeof text, gain > 0 ? "%.2fx" : "-", gain);
  return text;
}

std::string mercury::paper::tokensText(int64_t tokens) {
  return tokens % (1 << 20) == 0 ? std::to_string(tokens >> 20) + "M"
                                 : std::to_string(tokens >> 10) + "K";
}

std::string mercury::paper::timeOf(const Comparison &comparison,
                                   const std::string &family) {
  if (const Contender *fastest = comparison.fastest(family))
    return timeText(fastest->seconds);
  const Contender *smallest = comparison.smallest(family);
  return smallest ? "OOM " + bytesText(double(smallest->bytes)) : "-";
}
