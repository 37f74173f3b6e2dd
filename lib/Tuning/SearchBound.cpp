//===- SearchBound.cpp - What no schedule of a part can beat --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchBound.h"

#include <algorithm>
#include <cmath>

using namespace mercury;

SearchBound::SearchBound(const CostModel &cost, const MemoryModel &memory,
                         const SearchOptions &options)
    : problem(cost.problem()), op(problem.op), links(cost.links()),
      least(links), memory(memory.getProblem()),
      levels(links.topology().levels.size()),
      count(op.inputs.size() + op.results.size()),
      isForward(problem.direction == CostProblem::Direction::Forward),
      hasMask(op.mask.has_value()), stages(options.space.relays == Relays::All),
      leastWork(cost.lowerBound()) {
  for (int64_t chunks : options.chunks)
    if (problem.isFused)
      pieces = std::max(pieces, double(chunks));
  const DeviceModel &device = links.topology().device;
  rate = cost.fastestRate();
  fastest = rate.highest();
  memoryRate = LocalTimes(device).memoryRate();
  launch = device.launch;
  share = device.communicationShare;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool all = !op.loops[l].reduction;
    for (const OperatorModel::Tensor &input : op.inputs)
      all &= input.dimOfLoop(l).has_value();
    isBatch.push_back(all);
    hasBatch |= all;
    if (op.loops[l].reduction) {
      keyLoop = l;
      hasReduction = true;
    }
  }
  for (size_t t = 0; t < count; ++t)
    for (size_t l = 0; l < op.loops.size(); ++l)
      runs.push_back(modelOf(t).mapped && modelOf(t).dimOfLoop(l).has_value());
  for (size_t t = 0; t < count; ++t) {
    const auto &list = isInput(t) ? options.entries : options.exits;
    size_t number = isInput(t) ? t : t - op.inputs.size();
    bool isAsked = number < list.size() && list[number];
    askedCut.push_back(
        isAsked ? double(links.topology().sizeOf(list[number]->axes())) : 0);
  }
  parts.resize(count);
  takesAllSteps = findStepsTaken();
  forbidAll();
}

/// Whether each step has work for some rank, however loops are divided: the
/// last query sees every key, and every query the first key. Nothing is said
/// of extents so small that whole tiles may be padding.
bool SearchBound::findStepsTaken() const {
  if (!op.mask)
    return true;
  int64_t ranks = links.topology().numRanks();
  auto isLarge = [&](size_t loop) {
    int64_t extent = op.loops[loop].extent;
    return extent % (4 * ranks) == 0 || extent / ranks >= 8 * ranks;
  };
  const LoopMask &m = *op.mask;
  Mask::Range first = m.mask.at(m.queryStart),
              last = m.mask.at(m.queryStart + op.loops[m.query].extent - 1);
  return isLarge(m.query) && isLarge(m.key) && first.end > m.keyStart &&
         last.begin <= m.keyStart &&
         last.end >= m.keyStart + op.loops[m.key].extent;
}

void SearchBound::forbidAll() {
  ways.assign(levels * op.loops.size() * count, 0);
}

void SearchBound::allow(size_t level, const Choice &choice) {
  for (size_t t = 0; t < count; ++t)
    waysOf(level, choice.loop, t) |= bit(choiceOf(choice, t).way);
}

/// What the arithmetic makes of the choice: results that end along a loop which
/// the unit shifts move with its steps.
Way SearchBound::wayOf(const PartialUnit &unit, size_t tensor) const {
  const TensorChoice &choice = choiceOf(*unit.choice, tensor);
  if (choice.way != Way::Scatter)
    return choice.way;
  for (size_t t = 0; t < count; ++t) {
    const TensorChoice &c = choiceOf(*unit.choice, t);
    if (needsTime(c.way) && c.way != Way::Broadcast &&
        modelOf(t).loopOfDim[c.dim] == modelOf(tensor).loopOfDim[choice.dim])
      return Way::Moving;
  }
  return choice.way;
}

