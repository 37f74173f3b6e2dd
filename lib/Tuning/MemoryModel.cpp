//===- MemoryModel.cpp - Bytes that a schedule takes ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/MemoryModel.h"
#include "MemoryProgram.h"

#include <cstdio>
#include <numeric>

using namespace mercury;

std::string_view mercury::stringify(MemoryClass memoryClass) {
  switch (memoryClass) {
  case MemoryClass::OwnShard:
    return "own shard";
  case MemoryClass::Travelling:
    return "travelling";
  case MemoryClass::Staging:
    return "staging";
  case MemoryClass::Workspace:
    return "workspace";
  case MemoryClass::HeldForOthers:
    return "held for others";
  }
  return "";
}

MemoryProblem mercury::makeMemoryProblem(OperatorModel op, int64_t features) {
  MemoryProblem problem;
  auto shapes = [&](const std::vector<OperatorModel::Tensor> &tensors) {
    std::vector<std::vector<int64_t>> list;
    for (const OperatorModel::Tensor &tensor : tensors) {
      list.emplace_back();
      for (int loop : tensor.loopOfDim)
        list.back().push_back(loop >= 0 ? op.loops[loop].extent : features);
    }
    return list;
  };
  problem.inputs = shapes(op.inputs);
  problem.results = shapes(op.results);
  if (!op.coupled.empty() && !op.inputs.empty())
    problem.finishedBytes = op.inputs[0].elementBytes;
  problem.op = std::move(op);
  return problem;
}

int64_t MemoryEstimate::peak() const {
  return std::accumulate(atPeak.begin(), atPeak.end(), int64_t(0));
}

MemoryModel::MemoryModel(MemoryProblem problem, TopologyModel topology)
    : problem(std::move(problem)), topology(std::move(topology)) {}

/// Whether the schedule has no more dimensions, axes and time loops than are
/// followed.
static bool isFollowed(const OperatorModel &op, const Schedule &s) {
  size_t axes = 0;
  for (const LoopPlan &plan : s.loops)
    for (const Factor &factor : plan) {
      axes += factor.axes.size();
      for (const Shift &shift : factor.shifts)
        axes += shift.axes.size();
    }
  auto add = [&](const Placement &placement) {
    for (const AxisList &list : placement.dims)
      axes = std::max(axes, list.size());
    return placement.dims.size() <= maxRank;
  };
  bool fits = timeLoops(s).size() <= maxTimes;
  for (const OperandPlan &plan : s.inputs)
    fits &= add(plan.entry) && add(plan.nest);
  for (const ResultPlan &plan : s.results)
    fits &= add(plan.nest) && add(plan.exit);
  // As many as there may be in any list.
  return fits && axes <= maxAxes && op.inputs.size() == s.inputs.size() &&
         op.results.size() == s.results.size();
}

/// Every rank holds all tensors, and copies of each.
static MemoryEstimate upperBound(const MemoryProblem &problem) {
  int64_t inputs = 0, results = 0;
  auto bytes = [](const std::vector<int64_t> &shape, int64_t elementBytes) {
    for (int64_t extent : shape)
      elementBytes *= extent;
    return elementBytes;
  };
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    inputs += bytes(problem.inputs[i], problem.op.inputs[i].elementBytes);
  for (size_t r = 0; r < problem.results.size(); ++r)
    results += bytes(problem.results[r], problem.op.results[r].elementBytes);
  MemoryEstimate estimate;
  estimate.atPeak = {inputs + results, 2 * inputs + results, 2 * inputs,
                     4 * results};
  estimate.most = estimate.atPeak;
  estimate.isExact = false;
  return estimate;
}

MemoryEstimate MemoryModel::estimate(const Schedule &schedule) const {
  if (!isFollowed(problem.op, schedule))
    return upperBound(problem);
  return MemoryProgram(problem, schedule, topology).run();
}

int64_t mercury::availableBytes(const DeviceModel &device) {
  return device.reservable ? device.reservable : device.memory;
}

/// A number of bytes in the unit that suits `like`.
static std::string inUnitOf(int64_t bytes, int64_t like, bool named) {
  static constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB"};
  int unit = 0;
  double value = static_cast<double>(bytes);
  for (int64_t left = like; unit < 3 && left >= 1024; left /= 1024, ++unit)
    value /= 1024;
  char text[64];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f" : "%.1f", value);
  return named ? std::string(text) + " " + units[unit] : text;
}

Verdict mercury::fits(const MemoryEstimate &estimate,
                      const TopologyModel &topology) {
  int64_t available = availableBytes(topology.device);
  if (available == 0 || estimate.peak() <= available)
    return Verdict::ok();
  std::string classes;
  for (size_t i = 0; i < numMemoryClasses; ++i)
    if (estimate.atPeak[i] > 0)
      classes += (classes.empty() ? "" : ", ") +
                 std::string(stringify(static_cast<MemoryClass>(i))) + " " +
                 inUnitOf(estimate.atPeak[i], available, /*named=*/false);
  return Verdict::no("needs " + inUnitOf(estimate.peak(), available, true) +
                     " of " + inUnitOf(available, available, true) + " (" +
                     classes + ")");
}
