//===- MemoryLoops.h - The buffers of a loop nest ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows lib/Transforms/{ResolveNest,LowerRotation,Prefetch}.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_MEMORYLOOPS_H
#define MERCURY_LIB_TUNING_MEMORYLOOPS_H

#include "Flights.h"
#include "MemoryNest.h"

namespace mercury {

class MemoryLoops {
public:
  MemoryLoops(const OperatorModel &op, const NestModel &nest, TileOps &ops,
              llvm::ArrayRef<Sharded> inputs);

  /// Runs the loops; `outputs` are placed, and get what ranks hold of them.
  /// What computes in them holds `workspace` bytes at most.
  void run(llvm::MutableArrayRef<Sharded> outputs, bool arePartial,
           int64_t workspace);
  bool isExact = true;

private:
  /// A tensor whose tiles arrive in one way.
  struct Source {
    InputMotion motion;
    Tile tile;
  };
  /// The tiles of a broadcast or fetch.
  struct Arrival {
    Tile tile, into;
  };
  struct Loop {
    size_t time = 0;
    llvm::SmallVector<Arrival, 4> arrivals;
  };

  void addSource(size_t input, const Sharded &value);
  void prepare(Source &source);
  Communicators communicator(const Axes &axes);
  void arrive(Source &source);
  void rotateTiles(const Source &source);
  void addKeyRanges();
  Tile makeOutput(const Sharded &placed, const ResultMotion &motion);

  const OperatorModel &op;
  const NestModel &nest;
  TileOps &ops;
  llvm::SmallVector<Source, 4> sources;
  llvm::SmallVector<Loop, 4> loops; ///< of more than one step, outermost first
  /// Of each loop, with an arrival for each of it.
  llvm::SmallVector<FlightLoop, 4> flights;
  llvm::SmallVector<Axes, 6> communicators;
  /// Arrivals before all loops, and buffers that the loops use.
  llvm::SmallVector<Arrival, 4> before;
  llvm::SmallVector<MemoryLedger::Buffer, 24> used;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_MEMORYLOOPS_H
