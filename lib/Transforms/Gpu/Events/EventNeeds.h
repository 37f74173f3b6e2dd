//===- EventNeeds.h - What must be in order ---------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_EVENTNEEDS_H
#define MERCURY_LIB_TRANSFORMS_GPU_EVENTNEEDS_H

#include "EventPlan.h"

namespace mercury {

/// An item that another must follow; those before it on its stream then are
/// before the other, too.
struct Need {
  unsigned stream;
  size_t item;
};

/// What the items of one rank must follow on other streams.
struct RankNeeds {
  /// Per item of work: its number on its stream, from 1.
  std::vector<size_t> index;
  /// Per item: on each other stream the last one that it must follow.
  std::vector<llvm::SmallVector<Need, 1>> needs;

  /// The number, on its stream, of what item `item` must follow on `stream`; 0:
  /// nothing.
  size_t needed(size_t item, unsigned stream) const;
};

/// Fills `plan.concurrent`.
void findConcurrent(const StreamTrace &trace, EventPlan &plan);

/// What must be in order: uses of a part of a buffer of which one writes, and
/// communication that competes, unless the later one is concurrent.
std::vector<RankNeeds> findNeeds(const StreamTrace &trace,
                                 const EventPlan &plan);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_EVENTNEEDS_H
