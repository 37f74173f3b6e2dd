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
    compute += 2 * whole * batchTiles * operations / wholeRate;
  if (cut > 0)
    compute += 2 * cut * batchTiles * operations / cutRate;
  memory = memoryBytes / locals.memoryRate();
  double merge = mergeBytes * rows / locals.memoryRate();
  double seconds = std::max(compute, memory) + merge;
  memory = memory > compute ? seconds : merge;
  return seconds;
}

void CostModel::Impl::leaf(size_t combination, double scale, Step &step) {
  step.launch = halves * device.launch * scale;
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
  step.stretch.setWork(step.compute);
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

  double pieces = double(chunks), memoryScale = 1 + side.work * workInterval;
  auto use = [&](const Bundle &bundle, double messages) {
    if (bundle.empty())
      return PortUse();
    double launches = problem.isFused ? 0 : (messages - 1) * bundle.launch;
    double scale = std::max(1 + side.link * bundle.interval, 0.05);
    return PortUse{(bundle.fixed + launches + bundle.streamed) * scale,
                   bundle.seconds, scale};
  };
  LoopUse loopUse;
  loopUse.first = use(loop.first, 1);
  if (problem.isFused)
    loopUse.first.seconds /= pieces;
  loopUse.startsEarly = loop.startsEarly && !varies && n > 1;
  loopUse.waited = use(loop.waited, 1);
  loopUse.waitedOwn = use(loop.waitedOwn, 1);
  Bundle passed = loop.passed;
  passed.add(loop.ahead);
  loopUse.passed = use(passed, pieces);
  loopUse.moved = use(loop.moved, pieces);
  loopUse.both = use(loop.all, pieces);
  loopUse.late = use(loop.late, pieces);
  loopUse.fill = loop.fill * memoryScale;
  loopUse.merge = loop.moves ? loop.moveMerge * memoryScale : 0;
  loopUse.add = loop.add * memoryScale;
  // Kernels of their own wait for a whole tile.
  loopUse.pieces = problem.isFused ? pieces : 1;

  size_t levels = step.stretch.ports.size();
  LoopStretch whole(loopUse, device.communicationShare, levels);
  Step body(levels);
  double compute = loopUse.add, memory = loopUse.add, launch = 0, bodies = 0,
         drain = 0;
  auto count = [&](double steps, bool isFirst) {
    launch += body.launch * steps;
    bodies += body.stretch.seconds * steps;
    double more = loopUse.fill + (isFirst ? 0 : loopUse.merge);
    compute += (body.compute + more) * steps;
    memory += (body.memory + more) * steps;
  };
  if (!varies) {
    run(depth + 1, loop.masked ? combination * size_t(n) : combination,
        executions * double(n), side, body, cost);
    count(1, true);
    count(double(n - 1), false);
    drain = whole.run(body.stretch, n);
  }
  for (int64_t t = 0; varies && t < n; ++t) {
    run(depth + 1, combination * size_t(n) + size_t(t), executions, side, body,
        cost);
    bool last = t + 1 == n, first = t == 0;
    count(1, first);
    // What moves results runs in all steps but the first, all else in all but
    // the last.
    Bundle now(levels);
    if (!last) {
      now.add(loop.passed);
      now.add(loop.ahead);
    }
    if (!first)
      now.add(loop.moved);
    drain = whole.step(body.stretch, 1, use(now, pieces), first);
  }
  step.stretch = whole.finish();
  step.compute = compute;
  step.memory = memory;
  step.launch = launch;
  if (!cost)
    return;
  Cost::TimeLoop &line = cost->timeLoops[depth];
  double all = step.stretch.seconds, startUp = loopUse.first.seconds;
  drain = std::min(drain, all - startUp);
  line.startUp += startUp * executions;
  line.steady += (all - startUp - drain) * executions;
  line.drain += drain * executions;
  Bundle together = loop.all;
  for (const Bundle *other : {&loop.late, &loop.waited, &loop.waitedOwn})
    together.add(*other);
  if (together.empty())
    return;
  cost->traffic[together.slowest].exposed +=
      (all - bodies - loopUse.add - loopUse.fill * double(n) -
       loopUse.merge * double(n - 1)) *
      executions;
  double hidden = double(n - 1), given = bodies / double(n);
  for (size_t l = 0; l < levels; ++l) {
    Cost::Traffic &traffic = cost->traffic[l];
    double times = hidden * executions, more = executions;
    auto sum = [&](auto list) {
      return (list(loop.all)[l] + list(loop.late)[l] +
              list(loop.waitedOwn)[l]) *
                 times +
             list(loop.waited)[l] * double(n) * executions +
             list(loop.ahead)[l] * more;
    };
    traffic.bytes += sum([](const Bundle &b) { return b.bytes; });
    traffic.seconds += sum([](const Bundle &b) { return b.seconds; });
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
  Step step(links.topology().levels.size());
  if (cost)
    cost->timeLoops.resize(loops.size());
  run(0, 0, 1, side, step, cost);
  double memoryScale = 1 + side.work * workInterval;
  double perLaunch = device.launch * memoryScale;
  double filled = fill * memoryScale + fills * perLaunch;
  double launches = (fills + finishes) * perLaunch;
  step.memory += (fill + finish) * memoryScale;
  step.launch += launches;
  step.compute += (fill + finish) * memoryScale + launches;
  double seconds =
      step.stretch.seconds + finish * memoryScale + finishes * perLaunch;
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
