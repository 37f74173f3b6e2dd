//===- RankRunner.h - Every rank of a program ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_RANKRUNNER_H
#define MERCURY_TOOLS_MERCURY_RUN_RANKRUNNER_H

#include "Compile.h"
#include "Mercury/Runtime/mercury_host.h"
#include <functional>

namespace mercury::run {

struct LaunchOptions {
  int64_t repeat = 1;
  bool strict = false;
  bool eager = false;
  /// Emulate links with the figures of the topology, or with these (bytes/s,
  /// seconds) where they are not negative.
  bool emulateLinks = false;
  double linkBandwidth = -1, linkLatency = -1;
  double timeScale = 1;
  double watchdogSeconds = 30;
  int64_t memoryLimit = 0;  ///< bytes per rank, 0: none
  double jitterSeconds = 0; ///< random delays on streams, at most
  /// Says how long kernels and communication take, times timeScale; or null.
  const mercury_host_clock *clock = nullptr;
  /// Memory that the program allocates in the first repetition is full of NaN.
  bool poison = true;
  /// The results of the last repetition are put together.
  bool results = true;
  /// Called after each repetition, while the ranks wait, with its number, the
  /// global results and the divergences of replicas.
  std::function<void(int64_t, const std::vector<HostTensor> &,
                     const std::vector<std::string> &)>
      onRepetition;
};

struct RunResult {
  /// Of the last repetition, where they are asked for.
  std::vector<HostTensor> results;
  std::vector<std::string> divergences;
  /// Per repetition: from the first rank's start to the last one's end.
  std::vector<double> seconds;
  /// The same in processor time, which other programs do not lengthen: of the
  /// thread of the rank that took most.
  std::vector<double> processorSeconds;
  double medianSeconds() const;
  /// Per rank, over the first repetition; shards are part of the bytes held.
  std::vector<mercury_host_stats> stats;
};

/// Runs all ranks on shards of the global `arguments`. Where ranks are
/// processes, all of them call this, and only that of rank 0 gets the result.
llvm::Expected<RunResult> runProgram(const CompiledProgram &program,
                                     const std::vector<HostTensor> &arguments,
                                     const LaunchOptions &options);

/// Levels split into the factors that the axes of the communicators name, so
/// that each axis is a range of levels.
struct HostLayout {
  std::vector<std::string> names;
  std::vector<mercury_host_level> levels;
  std::vector<std::vector<int32_t>> communicators; ///< levels, first is major
};

/// Fails where two axes of one level cannot be factored together, such as
/// gpu:(1)2 and gpu:(1)3 of gpu=6.
llvm::Expected<HostLayout>
layoutRanks(const TopologyModel &topology,
            const std::vector<Communicator> &communicators);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_RANKRUNNER_H