bool SearchBound::mayArrive(const PartialCandidate::Rest &rest, size_t tensor) {
  if (!isInput(tensor))
    return op.loops[rest.loop].reduction;
  return !runsOver(tensor, rest.loop) &&
         (waysOf(rest.level, rest.loop, tensor) & ~bit(Way::Local));
}
bool SearchBound::mustArrive(const PartialCandidate::Rest &rest,
                             size_t tensor) {
  return mayArrive(rest, tensor) &&
         (!isInput(tensor) ||
          !(waysOf(rest.level, rest.loop, tensor) & bit(Way::Local)));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void SearchBound::read(const PartialCandidate &part) {
  ranks.assign(op.loops.size(), 1);
  restSize = double(part.free);
  for (const PartialUnit &unit : part.units)
    ranks[unit.choice->loop] *= unit.size;
  for (const PartialCandidate::Rest &rest : part.rest) {
    ranks[rest.loop] *= rest.size;
    restSize *= double(rest.size);
  }
  for (size_t t = 0; t < count; ++t) {
    Part &p = parts[t];
    p = Part();
    // What is fetched part by part is cut along another dimension than that of
    // the loop.
    int64_t elsewhere[maxLoops];
    std::fill_n(elsewhere, op.loops.size(), 1);
    double cut = 1;
    for (const PartialUnit &unit : part.units) {
      size_t loop = unit.choice->loop;
      Way way = wayOf(unit, t);
      bool isRunning = runsOver(t, loop);
      if (isRunning && way == Way::Fetch)
        elsewhere[loop] *= unit.size;
      if (!isRunning && way != Way::Local && way != Way::Gather)
        cut *= double(unit.size);
      if (isRunning || way != Way::Local)
        p.ownCut *= double(unit.size);
    }
    for (const PartialCandidate::Rest &rest : part.rest) {
      bool isRunning = runsOver(t, rest.loop);
      if (isRunning && waysOf(rest.level, rest.loop, t) & bit(Way::Fetch))
        elsewhere[rest.loop] *= rest.size;
      if (mayArrive(rest, t))
        p.arriving *= double(rest.size);
      if (isRunning || mayArrive(rest, t))
        p.ownCut *= double(rest.size);
    }
    const OperatorModel::Tensor &model = modelOf(t);
    p.seen = double(model.elementBytes) / double(part.free);
    for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
      int64_t extent = shapeOf(t)[d];
      if (int loop = model.loopOfDim[d]; loop >= 0 && model.mapped) {
        int64_t here = ranks[loop] / elsewhere[loop];
        p.seen *= double((extent + here - 1) / here) / double(elsewhere[loop]);
      } else {
        p.seen *= double(extent);
      }
    }
    p.ownCut *= double(part.free);
    p.nestCut = p.ownCut;
    if (askedCut[t] > 0)
      p.ownCut = askedCut[t];
    p.shard = p.seen / (cut * p.arriving);
  }
}

double SearchBound::bytes(const PartialCandidate &part) {
  read(part);
  readLoops(part);
  double sum = 0;
  bool isFinished = memory.finishedBytes > 0 && !op.coupled.empty();
  for (size_t t = 0; t < count; ++t) {
    const Part &p = parts[t];
    double whole = modelOf(t).elementBytes;
    for (int64_t extent : shapeOf(t))
      whole *= double(extent);
    if (isInput(t)) {
      sum += whole / p.ownCut;
      // What has been received, and what is passed on; of what comes from
      // owners the part that a step needs.
      bool received = false, comes = false, inParts = false;
      double passed = 0, fetched = 0, parts = restSize;
      for (const Loop &loop : loops)
        if (runsOver(t, loop.loop) && !(loop.tensors >> t & 1))
          parts *= double(loop.steps);
      for (const PartialUnit &unit : part.units) {
        Way way = choiceOf(*unit.choice, t).way;
        received |= way == Way::Gather || way == Way::AllToAll;
        if (way == Way::Rotate)
          passed = std::max(passed, unit.size > 2 ? 2.0 : 1.0);
        if (way == Way::Broadcast ||
            (way == Way::Fetch && !runsOver(t, unit.choice->loop)))
          fetched = 1 / parts;
        inParts |= way == Way::Fetch && runsOver(t, unit.choice->loop);
      }
      // Nor is there a second buffer where one step is taken.
      if (inParts || !takesAllSteps)
        passed = fetched = 0;
      for (const PartialCandidate::Rest &rest : part.rest)
        comes |= takesAllSteps && mustArrive(rest, t);
      sum += p.shard * std::max(double(received) + std::max(passed, fetched),
                                comes ? 1 / parts : 0);
      continue;
    }
    double scattered = 1;
    for (const PartialUnit &unit : part.units)
      if (wayOf(unit, t) == Way::Scatter)
        scattered *= double(unit.size);
    // An argument that is accumulated into enters as the result ends, and is
    // merged in through two more of its size (MemoryLoops.cpp).
    size_t result = t - op.inputs.size();
    if (result < op.neutralInit.size() && !op.neutralInit[result])
      sum += 3 * whole / p.nestCut;
    if (op.coupled.empty()) {
      sum += whole / p.ownCut;
      if (scattered > 1)
        sum += p.shard * scattered;
    } else {
      sum += p.shard * scattered;
      if (isFinished && t == op.inputs.size())
        sum += whole / p.ownCut / double(modelOf(t).elementBytes) *
               double(memory.finishedBytes);
    }
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Seconds
//===----------------------------------------------------------------------===//

double SearchBound::seconds(const PartialCandidate &part) {
  read(part);
  readLoops(part);
  readWork(part);
  std::fill_n(exposed, levels, 0.0);
  if (hasMask || !isForward) {
    // Steps without work are not taken.
    for (const Loop &loop : loops)
      drained *= 1 - (1 - 1 / pieces) / double(loop.steps);
    if (!isForward)
      return drained * leastWork * double(part.idle);
    double around = before(part) + after(part),
           bound = around + drained * maskedWork(part);
    if (!takesAllSteps)
      return bound;
    addRest(part);
    sendLoops(part);
    return std::max(bound, withLoops(around));
  }
  addRest(part);
  sendLoops(part);
  return withLoops(before(part) + after(part));
}
