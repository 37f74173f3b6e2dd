//===- Legality.cpp - Whether a schedule is well formed -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks that look at one part of a schedule at a time. Those that compare
// owners with readers and writers are in MovementLegality.cpp.
//
//===----------------------------------------------------------------------===//
#include "PrimitiveChecks.h"
#include "Verifier.h"

#include <limits>
#include <numeric>

using namespace mercury;

/// More tiles of one loop, or larger orders, than this are refused, so that
/// arithmetic on them stays exact.
static constexpr int64_t maxTiles = int64_t(1) << 31;

Verdict Verifier::checkShape() {
  auto count = [&](const char *what, size_t have, size_t want) {
    if (have == want)
      return Verdict::ok();
    return Verdict::no("schedule has " + str(have) + " " + what + ", '" +
                       op.name + "' has " + str(want));
  };
  if (Verdict v = count("loops", s.loops.size(), op.loops.size()); !v)
    return v;
  if (Verdict v = count("inputs", s.inputs.size(), op.inputs.size()); !v)
    return v;
  return count("results", s.results.size(), op.results.size());
}

Verdict Verifier::checkOptions() {
  if (s.ranks)
    return Verdict::no("schedule runs on the ranks " + str(s.ranks->begin) +
                       " to " + str(s.ranks->end) + " of axis " +
                       quote(s.ranks->axis) +
                       ", but only all ranks are supported");
  if (s.chunks < 1)
    return Verdict::no("schedule has " + str(s.chunks) +
                       " chunks, expected at least 1");
  if (!s.tile.empty() && s.tile.size() != op.loops.size())
    return Verdict::no("schedule has " + str(s.tile.size()) + " tile sizes, '" +
                       op.name + "' has " + str(op.loops.size()) + " loops");
  for (size_t l = 0; l < s.tile.size(); ++l)
    if (s.tile[l] < 0)
      return Verdict::no("tile size " + str(s.tile[l]) + " of " + loopName(l) +
                         " is negative");
  if (!s.tile.empty() && !s.patch.empty())
    return Verdict::no("schedule has sizes of the local tile and the kernel '" +
                       s.patch + "', which blocks as it likes");
  return Verdict::ok();
}

Verdict Verifier::checkTile() {
  for (size_t l = 0; l < s.tile.size(); ++l) {
    int64_t here =
        paddedExtent(s, op, l, topology) / numTiles(s.loops[l], topology);
    if (s.tile[l] > here)
      return Verdict::no("tile size " + str(s.tile[l]) + " of " + loopName(l) +
                         " is larger than the " + str(here) +
                         " elements that a rank computes in one step");
  }
  return Verdict::ok();
}

Verdict Verifier::checkAxes() {
  rankAxes = s.rankAxes();
  partialAxes = reductionAxes(s, op);
  AxisList all;
  auto add = [&](const AxisList &axes) {
    all.insert(all.end(), axes.begin(), axes.end());
  };
  for (const LoopPlan &loop : s.loops)
    for (const Factor &factor : loop) {
      add(factor.axes);
      for (const Shift &shift : factor.shifts)
        add(shift.axes);
    }
  auto place = [&](const std::string &what, const Placement &placement,
                   const OperatorModel::Tensor &tensor) {
    if (Verdict v = verify(placement, topology, tensor.loopOfDim.size()); !v)
      return Verdict::no(what + ": " + v.reason());
    add(placement.axes());
    return Verdict::ok();
  };
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    std::string what = "input " + str(i) + " of '" + op.name + "'";
    if (Verdict v = place(what, s.inputs[i].entry, op.inputs[i]); !v)
      return v;
    if (Verdict v = place(what, s.inputs[i].nest, op.inputs[i]); !v)
      return v;
    add(s.inputs[i].fetch);
  }
  for (size_t r = 0; r < s.results.size(); ++r) {
    std::string what = "result " + str(r) + " of '" + op.name + "'";
    if (Verdict v = place(what, s.results[r].nest, op.results[r]); !v)
      return v;
    if (Verdict v = place(what, s.results[r].exit, op.results[r]); !v)
      return v;
  }
  for (const AxisRef &axis : all)
    if (Verdict v = topology.verify(axis); !v)
      return v;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (topology.overlap(all[j], all[i]))
        return Verdict::no("axes " + quote(all[j]) + " and " + quote(all[i]) +
                           " of one schedule share coordinates");
  return Verdict::ok();
}

