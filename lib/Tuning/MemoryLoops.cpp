//===- MemoryLoops.cpp - The buffers of a loop nest -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryLoops.h"
#include "llvm/ADT/STLExtras.h"

using namespace mercury;
using llvm::ArrayRef;

MemoryLoops::MemoryLoops(const OperatorModel &op, const NestModel &nest,
                         TileOps &ops, ArrayRef<Sharded> inputs)
    : op(op), nest(nest), ops(ops) {
  for (size_t t = 0; t < nest.times.size(); ++t)
    if (nest.times[t].taken > 1) {
      loops.emplace_back();
      loops.back().time = t;
    }
  flights.resize(loops.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    addSource(i, inputs[i]);
}

void MemoryLoops::addSource(size_t input, const Sharded &value) {
  const OperatorModel::Tensor &tensor = op.inputs[input];
  Extents local = value.tile.shape, tile = local;
  bool hasHalves = false;
  for (size_t dim = 0; dim < tile.size(); ++dim)
    if (int loop = tensor.mapped ? tensor.loopOfDim[dim] : -1; loop >= 0) {
      tile[dim] = nest.tileExtent(loop);
      hasHalves |= nest.isBidirectional(loop);
    }
  Source source{nest.motionOf(input, value.axes, local, tile), value.tile};
  // Each half of a tile that travels goes its own way.
  bool travels = source.motion.rotates || !source.motion.fetched.empty() ||
                 !source.motion.broadcast.empty();
  sources.append(hasHalves && travels ? 2 : 1, source);
}

Communicators MemoryLoops::communicator(const Axes &axes) {
  auto *it = llvm::find(communicators, axes);
  size_t number = it - communicators.begin();
  if (it == communicators.end())
    communicators.push_back(axes);
  return Communicators(1) << number;
}

/// What is done once before the loops.
void MemoryLoops::prepare(Source &source) {
  const InputMotion &motion = source.motion;
  for (size_t dim = 0; dim < motion.extents.size(); ++dim)
    source.tile = ops.slice(source.tile, dim, motion.extents[dim]);
  if (motion.isCut())
    source.tile = ops.cut(source.tile, motion.parts);
  if (motion.needsStart) {
    Tile started = ops.make(source.tile.shape, source.tile.elementBytes);
    ops.communicate(source.tile, started);
    source.tile = started;
  }
}

/// Tiles that come by fetch or broadcast: where, and from what.
void MemoryLoops::arrive(Source &source) {
  const InputMotion &motion = source.motion;
  if (motion.fetched.empty() && motion.broadcast.empty())
    return;
  Loop *around = nullptr;
  for (Loop &loop : loops)
    if (loop.time < motion.depth)
      around = &loop;
  Extents shape = motion.isCut() ? motion.partShape() : source.tile.shape;
  bool changes = around && !motion.hops[around->time].empty();
  auto add = [&](const Axes &axes, bool isOutside) {
    Arrival arrival{source.tile, ops.make(shape, source.tile.elementBytes)};
    source.tile = arrival.into;
    (around ? around->arrivals : before).push_back(arrival);
    if (around)
      flights[around - loops.begin()].arrivals.push_back(
          {communicator(axes), isOutside});
  };
  if (!motion.fetched.empty())
    add(motion.fetched, !changes);
  if (!motion.broadcast.empty())
    add(motion.broadcast, !changes && motion.fetched.empty());
}

/// Received into two buffers in turn, at each loop at which it hops.
void MemoryLoops::rotateTiles(const Source &source) {
  const InputMotion &motion = source.motion;
  if (!motion.rotates)
    return;
  for (const Loop &loop : loops) {
    if (motion.hops[loop.time].empty())
      continue;
    int64_t hops = nest.times[loop.time].taken - 1;
    for (int64_t i = 0; i < std::min<int64_t>(hops, 2); ++i)
      used.push_back(
          ops.ledger.make(source.tile.bytes(), MemoryClass::Travelling));
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// The buffers of an output while the loops run; returns what holds the result.
Tile MemoryLoops::makeOutput(const Sharded &placed,
                             const ResultMotion &motion) {
  Extents shape = placed.local(nest.axes);
  Tile held = ops.make(shape, op.results[0].elementBytes);
  bool isFresh = true;
  Tile result = held;
  for (const Loop &loop : loops) {
    if (!motion.moves || motion.hops[loop.time].empty()) {
      isFresh = false;
      continue;
    }
    used.push_back(held.buffer);
    Tile carried = held;
    if (!isFresh)
      carried = ops.make(shape, held.elementBytes);
    used.push_back(carried.buffer);
    used.push_back(ops.ledger.make(held.bytes(), MemoryClass::Travelling));
    // Contributions are computed beside what arrives.
    held = ops.make(shape, held.elementBytes);
    isFresh = true;
  }
  used.push_back(held.buffer);
  return result;
}

/// What a mask says by positions becomes a first and a last key per query of a
/// tile (mercury-materialize-masks).
void MemoryLoops::addKeyRanges() {
  if (!op.mask)
    return;
  bool hasHalves = nest.isBidirectional(op.mask->query) ||
                   nest.isBidirectional(op.mask->key);
  constexpr int64_t rangeBytes = 4; // i32
  for (int i = 0; i < (hasHalves ? 4 : 2); ++i) {
    Tile range = ops.make({nest.tileExtent(op.mask->query)}, rangeBytes);
    used.push_back(range.buffer);
    if (loops.empty())
      ops.compute({}, range);
  }
}

void MemoryLoops::run(llvm::MutableArrayRef<Sharded> outputs, bool arePartial,
                      int64_t workspace) {
  llvm::SmallVector<ResultMotion, 3> motions;
  for (size_t r = 0; r < outputs.size(); ++r)
    motions.push_back(nest.motionOfResult(r));
  for (Source &source : sources)
    prepare(source);
  for (auto [loop, flight] : llvm::zip(loops, flights)) {
    for (const Source &source : sources)
      if (source.motion.rotates && !source.motion.hops[loop.time].empty())
        flight.hops |= communicator(source.motion.hops[loop.time]);
    for (const ResultMotion &motion : motions)
      if (motion.moves && !motion.hops[loop.time].empty())
        flight.hops |= communicator(motion.hops[loop.time]);
  }
  llvm::SmallVector<std::pair<Tile, Tile>, 4> flattened;
  for (Source &source : sources) {
    used.push_back(source.tile.buffer);
    // Only what is a buffer of its own rotates.
    if (source.motion.rotates && source.tile.isSlice) {
      Tile flat = ops.make(source.tile.shape, source.tile.elementBytes,
                           MemoryClass::Staging);
      used.push_back(flat.buffer);
      if (!source.motion.hops[loops.front().time].empty()) {
        used[used.size() - 2] = MemoryLedger::callers;
        flattened.push_back({source.tile, flat});
      }
      source.tile = flat;
    }
    rotateTiles(source);
    arrive(source);
  }
  findFlights(flights);
  for (const Arrival &arrival : before)
    ops.communicate(arrival.tile, arrival.into);
  addKeyRanges();
  if (workspace > 0) {
    used.push_back(ops.ledger.make(workspace, MemoryClass::Workspace));
    isExact = false;
  }
  for (size_t r = 0; r < outputs.size(); ++r) {
    Sharded &output = outputs[r];
    output.tile.elementBytes = op.results[r].elementBytes;
    output.tile = makeOutput(output, motions[r]);
    output.tile.isExpanded = arePartial && loops.empty();
    used.push_back(output.tile.buffer);
    if (r < op.neutralInit.size() && !op.neutralInit[r]) {
      // What enters is merged in; where depends on how the result moves.
      isExact = false;
      used.push_back(
          ops.ledger.make(2 * output.tile.bytes(), MemoryClass::Workspace));
    }
    if (!(motions[r].moves && !loops.empty() &&
          !motions[r].hops[loops.front().time].empty()))
      ops.compute({}, output.tile); // filled
  }
  for (const auto &[tile, flat] : flattened)
    ops.compute({&tile}, flat);
  bool isOutermost = true;
  for (auto [loop, flight] : llvm::zip(loops, flights)) {
    for (auto [arrival, found] : llvm::zip(loop.arrivals, flight.arrivals)) {
      if (found.comesAhead)
        ops.ledger.setClass(arrival.into.buffer, MemoryClass::Travelling);
      ops.ledger.markCommunicated(arrival.tile.buffer);
      ops.ledger.markCommunicated(arrival.into.buffer);
      used.push_back(arrival.tile.buffer);
      used.push_back(arrival.into.buffer);
      if (!found.comesAhead)
        continue;
      // The first step's comes before the loop.
      if (isOutermost)
        ops.communicate(arrival.tile, arrival.into);
      used.push_back(
          ops.ledger.make(arrival.into.bytes(), MemoryClass::Travelling));
    }
    isOutermost = false;
  }
  for (MemoryLedger::Buffer buffer : used)
    ops.ledger.write(buffer);
  ops.ledger.end(loops.empty() ? MemoryLedger::Op::Work
                               : MemoryLedger::Op::Loop);
  for (size_t r = 0; r < outputs.size(); ++r)
    if (motions[r].needsHome) {
      Tile home = ops.make(outputs[r].tile.shape, outputs[r].tile.elementBytes);
      ops.communicate(outputs[r].tile, home);
      outputs[r].tile = home;
    }
}
