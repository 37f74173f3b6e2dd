//===- CurveFit.cpp - Curves from measurements ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/CurveFit.h"

#include <algorithm>
#include <cmath>

using namespace mercury;

Curve mercury::fitCurve(std::vector<std::pair<double, double>> points) {
  std::sort(points.begin(), points.end());
  Curve curve;
  for (size_t begin = 0, end; begin < points.size(); begin = end) {
    double size = 0, figure = 0;
    for (end = begin;
         end < points.size() && points[end].first <= 1.05 * points[begin].first;
         ++end) {
      size += std::log(points[end].first);
      figure += std::log(points[end].second);
    }
    double count = double(end - begin);
    curve.points.emplace_back(std::exp(size / count), std::exp(figure / count));
  }
  return curve;
}
