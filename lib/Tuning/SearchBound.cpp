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

static uint32_t bit(Way way) { return 1u << static_cast<int>(way); }

static const TensorChoice &choiceOf(const Choice &choice, size_t tensor) {
  size_t inputs = choice.inputs.size();
  return tensor < inputs ? choice.inputs[tensor]
                         : choice.results[tensor - inputs];
}

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
// Work
//===----------------------------------------------------------------------===//

/// Seconds of all products, at the best rate that a tile of the largest
/// possible size, or a larger one with as much more padding, reaches.
double SearchBound::readWork(const PartialCandidate &part) {
  double iterations = 1 / double(part.free), cube = 1;
  keys = 1;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    double tile = double((op.loops[l].extent + ranks[l] - 1) / ranks[l]);
    iterations *= tile;
    if (!isBatch[l])
      cube *= tile;
    if (l == keyLoop)
      keys = tile;
  }
  // Two factors of a loop and of one size may be one.
  double shared = 1;
  kernels = 1;
  for (size_t i = 0; i < loops.size(); ++i) {
    double steps = double(loops[i].steps);
    if (loops[i].bothWays)
      kernels *= 2;
    if (!isBatch[loops[i].loop])
      cube /= steps;
    if (loops[i].loop == keyLoop)
      keys /= steps;
    for (size_t j = 0; j < i; ++j)
      if (loops[i].loop == loops[j].loop)
        shared =
            std::max(shared, double(std::min(loops[i].steps, loops[j].steps)));
  }
  cube *= shared;
  keys *= shared;
  if (!hasBatch)
    cube /= double(part.free);
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  double size = isAttention ? keys : std::cbrt(cube);
  double best = rate.at(size);
  if (rate.fraction)
    for (auto [point, figure] : rate.fraction->points) {
      double reached = rate.peak * std::min(figure * rate.scale, 1.0);
      if (point <= size)
        best = std::max(best, reached);
      else
        best =
            std::max(best, reached * (isAttention ? size / point
                                                  : std::pow(size / point, 3)));
    }
  double operations = problem.kind == LocalWork::Kind::Elementwise ? 0
                      : isAttention ? double(problem.headDim + problem.valueDim)
                                    : 1;
  products = 2 * iterations * operations / best;
  drained = 1;
  if (pieces > 1) {
    // In pieces a loop may end as soon as the last one is worked on; each axis
    // that is left may be a loop of two steps.
    for (double left = restSize; left > 1; left /= 2)
      drained *= 1 - (1 - 1 / pieces) / 2;
  }
  return products;
}

/// Of what a mask leaves, were it spread evenly, at the best rate of tiles with
/// no more keys than these; an order of tokens may round extents up.
double SearchBound::maskedWork(const PartialCandidate &part) const {
  double extent = double(op.loops[op.mask->key].extent),
         multiple = 4 * double(links.topology().numRanks()),
         most = keys * std::ceil(extent / multiple) * multiple / extent,
         best = rate.at(most);
  if (rate.fraction)
    for (auto [point, figure] : rate.fraction->points)
      if (point <= most)
        best = std::max(best, rate.peak * std::min(figure * rate.scale, 1.0));
  return leastWork * double(part.idle) * std::max(fastest / best, 1.0);
}

/// Of one of so many steps of all loops.
double SearchBound::leaf(double steps) const {
  // Under a mask some have none.
  if (hasMask)
    return 0;
  double read = 0;
  for (size_t t = 0; t < count; ++t)
    read += parts[t].seen * (!isInput(t) && hasReduction ? 2 : 1);
  return std::max(products, read / memoryRate) * drained / steps +
         launch * kernels;
}

//===----------------------------------------------------------------------===//
// Before and after the loops
//===----------------------------------------------------------------------===//

