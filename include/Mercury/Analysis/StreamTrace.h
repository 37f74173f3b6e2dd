//===- StreamTrace.h - What ranks enqueue -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host of a rank runs ahead: it enqueues work on streams, and each stream
// does its work in order. Here is what every rank enqueues, in the order of its
// host, with the parts of buffers that the work uses.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_STREAMTRACE_H
#define MERCURY_ANALYSIS_STREAMTRACE_H

#include "Mercury/Analysis/BufferRef.h"
#include "Mercury/Analysis/CommunicationPlay.h"

namespace mercury {

/// Stream 0 runs kernels; stream 1 + c belongs to communicator c.
inline constexpr unsigned kComputeStream = 0;

/// How a piece of work uses a part of a buffer.
struct StreamAccess {
  BufferRef part;
  bool writes = false; ///< or only reads
  mlir::Value buffer;  ///< what stands for the allocation in the IR
};

/// What the host of a rank does.
struct StreamItem {
  enum class Kind {
    Work,   ///< enqueues `op` on `stream`
    Finish, ///< comes to the `commir.wait` of a communication
    Enter,  ///< comes to an op with regions that it runs
    Record, ///< enqueues that `event` happens
    Wait    ///< enqueues that `stream` waits for `event`
  };
  Kind kind = Kind::Work;
  /// The function stands for what came before it, its return for what follows:
  /// both use all arguments on the compute stream.
  mlir::Operation *op = nullptr;
  unsigned stream = kComputeStream;
  int32_t event = -1;
  /// Items that are one op have one group: the number of the first of them (an
  /// op has an item on each of its streams). Of `Finish`: the group that ends.
  size_t group = 0;
  unsigned execution = 0;    ///< how often the rank had come to `op` before
  bool communicates = false; ///< the work does
  bool starts = false;       ///< a `Finish` follows
  llvm::SmallVector<StreamAccess, 4> accesses;
  /// Of a launch, for each input: its value, where it is a number that is
  /// known.
  llvm::SmallVector<std::optional<int64_t>, 4> numbers;
  /// Streams whose communication may be in flight together with it.
  llvm::SmallVector<unsigned, 1> concurrent;
};

/// What all ranks enqueue.
struct StreamTrace {
  /// The communication alone, its communicators, and what cannot be played.
  CommunicationPlay play;
  std::vector<std::vector<StreamItem>> ranks; ///< items in order of the host
  /// Per communicator: each rank is a group of its own, nobody waits for it.
  std::vector<bool> isAlone;

  unsigned numStreams() const { return isAlone.size() + 1; }
  /// "compute", or the axes of the communicator.
  std::string describeStream(unsigned stream) const;
  /// Whether two items communicate over different communicators that wait for
  /// other ranks, which must not be in flight together unless a schedule says
  /// so.
  bool compete(const StreamItem &a, const StreamItem &b) const;
};

/// Whether `op` or something inside it communicates, enqueues work, allocates
/// or frees, or calls a function that has a body.
bool enqueues(mlir::Operation *op);

/// Plays `function`, of which all computation stands in kernels, on every rank.
/// At most `budget` ops are played, all ranks together; what takes more, cannot
/// be evaluated, or uses buffers on the host is a fault of `play`.
StreamTrace playStreams(mlir::func::FuncOp function,
                        const TopologyModel &topology, int64_t budget);

} // namespace mercury

#endif // MERCURY_ANALYSIS_STREAMTRACE_H
