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

using Units = FixedList<PartialUnit, 20>;

static const TensorChoice &choiceOf(const Choice &choice, size_t tensor) {
  size_t inputs = choice.inputs.size();
  return tensor < inputs ? choice.inputs[tensor]
                         : choice.results[tensor - inputs];
}

SearchBound::SearchBound(const CostModel &cost, const SearchOptions &options)
    : problem(cost.problem()), op(problem.op), links(cost.links()),
      isForward(problem.direction == CostProblem::Direction::Forward),
      hasMask(op.mask.has_value()), least(cost.lowerBound()) {
  for (int64_t chunks : options.chunks)
    if (problem.isFused)
      pieces = std::max(pieces, chunks);
  rate = cost.fastestRate();
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool all = !op.loops[l].reduction;
    for (const OperatorModel::Tensor &input : op.inputs)
      all &= input.dimOfLoop(l).has_value();
    isBatch.push_back(all);
    hasBatch |= all;
    if (op.loops[l].reduction)
      keyLoop = l;
  }
  size_t inputs = op.inputs.size();
  for (size_t t = 0; t < inputs + op.results.size(); ++t) {
    const OperatorModel::Tensor &model = modelOf(t);
    double bytes = model.elementBytes;
    for (int64_t extent :
         t < inputs ? problem.inputShapes[t] : problem.resultShapes[t - inputs])
      bytes *= double(extent);
    tensorBytes.push_back(bytes);
    for (size_t l = 0; l < op.loops.size(); ++l)
      runs.push_back(model.mapped && model.dimOfLoop(l).has_value());
  }
  for (size_t l = 0; l < links.topology().levels.size(); ++l) {
    const Level &level = links.topology().levels[l];
    double fastest = links.bandwidth(l), messages = fastest;
    for (const auto &[primitive, curve] : level.curves)
      for (auto [size, figure] : curve.points) {
        // What is left of a curve without launch and latency is at most twice
        // as fast (LinkTimes.cpp).
        fastest = std::max(fastest, 2 * figure);
        if (primitive == Primitive::SendRecv)
          messages = std::max(messages, 2 * figure * double(links.sharing(l)));
      }
    collectiveRate.push_back(fastest);
    messageRate.push_back(messages);
  }
}

/// A tensor's shards while loops run are cut over a unit that does this.
static bool isCut(Way way, bool runs) {
  switch (way) {
  case Way::Local:
    return runs;
  case Way::Gather:
    return false;
  case Way::AllToAll:
  case Way::Broadcast:
  case Way::Rotate:
  case Way::RotateBoth:
  case Way::Fetch:
  case Way::Scatter:
  case Way::Moving:
    break;
  }
  return true;
}

/// What the arithmetic makes of the choice: results that end along a loop which
/// the unit shifts move with its steps.
Way SearchBound::wayOf(const PartialUnit &unit, size_t tensor) const {
  const TensorChoice &choice = choiceOf(*unit.choice, tensor);
  if (choice.way != Way::Scatter)
    return choice.way;
  for (size_t t = 0; t < tensorBytes.size(); ++t) {
    const TensorChoice &c = choiceOf(*unit.choice, t);
    if (needsTime(c.way) && c.way != Way::Broadcast &&
        modelOf(t).loopOfDim[c.dim] == modelOf(tensor).loopOfDim[choice.dim])
      return Way::Moving;
  }
  return choice.way;
}