/// Adds the units that do `way` of `tensor`; how many ranks they have.
template <typename Includes>
static double groupOf(const PartialCandidate &part, LevelSizes &sizes,
                      Includes includes) {
  sizes.fill(1);
  double size = 1;
  for (const PartialUnit &unit : part.units)
    if (includes(unit)) {
      size *= double(unit.size);
      for (size_t l = 0; l < sizes.size(); ++l)
        sizes[l] *= unit.levels[l];
    }
  return size;
}

double SearchBound::collective(Primitive primitive, const LevelSizes &sizes,
                               double bytes, const PartialCandidate &part) {
  double slowest = 0, below = 1;
  for (size_t l = levels; l-- > 0; below *= double(sizes[l])) {
    if (sizes[l] == 1)
      continue;
    double sent = primitive == Primitive::AllReduce
                      ? bytes
                      : bytes * (1 - 1 / double(sizes[l]));
    exposed[l] += sent / below * double(links.sharing(l)) / least.rate(l);
    bool grows = part.free > 1;
    for (const PartialCandidate::Rest &rest : part.rest)
      grows |= rest.level == l;
    slowest = std::max(slowest, least.collective(primitive, l, sizes[l],
                                                 bytes / below, grows));
  }
  return slowest;
}

double SearchBound::allToAll(const LevelSizes &sizes, double bytes) {
  double outside = 1;
  for (size_t l = 0; l < levels; outside *= double(sizes[l++]))
    exposed[l] += bytes * (1 - 1 / double(sizes[l])) / outside *
                  double(links.sharing(l)) / least.rate(l);
  return least.allToAll(sizes, bytes);
}

/// Dimensions are gathered, or scattered, one after the other, others while
/// there is less of the tensor.
double SearchBound::byDimension(Primitive primitive, size_t tensor,
                                double bytes, const PartialCandidate &part) {
  Way way = primitive == Primitive::AllGather ? Way::Gather : Way::Scatter;
  LevelSizes sizes;
  double all = groupOf(part, sizes, [&](const PartialUnit &unit) {
    return wayOf(unit, tensor) == way;
  });
  double slowest = 0;
  for (size_t d = 0; d < modelOf(tensor).loopOfDim.size(); ++d) {
    double group = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return wayOf(unit, tensor) == way &&
             choiceOf(*unit.choice, tensor).dim == d;
    });
    if (group > 1)
      slowest = std::max(
          slowest, collective(primitive, sizes, bytes * group / all, part));
  }
  return slowest;
}

double SearchBound::before(const PartialCandidate &part) {
  double sum = 0;
  LevelSizes sizes;
  for (size_t t = 0; t < op.inputs.size(); ++t) {
    double gathered = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return choiceOf(*unit.choice, t).way == Way::Gather;
    });
    double exchanged = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return choiceOf(*unit.choice, t).way == Way::AllToAll;
    });
    // Of both the order decides how much of the tensor is there.
    if (exchanged > 1 && gathered == 1)
      sum += allToAll(sizes, parts[t].shard);
    if (gathered > 1 && exchanged == 1)
      sum += byDimension(Primitive::AllGather, t, parts[t].shard, part);
  }
  return sum;
}

double SearchBound::leaving(size_t result, double bytes) const {
  if (problem.finishedBytes == 0 || op.coupled.empty())
    return bytes;
  const std::vector<size_t> &state = op.coupled.front();
  size_t place = std::find(state.begin(), state.end(), result) - state.begin();
  // Maximum and sum become one, or none.
  if (place > 0 && place < state.size())
    return 0;
  return place > 0 ? bytes
                   : bytes * double(problem.finishedBytes) /
                         double(op.results[result].elementBytes);
}

