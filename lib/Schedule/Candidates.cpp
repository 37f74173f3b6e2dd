//===- Candidates.cpp - Schedules in short form ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit of axes takes one loop. From that follows what the other dimensions of
// each operand and result may do over the unit: a choice. A combination of
// choices, one per unit, says which time factors are needed.
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Candidates.h"
#include "AxisUnits.h"
#include "AxisUtils.h"
#include "CandidateLegality.h"

#include <bit>
#include <set>

using namespace mercury;

using Picked = std::vector<const Choice *>;
using Time = Candidate::Time;
using Member = Candidate::Time::Member;

int64_t Division::sizeOf(AxisMask mask) const {
  int64_t size = 1;
  for (; mask != 0; mask &= mask - 1)
    size *= sizes[std::countr_zero(mask)];
  return size;
}

int64_t Division::sizeOf(const AxisSequence &axes) const {
  int64_t size = 1;
  for (uint8_t axis : axes)
    size *= sizes[axis];
  return size;
}

uint32_t Candidate::Time::tensors() const {
  uint32_t all = 0;
  for (const Member &m : members)
    all |= m.tensors;
  return all;
}

std::vector<Division> mercury::divisions(const TopologyModel &topology,
                                         const EnumeratorOptions &options) {
  std::vector<Division> list;
  std::set<std::vector<Unit>> seen;
  for (std::vector<Unit> &units : axisUnits(topology, options)) {
    // Where axes idle, several cuts leave the same units.
    if (units.empty() || !seen.insert(units).second)
      continue;
    Division division;
    for (const Unit &unit : units)
      append(division.axes, unit);
    sortByTopology(division.axes, topology);
    for (const AxisRef &axis : division.axes)
      division.sizes.push_back(topology.sizeOf(axis));
    for (const Unit &unit : units) {
      AxisMask mask = 0;
      for (const AxisRef &axis : unit)
        mask |= AxisMask(1) << (std::find(division.axes.begin(),
                                          division.axes.end(), axis) -
                                division.axes.begin());
      division.units.push_back(mask);
    }
    list.push_back(std::move(division));
  }
  return list;
}

Candidates::Candidates(const OperatorModel &op, const TopologyModel &topology,
                       const EnumeratorOptions &options)
    : op(op), topology(topology), options(options),
      legality(std::make_unique<Legality>(op, topology)) {
  bool fits = op.inputs.size() + op.results.size() <= maxTensors &&
              op.loops.size() <= maxLoops;
  for (const std::vector<OperatorModel::Tensor> *list :
       {&op.inputs, &op.results})
    for (const OperatorModel::Tensor &tensor : *list)
      fits &= tensor.loopOfDim.size() <= maxDims;
  for (size_t l = 0; fits && l < op.loops.size(); ++l)
    addChoices(op, l, options, all);
}

Candidates::~Candidates() = default;

bool Candidates::isLegal(const Division &division, const Candidate &candidate) {
  return legality->isLegal(division, candidate);
}

//===----------------------------------------------------------------------===//
// Combinations of choices
//===----------------------------------------------------------------------===//

/// Whether operands that are laid out anew may be so here.
static bool mayRelay(const OperatorModel &op, const Picked &picked,
                     Relays relays) {
  if (relays == Relays::All)
    return true;
  size_t arriving = 0, laidOutAnew = 0;
  bool reduces = true, together = true, stages = false, steps = false;
  for (const Choice *choice : picked) {
    arriving += choice->arriving;
    laidOutAnew += choice->relays;
    together &= choice->relays == 0 || choice->relays == choice->running;
    for (const TensorChoice &c : choice->results) {
      reduces &= c.way == Way::Local;
      steps |= needsTime(c.way);
    }
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (needsTime(choice->inputs[i].way))
        (op.inputs[i].dimOfLoop(choice->loop) ? stages : steps) = true;
  }
  if (laidOutAnew == 0)
    return true;
  if (relays == Relays::Together)
    return together && !(stages && steps);
  return arriving <= 1 && (picked.size() == 1 || reduces);
}

