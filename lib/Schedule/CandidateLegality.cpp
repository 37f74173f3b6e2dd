//===- CandidateLegality.cpp - verify() for candidates --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateLegality.h"

#include <bit>

using namespace mercury;

static AxisMask maskOf(const AxisSequence &axes) {
  AxisMask mask = 0;
  for (uint8_t axis : axes)
    mask |= AxisMask(1) << axis;
  return mask;
}

static bool contains(const AxisSequence &axes, uint8_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// As in Legality.cpp.
static constexpr int64_t maxTiles = int64_t(1) << 31;

Candidates::Legality::Legality(const OperatorModel &op,
                               const TopologyModel &topology)
    : op(op), topology(topology) {
  for (const Level &level : topology.levels)
    allAllowed &= level.primitives.empty();
}

void Candidates::Legality::enter(const Division &next) {
  division = &next;
  if (allAllowed || next.axes == axes)
    return;
  axes = next.axes;
  for (size_t a = 0; a < axes.size(); ++a) {
    allowed[a] = 0;
    const Level *level = topology.find(axes[a].level);
    for (Primitive p : level->primitives)
      allowed[a] |= 1u << static_cast<size_t>(p);
    if (level->primitives.empty())
      allowed[a] = ~0u;
  }
}

bool Candidates::Legality::isLegal(const Division &next,
                                   const Candidate &candidate) {
  enter(next);
  c = &candidate;
  partial = 0;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    shifts[l] = travelling[l] = 0;
    if (op.loops[l].reduction)
      partial |= c->ranks[l];
  }
  for (const Candidate::Time &time : c->times)
    for (const Candidate::Time::Member &m : time.members)
      if (m.shifted)
        shifts[time.loop] |= division->units[m.unit];
  if (!checkFactors() || !checkPlacements() || !checkReductions())
    return false;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!checkInput(i))
      return false;
  for (size_t r = 0; r < op.results.size(); ++r)
    if (!checkResult(r))
      return false;
  return checkCoupled() && checkShifts() && (allAllowed || checkPrimitives());
}

/// No placement uses an axis twice.
bool Candidates::Legality::checkPlacements() const {
  auto isLegal = [](const AxisSequence *dims, size_t count) {
    AxisMask used = 0;
    for (size_t d = 0; d < count; ++d)
      for (uint8_t axis : dims[d]) {
        if (used >> axis & 1)
          return false;
        used |= AxisMask(1) << axis;
      }
    return true;
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    size_t dims = op.inputs[i].loopOfDim.size();
    if (!isLegal(c->tensors[i].entry, dims) ||
        !isLegal(c->tensors[i].nest, dims))
      return false;
  }
  for (size_t r = 0; r < op.results.size(); ++r)
    if (!isLegal(c->tensors[op.inputs.size() + r].nest,
                 op.results[r].loopOfDim.size()))
      return false;
  return true;
}

bool Candidates::Legality::checkFactors() const {
  int bothWays = -1;
  for (size_t t = 0; t < c->times.size(); ++t) {
    const Candidate::Time &time = c->times[t];
    if (!time.bothDirections)
      continue;
    bool isLast = t + 1 == c->times.size() || c->times[t + 1].loop != time.loop;
    if (!isLast || !op.loops[time.loop].reduction || bothWays >= 0)
      return false;
    bothWays = time.loop;
  }
  for (size_t l = 0; l < op.loops.size(); ++l) {
    int64_t tiles = division->sizeOf(c->ranks[l]);
    for (const Candidate::Time &time : c->times)
      if (time.loop == l) {
        int64_t count = division->sizeOf(division->units[time.members[0].unit]);
        if (count > maxTiles / tiles)
          return false;
        tiles *= count;
      }
  }
  return true;
}

bool Candidates::Legality::checkReductions() const {
  for (size_t l = 0; l < op.loops.size(); ++l)
    for (size_t r = 0; r < op.results.size(); ++r) {
      if (op.loops[l].reduction && c->ranks[l] != 0 &&
          (r >= op.hasCombiner.size() || !op.hasCombiner[r]))
        return false;
      if (op.loops[l].reduction ||
          (op.results[r].mapped && op.results[r].dimOfLoop(l)))
        continue;
      if (c->ranks[l] != 0)
        return false;
      for (const Candidate::Time &time : c->times)
        if (time.loop == l)
          return false;
    }
  return true;
}

Arrival Candidates::Legality::arrivalOf(size_t input, uint8_t axis) const {
  const Candidate::Tensor &tensor = c->tensors[input];
  const OperatorModel::Tensor &model = op.inputs[input];
  std::optional<size_t> from, to;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    if (contains(tensor.entry[d], axis))
      from = d;
    if (contains(tensor.nest[d], axis))
      to = d;
  }
  if (!to)
    return from ? Arrival::Gather : Arrival::Local;
  if (from && *from != *to)
    return Arrival::AllToAll;
  int loop = model.loopOfDim[*to];
  if (loop < 0 || c->ranks[loop] >> axis & 1)
    return Arrival::Local;
  if (!(shifts[loop] >> axis & 1))
    return Arrival::Broadcast;
  return tensor.fetch >> axis & 1 ? Arrival::Fetch : Arrival::Rotate;
}

Ending Candidates::Legality::endingOf(size_t result, uint8_t axis) const {
  const Candidate::Tensor &tensor = c->tensors[op.inputs.size() + result];
  const OperatorModel::Tensor &model = op.results[result];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d)
    if (contains(tensor.nest[d], axis)) {
      int loop = model.loopOfDim[d];
      return loop >= 0 && (shifts[loop] >> axis & 1) ? Ending::Moving
                                                     : Ending::ReduceScatter;
    }
  return Ending::AllReduce;
}