double SearchBound::exitSeconds(const PartialCandidate &part) {
  double sum = 0, outside[20];
  // Sums that end along another dimension may be exchanged, too.
  std::fill_n(outside, levels, double(part.free));
  for (const PartialCandidate::Rest &rest : part.rest)
    for (size_t l = rest.level + 1; l < levels; ++l)
      outside[l] *= op.loops[rest.loop].reduction ? double(rest.size) : 1;
  for (size_t r = 0; r < op.results.size(); ++r) {
    double shard = leaving(r, parts[op.inputs.size() + r].shard), ranks = 1;
    if (shard == 0)
      continue;
    for (size_t l = 0; l < levels; ++l)
      ranks *= double(part.gathered[r][l]);
    double slowest = 0;
    for (size_t l = 0; l < levels; ++l) {
      LevelSizes alone;
      alone.fill(1);
      alone[l] = part.exchanged[r][l];
      for (size_t o = 0; o < l; ++o)
        outside[l] *= double(part.exchanged[r][o]);
      if (alone[l] > 1)
        slowest = std::max(slowest, allToAll(alone, shard / outside[l]));
      for (size_t o = 0; o < l; ++o)
        outside[l] /= double(part.exchanged[r][o]);
    }
    sum += slowest;
    if (ranks > 1)
      sum += collective(Primitive::AllGather, part.gathered[r], shard * ranks,
                        part);
  }
  return sum;
}

double SearchBound::after(const PartialCandidate &part) {
  double sum = 0;
  LevelSizes sizes;
  for (size_t t = op.inputs.size(); t < count; ++t) {
    double scattered = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return wayOf(unit, t) == Way::Scatter;
    });
    if (scattered > 1)
      sum += byDimension(Primitive::ReduceScatter, t,
                         parts[t].shard * scattered, part);
    double summed = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return op.loops[unit.choice->loop].reduction &&
             choiceOf(*unit.choice, t).way == Way::Local;
    });
    if (summed > 1)
      sum += collective(Primitive::AllReduce, sizes, parts[t].shard, part);
  }
  return sum + exitSeconds(part);
}

//===----------------------------------------------------------------------===//
// In the loops
//===----------------------------------------------------------------------===//

/// The time loops that units ask for, and the bytes that go in each.
void SearchBound::readLoops(const PartialCandidate &part) {
  loops.clear();
  for (size_t u = 0; u < part.units.size(); ++u) {
    const PartialUnit &unit = part.units[u];
    size_t first = loops.size();
    for (size_t t = 0; t < count; ++t) {
      Way way = wayOf(unit, t);
      if (!needsTime(way))
        continue;
      size_t loop = modelOf(t).loopOfDim[choiceOf(*unit.choice, t).dim];
      size_t at = first;
      while (at < loops.size() && loops[at].loop != loop)
        ++at;
      if (at == loops.size()) {
        if (loops.isFull())
          return;
        loops.push_back(Loop());
        loops[at].unit = u;
        loops[at].loop = loop;
        loops[at].steps = unit.size;
        std::fill_n(loops[at].level, levels, 0.0);
      }
      Loop &l = loops[at];
      l.tensors |= 1u << t;
      double bytes = parts[t].shard;
      bool isRunning = runsOver(t, unit.choice->loop);
      bool staged = stages;
      for (const PartialUnit &other : part.units)
        staged |= isInput(t) && runsOver(t, other.choice->loop) &&
                  choiceOf(*other.choice, t).way == Way::Fetch;
      switch (way) {
      case Way::Rotate:
        l.passed += bytes;
        break;
      case Way::RotateBoth:
        l.bothWays = true;
        l.passedBoth += bytes;
        break;
      case Way::Moving:
        l.moved += bytes;
        break;
      case Way::Broadcast:
        l.broadcast = std::max(l.broadcast, bytes);
        break;
      case Way::Fetch:
        // Of tiles that are fetched part by part little may come.
        if (!isRunning && !staged)
          l.fetched += bytes;
        break;
      default:
        break;
      }
    }
  }
}

