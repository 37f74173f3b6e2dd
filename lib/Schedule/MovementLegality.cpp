//===- MovementLegality.cpp - Whether data meet where they must -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Motion.h"
#include "Verifier.h"

using namespace mercury;

/// Shards move within the common axes at the front of a dimension's list; what
/// follows is gathered, moved to another dimension, or sliced off a replica.
Verdict Verifier::checkReshard(const std::string &what, const Placement &from,
                               const Placement &to) {
  for (size_t d = 0; d < from.dims.size(); ++d) {
    const AxisList &a = from.dims[d], &b = to.dims[d];
    size_t common = 0;
    while (common < a.size() && common < b.size() && a[common] == b[common])
      ++common;
    for (size_t i = common; i < a.size(); ++i)
      for (size_t j = common; j < b.size(); ++j)
        if (a[i] == b[j])
          return Verdict::no(what + " dimension " + str(d) +
                             ": a reshard from " + print(a) + " to " +
                             print(b) + " would move the shards of axis " +
                             quote(a[i]) +
                             " within the dimension; gathered axes stand "
                             "behind those that stay");
  }
  return Verdict::ok();
}

Verdict Verifier::checkInputs() {
  travelling.resize(s.loops.size());
  for (size_t i = 0; i < s.inputs.size(); ++i)
    if (Verdict v = checkInput(i); !v)
      return v;
  return Verdict::ok();
}

Verdict Verifier::checkInput(size_t i) {
  const OperandPlan &plan = s.inputs[i];
  const OperatorModel::Tensor &tensor = op.inputs[i];
  std::string name = "input " + str(i) + " of '" + op.name + "'";
  if (Verdict v = checkReshard(name, plan.entry, plan.nest); !v)
    return v;
  AxisList permuted;
  for (size_t d = 0; d < plan.nest.dims.size(); ++d) {
    const AxisList &axes = plan.nest.dims[d];
    if (axes.empty())
      continue;
    std::string what = name + " dimension " + str(d);
    if (!tensor.mapped)
      return Verdict::no(what + " is sharded over " + print(axes) +
                         " while loops run, but which elements are read "
                         "depends on data");
    int loop = tensor.loopOfDim[d];
    if (loop < 0)
      return Verdict::no(what + " is sharded over " + print(axes) +
                         " while loops run, but is not indexed by exactly "
                         "one loop");
    std::vector<AxesMotion> motions;
    if (Verdict v = evaluateMotion(s.loops[loop], axes, topology, motions); !v)
      return Verdict::no(what + ": " + v.reason());
    for (const AxesMotion &m : motions) {
      std::string over = what + " over " + print(m.axes) + ": ";
      // Ranks of these axes read different parts of a shard.
      bool partly = false, onlyPartly = false;
      for (size_t other = 0; other < tensor.loopOfDim.size(); ++other)
        if (int l = tensor.loopOfDim[other]; l >= 0 && l != loop) {
          partly |= dependsOn(s.loops[l], m.axes, /*rankFactorsOnly=*/false);
          onlyPartly |= dependsOn(s.loops[l], m.axes, /*rankFactorsOnly=*/true);
        }
      if (m.motion == Motion::Same &&
          (partly || dependsOn(s.loops[loop], m.axes, false)))
        return Verdict::no(over + "at each step all ranks read one rank's "
                                  "shard, but different tiles of it, which no "
                                  "broadcast serves");
      bool permutes =
          m.motion == Motion::Rotation || m.motion == Motion::Permutation;
      if (permutes) {
        bool fetched = containsAll(plan.fetch, m.axes);
        if (!fetched && m.motion == Motion::Permutation)
          return Verdict::no(over + "the shards do not rotate and can only be "
                                    "fetched");
        if (!fetched && onlyPartly)
          return Verdict::no(over + "each tile is read by one rank only, so "
                                    "that it is fetched and not passed on");
        permuted.insert(permuted.end(), m.axes.begin(), m.axes.end());
        travelling[loop].insert(travelling[loop].end(), m.axes.begin(),
                                m.axes.end());
      }
      // What lowerings are told must be what the arithmetic says.
      for (const AxisRef &axis : m.axes) {
        if (topology.sizeOf(axis) == 1) {
          travelling[loop].push_back(axis);
          continue;
        }
        if (plan.entry.dimOf(axis) != d)
          continue;
        Arrival told = arrivalOf(s, op, i, axis);
        bool agrees = m.motion == Motion::Local ? told == Arrival::Local
                      : m.motion == Motion::Same
                          ? told == Arrival::Broadcast
                          : told == Arrival::Rotate || told == Arrival::Fetch;
        if (!agrees)
          return Verdict::no(over + "the factors of its loop say " +
                             std::string(stringify(told)) + " for axis " +
                             quote(axis) + ", the owners of its tiles do not");
      }
    }
  }
  for (const AxisRef &axis : plan.fetch)
    if (!contains(permuted, axis) && topology.sizeOf(axis) != 1)
      return Verdict::no(name + " is fetched over axis " + quote(axis) +
                         ", over which no step needs another rank's shard");
  return Verdict::ok();
}