bool Candidates::isListed(const Picked &picked) const {
  if (picked.empty())
    return true;
  // Two units that do the same and nothing in rings are one unit.
  const Choice *last = picked.back();
  if (!travels(*last) &&
      std::find(picked.begin(), picked.end() - 1, last) != picked.end() - 1)
    return false;
  return mayRelay(op, picked, options.relays);
}

bool Candidates::forEach(
    const Division &division,
    const std::function<bool(Candidate &, const Picked &)> &visit) const {
  Picked picked; // one per unit
  std::function<bool(Candidate &)> visitOne = [&](Candidate &candidate) {
    return visit(candidate, picked);
  };
  auto pickNext = [&](auto &self) {
    if (picked.size() == division.units.size())
      return forEachSharing(division, picked, visitOne);
    for (const Choice &choice : all) {
      picked.push_back(&choice);
      bool goesOn = !isListed(picked) || self(self);
      picked.pop_back();
      if (!goesOn)
        return false;
    }
    return true;
  };
  return pickNext(pickNext);
}

//===----------------------------------------------------------------------===//
// Time factors
//===----------------------------------------------------------------------===//

/// Adds what tensor number `number` needs to the factor of `loop` for `unit`;
/// false when the factor would have to be staggered and not staggered.
static bool addTime(Candidate &candidate, size_t loop, size_t unit, Way way,
                    size_t number) {
  bool shifted = way != Way::Broadcast, both = way == Way::RotateBoth;
  // A moving accumulator ends at its owner when it starts one rank further.
  uint8_t offset = way == Way::Moving;
  for (Time &time : candidate.times)
    if (Member &m = time.members[0]; time.loop == loop && m.unit == unit) {
      m.offset = std::max(m.offset, offset);
      m.tensors |= 1u << number;
      // All tensors of a factor go in both directions, or none does.
      return m.shifted == shifted && both == time.bothDirections;
    }
  if (candidate.times.isFull())
    return false;
  Time time;
  time.loop = loop;
  time.bothDirections = both;
  time.members.push_back(
      {static_cast<uint8_t>(unit), shifted, offset, 1u << number});
  candidate.times.push_back(time);
  return true;
}

static const TensorChoice &choiceOf(const Choice &choice, size_t tensor) {
  size_t inputs = choice.inputs.size();
  return tensor < inputs ? choice.inputs[tensor]
                         : choice.results[tensor - inputs];
}

/// All tensors that the factor serves go this way.
static bool allGo(const Time &time, const Picked &picked, Way way) {
  for (const Member &m : time.members)
    for (uint32_t rest = m.tensors; rest != 0; rest &= rest - 1)
      if (choiceOf(*picked[m.unit], std::countr_zero(rest)).way != way)
        return false;
  return true;
}

/// The same tensors are fetched, or broadcast, at the steps of two factors of a
/// loop: either order has the same messages.
static bool sameSteps(const Time &a, const Time &b, const Picked &picked) {
  auto both = [&](Way way) {
    return allGo(a, picked, way) && allGo(b, picked, way);
  };
  return a.loop == b.loop && a.tensors() == b.tensors() &&
         (both(Way::Fetch) || both(Way::Broadcast));
}

