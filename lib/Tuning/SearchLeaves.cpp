//===- SearchLeaves.cpp - Bounds of nodes, costs of leaves ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchLeaves.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Tuning/LocalKernels.h"

#include <cmath>

using namespace mercury;

/// A bound is the least in exact arithmetic; rounding may make it larger.
static constexpr double lessRounding = 1 - 1e-9;

SearchLeaves::SearchLeaves(CostModel &cost, const MemoryModel &memory,
                           const TopologyModel &topology,
                           const SearchOptions &options, SearchTree &tree,
                           FoundSchedules &found, SearchResult &result)
    : memory(memory), topology(topology),
      placements(cost.problem().op, topology, options), options(options),
      op(cost.problem().op), tree(tree), found(found), result(result),
      goal(options.objective, cost.problem(), topology),
      part(std::make_unique<PartialCandidate>()) {
  machines.push_back(std::make_unique<Machine>(cost, memory, options));
  for (CostModel &model : goal.models())
    machines.push_back(std::make_unique<Machine>(model, memory, options));
  exits.resize(machines.size());
  kernelBytes = bytesOfKernels();
}

template <typename Seconds>
double SearchLeaves::worst(double usual, Seconds secondsOf) {
  if (machines.size() == 1)
    return usual;
  double most = 0;
  for (size_t m = 1; m < machines.size(); ++m)
    most = std::max(most, secondsOf(m));
  return most;
}

void SearchLeaves::enter(const AxisList &cut) {
  std::vector<SearchBound *> bounds;
  for (const std::unique_ptr<Machine> &machine : machines)
    bounds.push_back(&machine->bound);
  tree.enter(cut, options.space.idleAxes, bounds);
}

