//===- Objective.cpp - What is best, and how it is written ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/ScheduleFigures.h"
#include "Mercury/Tuning/Search.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace mercury;

double Objective::operator()(double seconds, int64_t bytes) const {
  switch (kind) {
  case Kind::Time:
    return seconds;
  case Kind::Memory:
    return static_cast<double>(bytes);
  case Kind::Bytes:
    return std::round(seconds);
  case Kind::Both:
    return (1 - weight) * std::log(seconds) +
           weight * std::log(static_cast<double>(std::max<int64_t>(bytes, 1)));
  }
  return seconds;
}

/// A machine on which a byte over one level takes a second, and nothing else
/// any time.
static TopologyModel onlyBytes(TopologyModel topology, size_t level) {
  constexpr double noTime = 1e30; // bytes or operations a second
  DeviceModel device;
  for (const auto &[type, peak] : topology.device.peak)
    device.peak[type] = noTime;
  device.memoryBandwidth = noTime;
  topology.device = device;
  for (size_t l = 0; l < topology.levels.size(); ++l) {
    Level &other = topology.levels[l];
    other.bandwidth = l == level ? 1 : noTime;
    other.latency = other.launch = other.contention = 0;
    other.curves.clear();
  }
  return topology;
}

std::vector<TopologyModel> mercury::machinesFor(const Objective &objective,
                                                const TopologyModel &topology) {
  if (objective.kind == Objective::Kind::Bytes) {
    std::optional<size_t> level = slowestLevel(LinkTimes(topology));
    return {onlyBytes(topology, level.value_or(topology.levels.size()))};
  }
  std::vector<TopologyModel> machines;
  if (const std::optional<Objective::Slowdown> &slow = objective.slowdown)
    for (size_t l = 0; l < topology.levels.size(); ++l)
      if (topology.levels[l].size > 1 &&
          (slow->level.empty() || slow->level == topology.levels[l].name))
        machines.push_back(slowedDown(topology, l, slow->factor));
  if (machines.empty())
    machines.push_back(topology);
  return machines;
}

Goal::Goal(const Objective &objective, const CostProblem &problem,
           const TopologyModel &topology)
    : objective(objective) {
  for (const TopologyModel &machine : machinesFor(objective, topology))
    if (!(machine == topology))
      others.emplace_back(problem, machine);
}

double Goal::of(const Schedule &schedule, double seconds, int64_t bytes) {
  double most = others.empty() ? seconds : 0;
  for (CostModel &model : others)
    most = std::max(most, model.seconds(schedule));
  return objective(most, bytes);
}

Verdict mercury::verify(const Objective &objective,
                        const TopologyModel &topology) {
  if (objective.slowdown && !objective.slowdown->level.empty() &&
      !topology.find(objective.slowdown->level)) {
    std::string known;
    for (const Level &level : topology.levels)
      known += (known.empty() ? "'" : ", '") + level.name + "'";
    return Verdict::no(
        "objective '" + print(objective) + "': the topology has no level '" +
        objective.slowdown->level + "', its levels are " + known);
  }
  return Verdict::ok();
}

std::string mercury::print(const Objective &objective) {
  auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return std::string(text);
  };
  switch (objective.kind) {
  case Objective::Kind::Time:
    break;
  case Objective::Kind::Memory:
    return "memory";
  case Objective::Kind::Bytes:
    return "bytes";
  case Objective::Kind::Both:
    return "both:" + number(objective.weight);
  }
  if (const std::optional<Objective::Slowdown> &slow = objective.slowdown)
    return (slow->level.empty() ? "worst:" : "slowdown:" + slow->level + "=") +
           number(slow->factor);
  return "time";
}

/// A number of this range and nothing else.
static std::optional<double> parseNumber(std::string_view text, double least,
                                         double most) {
  std::string number(text);
  char *end = nullptr;
  double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != 0 || !(value >= least && value <= most))
    return std::nullopt;
  return value;
}

std::optional<Objective> mercury::parseObjective(std::string_view text,
                                                 std::string &error) {
  auto behind =
      [&](std::string_view prefix) -> std::optional<std::string_view> {
    if (text.substr(0, prefix.size()) != prefix)
      return std::nullopt;
    return text.substr(prefix.size());
  };
  Objective objective;
  if (text == "time")
    return objective;
  if (text == "memory" || text == "both" || text == "bytes") {
    objective.kind = text == "memory" ? Objective::Kind::Memory
                     : text == "both" ? Objective::Kind::Both
                                      : Objective::Kind::Bytes;
    return objective;
  }
  if (auto rest = behind("both:"))
    if (std::optional<double> weight = parseNumber(*rest, 0, 1)) {
      objective.kind = Objective::Kind::Both;
      objective.weight = *weight;
      return objective;
    }
  if (auto rest = behind("worst:"))
    if (std::optional<double> factor = parseNumber(*rest, 1, mostSlowdown)) {
      objective.slowdown = {"", *factor};
      return objective;
    }
  if (auto rest = behind("slowdown:"))
    if (size_t at = rest->find('='); at != 0 && at != std::string_view::npos)
      if (std::optional<double> factor =
              parseNumber(rest->substr(at + 1), 1, mostSlowdown)) {
        objective.slowdown = {std::string(rest->substr(0, at)), *factor};
        return objective;
      }
  error = "objective '" + std::string(text) +
          "' is none of 'time', 'memory', 'both', 'both:WEIGHT' with a weight "
          "of memory from 0 to 1, 'bytes', 'slowdown:LEVEL=FACTOR' and "
          "'worst:FACTOR' with a factor from 1 to 100";
  return std::nullopt;
}

std::optional<LocalKernel> mercury::parseLocalKernel(std::string_view text,
                                                     std::string &error) {
  if (text == "codegen")
    return LocalKernel::Generated;
  if (text == "blas")
    return LocalKernel::Blas;
  if (text == "loops")
    return LocalKernel::Loops;
  error = "local compute '" + std::string(text) +
          "' is none of 'codegen', 'blas' and 'loops'";
  return std::nullopt;
}
