//===- PrimitiveChecks.cpp - What primitives share ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PrimitiveChecks.h"
#include "AxisUtils.h"
#include "Mercury/Schedule/Balance.h"

using namespace mercury;

void mercury::remove(Placement &placement, const AxisList &some) {
  for (AxisList &dim : placement.dims)
    remove(dim, some);
}

Verdict mercury::checkAxes(const AxisList &axes,
                           const TopologyModel &topology) {
  if (axes.empty())
    return Verdict::no("expected at least one axis");
  return verify(Placement{{axes}, {}}, topology, 1);
}

Verdict mercury::checkSchedule(const Schedule &s, const ScheduleContext &c) {
  Schedule whole = Schedule::replicated(c.op);
  auto differs = [](const Placement &a, const Placement &b) {
    return a.dims.size() != b.dims.size() || a.orders.size() > a.dims.size();
  };
  bool fits = s.loops.size() == whole.loops.size() &&
              (s.tokens.empty() || s.tokens.size() == s.loops.size()) &&
              s.inputs.size() == whole.inputs.size() &&
              s.results.size() == whole.results.size();
  for (size_t i = 0; fits && i < s.inputs.size(); ++i)
    fits = !differs(s.inputs[i].entry, whole.inputs[i].entry) &&
           !differs(s.inputs[i].nest, whole.inputs[i].nest);
  for (size_t r = 0; fits && r < s.results.size(); ++r)
    fits = !differs(s.results[r].nest, whole.results[r].nest) &&
           !differs(s.results[r].exit, whole.results[r].exit);
  return fits ? Verdict::ok()
              : Verdict::no("schedule '" + print(s) +
                            "' has not the loops and dimensions of '" +
                            c.op.name + "'");
}

Verdict mercury::checkIndex(const char *what, size_t index, size_t size,
                            const std::string &of) {
  if (index < size)
    return Verdict::ok();
  return Verdict::no(std::string(what) + " " + str(index) +
                     " is out of range, " + of + " has " + str(size));
}

Verdict mercury::checkTensor(const Schedule &s, const ScheduleContext &c,
                             const char *kind, size_t index, size_t size) {
  if (Verdict v = checkSchedule(s, c); !v)
    return v;
  return checkIndex(kind, index, size, "'" + c.op.name + "'");
}

Verdict mercury::canHaveOrder(const OperatorModel &op, size_t loop,
                              const TokenOrder &order) {
  std::string what = "loop " + str(loop) + " of '" + op.name + "'";
  if (Verdict v = verify(order); !v)
    return Verdict::no(what + ": " + v.reason());
  auto isMixed = [](const OperatorModel::Tensor &tensor) {
    return std::count(tensor.loopOfDim.begin(), tensor.loopOfDim.end(),
                      loopExpression) != 0;
  };
  bool mixed = std::any_of(op.inputs.begin(), op.inputs.end(), isMixed) ||
               std::any_of(op.results.begin(), op.results.end(), isMixed);
  if (!order.isNatural() && mixed)
    return Verdict::no(what + " cannot run " + print(order) +
                       ": an expression of loops indexes a dimension, whose "
                       "neighbours an order would tear apart");
  // Nothing but padding is a typing error, and may not fit in memory.
  int64_t extent = op.loops[loop].extent, padded = order.granularity();
  if (padded > mostInOrder && padded / 2 > extent)
    return Verdict::no(what + " cannot run " + print(order) +
                       ": its extent of " + str(extent) +
                       " would be padded to " + str(padded));
  return Verdict::ok();
}

void mercury::setLoopOrder(Schedule &s, const OperatorModel &op, size_t loop,
                           const TokenOrder &order, bool whileLoopsRun) {
  auto place = [&](Placement &nest, Placement &outside,
                   const OperatorModel::Tensor &tensor) {
    for (size_t d = 0; d < tensor.loopOfDim.size(); ++d) {
      if (!tensor.mapped || tensor.loopOfDim[d] != static_cast<int>(loop))
        continue;
      if (whileLoopsRun)
        nest.setOrder(d, order);
      if (order.isNatural() || !outside.dims[d].empty())
        outside.setOrder(d, order);
    }
  };
  for (size_t i = 0; i < s.inputs.size(); ++i)
    place(s.inputs[i].nest, s.inputs[i].entry, op.inputs[i]);
  for (size_t r = 0; r < s.results.size(); ++r)
    place(s.results[r].nest, s.results[r].exit, op.results[r]);
  if (!whileLoopsRun)
    return;
  s.tokens.resize(s.loops.size());
  s.tokens[loop] = order;
  if (std::all_of(s.tokens.begin(), s.tokens.end(),
                  [](const TokenOrder &o) { return o.isNatural(); }))
    s.tokens.clear();
}

AxisList mercury::factorAxes(const LoopPlan &loop) {
  AxisList axes;
  for (const Factor &factor : loop)
    append(axes, factor.axes);
  return axes;
}

void mercury::sortLike(AxisList &axes, const LoopPlan &loop) {
  AxisList sorted;
  for (const AxisRef &axis : factorAxes(loop))
    if (contains(axes, axis) && !contains(sorted, axis))
      sorted.push_back(axis);
  remove(axes, sorted);
  append(sorted, axes);
  axes = std::move(sorted);
}
