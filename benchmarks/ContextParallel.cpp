//===- ContextParallel.cpp - Heads and a ring over any ranks --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ContextParallel.h"
#include "Mercury/Schedule/NamedSchedules.h"

#include <algorithm>

using namespace mercury;

namespace {
/// Writes axes of levels that stand for lists of axes as those.
class Renaming {
public:
  explicit Renaming(const TopologyModel &topology) : topology(topology) {}
  void add(const std::string &level, const AxisList &axes) {
    lists.emplace_back(level, axes);
  }
  void rename(Schedule &s) {
    for (LoopPlan &loop : s.loops)
      for (Factor &factor : loop) {
        rename(factor.axes);
        for (Shift &shift : factor.shifts)
          rename(shift.axes);
      }
    for (OperandPlan &input : s.inputs) {
      rename(input.entry);
      rename(input.nest);
      rename(input.fetch);
    }
    for (ResultPlan &result : s.results) {
      rename(result.nest);
      rename(result.exit);
    }
  }
  bool isExact() const { return exact; }

private:
  void rename(AxisList &axes) {
    AxisList renamed;
    for (const AxisRef &axis : axes)
      for (const auto &[level, list] : lists)
        if (level == axis.level)
          append(renamed, list, axis);
    axes = std::move(renamed);
  }
  void rename(Placement &placement) {
    for (AxisList &axes : placement.dims)
      rename(axes);
  }
  /// Of the list, row-major, the factor that `axis` is of its level.
  void append(AxisList &to, const AxisList &list, const AxisRef &axis) {
    int64_t begin = axis.size ? axis.pre : 1,
            end = axis.size ? axis.pre * axis.size : topology.sizeOf(list),
            at = 1;
    for (const AxisRef &part : list) {
      int64_t next = at * topology.sizeOf(part), first = std::max(begin, at),
              last = std::min(end, next);
      if (first < last) {
        exact &= first % at == 0 && last % first == 0 && next % last == 0;
        AxisRef cut{part.level, part.pre * (first / at), last / first};
        if (cut.size == topology.find(cut.level)->size)
          cut = AxisRef{cut.level};
        to.push_back(cut);
      }
      at = next;
    }
  }

  const TopologyModel &topology;
  std::vector<std::pair<std::string, AxisList>> lists;
  bool exact = true;
};
} // namespace

Verdict mercury::bench::contextParallel(Schedule &s, const OperatorModel &op,
                                        const TopologyModel &topology,
                                        const AxisList &ring,
                                        const AxisList &heads) {
  TopologyModel levels;
  Renaming renaming(topology);
  for (auto [name, axes] :
       {std::pair("ring", &ring), std::pair("heads", &heads)})
    if (topology.sizeOf(*axes) > 1) {
      Level level;
      level.name = name;
      level.size = topology.sizeOf(*axes);
      levels.levels.push_back(level);
      renaming.add(name, *axes);
    }
  const char *design = topology.sizeOf(heads) == 1  ? "ring"
                       : topology.sizeOf(ring) == 1 ? "ulysses"
                                                    : "usp";
  Schedule filled;
  if (Verdict v = makeNamedSchedule(design, filled, op, levels); !v)
    return v;
  renaming.rename(filled);
  if (!renaming.isExact())
    return Verdict::no("heads over " + print(heads) + " need parts of " +
                       "ranks that these axes do not have");
  if (Verdict v = verify(filled, op, topology); !v)
    return v;
  s = std::move(filled);
  return Verdict::ok();
}
