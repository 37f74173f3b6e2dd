//===- FoundSchedules.h - The best of what was looked at --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_FOUNDSCHEDULES_H
#define MERCURY_LIB_TUNING_FOUNDSCHEDULES_H

#include "Mercury/Tuning/Search.h"

namespace mercury {

/// Keeps the best schedules, and those that no other one beats in both time and
/// memory.
class FoundSchedules {
public:
  FoundSchedules(const SearchOptions &options, SearchResult &result)
      : options(options), result(result) {}

  /// Whether a schedule, or all of a part of the space, that has at least so
  /// much of the objective, seconds and bytes may change the result.
  bool mayMatter(double goal, double seconds, double bytes) const;
  /// What has been added before is not added again.
  void add(FoundSchedule found);

private:
  static bool isBetter(const FoundSchedule &a, const FoundSchedule &b);
  void addBest(FoundSchedule found);
  void addPareto(FoundSchedule found);

  const SearchOptions &options;
  SearchResult &result;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_FOUNDSCHEDULES_H
