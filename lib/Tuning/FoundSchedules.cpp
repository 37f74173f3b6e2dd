//===- FoundSchedules.cpp - The best of what was looked at ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FoundSchedules.h"

#include <algorithm>
#include <cmath>

using namespace mercury;

double SearchResult::gap() const {
  if (isProven || best.empty() || lowerBound <= 0)
    return 0;
  return std::max(best.front().seconds / lowerBound - 1, 0.0);
}

bool FoundSchedules::mayMatter(double seconds, double bytes) const {
  if (options.memoryLimit > 0 && bytes > double(options.memoryLimit))
    // Counts only while nothing fits.
    return result.best.empty() &&
           (!result.smallest || bytes <= double(result.smallest->bytes));
  if (result.best.size() < options.top)
    return true;
  const FoundSchedule &last = result.best.back();
  if (options.objective(seconds, int64_t(bytes)) <=
      options.objective(last.seconds, last.bytes))
    return true;
  if (!options.pareto)
    return false;
  // Of all points that are as fast the slowest takes least. Equals count: the
  // text decides between them.
  auto at =
      std::upper_bound(result.pareto.begin(), result.pareto.end(), seconds,
                       [](double value, const FoundSchedule &point) {
                         return value < point.seconds;
                       });
  if (at == result.pareto.begin())
    return true;
  --at;
  return double(at->bytes) > bytes ||
         (double(at->bytes) == bytes && at->seconds == seconds);
}

void FoundSchedules::add(const Schedule &schedule, double seconds,
                         int64_t bytes) {
  if (options.memoryLimit > 0 && bytes > options.memoryLimit) {
    ++result.overLimit;
    if (result.best.empty()) {
      FoundSchedule found{schedule, seconds, bytes};
      auto key = [](const FoundSchedule &f) {
        return std::tuple(f.bytes, f.seconds, print(f.schedule));
      };
      if (!result.smallest || key(found) < key(*result.smallest))
        result.smallest = std::move(found);
    }
    return;
  }
  result.smallest.reset();
  addBest(schedule, seconds, bytes);
  addPareto(schedule, seconds, bytes);
}

bool FoundSchedules::isBetter(const FoundSchedule &a,
                              const FoundSchedule &b) const {
  double of[] = {options.objective(a.seconds, a.bytes),
                 options.objective(b.seconds, b.bytes)};
  if (of[0] != of[1])
    return of[0] < of[1];
  if (std::pair(a.seconds, a.bytes) != std::pair(b.seconds, b.bytes))
    return std::pair(a.seconds, a.bytes) < std::pair(b.seconds, b.bytes);
  std::string left = print(a.schedule), right = print(b.schedule);
  return std::pair(left.size(), left) < std::pair(right.size(), right);
}

void FoundSchedules::addBest(const Schedule &schedule, double seconds,
                             int64_t bytes) {
  std::vector<FoundSchedule> &best = result.best;
  if (best.size() == options.top &&
      options.objective(seconds, bytes) >
          options.objective(best.back().seconds, best.back().bytes))
    return;
  FoundSchedule found{schedule, seconds, bytes};
  auto at =
      std::upper_bound(best.begin(), best.end(), found,
                       [&](const FoundSchedule &a, const FoundSchedule &b) {
                         return isBetter(a, b);
                       });
  if (at != best.begin() && std::prev(at)->schedule == schedule)
    return;
  best.insert(at, std::move(found));
  if (best.size() > options.top)
    best.pop_back();
}

void FoundSchedules::addPareto(const Schedule &schedule, double seconds,
                               int64_t bytes) {
  std::vector<FoundSchedule> &front = result.pareto;
  FoundSchedule found{schedule, seconds, bytes};
  auto at = std::lower_bound(front.begin(), front.end(), seconds,
                             [](const FoundSchedule &point, double value) {
                               return point.seconds < value;
                             });
  // Faster ones take more; one of them may do with as little.
  if (at != front.begin() && std::prev(at)->bytes <= bytes)
    return;
  if (at != front.end() && at->seconds == seconds &&
      (at->bytes < bytes || (at->bytes == bytes && !isBetter(found, *at))))
    return;
  auto end = at;
  while (end != front.end() && end->bytes >= bytes)
    ++end;
  at = front.erase(at, end);
  front.insert(at, std::move(found));
}
