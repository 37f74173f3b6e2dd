//===- SearchBoundAround.cpp - The least before and after loops -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchBound.h"

#include <algorithm>

using namespace mercury;

/// Adds the units that do `way` of `tensor`; how many ranks they have.
template <typename Includes>
static double groupOf(const PartialCandidate &part, LevelSizes &sizes,
                      Includes includes) {
  sizes.fill(1);
  double size = 1;
  for (const PartialUnit &unit : part.units)
    if (includes(unit)) {
      size *= double(unit.size);
      for (size_t l = 0; l < sizes.size(); ++l)
        sizes[l] *= unit.levels[l];
    }
  return size;
}

double SearchBound::collective(Primitive primitive, const LevelSizes &sizes,
                               double bytes, const PartialCandidate &part) {
  double slowest = 0, below = 1;
  for (size_t l = levels; l-- > 0; below *= double(sizes[l])) {
    if (sizes[l] == 1)
      continue;
    double sent = primitive == Primitive::AllReduce
                      ? bytes
                      : bytes * (1 - 1 / double(sizes[l]));
    exposed[l] += sent / below * double(links.sharing(l)) / least.rate(l);
    bool grows = part.free > 1;
    for (const PartialCandidate::Rest &rest : part.rest)
      grows |= rest.level == l;
    slowest = std::max(slowest, least.collective(primitive, l, sizes[l],
                                                 bytes / below, grows));
  }
  return slowest;
}

double SearchBound::allToAll(const LevelSizes &sizes, double bytes) {
  double outside = 1;
  for (size_t l = 0; l < levels; outside *= double(sizes[l++]))
    exposed[l] += bytes * (1 - 1 / double(sizes[l])) / outside *
                  double(links.sharing(l)) / least.rate(l);
  return least.allToAll(sizes, bytes);
}

/// Dimensions are gathered, or scattered, one after the other, others while
/// there is less of the tensor.
double SearchBound::byDimension(Primitive primitive, size_t tensor,
                                double bytes, const PartialCandidate &part) {
  Way way = primitive == Primitive::AllGather ? Way::Gather : Way::Scatter;
  LevelSizes sizes;
  double all = groupOf(part, sizes, [&](const PartialUnit &unit) {
    return wayOf(unit, tensor) == way;
  });
  double slowest = 0;
  for (size_t d = 0; d < modelOf(tensor).loopOfDim.size(); ++d) {
    double group = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return wayOf(unit, tensor) == way &&
             choiceOf(*unit.choice, tensor).dim == d;
    });
    if (group > 1)
      slowest = std::max(
          slowest, collective(primitive, sizes, bytes * group / all, part));
  }
  return slowest;
}

double SearchBound::before(const PartialCandidate &part) {
  double sum = 0;
  LevelSizes sizes;
  for (size_t t = 0; t < op.inputs.size(); ++t) {
    double gathered = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return choiceOf(*unit.choice, t).way == Way::Gather;
    });
    double exchanged = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return choiceOf(*unit.choice, t).way == Way::AllToAll;
    });
    // Of both the order decides how much of the tensor is there.
    if (exchanged > 1 && gathered == 1)
      sum += allToAll(sizes, parts[t].shard);
    if (gathered > 1 && exchanged == 1)
      sum += byDimension(Primitive::AllGather, t, parts[t].shard, part);
  }
  return sum;
}

double SearchBound::leaving(size_t result, double bytes) const {
  if (problem.finishedBytes == 0 || op.coupled.empty())
    return bytes;
  const std::vector<size_t> &state = op.coupled.front();
  size_t place = std::find(state.begin(), state.end(), result) - state.begin();
  // Maximum and sum become one, or none.
  if (place > 0 && place < state.size())
    return 0;
  return place > 0 ? bytes
                   : bytes * double(problem.finishedBytes) /
                         double(op.results[result].elementBytes);
}

double SearchBound::exitSeconds(const PartialCandidate &part) {
  double sum = 0, outside[20];
  // Sums that end along another dimension may be exchanged, too.
  std::fill_n(outside, levels, double(part.free));
  for (const PartialCandidate::Rest &rest : part.rest)
    for (size_t l = rest.level + 1; l < levels; ++l)
      outside[l] *= op.loops[rest.loop].reduction ? double(rest.size) : 1;
  for (size_t r = 0; r < op.results.size(); ++r) {
    double shard = leaving(r, parts[op.inputs.size() + r].shard), ranks = 1;
    if (shard == 0)
      continue;
    for (size_t l = 0; l < levels; ++l)
      ranks *= double(part.gathered[r][l]);
    double slowest = 0;
    for (size_t l = 0; l < levels; ++l) {
      LevelSizes alone;
      alone.fill(1);
      alone[l] = part.exchanged[r][l];
      for (size_t o = 0; o < l; ++o)
        outside[l] *= double(part.exchanged[r][o]);
      if (alone[l] > 1)
        slowest = std::max(slowest, allToAll(alone, shard / outside[l]));
      for (size_t o = 0; o < l; ++o)
        outside[l] /= double(part.exchanged[r][o]);
    }
    sum += slowest;
    if (ranks > 1)
      sum += collective(Primitive::AllGather, part.gathered[r], shard * ranks,
                        part);
  }
  return sum;
}

double SearchBound::after(const PartialCandidate &part) {
  double sum = 0;
  LevelSizes sizes;
  for (size_t t = op.inputs.size(); t < count; ++t) {
    double scattered = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return wayOf(unit, t) == Way::Scatter;
    });
    if (scattered > 1)
      sum += byDimension(Primitive::ReduceScatter, t,
                         parts[t].shard * scattered, part);
    double summed = groupOf(part, sizes, [&](const PartialUnit &unit) {
      return op.loops[unit.choice->loop].reduction &&
             choiceOf(*unit.choice, t).way == Way::Local;
    });
    if (summed > 1)
      sum += collective(Primitive::AllReduce, sizes, parts[t].shard, part);
  }
  return sum + exitSeconds(part);
}
