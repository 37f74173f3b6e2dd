//===- Search.cpp - The best schedules of the model -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Search.h"
#include "CandidateCost.h"
#include "FoundSchedules.h"
#include "Mercury/Schedule/Balance.h"
#include "SearchAxes.h"
#include "SearchBound.h"
#include "SearchPlacements.h"

#include <chrono>
#include <cmath>
#include <map>
#include <queue>
#include <set>

using namespace mercury;

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
constexpr uint8_t isIdle = 255;

/// Some axes given out: a unit or nothing for each, and what units do.
struct Node {
  double bound = 0; ///< of the objective
  double seconds = 0, bytes = 0;
  FixedList<uint8_t, 20> unitOf;
  FixedList<uint16_t, 20> choices;
};

/// The one with the least bound first, of equal ones the most complete, then
/// in order of what is given out.
struct IsLater {
  bool operator()(const Node &a, const Node &b) const {
    if (a.bound != b.bound)
      return a.bound > b.bound;
    if (a.unitOf.size() != b.unitOf.size())
      return a.unitOf.size() < b.unitOf.size();
    auto less = [](const auto &x, const auto &y) {
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(),
                                          y.end());
    };
    if (!(a.unitOf == b.unitOf))
      return less(b.unitOf, a.unitOf);
    return less(b.choices, a.choices);
  }
};

class Search {
public:
  Search(CostModel &cost, const MemoryModel &memory,
         const TopologyModel &topology, const SearchOptions &options,
         SearchResult &result)
      : cost(cost), memory(memory), topology(topology), options(options),
        op(cost.problem().op), candidates(op, topology, options.space),
        fast(cost.problem(), cost.links()), bound(cost, options),
        placements(op, topology, options), found(options, result),
        result(result) {}

  void run();

private:
  using Clock = std::chrono::steady_clock;
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool goesOn(double lowest);
  bool wants(const Node &node) const;
  void enter(const AxisList &cut);
  void searchCut(const AxisList &cut, bool isLast);
  void stopAt(double seconds);
  template <typename Sink> void expand(const Node &node, Sink sink);
  double setBound(Node &node) const;
  void push(Node node);
  void dive(const AxisList &cut);
  void findFirst(const std::vector<AxisList> &fine);
  void visit(const Node &node);
  void visitCandidate(const Division &division, Candidate &candidate);
  template <typename Seconds, typename Visit>
  void forEachKernel(Seconds secondsOf, Visit visit);
  void offer(const Division &division, const Candidate &candidate,
             double seconds, int64_t chunks, const std::string &kernel);
  void offerAll(const Division &division, const Candidate &candidate);
  void offerKernels(Schedule &schedule);
  void offerWhole();
  const Division &divisionOf(const Node &node);

  CostModel &cost;
  const MemoryModel &memory;
  const TopologyModel &topology;
  const SearchOptions &options;
  const OperatorModel &op;
  Candidates candidates;
  CandidateCost fast;
  SearchBound bound;
  SearchPlacements placements;
  FoundSchedules found;
  SearchResult &result;
  Clock::time_point start = Clock::now();

  // Of a cut.
  AxisList axes;
  std::vector<int64_t> sizes, rests; ///< ranks that are left behind each axis
  std::vector<size_t> levels;
  std::priority_queue<Node, std::vector<Node>, IsLater> open;
  std::map<std::vector<uint8_t>, Division> divisions;
  /// Axes may be cut in several ways: what has been looked at, and how often.
  std::set<std::string> seen;
  bool hasSeveralCuts = false, isStopped = false, isCancelled = false;
  bool mayIdle = true;
  double deadline = HUGE_VAL;  ///< by elapsed()
  double openBound = HUGE_VAL; ///< least seconds of what was left
  std::vector<const Choice *> picked;
  uint64_t ticks = 0;
  double toldAt = 0; ///< by elapsed(), of the last call of `progress`
};
} // namespace

/// False when the search ends here; `lowest` is the least bound, in seconds, of
/// what has not been looked at.
bool Search::goesOn(double lowest) {
  if (isStopped)
    return false;
  const std::vector<FoundSchedule> &best = result.best;
  if (options.gap > 0 && !best.empty() && lowest > 0 &&
      best.front().seconds / lowest - 1 <= options.gap)
    isStopped = true;
  // A step takes microseconds, or milliseconds with thousands of ranks.
  if (++ticks % 16 == 0) {
    double now = elapsed();
    if (now > deadline)
      isStopped = true;
    if (options.progress && (ticks % 1024 == 0 || now > toldAt + 0.1)) {
      toldAt = now;
      if (!options.progress({result.visited, result.pruned,
                             best.empty() ? 0 : best.front().seconds, lowest,
                             now}))
        isStopped = isCancelled = true;
    }
  }
  return !isStopped;
}

