//===- MemoryNest.cpp - How the tiles of a schedule move ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryNest.h"
#include "Mercury/Schedule/Balance.h"
#include "llvm/ADT/STLExtras.h"

using namespace mercury;
using llvm::ArrayRef;

bool InputMotion::isCut() const {
  return llvm::any_of(parts, [](int64_t n) { return n > 1; });
}

Extents InputMotion::partShape() const {
  Extents shape = extents;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] /= parts[dim];
  return shape;
}

bool NestModel::Digit::dependsOn(int axis) const {
  if (isRank)
    return llvm::is_contained(axes, axis);
  return llvm::any_of(shifts, [&](const Axes &shift) {
    return llvm::is_contained(shift, axis);
  });
}

static Orders ordersOf(const Placement &placement) {
  Orders orders(placement.dims.size(), nullptr);
  for (size_t dim = 0; dim < placement.orders.size(); ++dim)
    if (!placement.orders[dim].isNatural())
      orders[dim] = &placement.orders[dim];
  return orders;
}

NestModel::NestModel(const OperatorModel &op, const Schedule &s,
                     const TopologyModel &topology)
    : axes(topology), op(op), s(s) {
  for (auto [loop, factor] : timeLoops(s)) {
    Steps steps = neededSteps(s, op, topology, loop, factor);
    times.push_back({loop, factor, steps.taken, steps.first});
  }
  for (size_t l = 0; l < s.loops.size(); ++l) {
    const LoopPlan &plan = s.loops[l];
    divided |= !plan.empty();
    llvm::SmallVector<Digit, 3> list;
    int64_t count = 1;
    for (size_t f = 0; f < plan.size(); ++f) {
      Digit digit;
      digit.isRank = plan[f].kind == Factor::Kind::Rank;
      digit.axes = axes.numbers(plan[f].axes);
      for (const Shift &shift : plan[f].shifts)
        digit.shifts.push_back(axes.numbers(shift.axes));
      for (size_t t = 0; t < times.size(); ++t)
        if (times[t].loop == l && times[t].factor == f)
          digit.time = t;
      digit.outer = plan[f].count(topology); // a count so far
      count *= digit.outer;
      list.push_back(std::move(digit));
    }
    int64_t stride = count;
    for (Digit &digit : list) {
      digit.inner = stride / digit.outer;
      digit.outer = stride;
      stride = digit.inner;
    }
    counts.push_back(count);
    digits.push_back(std::move(list));
  }
  for (size_t l = 0; l < s.loops.size(); ++l) {
    int64_t extent =
        !divided || s.orderOf(l).isNatural()
            ? paddedExtent(op.loops[l].extent, s.loops[l], topology)
            : paddedExtent(s, op, l, topology);
    extents.push_back(extent);
    tiles.push_back(extent / numTiles(s.loops[l], topology));
  }
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    const OperandPlan &plan = s.inputs[i];
    inputEntryOrders.push_back(ordersOf(plan.entry));
    inputNestOrders.push_back(inOrders(op.inputs[i]));
    inputEntry.push_back(axes.numbers(plan.entry.dims));
    inputNest.push_back(axes.numbers(plan.nest.dims));
    inputFetch.push_back(axes.numbers(plan.fetch));
  }
  for (size_t r = 0; r < s.results.size(); ++r) {
    const ResultPlan &plan = s.results[r];
    resultNestOrders.push_back(inOrders(op.results[r]));
    resultExitOrders.push_back(ordersOf(plan.exit));
    resultNest.push_back(axes.numbers(plan.nest.dims));
    resultExit.push_back(axes.numbers(plan.exit.dims));
  }
}

/// While loops run, dimensions have the orders of their loops.
Orders NestModel::inOrders(const OperatorModel::Tensor &tensor) const {
  Orders orders(tensor.loopOfDim.size(), nullptr);
  for (size_t dim = 0; dim < orders.size(); ++dim)
    if (size_t loop = tensor.loopOfDim[dim];
        divided && tensor.loopOfDim[dim] >= 0 && loop < s.tokens.size() &&
        !s.tokens[loop].isNatural())
      orders[dim] = &s.tokens[loop];
  return orders;
}