/// Tiles are blocks of indices, so that all that run over a loop have its order
/// while loops run. Before and after a reshard may lie between.
Verdict Verifier::checkOrders() {
  if (!s.tokens.empty() && s.tokens.size() != op.loops.size())
    return Verdict::no("schedule has " + str(s.tokens.size()) +
                       " token orders, '" + op.name + "' has " +
                       str(op.loops.size()) + " loops");
  for (size_t l = 0; l < s.tokens.size(); ++l)
    if (Verdict v = canHaveOrder(op, l, s.tokens[l]); !v)
      return v;
  auto check = [&](const std::string &what, const Placement &nest,
                   const OperatorModel::Tensor &tensor) {
    for (size_t d = 0; d < nest.dims.size(); ++d) {
      int loop = tensor.mapped ? tensor.loopOfDim[d] : -1;
      TokenOrder has = nest.orderOf(d),
                 needed = loop < 0 ? TokenOrder() : s.orderOf(loop);
      if (has != needed)
        return Verdict::no(
            what + " of '" + op.name + "' dimension " + str(d) + " is stored " +
            print(has) + " while loops run, but " +
            (loop < 0 ? "is not indexed by exactly one loop"
                      : "its loop " + str(loop) + " is " + print(needed)));
    }
    return Verdict::ok();
  };
  for (size_t i = 0; i < s.inputs.size(); ++i)
    if (Verdict v = check("input " + str(i), s.inputs[i].nest, op.inputs[i]);
        !v)
      return v;
  for (size_t r = 0; r < s.results.size(); ++r)
    if (Verdict v = check("result " + str(r), s.results[r].nest, op.results[r]);
        !v)
      return v;
  return Verdict::ok();
}

