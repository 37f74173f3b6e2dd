//===- CandidateMotion.cpp - How shards of candidates move ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateMotion.h"

#include <bit>

using namespace mercury;

/// Appends what the axes from `begin` on do whose shards are the indices of
/// one factor: those of `unit`, in order. False where they are not.
static bool takeAxes(const AxisSequence &axes, size_t begin, AxisMask unit) {
  for (size_t i = begin; unit != 0; ++i, unit &= unit - 1)
    if (i == axes.size() || axes[i] != std::countr_zero(unit))
      return false;
  return true;
}

/// The motions of axes that are those of the factors, outermost first. Over a
/// rank factor each rank has its own shard. Over a time factor all ranks meet
/// the same one at each step, or, where it is shifted by the axes, one that
/// each step moves on by a rank.
static bool evaluateAligned(const Division &division,
                            const Candidate &candidate, size_t loop,
                            const AxisSequence &axes,
                            CandidateMotion::Parts &parts) {
  size_t at = 0;
  auto each = [&](AxisMask mask, Motion motion) {
    for (; mask != 0; mask &= mask - 1, ++at)
      parts.push_back({mask & -mask, motion});
  };
  if (AxisMask ranks = candidate.ranks[loop]) {
    if (!takeAxes(axes, 0, ranks))
      return false;
    each(ranks, Motion::Local);
  }
  for (const Candidate::Time &time : candidate.times) {
    if (time.loop != loop)
      continue;
    if (at == axes.size())
      break;
    bool isShifted = false, taken = false;
    for (const Candidate::Time::Member &m : time.members)
      isShifted |= m.shifted;
    for (const Candidate::Time::Member &m : time.members) {
      AxisMask unit = division.units[m.unit];
      if (taken || m.shifted != isShifted || !takeAxes(axes, at, unit))
        continue;
      taken = true;
      if (isShifted) {
        parts.push_back({unit, Motion::Rotation});
        at += std::popcount(unit);
      } else {
        each(unit, Motion::Same);
      }
    }
    if (!taken)
      return false;
  }
  return at == axes.size();
}

bool CandidateMotion::evaluate(const Division &division,
                               const Candidate &candidate, size_t loop,
                               const AxisSequence &axes, Parts &parts) {
  parts.clear();
  if (axes.empty() || evaluateAligned(division, candidate, loop, axes, parts))
    return true;
  parts.clear();
  const Answer &answer = evaluated(division, candidate, loop, axes);
  size_t at = 0;
  for (auto [count, motion] : answer.parts) {
    AxisMask mask = 0;
    for (size_t i = 0; i < count; ++i)
      mask |= AxisMask(1) << axes[at++];
    parts.push_back({mask, motion});
  }
  return answer.isLegal;
}

const CandidateMotion::Answer &
CandidateMotion::evaluated(const Division &division, const Candidate &candidate,
                           size_t loop, const AxisSequence &axes) {
  // The axes that take part, by number; the key says all that matters.
  AxisMask used = candidate.ranks[loop];
  for (uint8_t axis : axes)
    used |= AxisMask(1) << axis;
  for (const Candidate::Time &time : candidate.times)
    if (time.loop == loop)
      for (const Candidate::Time::Member &m : time.members)
        used |= division.units[m.unit];
  auto number = [&](size_t axis) {
    return std::popcount(used & ((AxisMask(1) << axis) - 1));
  };
  std::string key;
  auto add = [&](AxisMask mask) {
    for (; mask != 0; mask &= mask - 1)
      key += 'a' + number(std::countr_zero(mask));
    key += ' ';
  };
  for (AxisMask mask = used; mask != 0; mask &= mask - 1)
    key += std::to_string(division.sizes[std::countr_zero(mask)]) + ' ';
  add(candidate.ranks[loop]);
  for (const Candidate::Time &time : candidate.times)
    if (time.loop == loop) {
      for (const Candidate::Time::Member &m : time.members) {
        key += m.shifted ? 's' : 't';
        add(division.units[m.unit]);
      }
      key += '/';
    }
  for (uint8_t axis : axes)
    key += 'a' + number(axis);
  auto [it, isNew] = answers.try_emplace(std::move(key));
  Answer &answer = it->second;
  if (!isNew)
    return answer;

  TopologyModel topology;
  for (AxisMask mask = used; mask != 0; mask &= mask - 1) {
    Level level;
    level.name = "a" + std::to_string(topology.levels.size());
    level.size = division.sizes[std::countr_zero(mask)];
    topology.levels.push_back(level);
  }
  auto list = [&](AxisMask mask) {
    AxisList axes;
    for (; mask != 0; mask &= mask - 1)
      axes.push_back({topology.levels[number(std::countr_zero(mask))].name});
    return axes;
  };
  LoopPlan plan;
  if (candidate.ranks[loop] != 0) {
    Factor factor;
    factor.axes = list(candidate.ranks[loop]);
    plan.push_back(std::move(factor));
  }
  for (const Candidate::Time &time : candidate.times) {
    if (time.loop != loop)
      continue;
    Factor factor;
    factor.kind = Factor::Kind::Time;
    factor.axes = list(division.units[time.members[0].unit]);
    for (const Candidate::Time::Member &m : time.members)
      if (m.shifted)
        factor.shifts.push_back({list(division.units[m.unit]), 1, m.offset});
    plan.push_back(std::move(factor));
  }
  AxisList dimension;
  for (uint8_t axis : axes)
    dimension.push_back({topology.levels[number(axis)].name});
  std::vector<AxesMotion> motions;
  answer.isLegal = bool(evaluateMotion(plan, dimension, topology, motions));
  if (answer.isLegal)
    for (const AxesMotion &m : motions)
      answer.parts.emplace_back(m.axes.size(), m.motion);
  return answer;
}
