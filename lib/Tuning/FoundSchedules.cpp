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
  return isProven || best.empty() ? 0 : gapOf(best.front().goal);
}

double SearchResult::gapOf(double goal) const {
  if (isLogarithm)
    return std::max(std::exp(goal - lowerBound) - 1, 0.0);
  return lowerBound > 0 ? std::max(goal / lowerBound - 1, 0.0) : 0;
}

bool FoundSchedules::mayMatter(double goal, double seconds,
                               double bytes) const {
  if (options.memoryLimit > 0 && bytes > double(options.memoryLimit))
    // Counts only while nothing fits.
    return result.best.empty() &&
           (!result.smallest || bytes <= double(result.smallest->bytes));
  if (result.best.size() < options.top)
    return true;
  // Equals count: the text decides between them.
  const FoundSchedule &last = result.best.back();
  if (std::tuple(goal, seconds, bytes) <=
      std::tuple(last.goal, last.seconds, double(last.bytes)))
    return true;
  if (!options.pareto)
    return false;
  // Of all points that are as fast the slowest takes least.
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

void FoundSchedules::add(FoundSchedule found) {
  if (options.memoryLimit > 0 && found.bytes > options.memoryLimit) {
    ++result.overLimit;
    if (result.best.empty()) {
      auto key = [](const FoundSchedule &f) {
        return std::tuple(f.bytes, f.seconds, print(f.schedule));
      };
      if (!result.smallest || key(found) < key(*result.smallest))
        result.smallest = std::move(found);
    }
    return;
  }
  result.smallest.reset();
  addPareto(found);
  addBest(std::move(found));
}

bool FoundSchedules::isBetter(const FoundSchedule &a, const FoundSchedule &b) {
  std::tuple left(a.goal, a.seconds, a.bytes),
      right(b.goal, b.seconds, b.bytes);
  if (left != right)
    return left < right;
  std::string first = print(a.schedule), second = print(b.schedule);
  return std::pair(first.size(), first) < std::pair(second.size(), second);
}

void FoundSchedules::addBest(FoundSchedule found) {
  std::vector<FoundSchedule> &best = result.best;
  if (best.size() == options.top && !isBetter(found, best.back()))
    return;
  auto at = std::upper_bound(best.begin(), best.end(), found, isBetter);
  if (at != best.begin() && std::prev(at)->schedule == found.schedule)
    return;
  best.insert(at, std::move(found));
  if (best.size() > options.top)
    best.pop_back();
}

void FoundSchedules::addPareto(FoundSchedule found) {
  std::vector<FoundSchedule> &front = result.pareto;
  auto at = std::lower_bound(front.begin(), front.end(), found.seconds,
                             [](const FoundSchedule &point, double value) {
                               return point.seconds < value;
                             });
  // Faster ones take more; one of them may do with as little.
  if (at != front.begin() && std::prev(at)->bytes <= found.bytes)
    return;
  if (at != front.end() && at->seconds == found.seconds &&
      (at->bytes < found.bytes ||
       (at->bytes == found.bytes && !isBetter(found, *at))))
    return;
  auto end = at;
  while (end != front.end() && end->bytes >= found.bytes)
    ++end;
  at = front.erase(at, end);
  front.insert(at, std::move(found));
}
