//===- Curve.cpp - A figure as a function of a size -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Curve.h"

#include <algorithm>
#include <cmath>

using namespace mercury;

double Curve::at(double size) const {
  auto above = std::upper_bound(
      points.begin(), points.end(), size,
      [](double value, const auto &point) { return value < point.first; });
  if (above == points.begin())
    return points.front().second;
  if (above == points.end())
    return points.back().second;
  auto [x0, y0] = above[-1];
  auto [x1, y1] = *above;
  double part = std::log(size / x0) / std::log(x1 / x0);
  return y0 * std::pow(y1 / y0, part);
}

bool Curve::isLegal() const {
  double last = 0;
  for (auto [size, figure] : points) {
    if (!std::isfinite(size) || !std::isfinite(figure) || size <= last ||
        figure <= 0)
      return false;
    last = size;
  }
  return true;
}
