//===- CandidateCost.cpp - Seconds of candidates --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"
#include "Mercury/Tuning/LocalKernels.h"
#include "Stretch.h"

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
  exact = !problem.op.mask &&
          problem.direction == CostProblem::Direction::Forward &&
          topology.levels.size() <= maxCostLevels;
  LocalTimes locals(topology.device);
  for (const std::string &name : comparableKernels(problem, topology.device)) {
    patches.push_back(name);
    rates.push_back(locals.rateOf(workOf(problem, name)));
    blocks.push_back(blocksPerLoop(problem, name));
  }
  leaf.resize(rates.size());
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
  readExtents(c);
  readTimes(c);
  readWork(c);
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

double CandidateCost::seconds(const Candidate &c, int64_t chunks,
                              size_t kernel) {
  if (leaf[kernel] == HUGE_VAL)
    return HUGE_VAL;
  // What is in flight, and how often, depends on the order of loops.
  bool isRead = true;
  for (size_t t = 0; t < c.times.size(); ++t)
    isRead &= readOrders[t] == c.times[t].order;
  if (!isRead)
    readTimes(c);
  size_t levels = topology.levels.size();
  double share = topology.device.communicationShare, pieces = double(chunks),
         launch = topology.device.launch;
  Stretch body(levels);
  body.setWork(leaf[kernel] + halves * launch);
  auto use = [&](const Bundle &bundle, double messages) {
    if (bundle.empty())
      return PortUse();
    double launches = problem.isFused ? 0 : (messages - 1) * bundle.launch;
    return PortUse{bundle.fixed + launches + bundle.streamed,
                   {bundle.level, levels}};
  };
  // From the innermost loop outwards.
  for (size_t order = c.times.size(); order-- > 0;) {
    size_t t = 0;
    while (c.times[t].order != order)
      ++t;
    const Times &loop = loopTimes[t];
    LoopUse all;
    all.first = use(loop.first, 1);
    if (problem.isFused)
      all.first.seconds /= pieces;
    all.startsEarly = loop.startsEarly && loops[t].steps > 1;
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
    LoopStretch whole(all, share, levels);
    whole.run(body, loops[t].steps);
    body = whole.finish();
  }
  return std::max(fill + fills * launch, before) + body.seconds + finish +
         finishes * launch + after;
}
