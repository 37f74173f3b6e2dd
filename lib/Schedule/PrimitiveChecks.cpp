//===- PrimitiveChecks.cpp - What primitives share ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PrimitiveChecks.h"
#include "AxisUtils.h"

using namespace mercury;

void mercury::remove(Placement &placement, const AxisList &some) {
  for (AxisList &dim : placement.dims)
    remove(dim, some);
}

Verdict mercury::checkAxes(const AxisList &axes,
                           const TopologyModel &topology) {
  if (axes.empty())
    return Verdict::no("expected at least one axis");
  return verify(Placement{{axes}}, topology, 1);
}

Verdict mercury::checkSchedule(const Schedule &s, const ScheduleContext &c) {
  Schedule whole = Schedule::replicated(c.op);
  auto differs = [](const Placement &a, const Placement &b) {
    return a.dims.size() != b.dims.size();
  };
  bool fits = s.loops.size() == whole.loops.size() &&
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
