//===- MemoryModel.h - Bytes that a schedule takes --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes each rank holds when it runs one operator under a schedule,
// without compiling: equal to what the program's requirements say and the host
// runtime's allocator counts. docs/Rationale/Memory.md has the rules.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_MEMORYMODEL_H
#define MERCURY_TUNING_MEMORYMODEL_H

#include "Mercury/Schedule/Schedule.h"

#include <array>
#include <memory>

namespace mercury {

/// What bytes are held for: values of mercury_memory_class.
enum class MemoryClass {
  OwnShard,
  Travelling,
  Staging,
  Workspace,
  HeldForOthers
};
constexpr size_t numMemoryClasses = 5;
/// "own shard", "travelling", ...
std::string_view stringify(MemoryClass memoryClass);

/// What computes inside a rank.
enum class LocalKernel {
  Loops,     ///< plain loops, and kernels of devices: no workspace
  Generated, ///< vector code for this CPU, with packed operands
  Blas       ///< a library: vector code for attention alone
};

/// One function that computes one operator, as far as memory goes.
struct MemoryProblem {
  OperatorModel op;
  /// Extents of all dimensions of each input and result.
  std::vector<std::vector<int64_t>> inputs, results;
  LocalKernel local = LocalKernel::Loops;
  /// Attention in its online form is finished by a division: bytes of an
  /// element of the output; 0: results are returned as they are.
  int64_t finishedBytes = 0;
  /// The log-sum-exp is returned, too, in the type of the state.
  bool returnsLogSumExp = false;
  /// Inputs that are strided parts of one larger argument, as Q, K and V of a
  /// packed tensor.
  bool arePacked = false;
};

/// The problem of `op` whose dimensions without a loop all have `features`
/// elements. Coupled results (attention) are finished to elements of the
/// first input.
MemoryProblem makeMemoryProblem(OperatorModel op, int64_t features = 1);

/// Bytes per rank; all ranks hold the same. Alignment is not counted.
struct MemoryEstimate {
  /// Held when most is held, by class.
  std::array<int64_t, numMemoryClasses> atPeak{};
  /// Held of each class when most of it is.
  std::array<int64_t, numMemoryClasses> most{};
  /// False: an upper bound.
  bool isExact = true;
  int64_t peak() const;
  bool operator==(const MemoryEstimate &) const = default;
};

/// Answers for many schedules of one problem on one topology.
class MemoryModel {
public:
  MemoryModel(MemoryProblem problem, TopologyModel topology);
  /// Of a legal schedule. Takes a few microseconds.
  MemoryEstimate estimate(const Schedule &schedule) const;
  const MemoryProblem &getProblem() const { return problem; }

private:
  MemoryProblem problem;
  TopologyModel topology;
};

/// Bytes that a program may hold on the device: what can be reserved, where
/// that is known, else its memory; 0 where neither is.
int64_t availableBytes(const DeviceModel &device);

/// Whether a rank's bytes fit on the device, else: needs 91.2 GiB of 76.0 GiB
/// (own shard 40.0, travelling 16.0, ...). A device of unknown memory holds
/// everything.
Verdict fits(const MemoryEstimate &estimate, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_TUNING_MEMORYMODEL_H
