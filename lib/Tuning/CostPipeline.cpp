//===- CostPipeline.cpp - Steps, and loops of steps -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CostModelImpl.h"

using namespace mercury;

double mercury::overlapped(double work, double communication, double share) {
  // While it runs, work goes on at 1 - share of its rate.
  return std::max(communication, work + share * communication);
}

/// Of a tile's visible pairs, with everything that the other loops have.
double CostModel::Impl::stepSeconds(double whole, double cut, double rows,
                                    double &memory) {
  double compute = 0;
  if (whole > 0)
    compute += 2 * whole * batchTiles * operations / rateOf(false).at(size);
  if (cut > 0)
    compute += 2 * cut * batchTiles * operations / rateOf(true).at(size);
  memory = memoryBytes / locals.memoryRate();
  double merge = mergeBytes * rows / locals.memoryRate();
  double seconds = std::max(compute, memory) + merge + stepFill;
  memory = memory > compute ? seconds : merge;
  return seconds;
}

void CostModel::Impl::leaf(size_t combination, double scale, Step &step) {
  step.launch = halves * device.launch;
  if (!table) {
    step.compute = stepSeconds(1, 0, 1, step.memory);
  } else {
    step.compute = step.memory = 0;
    bool works = false;
    for (const TilePairs &pairs : table->tiles[combination]) {
      double memory = 0, rows = pairs.rows / std::max(queryRows, 1.0);
      double seconds = pairs.whole + pairs.cut > 0
                           ? stepSeconds(pairs.whole, pairs.cut, rows, memory)
                           : 0;
      works |= seconds > 0;
      if (seconds > step.compute) {
        step.compute = seconds;
        step.memory = memory;
      }
    }
    if (!works)
      step.launch = 0;
  }
  step.compute = step.compute * scale + step.launch;
  step.seconds = step.compute;
  std::fill(step.busy.begin(), step.busy.end(), 0);
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Runs the loops from `depth` inwards once. `executions` is how often that is
/// done in all, for what `cost` sums.
void CostModel::Impl::run(size_t depth, size_t combination, double executions,
                          Side side, Step &step, Cost *cost) {
  if (depth == loops.size()) {
    leaf(combination, 1 + side.work * workInterval, step);
    return;
  }
  const LoopTimes &loop = loops[depth];
  int64_t n = loop.steps;
  bool varies = false;
  for (size_t d = depth; d < loops.size(); ++d)
    varies |= loops[d].masked.has_value();
  varies &= loop.masked.has_value();

  double pieces = double(chunks);
  auto seconds = [&](const Bundle &bundle) {
    if (bundle.empty())
      return 0.0;
    double launches = problem.isFused ? 0 : (pieces - 1) * bundle.launch;
    return (bundle.fixed + launches + bundle.streamed) *
           std::max(1 + side.link * bundle.interval, 0.05);
  };
  double communication = seconds(loop.all);
  double startUp = 0, steady = 0, drain = 0, compute = 0, memory = 0,
         launch = 0, bodies = 0;
  llvm::SmallVector<double, 4> busy(step.busy.size(), 0);
  Step body;
  body.busy.resize(step.busy.size());
  if (!loop.ahead.empty())
    startUp += seconds(loop.ahead) / (problem.isFused ? pieces : 1);

  double exposed = startUp;
  for (int64_t t = 0; t < n; ++t) {
    // Equal steps: the first, and the one that stands for all others.
    double repeats = 1;
    if (!varies && t == 1)
      repeats = double(n - 1);
    if (t == 0 || varies)
      run(depth + 1,
          loop.masked ? combination * size_t(n) + size_t(t) : combination,
          executions * (varies ? 1 : double(n)), side, body, cost);
    launch += body.launch * repeats;
    bodies += body.seconds * repeats;
    // What moves results runs in all steps but the first, all else in all but
    // the last.
    bool last = t + 1 == n, first = t == 0;
    double with = 0;
    if (varies) {
      Bundle none;
      const Bundle *kinds[] = {last ? &none : &loop.passed,
                               last ? &none : &loop.ahead,
                               first ? &none : &loop.moved};
      double fixed = 0, streamed = 0;
      for (const Bundle *kind : kinds) {
        fixed = std::max(fixed, seconds(*kind) - kind->streamed);
        streamed += kind->streamed;
      }
      with = streamed > 0 || fixed > 0
                 ? std::min(communication, fixed + streamed)
                 : 0;
    } else {
      // One step of all is without.
      with = first ? 0 : communication;
    }
    double took = body.seconds;
    if (with > 0) {
      took = overlapped(body.seconds, with, device.communicationShare);
      for (size_t l = 0; l < busy.size(); ++l)
        took = std::max(took, body.busy[l] + loop.all.seconds[l]);
    }
    exposed += (took - body.seconds) * repeats;
    double merge = t > 0 && with > 0 && !loop.moved.empty()
                       ? loop.moveMerge * (1 + side.work * workInterval)
                       : 0;
    took += merge;
    compute += (body.compute + merge) * repeats;
    memory += (body.memory + merge) * repeats;
    for (size_t l = 0; l < busy.size(); ++l)
      busy[l] +=
          (body.busy[l] + (with > 0 ? loop.all.seconds[l] : 0)) * repeats;
    bool isDrain = varies ? last : first;
    if (isDrain) {
      // Where pieces are worked on as they come, the last one is what is left.
      if (communication > body.seconds && pieces > 1 && n > 1) {
        double left = body.seconds / pieces;
        exposed -= took - left;
        took = left;
      }
      drain += took;
    } else {
      steady += took * repeats;
    }
    if (!varies && t == 1)
      break;
  }
  step.compute = compute;
  step.memory = memory;
  step.launch = launch;
  step.seconds = startUp + steady + drain;
  step.busy = busy;
  if (!cost)
    return;
  Cost::TimeLoop &line = cost->timeLoops[depth];
  line.startUp += startUp * executions;
  line.steady += steady * executions;
  line.drain += drain * executions;
  if (loop.all.empty())
    return;
  cost->traffic[loop.all.slowest].exposed += exposed * executions;
  double hidden = double(n - 1), given = bodies / double(n);
  for (size_t l = 0; l < busy.size(); ++l) {
    Cost::Traffic &traffic = cost->traffic[l];
    double times = hidden * executions, more = executions;
    traffic.bytes += loop.all.bytes[l] * times + loop.ahead.bytes[l] * more;
    traffic.seconds +=
        loop.all.seconds[l] * times + loop.ahead.seconds[l] * more;
    if (loop.all.bytes[l] <= 0 || n < 2)
      continue;
    // Hidden as long as it takes no longer than the work it runs beside.
    double time =
        given / std::max(1 - device.communicationShare, 0.01) - loop.all.fixed;
    traffic.service = std::max(traffic.service,
                               time > 0 ? loop.all.bytes[l] / time : HUGE_VAL);
  }
}

double CostModel::Impl::total(Side side, Cost *cost) {
  Step step;
  step.busy.resize(links.topology().levels.size());
  if (cost)
    cost->timeLoops.resize(loops.size());
  run(0, 0, 1, side, step, cost);
  double memoryScale = 1 + side.work * workInterval;
  double filled = fill * memoryScale + fills * device.launch;
  double launches = (fills + finishes) * device.launch;
  step.memory += (fill + finish) * memoryScale;
  step.launch += launches;
  step.compute += (fill + finish) * memoryScale + launches;
  double seconds =
      step.seconds + finish * memoryScale + finishes * device.launch;
  // What comes before the loops does so beside the fill.
  double gathered = 0;
  for (const LinkTime &time : before)
    gathered += time.seconds * std::max(1 + side.link * time.interval, 0.05);
  seconds += std::max(filled, gathered);
  double hidden = gathered > 0 ? std::min(filled / gathered, 1.0) : 0;
  for (const std::vector<LinkTime> *list : {&before, &after})
    for (const LinkTime &time : *list) {
      double took =
          time.seconds * std::max(1 + side.link * time.interval, 0.05);
      if (list == &after)
        seconds += took;
      else
        took *= 1 - hidden;
      if (!cost)
        continue;
      const LinkLoad *slowest = nullptr;
      for (const LinkLoad &load : time.loads) {
        cost->traffic[load.level].bytes += load.bytes;
        cost->traffic[load.level].seconds += load.seconds;
        if (!slowest || load.seconds > slowest->seconds)
          slowest = &load;
      }
      if (slowest)
        cost->traffic[slowest->level].exposed += took;
    }
  if (cost) {
    cost->compute += step.compute;
    cost->launch += step.launch;
    double link = 0;
    for (size_t l = 0; l < cost->traffic.size(); ++l)
      if (cost->traffic[l].exposed > link) {
        link = cost->traffic[l].exposed;
        cost->boundLevel = l;
      }
    double best = step.compute - step.launch;
    cost->bound =
        step.memory > best / 2 ? Cost::Bound::Memory : Cost::Bound::Compute;
    if (step.launch > best) {
      best = step.launch;
      cost->bound = Cost::Bound::Launch;
    }
    if (link > best)
      cost->bound = Cost::Bound::Link;
  }
  return seconds;
}