/// What the steps of the loops send at least. What is broadcast or fetched may
/// come at the steps of any loop, but comes once.
void SearchBound::sendLoops(const PartialCandidate &part) {
  for (Loop &loop : loops) {
    const PartialUnit &unit = part.units[loop.unit];
    double below = 1, steps = double(loop.steps), streamed = 0;
    size_t outermost = 0;
    while (unit.levels[outermost] == 1)
      ++outermost;
    auto add = [&](size_t l, const LinkBound::Step &step) {
      loop.level[l] += step.streamed;
      loop.fixed = std::max(loop.fixed, step.fixed);
    };
    for (size_t l = levels; l-- > 0; below *= double(unit.levels[l])) {
      if (unit.levels[l] == 1)
        continue;
      double sharing = double(links.sharing(l)), ports = sharing / below;
      if (loop.passed > 0)
        add(l, least.hop(l, std::max(1.0, ports), loop.passed));
      if (loop.moved > 0)
        add(l, least.hop(l, std::max(1.0, ports), loop.moved));
      if (loop.passedBoth > 0) {
        // Inside of others, the first and the last go one way here.
        double ways = l > outermost && unit.levels[l] == 2 ? 1 : 2;
        add(l, least.hop(l, std::max(1.0, ways * ports), loop.passedBoth / 2));
      }
      // Each step waits for a message.
      loop.fixed =
          std::max(loop.fixed, least.hop(l, std::max(1.0, ports), 1).fixed);
      // In one kernel, the first piece of the first tile is waited for.
      double tiles = steps - 2 + 1 / pieces;
      if (loop.fetched > 0 && l == outermost)
        restBusy[l] += loop.fetched * steps * tiles / (steps - 1) *
                       least.fetched(l, unit.levels[l]) * sharing /
                       least.rate(l);
      restBusy[l] += loop.broadcast * tiles * ports / least.rate(l);
      streamed = std::max(streamed, loop.level[l]);
    }
    loop.alone = loop.fixed + streamed;
  }
}

/// Adds what tensors send, however they go, over ranks of which only the loop
/// is known.
void SearchBound::addRest(const PartialCandidate &part) {
  std::fill_n(restBusy, levels, 0.0);
  for (size_t t = 0; t < count; ++t) {
    const Part &p = parts[t];
    bool hasFetch = false;
    double cut = 1, exchanged = 1, gathered = 1;
    bool relaysFetch = false;
    for (const PartialUnit &unit : part.units) {
      Way way = wayOf(unit, t);
      bool isRunning = runsOver(t, unit.choice->loop);
      if (way == Way::Gather)
        gathered *= double(unit.size);
      if (way == Way::AllToAll)
        exchanged *= double(unit.size);
      if (!isRunning && way != Way::Local && way != Way::Gather)
        cut *= double(unit.size);
      if (way == Way::Fetch)
        (isRunning ? relaysFetch : hasFetch) = true;
    }
    double inner = p.arriving, outer = 1, relayed = 1;
    for (size_t first = 0; first < part.rest.size();) {
      size_t l = part.rest[first].level;
      double must = 1, may = 1, relays = 1;
      bool fetches = false, relaysPart = false, stagesPart = false;
      for (; first < part.rest.size() && part.rest[first].level == l; ++first) {
        const PartialCandidate::Rest &rest = part.rest[first];
        uint32_t allowed = waysOf(l, rest.loop, t);
        if (mayArrive(rest, t)) {
          may *= double(rest.size);
          fetches |= allowed & bit(Way::Fetch);
        }
        if (mustArrive(rest, t))
          must *= double(rest.size);
        if (isInput(t) && runsOver(t, rest.loop) && allowed) {
          if (!(allowed & bit(Way::Local)))
            relays *= double(rest.size);
          relaysPart |= allowed & bit(Way::Fetch);
        }
      }
      stagesPart = relaysFetch || (stages && relaysPart);
      inner /= may;
      double sharing = double(links.sharing(l));
      if (must > 1) {
        double crossing = 1 - 1 / must;
        // Sums that are scattered and then moved: a part of a part.
        for (double moved = 2; !isInput(t) && moved <= must / 2; ++moved)
          crossing = std::min(crossing, (moved + must / moved - 2) / must);
        if (fetches) {
          // Where owners are on several levels, few may be on this one.
          crossing = outer > 1 || hasFetch || stagesPart
                         ? 0
                         : std::min(crossing, least.fetched(l, int64_t(must)));
        }
        restBusy[l] +=
            p.seen / cut / outer * crossing * sharing / inner / least.rate(l);
      }
      if (relays > 1) {
        double crossing = 1 - 1 / relays;
        if (relaysPart)
          crossing = 0;
        restBusy[l] += p.shard / gathered / exchanged / relayed * crossing *
                       sharing / least.rate(l);
      }
      outer *= may;
      relayed *= relays;
    }
  }
}

