//===- SearchBoundLoops.cpp - The least that loops send -------------------===//
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
