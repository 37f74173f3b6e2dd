//===- Stretch.cpp - Steps with communication beside them -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Stretch.h"

#include <algorithm>

using namespace mercury;

void Stretch::setWork(double work) {
  seconds = quiet = tail = work;
  lead = sums = 0;
  std::fill(ports.begin(), ports.end(), 0);
  std::fill(hidden.begin(), hidden.end(), 0);
}

double mercury::beside(const Stretch &body, const PortUse &with, double share) {
  if (with.seconds <= 0)
    return body.seconds;
  double took = std::max(
      with.seconds, body.seconds + share * std::min(with.seconds, body.quiet));
  for (size_t l = 0; l < body.ports.size(); ++l)
    if (double left = with.onPort(l); left > 0) {
      // Both at half of the speed as long as both are there.
      double taken = body.ports[l],
             before = std::max(body.seconds - body.tail,
                               taken + std::min(body.hidden[l], left));
      left -= std::min(left, before - taken);
      took = std::max(took, before + std::max(body.tail, left));
    }
  return took;
}

static void add(Stretch &to, const PortUse &use, double times) {
  for (size_t l = 0; l < to.ports.size(); ++l)
    to.ports[l] += use.onPort(l) * times;
}

LoopStretch::LoopStretch(const LoopUse &use, double share, size_t levels)
    : use(use), share(share), startsEarly(use.startsEarly), whole(levels) {
  whole.lead = use.first.seconds;
  startsEarly &= use.first.seconds > 0;
  if (startsEarly)
    return;
  whole.seconds = use.first.seconds;
  add(whole, use.first, 1);
}

double LoopStretch::step(const Stretch &body, double count, const PortUse &with,
                         bool isFirst) {
  Stretch step = body;
  step.seconds += use.fill + use.waited.seconds;
  step.quiet += use.fill;
  add(step, use.waited, 1);
  double merge = 0, late = 0;
  if (!isFirst) {
    step.seconds += use.waitedOwn.seconds;
    add(step, use.waitedOwn, 1);
    merge = use.merge;
    late = use.late.seconds;
    add(whole, use.late, count);
  }
  double lead = step.lead + use.waited.seconds;
  if (isFirst) {
    whole.lead += lead;
  } else {
    // What is summed up reads no tile, so that the next one may come.
    lead += use.waitedOwn.seconds;
    step.seconds -= std::min(lead, body.sums + merge * (count - 1) / count);
  }
  double took = beside(step, with, share),
         tail = std::max(std::min(step.tail, took - with.seconds), 0.0);
  if (late > 0) {
    took += std::max(late - tail, 0.0);
    tail = std::max(tail - late, 0.0);
  }
  took += merge;
  whole.tail = tail + merge;
  whole.sums = merge > 0 ? merge : body.sums;
  whole.seconds += took * count;
  whole.quiet += (std::max(step.quiet - with.seconds, 0.0) + merge) * count;
  add(whole, {0, step.ports}, count);
  add(whole, with, count);
  for (size_t l = 0; l < whole.hidden.size(); ++l)
    whole.hidden[l] += (step.hidden[l] + with.onPort(l)) * count;
  return took;
}

double LoopStretch::run(const Stretch &body, int64_t steps) {
  bool passes = use.passed.seconds > 0, moves = use.moved.seconds > 0;
  // One step has nothing beside it, unless there is something of both kinds.
  bool firstPasses = passes && moves && steps > 1;
  Stretch early = body;
  if (startsEarly) {
    early.seconds += use.first.seconds;
    add(early, use.first, 1);
  }
  double before = whole.seconds,
         took = step(firstPasses ? early : body, 1,
                     firstPasses ? use.passed : PortUse(), /*isFirst=*/true);
  double tail = whole.tail;
  // Where pieces are worked on as they come, the last one is what is left.
  double most = std::max(use.passed.seconds, use.moved.seconds);
  if (!firstPasses && most > took && use.pieces > 1 && steps > 1)
    whole.seconds = before + took / use.pieces;
  double others = double(steps - 1);
  if (firstPasses) {
    step(body, 1, use.moved, /*isFirst=*/false);
    --others;
  } else if (startsEarly) {
    step(early, 1, use.both, /*isFirst=*/false);
    --others;
  }
  if (others > 0)
    step(body, others, use.both, /*isFirst=*/false);
  // The last one is that with nothing beside it, then.
  if (!moves && use.late.seconds <= 0 && use.waitedOwn.seconds <= 0)
    whole.tail = tail;
  return took;
}

const Stretch &LoopStretch::finish() {
  whole.seconds += use.add;
  whole.quiet += use.add;
  whole.tail += use.add;
  whole.sums += use.add;
  return whole;
}
