//===- NestMovements.cpp - How the tiles of one nest travel ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/NestMovements.h"

using namespace mlir;
using namespace mercury;

PlacedShape mercury::shapeInNest(Value base, ArrayRef<Access> accesses,
                                 const PlacedShape &placed,
                                 const TopologyModel &topology) {
  SmallVector<const Access *> same;
  for (const Access &access : accesses)
    if (access.base == base)
      same.push_back(&access);
  PlacedShape held = placed;
  held.placement = gatherFor(same, placed, topology);
  return held;
}

static std::vector<int64_t> extents(ArrayRef<int64_t> steps) {
  return {steps.begin(), steps.end()};
}

Movement mercury::movementOf(const Access &read, const PlacedShape &held,
                             ArrayRef<int64_t> steps,
                             const TopologyModel &topology) {
  return movementOfRead(ownersOf(read, held, topology), held.placement.axes(),
                        held.fetch, extents(steps), topology);
}

Verdict mercury::movementOf(const Access &write, const PlacedShape &held,
                            ArrayRef<int64_t> steps,
                            const TopologyModel &topology, Movement &movement) {
  return movementOfWrite(ownersOf(write, held, topology), held.placement.axes(),
                         extents(steps), topology, movement);
}
