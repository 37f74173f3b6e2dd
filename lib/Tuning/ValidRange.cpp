//===- ValidRange.cpp - Extents that a schedule is good for ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ValidRange.h"
#include "Mercury/Schedule/Balance.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace mercury;

/// How far a range goes from where the schedule was found, either way.
static constexpr int64_t kFarthest = 16;

bool mercury::canScale(const CostProblem &problem,
                       const std::vector<size_t> &loops) {
  auto isPlain = [](const OperatorModel::Tensor &tensor) {
    return tensor.mapped &&
           std::find(tensor.loopOfDim.begin(), tensor.loopOfDim.end(),
                     loopExpression) == tensor.loopOfDim.end();
  };
  const OperatorModel &op = problem.op;
  return !loops.empty() &&
         std::all_of(op.inputs.begin(), op.inputs.end(), isPlain) &&
         std::all_of(op.results.begin(), op.results.end(), isPlain);
}

using Extents = std::vector<int64_t>;

static void scale(OperatorModel &op, const Extents &extents) {
  for (size_t l = 0; l < extents.size(); ++l)
    op.loops[l].extent = extents[l];
}

static void scale(std::vector<Extents> &shapes,
                  const std::vector<OperatorModel::Tensor> &tensors,
                  const Extents &extents) {
  for (size_t t = 0; t < tensors.size(); ++t)
    for (size_t d = 0; d < tensors[t].loopOfDim.size(); ++d)
      if (int loop = tensors[t].loopOfDim[d]; loop >= 0)
        shapes[t][d] = extents[loop];
}

namespace {
class RangeFinder {
public:
  RangeFinder(const Schedule &schedule, const CostProblem &problem,
              const MemoryProblem &memory, const TopologyModel &topology,
              const ValidRangeOptions &options)
      : schedule(schedule), problem(problem), memory(memory),
        topology(topology), options(options) {
    for (const OperatorModel::Loop &loop : problem.op.loops) {
      base.push_back(loop.extent);
      grid.push_back({loop.extent});
    }
  }

  ExtentRanges run();

private:
  bool isGoodAt(const Extents &extents) const;
  bool isGoodWhere(size_t loop, int64_t extent, size_t next,
                   Extents &extents) const;
  bool grow(size_t loop, bool up);
  bool isOver() const {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    return options.budget > 0 && spent.count() > options.budget;
  }

  const Schedule &schedule;
  const CostProblem &problem;
  const MemoryProblem &memory;
  const TopologyModel &topology;
  const ValidRangeOptions &options;
  Extents base;
  std::vector<Extents> grid; ///< per loop, ascending: where it was looked at
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

bool RangeFinder::isGoodAt(const Extents &extents) const {
  CostProblem at = problem;
  scale(at.op, extents);
  scale(at.inputShapes, at.op.inputs, extents);
  scale(at.resultShapes, at.op.results, extents);
  if (!verify(schedule, at.op, topology))
    return false;
  MemoryProblem held = memory;
  held.op = at.op;
  held.inputs = at.inputShapes;
  held.results = at.resultShapes;
  CostModel cost(at, topology);
  MemoryModel bytes(held, topology);
  int64_t own = bytes.estimate(schedule).peak();
  if (options.search.memoryLimit > 0 && own > options.search.memoryLimit)
    return false;
  SearchOptions search = options.search;
  search.top = 1;
  SearchResult found = findSchedules(cost, bytes, topology, search);
  if (found.best.empty())
    return false;
  const Objective &objective = search.objective;
  double here = objective(cost.seconds(schedule), own),
         best = objective(found.best.front().seconds, found.best.front().bytes);
  return objective.kind == Objective::Kind::Both
             ? here - best <= std::log1p(options.gap)
             : here <= best * (1 + options.gap);
}

/// With `extent` of the loop, and all that the grid has of the others.
bool RangeFinder::isGoodWhere(size_t loop, int64_t extent, size_t next,
                              Extents &extents) const {
  if (isOver())
    return false;
  if (next == grid.size())
    return isGoodAt(extents);
  Extents own = next == loop ? Extents{extent} : grid[next];
  return std::all_of(own.begin(), own.end(), [&](int64_t value) {
    extents[next] = value;
    return isGoodWhere(loop, extent, next + 1, extents);
  });
}

/// Takes the next step of a loop's range; whether it is good there.
bool RangeFinder::grow(size_t loop, bool up) {
  int64_t edge = up ? grid[loop].back() : grid[loop].front();
  if (up ? edge >= base[loop] * kFarthest
         : edge % 2 != 0 || edge / 2 * kFarthest < base[loop])
    return false;
  int64_t extent = up ? edge * 2 : edge / 2;
  Extents extents = base;
  if (!isGoodWhere(loop, extent, 0, extents))
    return false;
  grid[loop].insert(up ? grid[loop].end() : grid[loop].begin(), extent);
  return true;
}

ExtentRanges RangeFinder::run() {
  // In turns, so that no loop's range grows at the expense of the others.
  std::vector<std::pair<size_t, bool>> open;
  for (size_t loop : options.loops)
    for (bool up : {true, false})
      open.emplace_back(loop, up);
  while (!open.empty())
    std::erase_if(open,
                  [&](auto &side) { return !grow(side.first, side.second); });
  ExtentRanges ranges;
  for (const Extents &seen : grid)
    ranges.emplace_back(seen.front(), seen.back());
  return ranges;
}

ExtentRanges mercury::findValidRange(const Schedule &schedule,
                                     const CostProblem &problem,
                                     const MemoryProblem &memory,
                                     const TopologyModel &topology,
                                     const ValidRangeOptions &options) {
  return RangeFinder(schedule, problem, memory, topology, options).run();
}
