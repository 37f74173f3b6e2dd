//===- CandidateCost.cpp - Seconds of candidates --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"
#include "Mercury/Tuning/LocalKernels.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace mercury;

size_t CandidateCost::Hash::operator()(const Key &key) const {
  uint64_t bits;
  std::memcpy(&bits, &key.bytes, sizeof bits);
  uint64_t hash = key.axes * 0x9e3779b97f4a7c15u ^ bits ^ uint64_t(key.way);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

CandidateCost::CandidateCost(const CostProblem &problem, const LinkTimes &links)
    : problem(problem), links(links), topology(links.topology()) {
  exact = problem.direction == CostProblem::Direction::Forward &&
          topology.levels.size() <= maxCostLevels;
  LocalTimes locals(topology.device);
  for (const std::string &name : comparableKernels(problem, topology.device)) {
    patches.push_back(name);
    blocks.push_back(blocksPerLoop(problem, name));
    LocalWork work = workOf(problem, name);
    std::array<Rate, 2> &both = rates.emplace_back();
    for (bool isCut : {false, true}) {
      work.causal = isCut;
      both[isCut] = locals.rateOf(work);
    }
  }
  pairSeconds.resize(rates.size());
  if (problem.op.mask)
    masks.emplace(problem.op, topology);
  memoryRate = locals.memoryRate();
  const OperatorModel &op = problem.op;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool all = !op.loops[l].reduction;
    for (const OperatorModel::Tensor &input : op.inputs)
      all &= input.dimOfLoop(l).has_value();
    isBatch.push_back(all);
    if (op.loops[l].reduction) {
      keyLoop = l;
      fillsFirst = !problem.isForeign;
    }
  }
}

void CandidateCost::enter(const Division &next, const Candidate &c) {
  if (division != &next || next.axes != axes) {
    division = &next;
    axes = next.axes;
    for (size_t a = 0; a < axes.size(); ++a) {
      size_t bit =
          std::find(known.begin(), known.end(), axes[a]) - known.begin();
      if (bit == known.size()) {
        if (known.size() == 64) {
          // Too many for the bits: begin anew.
          known.clear();
          times.clear();
          hops.clear();
          hopOfOffsets.clear();
          axes.clear();
          return enter(next, c);
        }
        known.push_back(axes[a]);
      }
      names[a] = uint64_t(1) << bit;
    }
  }
  const OperatorModel &op = problem.op;
  partial = 0;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    shifts[l] = 0;
    if (op.loops[l].reduction)
      partial |= c.ranks[l];
  }
  for (const Candidate::Time &time : c.times)
    for (const Candidate::Time::Member &m : time.members)
      if (m.shifted)
        shifts[time.loop] |= division->units[m.unit];
  parts = 1;
  balanced = masks ? masks->balanceParts(*division, c) : 1;
  isPadded = false;
  readExtents(c);
  readTimes(c);
  readWork(c);
}

bool CandidateCost::order(const Candidate &c, bool isBalanced) {
  if (!masks)
    return !isBalanced;
  parts = isBalanced ? balanced : 1;
  if (isBalanced && parts == 1)
    return false;
  bool pads = false;
  for (size_t l : {problem.op.mask->query, problem.op.mask->key})
    pads |= parts > 1 && padded[l] % TokenOrder::zigzag(parts).granularity() &&
            masks->isDivided(c, l, /*whileLoopsRun=*/false);
  if (pads || isPadded) {
    isPadded = pads;
    readExtents(c);
    readTimes(c);
    readWork(c);
  }
  table = masks->of(*division, c, padded, parts);
  return table;
}

uint64_t CandidateCost::namesOf(AxisMask mask) const {
  uint64_t all = 0;
  for (; mask != 0; mask &= mask - 1)
    all |= names[std::countr_zero(mask)];
  return all;
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

double CandidateCost::leaf(size_t kernel, size_t combination) const {
  double launch = halves * topology.device.launch;
  auto seconds = [&](double whole, double cut, double rows) {
    return std::max(whole * pairSeconds[kernel][0] +
                        cut * pairSeconds[kernel][1],
                    memorySeconds) +
           mergeSeconds * rows;
  };
  if (!table)
    return seconds(1, 0, 1) + launch;
  double most = 0;
  for (const TilePairs &pairs : table->tiles[combination])
    if (pairs.whole + pairs.cut > 0)
      most = std::max(most,
                      seconds(pairs.whole, pairs.cut, pairs.rows / queryRows));
  return most > 0 ? most + launch : 0;
}

Stretch CandidateCost::run(const Candidate &c, size_t depth, size_t combination,
                           size_t kernel, double pieces) const {
  size_t levels = topology.levels.size();
  if (depth == c.times.size()) {
    Stretch body(levels);
    body.setWork(leaf(kernel, combination));
    return body;
  }
  size_t t = 0, masked = 0;
  for (size_t other = 0; other < c.times.size(); ++other) {
    if (c.times[other].order == depth)
      t = other;
    masked += c.times[other].order < depth && isMasked(c.times[other].loop);
  }
  const Times &loop = loopTimes[t];
  bool varies = table && isMasked(c.times[t].loop);
  int64_t steps = varies ? table->taken[masked] : loops[t].steps;
  auto use = [&](const Bundle &bundle, double messages) {
    if (bundle.empty())
      return PortUse();
    double launches = problem.isFused ? 0 : (messages - 1) * bundle.launch;
    return PortUse{bundle.fixed + launches + bundle.streamed,
                   {bundle.level, levels}};
  };
  LoopUse all;
  all.first = use(loop.first, 1);
  if (problem.isFused)
    all.first.seconds /= pieces;
  all.startsEarly = loop.startsEarly && !varies && steps > 1;
  all.waited = use(loop.waited, 1);
  all.waitedOwn = use(loop.waitedOwn, 1);
  all.passed = use(loop.passed, pieces);
  all.moved = use(loop.moved, pieces);
  all.both = use(loop.both, pieces);
  all.late = use(loop.late, pieces);
  all.fill = loop.fill;
  all.merge = loop.moves ? loop.merge : 0;
  all.add = loop.add;
  all.pieces = problem.isFused ? pieces : 1;
  LoopStretch whole(all, topology.device.communicationShare, levels);
  if (!varies)
    whole.run(run(c, depth + 1, combination, kernel, pieces), steps);
  for (int64_t s = 0; varies && s < steps; ++s) {
    // What moves results runs in all steps but the first, all else in all but
    // the last.
    bool isFirst = s == 0, isLast = s + 1 == steps;
    whole.step(run(c, depth + 1, combination * size_t(steps) + size_t(s),
                   kernel, pieces),
               1,
               isFirst  ? isLast ? PortUse() : all.passed
               : isLast ? all.moved
                        : all.both,
               isFirst);
  }
  return whole.finish();
}

double CandidateCost::seconds(const Candidate &c, int64_t chunks,
                              size_t kernel) {
  if (pairSeconds[kernel][0] == HUGE_VAL)
    return HUGE_VAL;
  // What is in flight, and how often, depends on the order of loops.
  bool isRead = true;
  for (size_t t = 0; t < c.times.size(); ++t)
    isRead &= readOrders[t] == c.times[t].order;
  if (!isRead)
    readTimes(c);
  double launch = topology.device.launch;
  return std::max(fill + fills * launch, before) +
         run(c, 0, 0, kernel, double(chunks)).seconds + finish +
         finishes * launch + after;
}
