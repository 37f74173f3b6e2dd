//===- Median.h - What repeated runs tell -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_MEDIAN_H
#define MERCURY_TUNING_MEDIAN_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mercury {

/// The median of repeated runs, and where that of all runs lies.
struct Median {
  double value = 0;
  /// Ends of an interval of 95%, or of what so few runs give (5: 94%, 3: 75%):
  /// order statistics on both sides of the median, right whatever the
  /// distribution of the runs.
  double low = 0, high = 0;
  size_t runs = 0;

  /// Half of the interval, relative.
  double interval() const { return value > 0 ? (high - low) / 2 / value : 0; }
  /// Whether the runs tell that this is less than the other: their intervals
  /// are apart, and stand for something.
  bool isBelow(const Median &other) const {
    return std::min(runs, other.runs) >= 5 && high < other.low;
  }
};

/// Of at least one run.
inline Median medianOf(std::vector<double> runs) {
  std::sort(runs.begin(), runs.end());
  size_t count = runs.size();
  Median median;
  median.runs = count;
  median.value = (runs[(count - 1) / 2] + runs[count / 2]) / 2;
  // From run `out` at each end on: that the median is outside has the chance
  // 2 P(Bin(count, 1/2) < out), at most 5%.
  double chance =
             std::ldexp(1.0, -static_cast<int>(std::min<size_t>(count, 1000))),
         outside = chance;
  size_t out = 0;
  while (2 * outside <= 0.05 && 2 * (out + 1) < count) {
    ++out;
    chance *= static_cast<double>(count - out + 1) / out;
    outside += chance;
  }
  median.low = runs[out > 0 ? out - 1 : 0];
  median.high = runs[count - (out > 0 ? out : 1)];
  return median;
}

} // namespace mercury

#endif // MERCURY_TUNING_MEDIAN_H
