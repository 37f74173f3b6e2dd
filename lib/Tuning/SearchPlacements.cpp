//===- SearchPlacements.cpp - Where tensors are asked to be ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchPlacements.h"
#include "SearchAxes.h"

#include <algorithm>

using namespace mercury;

/// The dimension that the placement cuts over the axis, a factor of one that it
/// names.
static std::optional<size_t> dimCutOver(const Placement &placement,
                                        const AxisRef &axis,
                                        const TopologyModel &topology) {
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const AxisRef &other : joined(placement.dims[d], topology))
      if (other.level == axis.level && axis.pre % other.pre == 0 &&
          axis.pre < other.pre * other.size)
        return d;
  return std::nullopt;
}

bool SearchPlacements::allow(const Choice &choice, const AxisRef &axis) const {
  AxisRef here = spelled(axis, topology);
  for (size_t i = 0; i < numEntries(); ++i) {
    if (!options.entries[i])
      continue;
    std::optional<size_t> has;
    if (choice.inputs[i].way != Way::Local)
      has = choice.inputs[i].dim;
    else if (op.inputs[i].mapped)
      has = op.inputs[i].dimOfLoop(choice.loop);
    if (has != dimCutOver(*options.entries[i], here, topology))
      return false;
  }
  return true;
}

bool SearchPlacements::mayIdle(const AxisRef &axis) const {
  for (size_t i = 0; i < numEntries(); ++i)
    if (options.entries[i] && dimCutOver(*options.entries[i], axis, topology))
      return false;
  return true;
}

/// The axes as they are compared.
static AxisList comparable(AxisList axes, const TopologyModel &topology,
                           bool anyOrder) {
  if (anyOrder)
    std::sort(axes.begin(), axes.end());
  return joined(axes, topology);
}

static bool agree(const std::optional<Placement> &asked, const Placement &p,
                  const TopologyModel &topology, bool anyOrder) {
  if (!asked)
    return true;
  if (asked->dims.size() != p.dims.size())
    return false;
  for (size_t d = 0; d < p.dims.size(); ++d)
    if (comparable(asked->dims[d], topology, anyOrder) !=
            comparable(p.dims[d], topology, anyOrder) ||
        (!p.dims[d].empty() && asked->orderOf(d) != p.orderOf(d)))
      return false;
  return true;
}

/// Where result `r` is asked to be. Where the order of axes is open, it is that
/// of an input that enters so along the same loop, else that in which the loops
/// leave it.
std::optional<Placement> SearchPlacements::exitOf(const Schedule &s,
                                                  size_t r) const {
  if (r >= options.exits.size() || !options.exits[r])
    return std::nullopt;
  Placement exit = *options.exits[r];
  const Placement &left = s.results[r].exit;
  // In the axes of the schedule.
  AxisList used = s.rankAxes();
  for (AxisList &dim : exit.dims)
    dim = cutLike(dim, used, topology);
  if (!options.anyOrder || exit.dims.size() != left.dims.size())
    return exit;
  for (size_t d = 0; d < exit.dims.size(); ++d) {
    AxisList asked = comparable(exit.dims[d], topology, true);
    auto isAsked = [&](const AxisList &axes) {
      return comparable(axes, topology, true) == asked;
    };
    if (isAsked(left.dims[d]))
      exit.dims[d] = left.dims[d];
    int loop = op.results[r].loopOfDim[d];
    for (size_t i = 0; i < numEntries() && loop >= 0; ++i)
      if (std::optional<size_t> dim = op.inputs[i].dimOfLoop(loop);
          dim && options.entries[i] && isAsked(s.inputs[i].entry.dims[*dim]))
        exit.dims[d] = s.inputs[i].entry.dims[*dim];
  }
  return exit;
}

/// Whether inputs that are cut along one loop have its parts on the same ranks.
bool SearchPlacements::enterAlike(const Schedule &s) const {
  for (size_t l = 0; l < op.loops.size(); ++l) {
    const AxisList *first = nullptr;
    for (size_t i = 0; i < numEntries(); ++i) {
      std::optional<size_t> dim = op.inputs[i].dimOfLoop(l);
      if (!dim || !options.entries[i] || s.inputs[i].entry.dims[*dim].empty())
        continue;
      const AxisList &axes = s.inputs[i].entry.dims[*dim];
      if (first && joined(*first, topology) != joined(axes, topology))
        return false;
      first = &axes;
    }
  }
  return true;
}

bool SearchPlacements::fit(const Schedule &s) const {
  for (size_t i = 0; i < numEntries(); ++i)
    if (!agree(options.entries[i], s.inputs[i].entry, topology,
               options.anyOrder))
      return false;
  if (options.anyOrder && !enterAlike(s))
    return false;
  for (size_t r = 0; r < s.results.size(); ++r)
    if (!agree(exitOf(s, r), s.results[r].exit, topology, false))
      return false;
  return true;
}

void SearchPlacements::moveResults(Schedule &s) const {
  Schedule moved = s;
  bool moves = false;
  for (size_t r = 0; r < s.results.size(); ++r)
    if (std::optional<Placement> exit = exitOf(s, r);
        !agree(exit, s.results[r].exit, topology, false)) {
      moved.results[r].exit = *exit;
      moves = true;
    }
  if (moves && verify(moved, op, topology))
    s = std::move(moved);
}