bool NestModel::isBidirectional(size_t loop) const {
  return !s.loops[loop].empty() && s.loops[loop].back().bidirectional;
}

/// The digits of the tile's number that shard `index` of `list` stands for.
NestModel::Range NestModel::rangeOf(ArrayRef<uint8_t> list, size_t index,
                                    int64_t tiles) const {
  for (size_t i = 0; i < index; ++i)
    tiles /= axes.size(list[i]);
  return {tiles / axes.size(list[index]), tiles};
}

TimeSet NestModel::timesIn(size_t loop, Range range) const {
  TimeSet set = 0;
  for (const Digit &digit : digits[loop])
    if (!digit.isRank && times[digit.time].taken > 1 &&
        std::max(digit.inner, range.inner) < std::min(digit.outer, range.outer))
      set |= TimeSet(1) << digit.time;
  return set;
}

bool NestModel::isShifted(size_t loop, int axis) const {
  return llvm::any_of(digits[loop], [&](const Digit &digit) {
    return !digit.isRank && digit.dependsOn(axis);
  });
}

bool NestModel::isRank(size_t loop, int axis) const {
  return llvm::any_of(digits[loop], [&](const Digit &digit) {
    return digit.isRank && digit.dependsOn(axis);
  });
}

bool NestModel::isOwn(size_t loop, const Axes &moving, bool atLast) const {
  for (size_t f = 0; f < digits[loop].size(); ++f) {
    const Digit &digit = digits[loop][f];
    if (digit.isRank ||
        llvm::none_of(moving, [&](int axis) { return digit.dependsOn(axis); }))
      continue;
    const Factor &factor = s.loops[loop][f];
    if (factor.shifts.size() != 1 || factor.shifts[0].stride != 1)
      return false;
    int64_t count = digit.outer / digit.inner;
    const Time &time = times[digit.time];
    int64_t step = time.first + (atLast ? time.taken - 1 : 0);
    int64_t at = (factor.backwards ? -step : step) + factor.shifts[0].offset;
    if (at % count != 0 || axes.size(digit.shifts[0]) != count)
      return false;
  }
  return true;
}

/// As gatherFor of Mercury/Analysis/NestAnalysis.h: what is padded otherwise
/// than the loop has blocks that are no whole tiles.
AxesOfDims NestModel::gatheredFor(size_t input, const Sharded &value) const {
  const OperatorModel::Tensor &tensor = op.inputs[input];
  AxesOfDims kept = value.axes;
  for (size_t dim = 0; dim < kept.size(); ++dim) {
    int loop = tensor.mapped ? tensor.loopOfDim[dim] : -1;
    if (loop < 0 || value.padded[dim] == extents[loop])
      continue;
    auto spans = [&] {
      int64_t block = value.padded[dim] / axes.size(kept[dim]);
      for (int64_t at = 0; at < extents[loop]; at += tiles[loop])
        if (at / block != (at + tiles[loop] - 1) / block)
          return true;
      return false;
    };
    while (!kept[dim].empty() && spans())
      kept[dim].pop_back();
  }
  return kept;
}

