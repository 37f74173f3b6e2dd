//===- MemoryProgram.cpp - The buffers of one scheduled operator ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryProgram.h"
#include "MemoryLoops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mercury;
using llvm::ArrayRef;

/// The extents padded to what the schedule's factors divide.
Extents MemoryProgram::globalOf(ArrayRef<int64_t> shape,
                                const OperatorModel::Tensor &tensor) const {
  Extents global(shape.begin(), shape.end());
  for (size_t dim = 0; dim < global.size(); ++dim)
    if (int loop = tensor.loopOfDim[dim]; loop >= 0)
      global[dim] += nest.extent(loop) - op.loops[loop].extent;
  return global;
}

/// An argument, padded to whole tiles.
Sharded MemoryProgram::enter(size_t i) {
  const std::vector<int64_t> &shape = problem.inputs[i];
  Extents whole = globalOf(shape, op.inputs[i]);
  Sharded v;
  v.axes = nest.inputEntry[i];
  v.orders = nest.inputEntryOrders[i];
  v.global.assign(shape.begin(), shape.end());
  v.padded = v.global;
  for (size_t dim = 0; dim < v.padded.size(); ++dim)
    if (!v.axes[dim].empty() || v.orders[dim])
      v.padded[dim] = llvm::alignTo(
          whole[dim],
          std::lcm(nest.axes.size(v.axes[dim]),
                   v.orders[dim] ? v.orders[dim]->granularity() : int64_t(1)));
  v.tile.elementBytes = op.inputs[i].elementBytes;
  v.tile.shape = v.local(nest.axes);
  v.tile.strides = rowMajor(v.tile.shape);
  if (problem.arePacked) {
    // Rows of the others lie between its own.
    v.tile.isSlice = true;
    for (size_t dim = 0; dim + 1 < v.tile.strides.size(); ++dim)
      v.tile.strides[dim] *= static_cast<int64_t>(op.inputs.size());
  }
  ledger.addOwnShard(v.tile.bytes());
  for (size_t dim = 0; dim < v.padded.size(); ++dim)
    if (v.axes[dim].empty() && !v.orders[dim] && whole[dim] != v.padded[dim]) {
      v.tile = ops.resize(v.tile, dim, whole[dim]);
      v.padded[dim] = whole[dim];
    }
  v.global = whole;
  return v;
}

AxesOfDims MemoryProgram::atEnd(size_t r) const { return nest.resultNest[r]; }