double SearchBound::bytes(const Units &units, int64_t rest) const {
  double sum = 0;
  // Coupled results are finished to something smaller.
  size_t tensors = op.coupled.empty() ? tensorBytes.size() : op.inputs.size();
  for (size_t t = 0; t < tensors; ++t) {
    double shards = double(rest);
    for (const PartialUnit &unit : units) {
      const TensorChoice &c = choiceOf(*unit.choice, t);
      // What is gathered enters cut.
      if (c.way != Way::Local || runsOver(t, unit.choice->loop))
        shards *= double(unit.size);
    }
    sum += tensorBytes[t] / shards;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

namespace {
/// A time loop that the units ask for.
struct Steps {
  size_t loop = 0;
  int64_t size = 1;
};
} // namespace

double SearchBound::compute(const Units &units, int64_t idle,
                            int64_t rest) const {
  FixedList<Steps, 64> times;
  for (const PartialUnit &unit : units) {
    size_t first = times.size();
    for (size_t t = 0; t < tensorBytes.size(); ++t) {
      const TensorChoice &c = choiceOf(*unit.choice, t);
      if (!needsTime(c.way) || times.isFull())
        continue;
      size_t loop = modelOf(t).loopOfDim[c.dim];
      bool isKnown = false;
      for (size_t i = first; i < times.size(); ++i)
        isKnown |= times[i].loop == loop;
      if (!isKnown)
        times.push_back({loop, unit.size});
    }
  }
  // Two factors of a loop and of one size may be one.
  double steps = 1, shared = 1, drained = 1;
  for (size_t i = 0; i < times.size(); ++i) {
    steps *= double(times[i].size);
    for (size_t j = 0; j < i; ++j)
      if (times[i].loop == times[j].loop)
        shared =
            std::max(shared, double(std::min(times[i].size, times[j].size)));
  }
  steps /= shared;
  if (pieces > 1) {
    // In pieces a loop may end as soon as the last one is worked on; each axis
    // that is left may be a loop of two steps.
    double end = 1 - 1.0 / double(pieces);
    for (const Steps &time : times)
      drained *= 1 - end / double(time.size);
    for (int64_t left = rest; left > 1; left /= 2)
      drained *= 1 - end / 2;
  }
  double launches = steps * links.topology().device.launch;
  if (hasMask || !isForward)
    // Steps without work are not taken.
    return drained * least * double(idle);

  double iterations = 1, cube = 1;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    iterations *= double(op.loops[l].extent);
    if (!isBatch[l])
      cube *= double(op.loops[l].extent);
  }
  double keys = double(op.loops.empty() ? 1 : op.loops[keyLoop].extent);
  double ranks = 1;
  for (const PartialUnit &unit : units) {
    ranks *= double(unit.size);
    if (!isBatch[unit.choice->loop])
      cube /= double(unit.size);
    if (unit.choice->loop == keyLoop)
      keys /= double(unit.size);
  }
  double cuts = shared;
  for (const Steps &time : times) {
    if (!isBatch[time.loop])
      cube /= double(time.size);
    if (time.loop == keyLoop)
      keys /= double(time.size);
  }
  cube *= cuts;
  keys *= cuts;
  if (!hasBatch)
    cube /= double(rest);
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  double size = isAttention ? keys : std::cbrt(cube);
  // Padding makes tiles larger, and the work with them: it grows as the size
  // (its cube) does, while the rate may grow, too.
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
  double work = 2 * iterations * operations / (ranks * double(rest)) / best;
  return drained * (work + launches);
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

namespace {
/// The units over which a tensor takes part in one collective.
struct Collective {
  double ranks = 1;
  double levels[20];
  Collective() { std::fill(std::begin(levels), std::end(levels), 1.0); }
  void add(const PartialUnit &unit) {
    ranks *= double(unit.size);
    for (size_t l = 0; l < unit.levels.size(); ++l)
      levels[l] *= double(unit.levels[l]);
  }
};
} // namespace

/// Seconds in which the busiest port sends its part of `bytes`: of a tensor
/// where `isExchange` is not set, else of what a rank sends.
static double leastSeconds(const Collective &group, double bytes, bool isSum,
                           bool isExchange, const LinkTimes &links,
                           const std::vector<double> &rates) {
  double slowest = 0, below = 1;
  for (size_t l = rates.size(); l-- > 0; below *= group.levels[l]) {
    double g = group.levels[l];
    if (g == 1)
      continue;
    double sharing = double(links.sharing(l));
    double sent = isExchange ? bytes * below * g / group.ranks * (g - 1) / g
                  : isSum    ? bytes / below
                             : bytes / below * (g - 1) / g;
    slowest = std::max(slowest, sent * sharing / rates[l]);
  }
  return slowest;
}

/// Seconds of the busiest level in the time loops; `exposed` those before and
/// after.
double SearchBound::communication(const Units &units, int64_t rest,
                                  double &exposed) const {
  exposed = 0;
  if (!isForward)
    return 0;
  size_t levels = links.topology().levels.size();
  double busy[20] = {};
  bool relays = false;
  for (const PartialUnit &unit : units)
    relays |= unit.choice->relays > 0;
  for (size_t t = 0; t < tensorBytes.size(); ++t) {
    double shard = tensorBytes[t] / double(rest);
    Collective gathered, exchanged, scattered, summed;
    for (const PartialUnit &unit : units) {
      Way way = wayOf(unit, t);
      if (isCut(way, runsOver(t, unit.choice->loop)))
        shard /= double(unit.size);
      if (way == Way::Gather)
        gathered.add(unit);
      else if (way == Way::AllToAll)
        exchanged.add(unit);
      else if (way == Way::Scatter)
        scattered.add(unit);
      else if (t >= op.inputs.size() && way == Way::Local &&
               op.loops[unit.choice->loop].reduction)
        summed.add(unit);
    }
    auto expose = [&](const Collective &group, double bytes, bool isSum,
                      bool isExchange) {
      if (group.ranks > 1)
        exposed += leastSeconds(group, bytes, isSum, isExchange, links,
                                collectiveRate);
    };
    expose(gathered, shard, false, false);
    expose(exchanged, shard / gathered.ranks, false, true);
    expose(scattered, shard * scattered.ranks, false, false);
    expose(summed, shard, true, false);
    if (hasMask)
      // Steps may be left out.
      continue;
    double broadcast[20] = {};
    for (const PartialUnit &unit : units) {
      Way way = wayOf(unit, t);
      if (!needsTime(way))
        continue;
      double below = 1, hops = double(unit.size - 1);
      for (size_t l = levels; l-- > 0; below *= double(unit.levels[l])) {
        if (unit.levels[l] == 1)
          continue;
        double sharing = double(links.sharing(l));
        if (way == Way::Broadcast)
          broadcast[l] = std::max(broadcast[l],
                                  shard * sharing / below / collectiveRate[l]);
        else if (way != Way::Fetch)
          busy[l] +=
              hops * shard * std::max(1.0, sharing / below) / messageRate[l];
        else if (!relays && rest == 1 && unit.levels[l] == unit.size)
          busy[l] += hops * shard * sharing / messageRate[l];
      }
    }
    for (size_t l = 0; l < levels; ++l)
      busy[l] += broadcast[l];
  }
  return *std::max_element(busy, busy + std::max<size_t>(levels, 1));
}

double SearchBound::seconds(const Units &units, int64_t idle,
                            int64_t rest) const {
  double exposed = 0, inLoops = communication(units, rest, exposed);
  return std::max(compute(units, idle, rest), inLoops) + exposed;
}

double SearchBound::promise(const Units &units, int64_t idle,
                            int64_t rest) const {
  double exposed = 0, inLoops = communication(units, 1, exposed);
  return std::max(compute(units, idle, rest), inLoops) + exposed;
}
