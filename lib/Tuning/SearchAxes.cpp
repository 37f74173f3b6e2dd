//===- SearchAxes.cpp - Axes in the form that is searched -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchAxes.h"

#include <algorithm>

using namespace mercury;

/// Every way to cut a size into prime factors, outermost first.
static void cutSize(int64_t size, std::vector<int64_t> &factors,
                    std::vector<std::vector<int64_t>> &all) {
  if (size == 1) {
    all.push_back(factors);
    return;
  }
  int64_t left = size;
  for (int64_t p = 2; left > 1; ++p) {
    if (p * p > left)
      p = left;
    if (left % p != 0)
      continue;
    while (left % p == 0)
      left /= p;
    factors.push_back(p);
    cutSize(size / p, factors, all);
    factors.pop_back();
  }
}

AxisRef mercury::spelled(const AxisRef &axis, const TopologyModel &topology) {
  return {axis.level, axis.pre, topology.sizeOf(axis)};
}

AxisList mercury::joined(const AxisList &axes, const TopologyModel &topology) {
  AxisList list;
  for (const AxisRef &next : axes) {
    AxisRef axis = spelled(next, topology);
    if (axis.size == 1)
      continue;
    if (!list.empty() && list.back().level == axis.level &&
        axis.pre == list.back().pre * list.back().size)
      list.back().size *= axis.size;
    else
      list.push_back(axis);
  }
  return list;
}

AxisList mercury::cutLike(const AxisList &axes, const AxisList &others,
                          const TopologyModel &topology) {
  AxisList list;
  for (AxisRef axis : joined(axes, topology)) {
    int64_t end = axis.pre * axis.size;
    while (axis.pre < end) {
      // Up to the next place where another one begins or ends.
      int64_t next = end;
      for (const AxisRef &ref : others) {
        AxisRef other = spelled(ref, topology);
        for (int64_t place : {other.pre, other.pre * other.size})
          if (other.level == axis.level && place > axis.pre)
            next = std::min(next, place);
      }
      axis.size = next / axis.pre;
      bool isWhole = axis.size == topology.find(axis.level)->size;
      list.push_back(isWhole ? AxisRef{axis.level} : axis);
      axis.pre = next;
    }
  }
  return list;
}

std::vector<AxisList> mercury::finestCuts(const TopologyModel &topology,
                                          bool subAxes) {
  std::vector<AxisList> cuts = {{}};
  for (const Level &level : topology.levels) {
    std::vector<std::vector<int64_t>> ways;
    std::vector<int64_t> factors;
    if (subAxes)
      cutSize(level.size, factors, ways);
    else
      ways = {level.size > 1 ? std::vector<int64_t>{level.size}
                             : std::vector<int64_t>{}};
    std::vector<AxisList> product;
    for (const AxisList &outer : cuts)
      for (const std::vector<int64_t> &way : ways) {
        product.push_back(outer);
        int64_t pre = 1;
        for (int64_t size : way) {
          product.back().push_back({level.name, pre, size});
          pre *= size;
        }
      }
    cuts = std::move(product);
  }
  return cuts;
}