Verdict Verifier::checkResults() {
  for (size_t r = 0; r < s.results.size(); ++r)
    if (Verdict v = checkResult(r); !v)
      return v;
  return checkCoupled();
}

/// Coupled results are merged tile by tile: they are sharded alike along every
/// loop that they share.
Verdict Verifier::checkCoupled() {
  for (const std::vector<size_t> &group : op.coupled)
    for (size_t r : group)
      for (size_t l = 0; l < op.loops.size(); ++l) {
        std::optional<size_t> first = op.results[group[0]].dimOfLoop(l),
                              other = op.results[r].dimOfLoop(l);
        if (!first || !other)
          continue;
        const AxisList &a = s.results[group[0]].nest.dims[*first],
                       &b = s.results[r].nest.dims[*other];
        if (a != b)
          return Verdict::no(
              "results " + str(group[0]) + " and " + str(r) + " of '" +
              op.name + "' are reduced together, but are sharded over " +
              print(a) + " and " + print(b) + " along " + loopName(l));
      }
  return Verdict::ok();
}

Verdict Verifier::checkResult(size_t r) {
  const ResultPlan &plan = s.results[r];
  const OperatorModel::Tensor &tensor = op.results[r];
  std::string name = "result " + str(r) + " of '" + op.name + "'";
  if (Verdict v = checkReshard(name, plan.nest, plan.exit); !v)
    return v;
  for (size_t d = 0; d < plan.nest.dims.size(); ++d) {
    const AxisList &axes = plan.nest.dims[d];
    std::string what = name + " dimension " + str(d);
    int loop = tensor.mapped ? tensor.loopOfDim[d] : -1;
    if (loop < 0) {
      if (axes.empty())
        continue;
      return Verdict::no(what + " is sharded over " + print(axes) +
                         ", but is not indexed by exactly one loop");
    }
    for (const Factor &factor : s.loops[loop])
      if (factor.kind == Factor::Kind::Rank)
        for (const AxisRef &axis : factor.axes)
          if (!contains(axes, axis))
            return Verdict::no(what + " is not sharded over axis " +
                               quote(axis) + ", which parallelizes its loop " +
                               str(loop) +
                               ": each rank would hold another "
                               "part of what should be a replica");
    // What the reductions scatter after the loops does not meet their tiles.
    size_t held = axes.size();
    while (held > 0 && contains(partialAxes, axes[held - 1]) &&
           endingOf(s, op, r, axes[held - 1]) == Ending::ReduceScatter)
      --held;
    AxisList inLoops(axes.begin(), axes.begin() + held);
    std::vector<AxesMotion> motions;
    if (Verdict v = evaluateMotion(s.loops[loop], inLoops, topology, motions);
        !v)
      return Verdict::no(what + ": " + v.reason());
    for (const AxesMotion &m : motions) {
      bool partial = containsAll(partialAxes, m.axes);
      if (m.motion == Motion::Local ||
          (m.motion == Motion::Rotation && partial)) {
        if (partial)
          travelling[loop].insert(travelling[loop].end(), m.axes.begin(),
                                  m.axes.end());
        continue;
      }
      if (m.motion == Motion::Same && !partial)
        return Verdict::no(what + " over " + print(m.axes) +
                           ": at one step "
                           "several ranks write parts of one shard, which is "
                           "a race");
      if (m.motion == Motion::Same)
        return Verdict::no(what + " over " + print(m.axes) +
                           ": at one step "
                           "all ranks add into one tile, which is a race; "
                           "shift the loop");
      return Verdict::no(what + " over " + print(m.axes) +
                         ": its writers "
                         "are not its owners and " +
                         (partial ? "do not rotate"
                                  : "no reduction combines what they write"));
    }
  }
  return Verdict::ok();
}

