//===- Curve.h - A figure as a function of a size ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_CURVE_H
#define MERCURY_SCHEDULE_CURVE_H

#include <utility>
#include <vector>

namespace mercury {

/// A figure that was measured at some sizes. Between two points its logarithm
/// is linear in that of the size; outside of them it is that of the nearest
/// point. Empty: unknown.
struct Curve {
  /// (size, figure): both positive and finite, sizes increase.
  std::vector<std::pair<double, double>> points;
  bool operator==(const Curve &) const = default;

  explicit operator bool() const { return !points.empty(); }
  /// The figure at a size, of a curve that is not empty.
  double at(double size) const;
  /// Whether points are as they have to be.
  bool isLegal() const;
};

} // namespace mercury

#endif // MERCURY_SCHEDULE_CURVE_H
