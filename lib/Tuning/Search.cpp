//===- Search.cpp - The best schedules of the model -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Search.h"
#include "FoundSchedules.h"
#include "SearchAxes.h"
#include "SearchLeaves.h"

#include <chrono>
#include <cmath>
#include <queue>

using namespace mercury;

namespace {
class Search {
public:
  Search(CostModel &cost, const MemoryModel &memory,
         const TopologyModel &topology, const SearchOptions &options,
         SearchResult &result)
      : topology(topology), options(options),
        tree(cost.problem().op, topology, options), found(options, result),
        leaves(cost, memory, topology, options, tree, found, result),
        result(result) {}

  void run();

private:
  using Clock = std::chrono::steady_clock;
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool goesOn(double lowest);
  bool wants(const Node &node) const {
    return options.exhaustive ||
           found.mayMatter(node.goal, node.seconds, node.bytes);
  }
  void bound(Node &node, const Node &parent);
  void push(Node &node, const Node &parent);
  void dive(const Node &shape);
  void searchCut(const AxisList &cut, bool isLast);

  const TopologyModel &topology;
  const SearchOptions &options;
  SearchTree tree;
  FoundSchedules found;
  SearchLeaves leaves;
  SearchResult &result;
  Clock::time_point start = Clock::now();

  std::priority_queue<Node, std::vector<Node>, IsLater> open;
  std::vector<Node> children, level;
  bool isStopped = false;
  size_t dives = 0;
  double openGoal = HUGE_VAL; ///< least of the objective in what was left
  uint64_t ticks = 0;
  double toldAt = 0; ///< by elapsed(), of the last call of `progress`
};
} // namespace

/// False when the search ends here; `lowest` is the least bound of what has not
/// been looked at.
bool Search::goesOn(double lowest) {
  isStopped |= leaves.isCut();
  if (isStopped)
    return false;
  if (options.gap > 0 && !result.best.empty()) {
    result.lowerBound = std::min(lowest, openGoal);
    if (result.gap() <= options.gap)
      isStopped = true;
  }
  // A step takes microseconds, or milliseconds with thousands of ranks.
  if (++ticks % 16 == 0) {
    double now = elapsed();
    if (options.budget > 0 && now > options.budget)
      isStopped = true;
    if (options.progress && (ticks % 1024 == 0 || now > toldAt + 0.1)) {
      toldAt = now;
      if (!options.progress({result.visited, result.pruned,
                             result.best.empty() ? 0 : result.best.front().goal,
                             lowest, now}))
        isStopped = true;
    }
  }
  return !isStopped;
}

/// What holds for a part of the space holds for a part of it.
void Search::bound(Node &node, const Node &parent) {
  leaves.setBounds(node);
  node.goal = std::max(node.goal, parent.goal);
  node.seconds = std::max(node.seconds, parent.seconds);
  node.bytes = std::max(node.bytes, parent.bytes);
}

void Search::push(Node &node, const Node &parent) {
  bound(node, parent);
  if (wants(node))
    open.push(node);
  else
    ++result.pruned;
}

/// Looks at what promises most in a shape, so that there is something to be
/// beaten: of each depth the nodes with the least bound.
void Search::dive(const Node &shape) {
  constexpr size_t width = 16, mostOrders = 24;
  level = {shape};
  std::vector<Node> next;
  for (size_t depth = 0; depth < tree.numAxes() && !level.empty(); ++depth) {
    next.clear();
    for (const Node &node : level) {
      children.clear();
      tree.expand(node, children);
      for (Node &child : children) {
        bound(child, node);
        if (wants(child) && tree.numOrders(child) <= mostOrders)
          next.push_back(child);
      }
    }
    size_t kept = std::min(next.size(), width);
    std::partial_sort(
        next.begin(), next.begin() + kept, next.end(),
        [](const Node &a, const Node &b) { return IsLater()(b, a); });
    next.resize(kept);
    std::swap(level, next);
  }
  // It comes again in its turn, and counts then.
  int64_t visited = result.visited, overLimit = result.overLimit;
  for (const Node &node : level)
    if (wants(node))
      leaves.visit(node);
  result.visited = visited;
  result.overLimit = overLimit;
}

void Search::searchCut(const AxisList &cut, bool isLast) {
  // So many shapes are looked into before their turn.
  constexpr size_t mostDives = 64;
  leaves.enter(cut);
  open = {};
  Node root;
  root.goal = -HUGE_VAL;
  push(root, root);
  double least = open.empty() ? HUGE_VAL : open.top().goal;
  while (!open.empty()) {
    Node node = open.top();
    // What other cuts have is no less than the root.
    if (!goesOn(isLast ? node.goal : least)) {
      openGoal = std::min(openGoal, isLast ? node.goal : least);
      return;
    }
    open.pop();
    if (!wants(node)) {
      ++result.pruned;
    } else if (tree.isWhole(node)) {
      leaves.visit(node);
      if (leaves.isCut())
        openGoal = std::min(openGoal, isLast ? node.goal : least);
    } else {
      if (tree.isShape(node) && !options.exhaustive && dives < mostDives) {
        ++dives;
        dive(node);
      }
      children.clear();
      tree.expand(node, children);
      for (Node &child : children)
        push(child, node);
    }
  }
}

void Search::run() {
  result.isLogarithm = options.objective.kind == Objective::Kind::Both;
  std::vector<AxisList> cuts = finestCuts(topology, options.space.subAxes);
  AxisList whole = finestCuts(topology, /*subAxes=*/false).front();
  leaves.start(cuts.size() > 1);
  if (!options.exhaustive && cuts.front() != whole) {
    // Something to be beaten: whole levels. What is found here comes again.
    int64_t overLimit = result.overLimit;
    searchCut(whole, true);
    result.visited = result.pruned = 0;
    result.overLimit = overLimit;
    leaves.forget();
    openGoal = HUGE_VAL;
    isStopped = false;
  }
  for (const AxisList &cut : cuts)
    searchCut(cut, &cut == &cuts.back());
  isStopped |= leaves.isCut();
  result.isProven = !isStopped;
  result.lowerBound = result.best.empty() ? 0 : result.best.front().goal;
  if (isStopped)
    result.lowerBound = std::min(result.lowerBound, openGoal);
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
