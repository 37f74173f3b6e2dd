//===- LocalKernels.cpp - Kernels and blocks of schedules -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LocalKernels.h"
#include "Mercury/Schedule/GeneratedBlocks.h"

#include <algorithm>

using namespace mercury;

/// Rows, columns and depth, where each is of one loop.
static std::vector<size_t> loopsOfContraction(const OperatorModel &op) {
  if (op.inputs.size() < 2 || op.results.empty() ||
      op.results.front().loopOfDim.empty())
    return {};
  int column = op.results.front().loopOfDim.back();
  auto has = [&](size_t input, size_t loop) {
    return op.inputs[input].dimOfLoop(int(loop)).has_value();
  };
  if (column < 0 || has(0, column) == has(1, column))
    return {};
  std::vector<size_t> rows, depths;
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (op.loops[l].reduction)
      depths.push_back(l);
    else if (has(0, l) != has(1, l) && has(0, l) != has(0, column))
      rows.push_back(l);
  if (rows.size() != 1 || depths.size() != 1)
    return {};
  return {rows[0], size_t(column), depths[0]};
}

/// Queries and keys. Rows of other loops that keys lack stand outside.
static std::vector<size_t> loopsOfAttention(const OperatorModel &op) {
  std::vector<size_t> queries, keys;
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (op.loops[l].reduction)
      keys.push_back(l);
    else if (op.inputs.size() > 1 && !op.inputs[1].dimOfLoop(int(l)))
      queries.push_back(l);
  if (queries.empty() || keys.size() != 1)
    return {};
  return {queries.back(), keys[0]};
}

std::vector<int64_t> mercury::blocksPerLoop(const CostProblem &problem,
                                            const std::string &kernel) {
  if (!isGeneratedName(kernel) || problem.kind == LocalWork::Kind::Elementwise)
    return {};
  bool isGemm = problem.kind == LocalWork::Kind::Gemm;
  std::optional<std::vector<int64_t>> blocks =
      blocksOf(kernel, isGemm ? AchievedRate::Work::Gemm
                              : AchievedRate::Work::Attention);
  std::vector<size_t> loops =
      isGemm ? loopsOfContraction(problem.op) : loopsOfAttention(problem.op);
  if (!blocks || loops.empty())
    return {};
  std::vector<int64_t> tile(problem.op.loops.size());
  for (size_t b = 0; b < loops.size(); ++b)
    tile[loops[b]] = (*blocks)[b];
  return tile;
}

std::vector<std::string> mercury::measuredBlocks(const CostProblem &problem,
                                                 const DeviceModel &device) {
  std::vector<std::string> names;
  LocalTimes locals(device);
  for (const AchievedRate &rate : device.achieved)
    if (!blocksPerLoop(problem, rate.library).empty() &&
        std::find(names.begin(), names.end(), rate.library) == names.end() &&
        locals.isMeasured(workOf(problem, rate.library)))
      names.push_back(rate.library);
  return names;
}

bool mercury::setKernel(Schedule &schedule, const CostProblem &problem,
                        const TopologyModel &topology,
                        const std::string &kernel) {
  std::vector<int64_t> tile = blocksPerLoop(problem, kernel);
  for (size_t l = 0; l < tile.size(); ++l)
    if (tile[l] > paddedExtent(schedule, problem.op, l, topology) /
                      numTiles(schedule.loops[l], topology))
      return false;
  schedule.patch = tile.empty() ? kernel : "";
  schedule.tile = std::move(tile);
  return true;
}

std::string mercury::kernelOf(const Schedule &schedule,
                              const CostProblem &problem) {
  if (!schedule.tile.empty())
    for (const std::string &kernel : problem.kernels)
      if (blocksPerLoop(problem, kernel) == schedule.tile)
        return kernel;
  return schedule.patch;
}