void SearchLeaves::setBounds(Node &node) {
  tree.read(node, *part);
  SearchBound &usual = machines.front()->bound;
  node.bytes = std::ceil(usual.bytes(*part) * lessRounding);
  node.seconds = usual.seconds(*part) * lessRounding;
  double seconds = worst(node.seconds, [&](size_t m) {
    return machines[m]->bound.seconds(*part) * lessRounding;
  });
  node.goal = options.objective(seconds, int64_t(node.bytes));
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

void SearchLeaves::visit(const Node &node) {
  const Division &division = tree.divisionOf(node);
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
  visited = &node;
  if (!options.exits.empty()) {
    tree.read(node, *part);
    for (size_t m = 0; m < machines.size(); ++m) {
      machines[m]->bound.seconds(*part);
      exits[m] = machines[m]->bound.exitSeconds(*part) * lessRounding;
    }
  }
  picked = &tree.choicesOf(node);
  Candidates &candidates = tree.candidates();
  candidates.forEachSharing(division, *picked, [&](Candidate &candidate) {
    if (candidates.isLegal(division, candidate))
      visitCandidate(division, candidate);
    return true;
  });
}

/// Bytes that a rank holds with each kernel, up to what all hold: generated
/// code has a workspace by its blocks, kernels that are patched in have none.
std::vector<int64_t> SearchLeaves::bytesOfKernels() const {
  std::vector<int64_t> bytes;
  const CostProblem &problem = machines.front()->cost.problem();
  for (const std::string &kernel : machines.front()->fast.kernels()) {
    Schedule whole = Schedule::replicated(op);
    whole.tile = blocksPerLoop(problem, kernel);
    whole.patch = whole.tile.empty() ? kernel : "";
    bytes.push_back(memory.estimate(whole).peak());
  }
  return bytes;
}

/// Calls `visit` with the kernels that tiles may be computed by, but for those
/// that are slower than others and hold no less.
template <typename Seconds, typename Visit>
void SearchLeaves::forEachKernel(Seconds secondsOf, Visit visit) {
  size_t count = kernelBytes.size();
  kernelSeconds.resize(count);
  for (size_t k = 0; k < count; ++k)
    kernelSeconds[k] = secondsOf(k);
  for (size_t k = 0; k < count; ++k) {
    bool matters = kernelSeconds[k] < HUGE_VAL;
    for (size_t other = 0; other < count && matters; ++other) {
      bool isFaster = kernelSeconds[other] < kernelSeconds[k] ||
                      (other < k && kernelSeconds[other] == kernelSeconds[k]);
      matters = !isFaster || kernelBytes[other] > kernelBytes[k];
    }
    if (!matters)
      continue;
    ++result.visited;
    visit(k, kernelSeconds[k]);
  }
}

void SearchLeaves::visitCandidate(const Division &division,
                                  Candidate &candidate) {
  bool isExact = true;
  for (const std::unique_ptr<Machine> &machine : machines)
    isExact &= machine->fast.isExact();
  if (isExact)
    for (const std::unique_ptr<Machine> &machine : machines)
      machine->fast.enter(division, candidate);
  bool balances = op.mask && options.balance;
  tree.candidates().forEachOrder(candidate, *picked, [&] {
    // Ten loops have millions of orders, and under a mask one may take long.
    if (options.budget > 0 && ++orders % 64 == 0)
      wasCut |= std::chrono::steady_clock::now() - begin >
                std::chrono::duration<double>(options.budget);
    if (wasCut)
      return false;
    if (!isExact) {
      offerAll(division, candidate);
      return true;
    }
    visitOrdered(division, candidate, /*isBalanced=*/false);
    if (balances)
      visitOrdered(division, candidate, /*isBalanced=*/true);
    return true;
  });
}

void SearchLeaves::visitOrdered(const Division &division,
                                const Candidate &candidate, bool isBalanced) {
  for (const std::unique_ptr<Machine> &machine : machines)
    if (!machine->fast.order(candidate, isBalanced))
      return;
  CandidateCost &usualCost = machines.front()->fast;
  double bytes = std::max(visited->bytes, usualCost.ownBytes());
  auto visitKernel = [&](int64_t chunks, size_t kernel, double usual) {
    double seconds = worst(usual + exits.front(), [&](size_t m) {
      CandidateCost &fast = machines[m]->fast;
      // A machine without rates has no kernels to choose from.
      return fast.seconds(candidate, chunks,
                          kernel < fast.kernels().size() ? kernel : 0) +
             exits[m];
    });
    if (options.exhaustive ||
        found.mayMatter(options.objective(seconds, int64_t(bytes)),
                        usual + exits.front(), bytes))
      offer(division, candidate, chunks, usualCost.kernels()[kernel],
            isBalanced);
  };
  for (int64_t chunks : options.chunks)
    if (chunks == 1 || !candidate.times.empty())
      forEachKernel(
          [&](size_t k) { return usualCost.seconds(candidate, chunks, k); },
          [&](size_t k, double usual) { visitKernel(chunks, k, usual); });
}

void SearchLeaves::add(const Schedule &schedule) {
  FoundSchedule item;
  item.schedule = schedule;
  item.seconds = machines.front()->cost.seconds(schedule);
  item.bytes = memory.estimate(schedule).peak();
  item.goal = goal.of(schedule, item.seconds, item.bytes);
  if (options.exhaustive && visited)
    result.belowBound += item.goal < visited->goal ||
                         item.seconds < visited->seconds ||
                         double(item.bytes) < visited->bytes;
  found.add(std::move(item));
}

void SearchLeaves::offer(const Division &division, const Candidate &candidate,
                         int64_t chunks, const std::string &kernel,
                         bool isBalanced) {
  Schedule schedule = tree.candidates().build(division, candidate);
  if (isBalanced && !tryBalance(schedule))
    return;
  schedule.chunks = chunks;
  if (!setKernel(schedule, machines.front()->cost.problem(), topology, kernel))
    return;
  placements.moveResults(schedule);
  if (placements.fit(schedule))
    add(schedule);
}

/// The schedule with each kernel that may matter.
void SearchLeaves::offerKernels(Schedule schedule) {
  Machine &usual = *machines.front();
  auto computeBy = [&](size_t k) {
    return setKernel(schedule, usual.cost.problem(), topology,
                     usual.fast.kernels()[k]);
  };
  forEachKernel(
      [&](size_t k) {
        return computeBy(k) ? usual.cost.seconds(schedule) : HUGE_VAL;
      },
      [&](size_t k, double) {
        computeBy(k);
        add(schedule);
      });
}

bool SearchLeaves::tryBalance(Schedule &schedule) const {
  Schedule natural = schedule;
  balance(schedule, op, topology);
  return !(schedule == natural);
}

/// What the short form does not cost: gradients.
void SearchLeaves::offerAll(const Division &division,
                            const Candidate &candidate) {
  std::vector<Schedule> list = {tree.candidates().build(division, candidate)};
  if (op.mask && options.balance) {
    Schedule balanced = list.front();
    if (tryBalance(balanced))
      list.push_back(std::move(balanced));
  }
  for (Schedule &schedule : list) {
    placements.moveResults(schedule);
    if (!placements.fit(schedule))
      continue;
    for (int64_t chunks : options.chunks)
      if (chunks == 1 || !candidate.times.empty()) {
        schedule.chunks = chunks;
        offerKernels(schedule);
      }
  }
}

void SearchLeaves::start(bool several) {
  hasSeveralCuts = several;
  for (const Schedule &schedule : options.start)
    if (placements.fit(schedule) && verify(schedule, op, topology))
      add(schedule);
  Schedule whole = Schedule::replicated(op);
  placements.moveResults(whole);
  if ((options.space.idleAxes || topology.numRanks() == 1) &&
      placements.fit(whole) && verify(whole, op, topology))
    offerKernels(std::move(whole));
}