/// The shards of a tensor are blocks where its factors stand outside all
/// others: puts the factors of a loop that serve more tensors outside; false
/// where some tensor does without an outer factor.
static bool nest(Candidate &candidate) {
  auto &times = candidate.times;
  auto key = [](const Time &time) {
    return std::tuple(time.loop, -std::popcount(time.tensors()),
                      time.members[0].unit);
  };
  std::sort(times.begin(), times.end(),
            [&](const Time &a, const Time &b) { return key(a) < key(b); });
  for (size_t i = 1; i < times.size(); ++i)
    if (times[i - 1].loop == times[i].loop &&
        (times[i].tensors() & ~times[i - 1].tensors()))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

static void appendAxes(AxisSequence &axes, AxisMask mask) {
  for (; mask != 0; mask &= mask - 1)
    axes.push_back(std::countr_zero(mask));
}

/// Appends the axes of the time factors of `loop` that serve the tensor.
static void appendTimes(AxisSequence &axes, size_t loop, size_t tensor,
                        const Candidate &candidate, const Division &division) {
  for (const Time &time : candidate.times)
    if (time.loop == loop)
      for (const Member &m : time.members)
        if (m.tensors >> tensor & 1)
          appendAxes(axes, division.units[m.unit]);
}

static void placeInput(Candidate &candidate, size_t i, const OperatorModel &op,
                       const Division &division, const Picked &picked) {
  const OperatorModel::Tensor &model = op.inputs[i];
  Candidate::Tensor &tensor = candidate.tensors[i];
  tensor.fetch = 0;
  for (size_t u = 0; u < picked.size(); ++u)
    if (picked[u]->inputs[i].way == Way::Fetch)
      tensor.fetch |= division.units[u];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    AxisMask behind = 0, elsewhere = 0, moved = 0;
    int loop = model.mapped ? model.loopOfDim[d] : -1;
    for (size_t u = 0; u < picked.size(); ++u) {
      TensorChoice c = picked[u]->inputs[i];
      if ((c.way == Way::Gather || c.way == Way::AllToAll) && c.dim == d)
        behind |= division.units[u];
      if (static_cast<int>(picked[u]->loop) != loop)
        continue;
      if (c.way == Way::Fetch)
        elsewhere |= division.units[u];
      else if (c.way == Way::AllToAll)
        moved |= division.units[u];
    }
    AxisSequence &nest = tensor.nest[d], &entry = tensor.entry[d];
    nest.clear();
    entry.clear();
    if (loop >= 0) {
      appendAxes(nest, candidate.ranks[loop] & ~elsewhere);
      appendAxes(entry, candidate.ranks[loop] & ~elsewhere & ~moved);
      appendTimes(nest, loop, i, candidate, division);
      appendTimes(entry, loop, i, candidate, division);
    }
    appendAxes(entry, behind);
  }
}

static void placeResult(Candidate &candidate, size_t r, const OperatorModel &op,
                        const Division &division, const Picked &picked) {
  const OperatorModel::Tensor &model = op.results[r];
  size_t number = op.inputs.size() + r;
  Candidate::Tensor &tensor = candidate.tensors[number];
  tensor.fetch = 0;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    AxisSequence &nest = tensor.nest[d];
    nest.clear();
    if (int loop = model.loopOfDim[d]; model.mapped && loop >= 0) {
      appendAxes(nest, candidate.ranks[loop]);
      appendTimes(nest, loop, number, candidate, division);
      AxisMask scattered = 0;
      for (size_t u = 0; u < picked.size(); ++u)
        if (picked[u]->results[r] == TensorChoice{Way::Scatter, d})
          scattered |= division.units[u];
      appendAxes(nest, scattered);
    }
    tensor.entry[d] = nest;
  }
}

/// Numbers the time loops in the order of their loops and places tensors; false
/// where the factors cannot be nested.
static bool complete(Candidate &candidate, const OperatorModel &op,
                     const Division &division, const Picked &picked) {
  if (!nest(candidate))
    return false;
  for (size_t t = 0; t < candidate.times.size(); ++t)
    candidate.times[t].order = t;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    placeInput(candidate, i, op, division, picked);
  for (size_t r = 0; r < op.results.size(); ++r)
    placeResult(candidate, r, op, division, picked);
  return true;
}