/// A bound is the least in exact arithmetic; rounding may make it larger.
static constexpr double lessRounding = 1 - 1e-9;

bool Search::wants(const Node &node) const {
  return options.exhaustive || found.mayMatter(node.seconds, node.bytes);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void Search::enter(const AxisList &cut) {
  axes = cut;
  sizes.clear();
  levels.clear();
  divisions.clear();
  open = {};
  for (const AxisRef &axis : axes) {
    sizes.push_back(axis.size);
    levels.push_back(topology.find(axis.level) - topology.levels.data());
  }
  rests.assign(axes.size() + 1, 1);
  for (size_t a = axes.size(); a-- > 0;)
    rests[a] = rests[a + 1] * sizes[a];
}

/// Fills in the bounds; what the node promises, in seconds: what it takes where
/// the axes that are left do not lessen communication.
double Search::setBound(Node &node) const {
  FixedList<PartialUnit, 20> units;
  int64_t idle = 1;
  for (uint16_t choice : node.choices) {
    PartialUnit unit;
    for (size_t l = 0; l < topology.levels.size(); ++l)
      unit.levels.push_back(1);
    unit.choice = &candidates.choices()[choice];
    units.push_back(unit);
  }
  for (size_t a = 0; a < node.unitOf.size(); ++a)
    if (node.unitOf[a] == isIdle) {
      idle *= sizes[a];
    } else {
      PartialUnit &unit = units[node.unitOf[a]];
      unit.size *= sizes[a];
      unit.levels[levels[a]] *= sizes[a];
    }
  int64_t rest = rests[node.unitOf.size()];
  node.seconds = bound.seconds(units, idle, rest) * lessRounding;
  node.bytes = bound.bytes(units, rest) * lessRounding;
  node.bound = options.objective(node.seconds, int64_t(node.bytes));
  return bound.promise(units, idle, rest);
}

void Search::push(Node node) {
  setBound(node);
  if (wants(node))
    open.push(node);
  else
    ++result.pruned;
}

/// Calls `sink` with all nodes in which one axis more is given out.
template <typename Sink> void Search::expand(const Node &node, Sink sink) {
  size_t axis = node.unitOf.size();
  const std::vector<Choice> &choices = candidates.choices();
  picked.clear();
  for (uint16_t choice : node.choices)
    picked.push_back(&choices[choice]);
  if (mayIdle && placements.mayIdle(axes[axis])) {
    Node next = node;
    next.unitOf.push_back(isIdle);
    sink(next);
  }
  for (size_t u = 0; u < node.choices.size(); ++u)
    if (placements.allow(*picked[u], axes[axis])) {
      Node next = node;
      next.unitOf.push_back(u);
      sink(next);
    }
  picked.push_back(nullptr);
  for (size_t c = 0; c < choices.size(); ++c) {
    picked.back() = &choices[c];
    if (!placements.allow(choices[c], axes[axis]) ||
        !candidates.isListed(picked))
      continue;
    Node next = node;
    next.unitOf.push_back(node.choices.size());
    next.choices.push_back(c);
    sink(next);
  }
}

/// So many nodes of equal depth are kept where the search dives.
static constexpr size_t diveWidth = 256;

/// Of the nodes of each depth goes on with those that promise most, and as many
/// of those with the least bound.
void Search::dive(const AxisList &cut) {
  enter(cut);
  std::vector<std::pair<double, Node>> nodes = {{0, Node()}};
  for (size_t depth = 0; depth < axes.size(); ++depth) {
    std::vector<std::pair<double, Node>> next;
    for (const auto &[promise, node] : nodes)
      if (goesOn(0))
        expand(node, [&](Node &child) {
          double promise = setBound(child);
          if (wants(child))
            next.emplace_back(promise, child);
        });
    size_t kept = std::min(next.size(), diveWidth), half = kept / 2;
    auto isEarlier = [](const auto &a, const auto &b) {
      return IsLater()(b.second, a.second);
    };
    std::partial_sort(next.begin(), next.begin() + half, next.end(),
                      [&](const auto &a, const auto &b) {
                        return a.first != b.first ? a.first < b.first
                                                  : isEarlier(a, b);
                      });
    std::partial_sort(next.begin() + half, next.begin() + kept, next.end(),
                      isEarlier);
    next.resize(kept);
    nodes = std::move(next);
  }
  for (const auto &[promise, node] : nodes)
    if (goesOn(0))
      visit(node);
}

/// The search ends where schedules may take as little as `seconds`.
void Search::stopAt(double seconds) {
  openBound = std::min(openBound, seconds);
}

void Search::searchCut(const AxisList &cut, bool isLast) {
  enter(cut);
  push({});
  double root = open.empty() ? HUGE_VAL : open.top().seconds;
  while (!open.empty()) {
    Node node = open.top();
    // What other cuts have is no less than the root.
    if (goesOn(isLast ? node.seconds : root)) {
      open.pop();
      if (!wants(node))
        ++result.pruned;
      else if (node.unitOf.size() == axes.size())
        visit(node);
      else
        expand(node, [&](Node &next) { push(next); });
    }
    // By another objective the next node is not the fastest.
    if (isStopped)
      return stopAt(isLast && options.objective.kind == Objective::Kind::Time
                        ? node.seconds
                        : root);
  }
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

const Division &Search::divisionOf(const Node &node) {
  std::vector<uint8_t> key(node.unitOf.begin(), node.unitOf.end());
  auto [it, isNew] = divisions.try_emplace(std::move(key));
  Division &division = it->second;
  if (!isNew)
    return division;
  // Factors that follow each other in one unit are one axis.
  uint8_t last = isIdle;
  for (size_t a = 0; a < axes.size(); ++a) {
    uint8_t u = node.unitOf[a];
    bool follows =
        a > 0 && u != isIdle && u == last && axes[a - 1].level == axes[a].level;
    last = u;
    if (u == isIdle)
      continue;
    if (follows) {
      division.axes.back().size *= sizes[a];
      division.sizes.back() *= sizes[a];
      continue;
    }
    division.units.resize(std::max<size_t>(division.units.size(), u + 1));
    division.units[u] |= AxisMask(1) << division.axes.size();
    division.axes.push_back(axes[a]);
    division.sizes.push_back(sizes[a]);
  }
  for (AxisRef &axis : division.axes)
    if (axis.size == topology.find(axis.level)->size)
      axis = AxisRef{axis.level};
  return division;
}

void Search::visit(const Node &node) {
  const Division &division = divisionOf(node);
  if (division.units.empty())
    return;
  if (hasSeveralCuts) {
    std::string key;
    for (AxisMask unit : division.units) {
      for (size_t a = 0; a < division.axes.size(); ++a)
        if (unit >> a & 1)
          key += print(division.axes[a]) + ",";
      key += "/";
    }
    for (uint16_t choice : node.choices)
      key += std::to_string(choice) + " ";
    if (!seen.insert(std::move(key)).second)
      return;
  }
  picked.clear();
  for (uint16_t choice : node.choices)
    picked.push_back(&candidates.choices()[choice]);
  candidates.forEachSharing(division, picked, [&](Candidate &candidate) {
    if (candidates.isLegal(division, candidate))
      visitCandidate(division, candidate);
    return true;
  });
}

/// Calls `visit` with the kernels that tiles may be computed by, but for those
/// that are slower than others and hold no less: generated code has a
/// workspace, kernels that are patched in have none.
template <typename Seconds, typename Visit>
void Search::forEachKernel(Seconds secondsOf, Visit visit) {
  double generated = secondsOf(0), least = HUGE_VAL;
  size_t fastest = 0;
  for (size_t k = 1; k < fast.kernels().size(); ++k)
    if (double took = secondsOf(k); took < least) {
      least = took;
      fastest = k;
    }
  if (generated <= least) {
    ++result.visited;
    visit(0, generated);
  }
  if (fastest > 0) {
    ++result.visited;
    visit(fastest, least);
  }
}

void Search::visitCandidate(const Division &division, Candidate &candidate) {
  bool isExact = fast.isExact();
  if (isExact)
    fast.enter(division, candidate);
  candidates.forEachOrder(candidate, picked, [&] {
    if (!isExact) {
      offerAll(division, candidate);
      return goesOn(0);
    }
    for (int64_t chunks : options.chunks) {
      if (chunks > 1 && candidate.times.empty())
        continue;
      forEachKernel(
          [&](size_t k) { return fast.seconds(candidate, chunks, k); },
          [&](size_t k, double seconds) {
            if (options.exhaustive || found.mayMatter(seconds, fast.ownBytes()))
              offer(division, candidate, seconds, chunks, fast.kernels()[k]);
          });
    }
    return true;
  });
}

void Search::offer(const Division &division, const Candidate &candidate,
                   double seconds, int64_t chunks, const std::string &kernel) {
  Schedule schedule = candidates.build(division, candidate);
  schedule.chunks = chunks;
  schedule.patch = kernel;
  bool moves = placements.moveResults(schedule);
  if (!placements.fit(schedule))
    return;
  if (moves)
    seconds = cost.seconds(schedule);
  int64_t bytes = memory.estimate(schedule).peak();
  if (options.exhaustive || found.mayMatter(seconds, double(bytes)))
    found.add(schedule, seconds, bytes);
}

/// What the short form does not cost: masks, and gradients.
void Search::offerAll(const Division &division, const Candidate &candidate) {
  std::vector<Schedule> list = {candidates.build(division, candidate)};
  if (op.mask && options.balance) {
    Schedule balanced = list.front();
    balance(balanced, op, topology);
    if (!(balanced == list.front()))
      list.push_back(std::move(balanced));
  }
  for (Schedule &schedule : list) {
    placements.moveResults(schedule);
    for (int64_t chunks : options.chunks) {
      if (!placements.fit(schedule) || (chunks > 1 && candidate.times.empty()))
        continue;
      schedule.chunks = chunks;
      offerKernels(schedule);
    }
  }
}

/// The schedule that uses no axis.
void Search::offerWhole() {
  Schedule whole = Schedule::replicated(op);
  placements.moveResults(whole);
  if ((!options.space.idleAxes && topology.numRanks() > 1) ||
      !placements.fit(whole) || !verify(whole, op, topology))
    return;
  offerKernels(whole);
}

/// The schedule with each kernel that may matter.
void Search::offerKernels(Schedule &schedule) {
  auto patched = [&](size_t k) -> Schedule & {
    schedule.patch = fast.kernels()[k];
    return schedule;
  };
  forEachKernel([&](size_t k) { return cost.seconds(patched(k)); },
                [&](size_t k, double seconds) {
                  found.add(patched(k), seconds,
                            memory.estimate(patched(k)).peak());
                });
}

/// Something to be beaten: whole levels, then those parts of the space that
/// promise most. What is found here is found again.
void Search::findFirst(const std::vector<AxisList> &fine) {
  AxisList levelsOnly = finestCuts(topology, false).front();
  double part = options.budget > 0 ? options.budget / 5 : HUGE_VAL;
  deadline = elapsed() + part;
  mayIdle = false;
  if (fine.front() != levelsOnly)
    searchCut(levelsOnly, true);
  for (const AxisList &cut : fine) {
    isStopped = isCancelled;
    deadline = elapsed() + part / double(fine.size());
    dive(cut);
  }
  isStopped = isCancelled;
  mayIdle = options.space.idleAxes;
  openBound = HUGE_VAL;
  result.visited = result.pruned = result.overLimit = 0;
  seen.clear();
}

void Search::run() {
  std::vector<AxisList> fine = finestCuts(topology, options.space.subAxes);
  if (!options.exhaustive)
    findFirst(fine);
  deadline = options.budget > 0 ? options.budget : HUGE_VAL;
  offerWhole();
  hasSeveralCuts = fine.size() > 1;
  for (const AxisList &cut : fine)
    searchCut(cut, &cut == &fine.back());
  result.isProven = !isStopped;
  result.lowerBound = result.best.empty() ? 0 : result.best.front().seconds;
  if (isStopped)
    result.lowerBound = std::min(result.lowerBound, openBound);
}

EnumeratorOptions mercury::spaceFor(const OperatorModel &op) {
  EnumeratorOptions options;
  if (!op.coupled.empty()) {
    options.relays = Relays::Together;
    options.bothDirections = true;
  }
  return options;
}

SearchResult mercury::findSchedules(CostModel &cost, const MemoryModel &memory,
                                    const TopologyModel &topology,
                                    const SearchOptions &options) {
  SearchResult result;
  Search(cost, memory, topology, options, result).run();
  return result;
}
