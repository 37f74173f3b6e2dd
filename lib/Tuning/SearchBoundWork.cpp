//===- SearchBoundWork.cpp - The least that ranks work --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchBound.h"

#include <algorithm>
#include <cmath>

using namespace mercury;

/// Seconds of all products, at the best rate that a tile of the largest
/// possible size, or a larger one with as much more padding, reaches.
double SearchBound::readWork(const PartialCandidate &part) {
  double iterations = 1 / double(part.free), cube = 1;
  keys = 1;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    double tile = double((op.loops[l].extent + ranks[l] - 1) / ranks[l]);
    iterations *= tile;
    if (!isBatch[l])
      cube *= tile;
    if (l == keyLoop)
      keys = tile;
  }
  // Two factors of a loop and of one size may be one.
  double shared = 1;
  kernels = 1;
  for (size_t i = 0; i < loops.size(); ++i) {
    double steps = double(loops[i].steps);
    if (loops[i].bothWays)
      kernels *= 2;
    if (!isBatch[loops[i].loop])
      cube /= steps;
    if (loops[i].loop == keyLoop)
      keys /= steps;
    for (size_t j = 0; j < i; ++j)
      if (loops[i].loop == loops[j].loop)
        shared =
            std::max(shared, double(std::min(loops[i].steps, loops[j].steps)));
  }
  cube *= shared;
  keys *= shared;
  if (!hasBatch)
    cube /= double(part.free);
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  double size = isAttention ? keys : std::cbrt(cube);
  double best = rate.at(size);
  if (rate.fraction)
    for (auto [point, figure] : rate.fraction->points) {
      double reached = rate.peak * std::min(figure * rate.scale, 1.0);
      if (point <= size)
        best = std::max(best, reached);
      else
        best =
            std::max(best, reached * (isAttention ? size / point
                                                  : std::pow(size / point, 3)));
    }
  double operations = problem.kind == LocalWork::Kind::Elementwise ? 0
                      : isAttention ? double(problem.headDim + problem.valueDim)
                                    : 1;
  products = 2 * iterations * operations / best;
  drained = 1;
  if (pieces > 1) {
    // In pieces a loop may end as soon as the last one is worked on; each axis
    // that is left may be a loop of two steps.
    for (double left = restSize; left > 1; left /= 2)
      drained *= 1 - (1 - 1 / pieces) / 2;
  }
  return products;
}

/// Of what a mask leaves, were it spread evenly, at the best rate of tiles with
/// no more keys than these; an order of tokens may round extents up.
double SearchBound::maskedWork(const PartialCandidate &part) const {
  double extent = double(op.loops[op.mask->key].extent),
         multiple = 4 * double(links.topology().numRanks()),
         most = keys * std::ceil(extent / multiple) * multiple / extent,
         best = rate.at(most);
  if (rate.fraction)
    for (auto [point, figure] : rate.fraction->points)
      if (point <= most)
        best = std::max(best, rate.peak * std::min(figure * rate.scale, 1.0));
  return leastWork * double(part.idle) * std::max(fastest / best, 1.0);
}

/// Of one of so many steps of all loops.
double SearchBound::leaf(double steps) const {
  // Under a mask some have none.
  if (hasMask)
    return 0;
  double read = 0;
  for (size_t t = 0; t < count; ++t)
    read += parts[t].seen * (!isInput(t) && hasReduction ? 2 : 1);
  return std::max(products, read / memoryRate) * drained / steps +
         launch * kernels;
}