bool Candidates::forEachSharing(
    const Division &division, const Picked &picked,
    const std::function<bool(Candidate &)> &visit) const {
  Candidate candidate;
  for (size_t u = 0; u < picked.size(); ++u) {
    const Choice &choice = *picked[u];
    candidate.ranks[choice.loop] |= division.units[u];
    for (size_t t = 0; t < op.inputs.size() + op.results.size(); ++t) {
      const TensorChoice &c = choiceOf(choice, t);
      if (!needsTime(c.way))
        continue;
      const OperatorModel::Tensor &model =
          t < op.inputs.size() ? op.inputs[t]
                               : op.results[t - op.inputs.size()];
      if (!addTime(candidate, model.loopOfDim[c.dim], u, c.way, t))
        return true;
    }
  }
  const FixedList<Time, maxTimes> times = candidate.times;
  if (complete(candidate, op, division, picked) && !visit(candidate))
    return false;
  // One factor whose steps both count may serve two tensors of which none asks
  // for both (Cannon: A's tiles of k over one axis, B's over the other).
  for (size_t i = 0; i < times.size(); ++i)
    for (size_t j = i + 1; j < times.size(); ++j) {
      const Time &a = times[i], &b = times[j];
      if (a.loop != b.loop || a.bothDirections != b.bothDirections ||
          division.sizeOf(division.units[a.members[0].unit]) !=
              division.sizeOf(division.units[b.members[0].unit]) ||
          (a.tensors() & b.tensors()))
        continue;
      candidate.times = times;
      candidate.times[i].members.push_back(b.members[0]);
      candidate.times.erase(candidate.times.begin() + j);
      if (complete(candidate, op, division, picked) && !visit(candidate))
        return false;
    }
  return true;
}

bool Candidates::forEachOrder(Candidate &candidate, const Picked &picked,
                              const std::function<bool()> &visit) const {
  auto &times = candidate.times;
  size_t count = times.size();
  uint8_t order[maxTimes]; // outermost first
  bool same[maxTimes][maxTimes];
  for (size_t i = 0; i < count; ++i) {
    order[i] = i;
    for (size_t j = 0; j < i; ++j)
      same[i][j] = sameSteps(times[i], times[j], picked);
  }
  auto isRenumbered = [&] {
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < i; ++j)
        if (order[j] > order[i] && same[order[j]][order[i]])
          return true;
    return false;
  };
  do {
    for (size_t i = 0; i < count; ++i)
      times[order[i]].order = i;
    if (!isRenumbered() && !visit())
      return false;
  } while (std::next_permutation(order, order + count));
  return true;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

Schedule mercury::scheduleOf(const OperatorModel &op, const Division &division,
                             const Candidate &candidate) {
  Schedule s = Schedule::replicated(op);
  auto list = [&](AxisMask mask) {
    AxisList axes;
    for (; mask != 0; mask &= mask - 1)
      axes.push_back(division.axes[std::countr_zero(mask)]);
    return axes;
  };
  auto place = [&](Placement &placement, const AxisSequence *dims) {
    for (size_t d = 0; d < placement.dims.size(); ++d)
      for (uint8_t axis : dims[d])
        placement.dims[d].push_back(division.axes[axis]);
  };
  for (size_t l = 0; l < s.loops.size(); ++l)
    if (candidate.ranks[l] != 0) {
      Factor factor;
      factor.axes = list(candidate.ranks[l]);
      s.loops[l].push_back(std::move(factor));
    }
  for (const Time &time : candidate.times) {
    Factor factor;
    factor.kind = Factor::Kind::Time;
    factor.axes = list(division.units[time.members[0].unit]);
    factor.bidirectional = time.bothDirections;
    factor.order = time.order;
    for (const Candidate::Time::Member &m : time.members)
      if (m.shifted)
        factor.shifts.push_back({list(division.units[m.unit]), 1, m.offset});
    s.loops[time.loop].push_back(std::move(factor));
  }
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    const Candidate::Tensor &tensor = candidate.tensors[i];
    place(s.inputs[i].entry, tensor.entry);
    place(s.inputs[i].nest, tensor.nest);
    for (AxisMask unit : division.units)
      append(s.inputs[i].fetch, list(unit & tensor.fetch));
  }
  for (size_t r = 0; r < s.results.size(); ++r) {
    const Candidate::Tensor &tensor = candidate.tensors[s.inputs.size() + r];
    place(s.results[r].nest, tensor.nest);
    s.results[r].exit = s.results[r].nest;
  }
  return s;
}
