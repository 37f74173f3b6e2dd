//===- Figures.cpp - What machines' figures are made from -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

#include <algorithm>

using namespace mercury;

Curve mercury::busBandwidths(const std::vector<double> &gigabytes,
                             double first) {
  Curve curve;
  for (double bandwidth : gigabytes) {
    curve.points.emplace_back(first, bandwidth * GB);
    first *= 2;
  }
  return curve;
}

Curve mercury::allReduceAmong(int64_t ranks, const Curve &amongEight,
                              double limit) {
  Curve curve;
  if (ranks < 2)
    return curve;
  double sent = double(ranks - 1) / double(ranks) / (7.0 / 8.0);
  for (auto [size, bandwidth] : amongEight.points)
    curve.points.emplace_back(size, std::min(bandwidth * sent, limit));
  return curve;
}

Curve mercury::launchedAt(double seconds, double bandwidth, double factor) {
  Curve curve;
  // Between two of these sizes the interpolation is within a percent.
  for (double size = 1024; size <= double(1ull << 33); size *= 2)
    curve.points.emplace_back(size, factor * size /
                                        (seconds + factor * size / bandwidth));
  return curve;
}