Verdict Verifier::checkFactors() {
  std::vector<std::pair<AxisRef, size_t>> takenBy;
  std::optional<size_t> bothWays; ///< the loop that has such a factor
  for (size_t l = 0; l < s.loops.size(); ++l) {
    int64_t tiles = 1;
    for (const Factor &factor : s.loops[l]) {
      bool isRank = factor.kind == Factor::Kind::Rank;
      if (isRank && factor.axes.empty())
        return Verdict::no(loopName(l) + " has a rank factor without an axis");
      if (isRank && (!factor.shifts.empty() || factor.order != 0))
        return Verdict::no(loopName(l) + " has the rank factor " +
                           print(factor.axes) +
                           " with a shift or an order, "
                           "which only time factors have");
      if (factor.steps != 0 && !factor.axes.empty())
        return Verdict::no(loopName(l) + " has a factor over " +
                           print(factor.axes) + " and of " + str(factor.steps) +
                           " steps, expected one of both");
      if (!isRank && factor.axes.empty() && factor.steps < 1)
        return Verdict::no(loopName(l) + " has a time factor of " +
                           str(factor.steps) + " steps, expected at least 1");
      if (factor.bidirectional &&
          (factor.shifts.empty() || &factor != &s.loops[l].back() ||
           !op.loops[l].reduction))
        return Verdict::no(
            loopName(l) +
            " has a factor in both directions; only a shifted time factor that "
            "is the last of a reduction loop can have them");
      if (factor.bidirectional && bothWays && *bothWays != l)
        return Verdict::no("loops " + str(*bothWays) + " and " + str(l) +
                           " of '" + op.name +
                           "' have a factor in both directions each, expected "
                           "one of them");
      if (factor.bidirectional)
        bothWays = l;
      if (factor.backwards && (factor.shifts.empty() || factor.bidirectional))
        return Verdict::no(loopName(l) +
                           " has a backwards factor; only a shifted time "
                           "factor that runs in one direction can be one");
      if (factor.order < 0 || factor.order > maxTiles)
        return Verdict::no(loopName(l) + " has a time factor of order " +
                           str(factor.order) + ", expected 0 to " +
                           str(maxTiles));
      int64_t count = factor.count(topology);
      if (count > maxTiles / tiles)
        return Verdict::no(loopName(l) + " is cut into more than " +
                           str(maxTiles) + " tiles");
      tiles *= count;
      AxisList seen;
      for (const AxisRef &axis : factor.axes) {
        if (contains(seen, axis))
          return Verdict::no("axis " + quote(axis) +
                             " stands twice in a "
                             "factor of " +
                             loopName(l));
        seen.push_back(axis);
        for (auto &[other, loop] : takenBy)
          if (isRank && other == axis)
            return Verdict::no("axis " + quote(axis) + " is used twice: by " +
                               "loop " + str(loop) + " and by " + loopName(l));
        if (isRank)
          takenBy.emplace_back(axis, l);
      }
      AxisList shifted;
      for (const Shift &shift : factor.shifts) {
        if (shift.axes.empty())
          return Verdict::no(loopName(l) + " is shifted by no axis");
        if (int64_t size = topology.sizeOf(shift.axes); size != count)
          return Verdict::no(loopName(l) + " has a time factor of " +
                             str(count) + " steps, but is shifted by " +
                             print(shift.axes) + " of " + str(size) + " ranks");
        if (shift.stride == std::numeric_limits<int64_t>::min() ||
            std::gcd(shift.stride, count) != 1)
          return Verdict::no(
              loopName(l) + " is shifted by " + print(shift.axes) +
              " with stride " + str(shift.stride) +
              ", which has a common factor with its " + str(count) + " steps");
        for (const AxisRef &axis : shift.axes) {
          if (contains(shifted, axis))
            return Verdict::no(loopName(l) + " is shifted twice by axis " +
                               quote(axis));
          shifted.push_back(axis);
        }
      }
    }
  }
  for (size_t l = 0; l < s.loops.size(); ++l)
    for (const Factor &factor : s.loops[l])
      for (const Shift &shift : factor.shifts)
        for (const AxisRef &axis : shift.axes)
          if (!contains(rankAxes, axis))
            return Verdict::no(loopName(l) + " is shifted by axis " +
                               quote(axis) + ", which parallelizes no loop");
  return Verdict::ok();
}

Verdict Verifier::checkReductions() {
  for (size_t l = 0; l < s.loops.size(); ++l) {
    AxisList axes;
    for (const Factor &factor : s.loops[l])
      if (factor.kind == Factor::Kind::Rank)
        axes.insert(axes.end(), factor.axes.begin(), factor.axes.end());
    for (size_t r = 0; r < op.results.size(); ++r) {
      std::string result = "result " + str(r);
      if (op.loops[l].reduction && !axes.empty() &&
          (r >= op.hasCombiner.size() || !op.hasCombiner[r]))
        return Verdict::no("axes " + print(axes) + " parallelize reduction " +
                           loopName(l) + ", but " + result +
                           " has no known combiner");
      if (!op.loops[l].reduction && numTiles(s.loops[l], topology) > 1 &&
          (!op.results[r].mapped || !op.results[r].dimOfLoop(l)))
        return Verdict::no("parallel " + loopName(l) + " is cut into " +
                           str(numTiles(s.loops[l], topology)) +
                           " tiles, but " + result +
                           " is not indexed by it, "
                           "so that several tiles would write the same "
                           "elements");
    }
  }
  return Verdict::ok();
}

Verdict mercury::verify(const Schedule &schedule, const OperatorModel &op,
                        const TopologyModel &topology) {
  return Verifier(schedule, op, topology).run();
}
