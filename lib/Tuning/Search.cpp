//===- Search.cpp - The best schedules of the model -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

using namespace mercury;

double Objective::operator()(double seconds, int64_t bytes) const {
  switch (kind) {
  case Kind::Time:
    return seconds;
  case Kind::Memory:
    return static_cast<double>(bytes);
  case Kind::Both:
    return (1 - weight) * std::log(seconds) +
           weight * std::log(static_cast<double>(std::max<int64_t>(bytes, 1)));
  }
  return seconds;
}

std::optional<Objective> mercury::parseObjective(std::string_view text,
                                                 std::string &error) {
  if (text == "time")
    return Objective{Objective::Kind::Time};
  if (text == "memory")
    return Objective{Objective::Kind::Memory};
  if (text == "both")
    return Objective{Objective::Kind::Both};
  constexpr std::string_view prefix = "both:";
  if (text.substr(0, prefix.size()) == prefix) {
    std::string number(text.substr(prefix.size()));
    char *end = nullptr;
    double weight = std::strtod(number.c_str(), &end);
    if (!number.empty() && *end == 0 && weight >= 0 && weight <= 1)
      return Objective{Objective::Kind::Both, weight};
  }
  error = "objective '" + std::string(text) +
          "' is none of 'time', 'memory', 'both' and 'both:WEIGHT' with a "
          "weight of memory from 0 to 1";
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

double SearchResult::gap() const {
  if (isProven || best.empty() || lowerBound <= 0)
    return 0;
  return best.front().seconds / lowerBound - 1;
}

namespace {
/// Keeps the best, and those that no other one beats in time and memory.
class Collector {
public:
  Collector(const SearchOptions &options, SearchResult &result)
      : options(options), result(result) {}

  void add(const Schedule &schedule, double seconds, int64_t bytes) {
    ++result.visited;
    if (options.memoryLimit > 0 && bytes > options.memoryLimit) {
      ++result.overLimit;
      if (!result.smallest || std::pair(bytes, seconds) <
                                  std::pair(result.smallest->bytes,
                                            result.smallest->seconds))
        result.smallest = FoundSchedule{schedule, seconds, bytes};
      return;
    }
    addBest(schedule, seconds, bytes);
    addPareto(schedule, seconds, bytes);
  }

private:
  bool isBetter(const FoundSchedule &a, const FoundSchedule &b) const {
    double of[] = {options.objective(a.seconds, a.bytes),
                   options.objective(b.seconds, b.bytes)};
    if (of[0] != of[1])
      return of[0] < of[1];
    if (std::pair(a.seconds, a.bytes) != std::pair(b.seconds, b.bytes))
      return std::pair(a.seconds, a.bytes) < std::pair(b.seconds, b.bytes);
    std::string left = print(a.schedule), right = print(b.schedule);
    return std::pair(left.size(), left) < std::pair(right.size(), right);
  }

  void addBest(const Schedule &schedule, double seconds, int64_t bytes) {
    std::vector<FoundSchedule> &best = result.best;
    if (best.size() == options.top &&
        options.objective(seconds, bytes) >
            options.objective(best.back().seconds, best.back().bytes))
      return;
    FoundSchedule found{schedule, seconds, bytes};
    auto at = std::upper_bound(best.begin(), best.end(), found,
                               [&](const FoundSchedule &a,
                                   const FoundSchedule &b) {
                                 return isBetter(a, b);
                               });
    best.insert(at, std::move(found));
    if (best.size() > options.top)
      best.pop_back();
  }

  void addPareto(const Schedule &schedule, double seconds, int64_t bytes) {
    std::vector<FoundSchedule> &front = result.pareto;
    auto at = std::lower_bound(front.begin(), front.end(), seconds,
                               [](const FoundSchedule &point, double value) {
                                 return point.seconds < value;
                               });
    // Faster ones take more; one of them, or an equally fast one, may do with
    // as little.
    if (at != front.begin() && std::prev(at)->bytes <= bytes)
      return;
    if (at != front.end() && at->seconds == seconds && at->bytes <= bytes)
      return;
    auto end = at;
    while (end != front.end() && end->bytes >= bytes)
      ++end;
    at = front.erase(at, end);
    front.insert(at, {schedule, seconds, bytes});
  }

  const SearchOptions &options;
  SearchResult &result;
};
} // namespace

SearchResult mercury::findSchedules(CostModel &cost, const MemoryModel &memory,
                                    const TopologyModel &topology,
                                    const SearchOptions &options) {
  SearchResult result;
  result.lowerBound = cost.lowerBound();
  Collector collector(options, result);
  auto start = std::chrono::steady_clock::now();
  bool isComplete = true;
  enumerateSchedules(
      cost.problem().op, topology, options.space,
      [&](const Schedule &schedule) {
        collector.add(schedule, cost.seconds(schedule),
                      memory.estimate(schedule).peak());
        std::chrono::duration<double> seconds =
            std::chrono::steady_clock::now() - start;
        isComplete = options.budget <= 0 || seconds.count() < options.budget;
        return isComplete;
      });
  result.isProven = isComplete;
  return result;
}
