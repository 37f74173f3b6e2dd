//===- FollowingSchedule.cpp - Operators that run where their inputs live -===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/AxisSpelling.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "PrimitiveChecks.h"

#include <algorithm>

using namespace mercury;

namespace {
/// A placed tensor that may lead.
struct Leader {
  const OperatorModel::Tensor *tensor;
  const Placement *placement;
};
} // namespace

Verdict
mercury::makeFollowingSchedule(Schedule &schedule, const OperatorModel &op,
                               const TopologyModel &topology,
                               std::vector<std::optional<Placement>> inputs,
                               std::vector<std::optional<Placement>> inits) {
  std::vector<Placement *> known;
  for (auto *placements : {&inputs, &inits})
    for (std::optional<Placement> &placement : *placements)
      if (placement)
        known.push_back(&*placement);
  spellAlike(known, topology);
  std::vector<Leader> leaders;
  auto add = [&](const OperatorModel::Tensor &tensor,
                 const std::optional<Placement> &placement) {
    if (placement && tensor.mapped && !placement->isReplicated())
      leaders.push_back({&tensor, &*placement});
  };
  for (size_t i = 0; i < op.inputs.size(); ++i)
    add(op.inputs[i], inputs[i]);
  std::stable_sort(leaders.begin(), leaders.end(),
                   [&](const Leader &a, const Leader &b) {
                     return topology.sizeOf(a.placement->axes()) >
                            topology.sizeOf(b.placement->axes());
                   });
  for (size_t i = 0; i < op.results.size(); ++i)
    if (!op.neutralInit[i])
      add(op.results[i], inits[i]);
  if (leaders.empty())
    return Verdict::no("nothing that '" + op.name + "' reads is sharded");

  Schedule s = Schedule::replicated(op);
  std::vector<AxisList> axesOf(op.loops.size());
  std::vector<TokenOrder> orders(op.loops.size());
  bool reduces = op.combines();
  AxisList used;
  for (const Leader &leader : leaders)
    for (size_t dim = 0; dim < leader.placement->dims.size(); ++dim) {
      int loop = leader.tensor->loopOfDim[dim];
      const AxisList &axes = leader.placement->dims[dim];
      if (loop < 0 || !axesOf[loop].empty() ||
          (op.loops[loop].reduction && !reduces))
        continue;
      TokenOrder order = leader.placement->orderOf(dim);
      if (!canHaveOrder(op, loop, order))
        order = TokenOrder();
      if (axes.empty()) {
        // Whole, but in an order.
        if (orders[loop].isNatural())
          orders[loop] = order;
        continue;
      }
      bool clash = std::any_of(axes.begin(), axes.end(), [&](auto &axis) {
        return std::any_of(used.begin(), used.end(), [&](auto &other) {
          return topology.overlap(axis, other);
        });
      });
      if (clash)
        continue;
      axesOf[loop] = axes;
      orders[loop] = order;
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
  for (size_t i = 0; i < op.inputs.size(); ++i)
    s.inputs[i].entry = s.inputs[i].nest = place(op.inputs[i], false);
  for (size_t i = 0; i < op.results.size(); ++i)
    s.results[i].nest = s.results[i].exit = place(op.results[i], true);
  for (size_t loop = 0; loop < op.loops.size(); ++loop)
    setLoopOrder(s, op, loop, orders[loop], /*whileLoopsRun=*/true);
  for (ResultPlan &result : s.results)
    result.exit = result.nest;
  balance(s, op, topology);
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (inputs[i])
      s.inputs[i].entry = *inputs[i];
  if (Verdict verdict = verify(s, op, topology); !verdict)
    return verdict;
  schedule = std::move(s);
  return Verdict::ok();
}
