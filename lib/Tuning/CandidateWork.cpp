//===- CandidateWork.cpp - Extents and work of candidates -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"

#include <cmath>
#include <numeric>

using namespace mercury;

void CandidateCost::readExtents(const Candidate &c) {
  const OperatorModel &op = problem.op;
  int64_t multiple[maxLoops], count[maxLoops];
  for (size_t l = 0; l < op.loops.size(); ++l)
    multiple[l] = count[l] = division->sizeOf(c.ranks[l]);
  for (const Candidate::Time &time : c.times) {
    int64_t steps = division->sizeOf(division->units[time.members[0].unit]);
    count[time.loop] *= steps;
    multiple[time.loop] *= steps * (time.bothDirections ? 2 : 1);
  }
  size_t inputs = op.inputs.size(), tensors = inputs + op.results.size();
  auto modelOf = [&](size_t t) -> const OperatorModel::Tensor & {
    return t < inputs ? op.inputs[t] : op.results[t - inputs];
  };
  for (size_t t = 0; t < tensors; ++t)
    for (size_t d = 0; d < modelOf(t).loopOfDim.size(); ++d)
      if (int loop = modelOf(t).loopOfDim[d]; loop >= 0)
        for (const AxisSequence *axes :
             {&c.tensors[t].entry[d], &c.tensors[t].nest[d]})
          if (!axes->empty())
            multiple[loop] = std::lcm(multiple[loop], division->sizeOf(*axes));
  for (size_t l = 0; l < op.loops.size(); ++l) {
    int64_t extent = op.loops[l].extent;
    if (parts > 1 && isMasked(l) &&
        masks->isDivided(c, l, /*whileLoopsRun=*/false))
      multiple[l] =
          std::lcm(multiple[l], TokenOrder::zigzag(parts).granularity());
    padded[l] =
        (extent / multiple[l] + (extent % multiple[l] != 0)) * multiple[l];
    tile[l] = padded[l] / count[l];
  }
  held = 0;
  for (size_t t = 0; t < tensors; ++t) {
    const OperatorModel::Tensor &model = modelOf(t);
    const std::vector<int64_t> &shape =
        t < inputs ? problem.inputShapes[t] : problem.resultShapes[t - inputs];
    double own = model.elementBytes;
    shard[t] = tileBytes[t] = model.elementBytes;
    for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
      int loop = model.loopOfDim[d];
      int64_t whole = loop >= 0 ? padded[loop] : shape[d];
      auto part = [&](const AxisSequence &axes) {
        int64_t ranks = division->sizeOf(axes);
        return double((whole + ranks - 1) / ranks);
      };
      shard[t] *= part(c.tensors[t].nest[d]);
      own *= part(c.tensors[t].entry[d]);
      tileBytes[t] *= double(loop >= 0 ? tile[loop] : whole);
    }
    // Coupled results are finished to something smaller.
    if (t < inputs || op.coupled.empty())
      held += own;
  }
}

void CandidateCost::readWork(const Candidate &c) {
  const OperatorModel &op = problem.op;
  // Of a mask's loops pairs are counted.
  double iterations = 1, cube = 1;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    if (!isMasked(l))
      iterations *= double(tile[l]);
    if (!isBatch[l])
      cube *= double(tile[l]);
  }
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  double operations = problem.kind == LocalWork::Kind::Elementwise ? 0
                      : isAttention ? double(problem.headDim + problem.valueDim)
                                    : 1;
  bool hasReduction = op.loops.size() > 0 && op.loops[keyLoop].reduction;
  double size =
      isAttention && hasReduction ? double(tile[keyLoop]) : std::cbrt(cube);
  bool reduces = false, movesState = false;
  halves = 1;
  for (const Candidate::Time &time : c.times)
    halves *= time.bothDirections ? 2 : 1;
  size = isAttention ? size / halves : size / std::cbrt(double(halves));
  for (size_t t = 0; t < c.times.size(); ++t) {
    reduces |= op.loops[c.times[t].loop].reduction && loops[t].steps > 1;
    movesState |= loopTimes[t].moves;
  }
  double memoryBytes = 0, stateBytes = 0;
  for (size_t t = 0; t < op.inputs.size(); ++t)
    memoryBytes += tileBytes[t];
  for (size_t r = 0; r < op.results.size(); ++r) {
    double bytes = tileBytes[op.inputs.size() + r];
    memoryBytes += bytes * (hasReduction ? 2 * halves : 1);
    stateBytes +=
        bytes * double(problem.stateBytes) / double(op.results[r].elementBytes);
  }
  double mergeBytes =
      reduces || movesState ? problem.mergePasses * stateBytes : 0;
  memorySeconds = memoryBytes / memoryRate;
  mergeSeconds = mergeBytes / memoryRate;
  for (size_t k = 0; k < rates.size(); ++k)
    for (size_t isCut = 0; isCut <= (masks ? 1 : 0); ++isCut)
      pairSeconds[k][isCut] =
          2 * iterations * operations / rates[k][isCut].at(size);
  if (masks)
    queryRows = std::max(double(tile[problem.op.mask->query]), 1.0);
  // A time loop in both directions halves its tile.
  int64_t parted[maxLoops];
  std::copy_n(tile, op.loops.size(), parted);
  for (const Candidate::Time &time : c.times)
    if (time.bothDirections)
      parted[time.loop] = tile[time.loop] / 2;
  for (size_t k = 0; k < rates.size(); ++k)
    for (size_t l = 0; l < blocks[k].size(); ++l)
      if (blocks[k][l] > parted[l])
        pairSeconds[k][0] = HUGE_VAL;
}