/// Two factors of a loop may be one that serves both.
bool SearchBound::mayBeOne(const Loop &a, const Loop &b) {
  return a.loop == b.loop && a.steps == b.steps && !(a.tensors & b.tensors);
}

/// The least seconds of all orders of these loops, computed as CandidateCost
/// does, of what is known: for each set of inner loops the least that any order
/// of them takes, which is enough since what is outside takes longer where they
/// do. `around` comes before and after.
double SearchBound::nested(double around, const size_t *list,
                           size_t number) const {
  double steps = 1;
  for (size_t i = 0; i < number; ++i)
    steps *= double(loops[list[i]].steps);
  double body[1 << mostLoops], busy[1 << mostLoops][20];
  body[0] = leaf(steps);
  std::fill_n(busy[0], levels, 0.0);
  for (size_t set = 1; set < size_t(1) << number; ++set) {
    body[set] = HUGE_VAL;
    std::fill_n(busy[set], levels, HUGE_VAL);
    for (size_t i = 0; i < number; ++i) {
      if (!(set >> i & 1))
        continue;
      const Loop &loop = loops[list[i]];
      size_t inner = set ^ size_t(1) << i;
      double more = double(loop.steps - 1);
      double step = std::max(body[inner], loop.alone);
      for (size_t l = 0; l < levels; ++l) {
        double sent = busy[inner][l] + loop.level[l];
        step = std::max(step, sent);
        busy[set][l] =
            std::min(busy[set][l], sent * more + busy[inner][l] / pieces);
      }
      // The last step works alone, but for results that move beside it where
      // other things move beside the first one, and for pieces.
      bool isAlone = loop.moved == 0 && pieces == 1;
      double drain = isAlone ? body[inner] : 0;
      body[set] =
          std::min(body[set], std::max(step * more + drain,
                                       body[inner] * (more + 1 / pieces)));
    }
  }
  // What is not known yet may be part of one communication with what is, but
  // a level carries both.
  size_t all = (size_t(1) << number) - 1;
  double slowest = around + body[all];
  for (size_t l = 0; l < levels; ++l)
    slowest = std::max(slowest, exposed[l] + busy[all][l] + restBusy[l]);
  return slowest;
}

double SearchBound::withLoops(double around) {
  // More of them only take longer.
  size_t number = std::min(loops.size(), mostLoops), list[mostLoops];
  for (size_t i = 0; i < number; ++i)
    list[i] = i;
  double best = nested(around, list, number);
  for (size_t i = 0; i < number; ++i)
    for (size_t j = i + 1; j < number; ++j) {
      if (!mayBeOne(loops[i], loops[j]))
        continue;
      Loop apart = loops[i];
      Loop &one = loops[i];
      for (size_t l = 0; l < levels; ++l)
        one.level[l] += loops[j].level[l];
      one.alone = std::max(one.alone, loops[j].alone);
      size_t kept[mostLoops], count = 0;
      for (size_t k = 0; k < number; ++k)
        if (k != j)
          kept[count++] = k;
      best = std::min(best, nested(around, kept, count));
      loops[i] = apart;
    }
  return best;
}

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