InputMotion NestModel::motionOf(size_t input, const AxesOfDims &nest,
                                ArrayRef<int64_t> local,
                                ArrayRef<int64_t> tile) const {
  const OperatorModel::Tensor &tensor = op.inputs[input];
  InputMotion motion;
  motion.extents.assign(local.begin(), local.end());
  motion.parts.assign(local.size(), 1);
  motion.hops.resize(times.size());
  TimeSet all = 0;
  bool starts = true;
  for (size_t dim = 0; dim < nest.size(); ++dim) {
    int loop = tensor.mapped ? tensor.loopOfDim[dim] : -1;
    if (loop < 0)
      continue;
    Axes rotatingHere;
    for (size_t i = 0; i < nest[dim].size(); ++i) {
      int axis = nest[dim][i];
      if (axes.size(axis) == 1 || isRank(loop, axis))
        continue;
      TimeSet set = timesIn(loop, rangeOf(nest[dim], i, counts[loop]));
      all |= set;
      if (!isShifted(loop, axis)) {
        motion.broadcast.push_back(axis);
      } else if (llvm::is_contained(inputFetch[input], axis)) {
        motion.fetched.push_back(axis);
      } else {
        motion.rotating.push_back(axis);
        rotatingHere.push_back(axis);
        for (size_t t = 0; t < times.size(); ++t)
          if (set & TimeSet(1) << t)
            motion.hops[t].push_back(axis);
      }
    }
    if (!rotatingHere.empty())
      starts &= isOwn(loop, rotatingHere, /*atLast=*/false);
  }
  motion.rotates =
      llvm::any_of(motion.hops, [](const Axes &hop) { return !hop.empty(); });
  motion.needsStart = motion.rotates && !starts;
  if (!motion.rotates) {
    // Fetched once, where no step needs another one.
    motion.fetched.append(motion.rotating.begin(), motion.rotating.end());
    motion.rotating.clear();
  }
  while (all >> motion.depth)
    ++motion.depth;
  if (motion.rotating.empty() && motion.fetched.empty() &&
      motion.broadcast.empty())
    return motion;

  // What of the block is needed.
  bool comesAlone = !motion.fetched.empty() || !motion.broadcast.empty();
  for (size_t dim = 0; dim < nest.size(); ++dim) {
    if (tile[dim] == local[dim])
      continue;
    int loop = tensor.loopOfDim[dim];
    Range inside = {0, counts[loop] / axes.size(nest[dim])};
    TimeSet set = timesIn(loop, inside);
    bool ofRanks = false, ofReceivers = false;
    for (const Digit &digit : digits[loop]) {
      if (digit.inner >= inside.outer || digit.outer == digit.inner)
        continue;
      ofRanks |= digit.isRank || !digit.shifts.empty();
      ofReceivers |= llvm::any_of(
          motion.broadcast, [&](int axis) { return digit.dependsOn(axis); });
    }
    if (!set && !ofRanks) {
      motion.extents[dim] = tile[dim];
    } else if (comesAlone && !(set >> motion.depth)) {
      if (ofReceivers) {
        // All ranks that a broadcast reaches receive the same.
        motion.extents.assign(local.begin(), local.end());
        motion.parts.assign(local.size(), 1);
        return motion;
      }
      motion.parts[dim] = local[dim] / tile[dim];
    }
  }
  return motion;
}

ResultMotion NestModel::motionOfResult(size_t result) const {
  const OperatorModel::Tensor &tensor = op.results[result];
  ResultMotion motion;
  motion.hops.resize(times.size());
  const AxesOfDims &nest = resultNest[result];
  bool ends = true;
  for (size_t dim = 0; dim < nest.size(); ++dim) {
    int loop = tensor.mapped ? tensor.loopOfDim[dim] : -1;
    if (loop < 0)
      continue;
    Axes moving;
    for (size_t i = 0; i < nest[dim].size(); ++i) {
      int axis = nest[dim][i];
      if (axes.size(axis) == 1 || isRank(loop, axis) || !isShifted(loop, axis))
        continue;
      moving.push_back(axis);
      TimeSet set = timesIn(loop, rangeOf(nest[dim], i, counts[loop]));
      for (size_t t = 0; t < times.size(); ++t)
        if (set & TimeSet(1) << t)
          motion.hops[t].push_back(axis);
    }
    if (!moving.empty()) {
      motion.moves = true;
      ends &= isOwn(loop, moving, /*atLast=*/true);
    }
  }
  motion.needsHome = motion.moves && !ends;
  return motion;
}

Axes NestModel::partialAxes() const {
  Axes list;
  for (size_t l = 0; l < digits.size(); ++l)
    if (op.loops[l].reduction)
      for (const Digit &digit : digits[l])
        if (digit.isRank)
          for (int axis : digit.axes) {
            bool moves = false;
            const OperatorModel::Tensor &tensor = op.results[0];
            for (size_t dim = 0; dim < resultNest[0].size(); ++dim)
              if (llvm::is_contained(resultNest[0][dim], axis)) {
                int loop = tensor.loopOfDim[dim];
                moves = loop >= 0 && isShifted(loop, axis);
                break;
              }
            if (!moves)
              list.push_back(axis);
          }
  return list;
}
