//===- FollowingSchedule.cpp - Operators that run where their inputs live -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Schedule/NamedSchedules.h"
#include <algorithm>

using namespace mercury;

Verdict mercury::makeFollowingSchedule(
    Schedule &schedule, const OperatorModel &op, const TopologyModel &topology,
    const std::vector<std::optional<Placement>> &known) {
  // Inputs in order of how many axes shard them.
  std::vector<size_t> order;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (known[i] && op.inputs[i].mapped && !known[i]->isReplicated())
      order.push_back(i);
  if (order.empty())
    return Verdict::no("no input of " + op.name + " is sharded");
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return topology.sizeOf(known[a]->axes()) > topology.sizeOf(known[b]->axes());
  });

  Schedule s = Schedule::replicated(op);
  std::vector<AxisList> axesOf(op.loops.size());
  bool reduces = std::all_of(op.hasCombiner.begin(), op.hasCombiner.end(),
                             [](bool has) { return has; });
  AxisList used;
  for (size_t i : order)
    for (size_t dim = 0; dim < known[i]->dims.size(); ++dim) {
      int loop = op.inputs[i].loopOfDim[dim];
      const AxisList &axes = known[i]->dims[dim];
      if (loop < 0 || axes.empty() || !axesOf[loop].empty() ||
          (op.loops[loop].reduction && !reduces))
        continue;
      bool clash = std::any_of(axes.begin(), axes.end(), [&](auto &axis) {
        return std::any_of(used.begin(), used.end(), [&](auto &other) {
          return topology.overlap(axis, other);
        });
      });
      if (clash)
        continue;
      axesOf[loop] = axes;
      used.insert(used.end(), axes.begin(), axes.end());
    }
  for (size_t loop = 0; loop < op.loops.size(); ++loop)
    for (const AxisRef &axis : axesOf[loop]) {
      Factor factor;
      factor.axes = {axis};
      s.loops[loop].push_back(factor);
    }
  auto place = [&](const OperatorModel::Tensor &tensor, bool isResult) {
    Placement placement = Placement::replicated(tensor.loopOfDim.size());
    for (size_t dim = 0; dim < tensor.loopOfDim.size(); ++dim) {
      int loop = tensor.loopOfDim[dim];
      if (loop >= 0 && !(isResult && op.loops[loop].reduction))
        placement.dims[dim] = axesOf[loop];
    }
    return placement;
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    s.inputs[i].nest = place(op.inputs[i], false);
    s.inputs[i].entry = known[i].value_or(s.inputs[i].nest);
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    s.results[i].nest = s.results[i].exit = place(op.results[i], true);
  if (Verdict verdict = verify(s, op, topology); !verdict)
    return verdict;
  schedule = std::move(s);
  return Verdict::ok();
}
