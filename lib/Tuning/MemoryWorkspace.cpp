//===- MemoryWorkspace.cpp - What local kernels hold ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows lib/Transforms/Local/{Blocking,ContractionNest,AttentionTile}.cpp.
//
//===----------------------------------------------------------------------===//

#include "MemoryProgram.h"
#include "Mercury/Schedule/LocalTile.h"

using namespace mercury;

/// Elements of two registers of AVX-512 in f32, and rows of its register block:
/// what sizes are rounded up to.
static constexpr int64_t panel = 32, height = 12;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The most that any loop of `loops` is asked to be cut into, or `chosen`.
static int64_t most(const Schedule &s, const std::vector<size_t> &loops,
                    int64_t chosen) {
  for (size_t loop : loops)
    if (loop < s.tile.size())
      chosen = std::max(chosen, s.tile[loop]);
  return chosen;
}

/// Which of the loops is whose follows from the order of dimensions in memory;
/// a size that is asked for may be that of rows or of columns.
static int64_t contractionElements(const OperatorModel &op, const Schedule &s) {
  std::vector<size_t> parallel, reductions;
  for (size_t l = 0; l < op.loops.size(); ++l)
    (op.loops[l].reduction ? reductions : parallel).push_back(l);
  ContractionBlockSizes chosen;
  int64_t depth = roundUp(most(s, reductions, chosen.depth), panel);
  int64_t columns = roundUp(most(s, parallel, chosen.columns), panel) + panel;
  int64_t rows = roundUp(most(s, parallel, chosen.rows), height);
  return (columns + rows) * depth;
}

static int64_t attentionElements(const MemoryProblem &problem,
                                 const Schedule &s) {
  const OperatorModel &op = problem.op;
  AttentionBlockSizes wanted;
  int64_t asked = 1;
  for (size_t l = 0; l < s.tile.size(); ++l) {
    if (op.loops[l].reduction)
      wanted.keys = std::max(wanted.keys, s.tile[l]);
    // Loops that keys have are not blocked.
    else if (!op.inputs[1].dimOfLoop(l))
      asked *= std::max<int64_t>(s.tile[l], 1);
  }
  int64_t rows = roundUp(std::max(wanted.rows, asked), panel) + panel,
          keys = roundUp(wanted.keys, panel) + panel;
  int64_t d = problem.inputs[0].back(), e = problem.inputs[2].back();
  return rows * (d + panel) + keys * (d + panel) + keys * (e + panel) +
         rows * (keys + panel) + rows * (e + panel) + 3 * (rows + panel);
}

int64_t MemoryProgram::workspaceBytes() const {
  bool isAttention = !op.coupled.empty() && op.inputs.size() >= 3;
  if (problem.local == LocalKernel::Loops || !s.patch.empty() ||
      (problem.local == LocalKernel::Blas && !isAttention))
    return 0;
  int64_t elements =
      isAttention ? attentionElements(problem, s) : contractionElements(op, s);
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (nest.isBidirectional(l))
      return 2 * elements * std::max<int64_t>(op.results[0].elementBytes, 4);
  return elements * std::max<int64_t>(op.results[0].elementBytes, 4);
}