void MemoryProgram::runNest() {
  llvm::SmallVector<Sharded, 3> outputs;
  for (size_t r = 0; r < op.results.size(); ++r) {
    Sharded v;
    v.axes = atEnd(r);
    for (Axes &list : v.axes)
      llvm::erase_if(
          list, [&](int axis) { return llvm::is_contained(partial, axis); });
    v.global = globalOf(problem.results[r], op.results[r]);
    if (!partial.empty()) {
      v.axes.insert(v.axes.begin(), partial);
      v.global.insert(v.global.begin(), nest.axes.size(partial));
    }
    v.padded = v.global;
    for (size_t dim = 0; dim < v.padded.size(); ++dim)
      v.padded[dim] = llvm::alignTo(v.padded[dim], nest.axes.size(v.axes[dim]));
    outputs.push_back(std::move(v));
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (AxesOfDims kept = nest.gatheredFor(i, inputs[i]);
        kept != inputs[i].axes)
      inputs[i] = reshards.convert(std::move(inputs[i]), kept);
  // An argument that results accumulate into enters as they are placed.
  for (size_t r = 0; r < op.results.size(); ++r)
    if (r < op.neutralInit.size() && !op.neutralInit[r]) {
      int64_t bytes = op.results[r].elementBytes;
      for (size_t dim = 0; dim < problem.results[r].size(); ++dim)
        bytes *=
            llvm::divideCeil(globalOf(problem.results[r], op.results[r])[dim],
                             nest.axes.size(atEnd(r)[dim]));
      ledger.addOwnShard(bytes);
    }
  MemoryLoops loops(op, nest, ops, inputs);
  results.clear();
  loops.run(outputs, !partial.empty(), workspaceBytes());
  isExact &= loops.isExact;
  results.assign(outputs.begin(), outputs.end());
}

/// Results that are coupled: the pivot (the second, attention's maximum) is
/// reduced, the others are rescaled to it and reduced one by one.
void MemoryProgram::reduceCoupled(ArrayRef<size_t> members) {
  size_t pivot = members.size() > 1 ? members[1] : members[0];
  AxesOfDims rows = atEnd(pivot);
  for (Axes &list : rows)
    llvm::erase_if(list,
                   [&](int axis) { return llvm::is_contained(partial, axis); });
  // The partial maximum is still needed.
  Sharded top = results[pivot];
  top.tile =
      ops.reshape(top.tile, ArrayRef<int64_t>(top.tile.shape).drop_front());
  Tile copy = ops.make(top.tile.shape, top.tile.elementBytes);
  ops.compute({&top.tile}, copy);
  Sharded reduced = top;
  reduced.tile = copy;
  reduced.tile.shape.insert(reduced.tile.shape.begin(), 1);
  reduced.tile.strides = rowMajor(reduced.tile.shape);
  reduced = reshards.reduce(std::move(reduced), rows);
  for (size_t r : members)
    if (r != pivot)
      ops.compute({&top.tile, &reduced.tile}, results[r].tile);
  for (size_t r : members)
    results[r] =
        r == pivot
            ? reshards.convert(reduced, atEnd(r))
            : reshards.convert(reshards.reduce(results[r], atEnd(r)), atEnd(r));
}

void MemoryProgram::endReductions() {
  if (partial.empty())
    return;
  llvm::SmallVector<bool, 4> isDone(results.size(), false);
  for (const std::vector<size_t> &members : op.coupled) {
    reduceCoupled(members);
    for (size_t r : members)
      isDone[r] = true;
  }
  for (size_t r = 0; r < results.size(); ++r)
    if (!isDone[r])
      results[r] =
          reshards.convert(reshards.reduce(results[r], atEnd(r)), atEnd(r));
}

/// An op on what ranks hold, into a new buffer.
Sharded MemoryProgram::elementwise(ArrayRef<const Sharded *> from,
                                   const Sharded &like, int64_t elementBytes) {
  Sharded v = like;
  v.tile = ops.make(like.tile.shape, elementBytes);
  llvm::SmallVector<const Tile *, 3> tiles;
  for (const Sharded *each : from)
    tiles.push_back(&each->tile);
  ops.compute(tiles, v.tile);
  return v;
}

/// A result of the function: computed in the caller's buffer where nothing
/// stands between, else copied.
void MemoryProgram::store(const Sharded &v) {
  ledger.addOwnShard(v.tile.bytes());
  if (v.tile.isWholeBuffer() && !v.tile.isPinned && v.tile.buffer >= 0) {
    ledger.giveAway(v.tile.buffer);
    return;
  }
  Tile result = v.tile;
  result.buffer = MemoryLedger::callers;
  ops.compute({&v.tile}, result);
}

/// Cuts padding off and moves a value to where results leave.
void MemoryProgram::leave(size_t r) {
  Sharded &v = results[r];
  v.orders = nest.resultNestOrders[r];
  v = reshards.convert(std::move(v), nest.resultExit[r],
                       nest.resultExitOrders[r]);
  v.global.assign(problem.results[r].begin(), problem.results[r].end());
  for (size_t dim = 0; dim < v.global.size(); ++dim)
    if (v.axes[dim].empty() && !v.orders[dim]) {
      v.tile = ops.resize(v.tile, dim, v.global[dim]);
      v.padded[dim] = v.global[dim];
    }
}

/// Attention divides its accumulator by the sum.
void MemoryProgram::finish() {
  Sharded out = elementwise({&results[0], &results[2]}, results[0],
                            problem.finishedBytes);
  Sharded maximum = results[1], sum = results[2];
  results[0] = out;
  leave(0);
  Sharded lse;
  if (problem.returnsLogSumExp) {
    results[1] =
        elementwise({&maximum, &sum}, maximum, maximum.tile.elementBytes);
    leave(1);
    lse = results[1];
  }
  store(results[0]);
  if (problem.returnsLogSumExp)
    store(lse);
}

MemoryEstimate MemoryProgram::run() {
  for (size_t i = 0; i < op.inputs.size(); ++i)
    inputs.push_back(enter(i));
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = reshards.convert(std::move(inputs[i]), nest.inputNest[i],
                                 nest.inputNestOrders[i]);
  partial = nest.partialAxes();
  runNest();
  endReductions();
  if (problem.finishedBytes && results.size() == 3) {
    finish();
  } else {
    for (size_t r = 0; r < results.size(); ++r)
      leave(r);
    for (const Sharded &v : results)
      store(v);
  }
  MemoryEstimate estimate = ledger.sum();
  estimate.isExact = isExact && reshards.isExact;
  return estimate;
}