Verdict Verifier::checkShifts() {
  for (size_t l = 0; l < s.loops.size(); ++l)
    for (const Factor &factor : s.loops[l])
      for (const Shift &shift : factor.shifts)
        if (std::none_of(
                shift.axes.begin(), shift.axes.end(),
                [&](const AxisRef &a) { return contains(travelling[l], a); }))
          return Verdict::no(loopName(l) + " is shifted by " +
                             print(shift.axes) +
                             ", but no operand or result travels over " +
                             "it: none is sharded over these axes along "
                             "this loop");
  return Verdict::ok();
}

Verdict Verifier::needs(Primitive primitive, const AxisRef &axis,
                        const std::string &what) {
  const Level *level = topology.find(axis.level);
  if (topology.sizeOf(axis) == 1 || level->primitives.empty() ||
      std::find(level->primitives.begin(), level->primitives.end(),
                primitive) != level->primitives.end())
    return Verdict::ok();
  std::string allowed;
  for (Primitive p : level->primitives)
    allowed += (allowed.empty() ? "" : ", ") + std::string(stringify(p));
  return Verdict::no(what + " needs " + std::string(stringify(primitive)) +
                     " over axis " + quote(axis) + ", level '" + level->name +
                     "' allows only " + allowed);
}

/// Shards that stay on their axes exchange chunks where their order changes.
Verdict Verifier::needsForOrders(const std::string &what, const Placement &from,
                                 const Placement &to) {
  for (size_t d = 0; d < from.dims.size(); ++d) {
    TokenOrder before = from.orderOf(d), after = to.orderOf(d);
    if (before == after)
      continue;
    for (const AxisRef &axis : from.dims[d])
      if (contains(to.dims[d], axis))
        if (Verdict v = needs(Primitive::SendRecv, axis,
                              what + " dimension " + str(d) + ", from " +
                                  print(before) + " to " + print(after) + ",");
            !v)
          return v;
  }
  return Verdict::ok();
}

Verdict Verifier::checkPrimitives() {
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    std::string what = "input " + str(i) + " of '" + op.name + "'";
    if (Verdict v = needsForOrders(what, s.inputs[i].entry, s.inputs[i].nest);
        !v)
      return v;
    AxisList axes = s.inputs[i].entry.axes();
    // A slice of a replica moves like a shard that entered.
    for (const AxisRef &axis : s.inputs[i].nest.axes())
      if (!contains(axes, axis))
        axes.push_back(axis);
    for (const AxisRef &axis : axes) {
      std::optional<Primitive> primitive;
      switch (arrivalOf(s, op, i, axis)) {
      case Arrival::Local:
        break;
      case Arrival::Gather:
        primitive = Primitive::AllGather;
        break;
      case Arrival::Broadcast:
        primitive = Primitive::Broadcast;
        break;
      case Arrival::AllToAll:
        primitive = Primitive::AllToAll;
        break;
      case Arrival::Rotate:
      case Arrival::Fetch:
        primitive = Primitive::SendRecv;
        break;
      }
      if (!primitive)
        continue;
      if (Verdict v = needs(*primitive, axis, what); !v)
        return v;
    }
  }
  for (size_t r = 0; r < s.results.size(); ++r) {
    std::string what = "result " + str(r) + " of '" + op.name + "'";
    if (Verdict v = needsForOrders(what, s.results[r].nest, s.results[r].exit);
        !v)
      return v;
    for (const AxisRef &axis : partialAxes) {
      Ending ending = endingOf(s, op, r, axis);
      Primitive primitive = ending == Ending::AllReduce ? Primitive::AllReduce
                            : ending == Ending::Moving
                                ? Primitive::SendRecv
                                : Primitive::ReduceScatter;
      if (Verdict v = needs(primitive, axis, what); !v)
        return v;
    }
    for (const AxisRef &axis : s.results[r].nest.axes()) {
      std::optional<size_t> to = s.results[r].exit.dimOf(axis);
      if (to == s.results[r].nest.dimOf(axis))
        continue;
      if (Verdict v = needs(to ? Primitive::AllToAll : Primitive::AllGather,
                            axis, what);
          !v)
        return v;
    }
  }
  return Verdict::ok();
}