bool Candidates::Legality::checkInput(size_t i) {
  const OperatorModel::Tensor &model = op.inputs[i];
  const Candidate::Tensor &tensor = c->tensors[i];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    const AxisSequence &a = tensor.entry[d], &b = tensor.nest[d];
    size_t common = 0;
    while (common < a.size() && common < b.size() && a[common] == b[common])
      ++common;
    AxisMask before = 0, after = 0;
    for (size_t i = common; i < a.size(); ++i)
      before |= AxisMask(1) << a[i];
    for (size_t i = common; i < b.size(); ++i)
      after |= AxisMask(1) << b[i];
    if (before & after)
      return false;
  }
  AxisMask permuted = 0;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    if (tensor.nest[d].empty())
      continue;
    size_t loop = model.loopOfDim[d];
    AxisMask entry = maskOf(tensor.entry[d]);
    if (!motions.evaluate(*division, *c, loop, tensor.nest[d], parts))
      return false;
    for (const CandidateMotion::Part &part : parts) {
      bool partly = false, onlyPartly = false;
      for (int l : model.loopOfDim)
        if (l >= 0 && l != static_cast<int>(loop)) {
          partly |= dependsOn(l, part.axes, false);
          onlyPartly |= dependsOn(l, part.axes, true);
        }
      bool isSame = part.motion == Motion::Same,
           isLocal = part.motion == Motion::Local,
           permutes = !isSame && !isLocal,
           isFetched = (tensor.fetch & part.axes) == part.axes;
      if (isSame && (partly || dependsOn(loop, part.axes, false)))
        return false;
      if (permutes && !isFetched &&
          (part.motion == Motion::Permutation || onlyPartly))
        return false;
      if (permutes) {
        permuted |= part.axes;
        travelling[loop] |= part.axes;
      }
      // What lowerings are told must be what the arithmetic says.
      AxisMask entered = part.axes & entry, ofRanks = c->ranks[loop],
               ofShifts = shifts[loop] & ~ofRanks;
      AxisMask agree = isLocal  ? ofRanks
                       : isSame ? ~(ofRanks | ofShifts)
                                : ofShifts;
      if (entered & ~agree)
        return false;
    }
  }
  return (tensor.fetch & ~permuted) == 0;
}

bool Candidates::Legality::checkResult(size_t r) {
  const OperatorModel::Tensor &model = op.results[r];
  const Candidate::Tensor &tensor = c->tensors[op.inputs.size() + r];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    int loop = model.mapped ? model.loopOfDim[d] : -1;
    AxisSequence axes = tensor.nest[d];
    if (loop < 0) {
      if (!axes.empty())
        return false;
      continue;
    }
    if (c->ranks[loop] & ~maskOf(axes))
      return false;
    // What the reductions scatter after the loops does not meet their tiles.
    while (!axes.empty() && (partial >> axes.back() & 1) &&
           !(shifts[loop] >> axes.back() & 1))
      axes.pop_back();
    if (!motions.evaluate(*division, *c, loop, axes, parts))
      return false;
    for (const CandidateMotion::Part &part : parts) {
      bool isPartial = (part.axes & ~partial) == 0;
      if (part.motion != Motion::Local &&
          !(part.motion == Motion::Rotation && isPartial))
        return false;
      if (isPartial)
        travelling[loop] |= part.axes;
    }
  }
  return true;
}

bool Candidates::Legality::checkCoupled() const {
  for (const std::vector<size_t> &group : op.coupled)
    for (size_t r : group) {
      size_t first = group.front();
      for (size_t d = 0; d < op.results[r].loopOfDim.size(); ++d) {
        int loop = op.results[r].loopOfDim[d];
        std::optional<size_t> other = op.results[first].dimOfLoop(loop);
        if (r != first && other && op.results[r].dimOfLoop(loop) == d &&
            !(c->tensors[op.inputs.size() + r].nest[d] ==
              c->tensors[op.inputs.size() + first].nest[*other]))
          return false;
      }
    }
  return true;
}

bool Candidates::Legality::checkShifts() const {
  for (const Candidate::Time &time : c->times)
    for (const Candidate::Time::Member &m : time.members)
      if (m.shifted && !(division->units[m.unit] & travelling[time.loop]))
        return false;
  return true;
}

bool Candidates::Legality::checkPrimitives() const {
  auto primitiveOf = [](Arrival arrival) -> std::optional<Primitive> {
    switch (arrival) {
    case Arrival::Local:
      return std::nullopt;
    case Arrival::Gather:
      return Primitive::AllGather;
    case Arrival::Broadcast:
      return Primitive::Broadcast;
    case Arrival::AllToAll:
      return Primitive::AllToAll;
    case Arrival::Rotate:
    case Arrival::Fetch:
      break;
    }
    return Primitive::SendRecv;
  };
  for (size_t i = 0; i < op.inputs.size(); ++i)
    for (size_t d = 0; d < op.inputs[i].loopOfDim.size(); ++d)
      for (const AxisSequence *axes :
           {&c->tensors[i].entry[d], &c->tensors[i].nest[d]})
        for (uint8_t axis : *axes)
          if (std::optional<Primitive> p = primitiveOf(arrivalOf(i, axis));
              p && !allows(*p, axis))
            return false;
  for (size_t r = 0; r < op.results.size(); ++r)
    for (AxisMask rest = partial; rest != 0; rest &= rest - 1) {
      uint8_t axis = std::countr_zero(rest);
      Ending ending = endingOf(r, axis);
      if (!allows(ending == Ending::AllReduce ? Primitive::AllReduce
                  : ending == Ending::Moving  ? Primitive::SendRecv
                                              : Primitive::ReduceScatter,
                  axis))
        return false;
    }
  return true;
}
