//===- LocalKernels.h - Kernels and blocks of schedules ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a CostProblem is a registered one, which a schedule patches in,
// or generated code in blocks (GeneratedBlocks.h), which are a schedule's tile.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_LOCALKERNELS_H
#define MERCURY_TUNING_LOCALKERNELS_H

#include "Mercury/Tuning/CostProblem.h"

namespace mercury {

/// A kernel's blocks, per loop of the operator, 0: not blocked. Empty: none, or
/// the operator has several loops that they may be of.
std::vector<int64_t> blocksPerLoop(const CostProblem &problem,
                                   const std::string &kernel);

/// Names of generated code in blocks that the device has curves of for this
/// work.
std::vector<std::string> measuredBlocks(const CostProblem &problem,
                                        const DeviceModel &device);

/// Lets `kernel` compute the tile of a schedule. False, and nothing changes,
/// where its blocks are larger than a rank's tile.
bool setKernel(Schedule &schedule, const CostProblem &problem,
               const TopologyModel &topology, const std::string &kernel);

/// What setKernel() was given; of other blocks "".
std::string kernelOf(const Schedule &schedule, const CostProblem &problem);

} // namespace mercury

#endif // MERCURY_TUNING_LOCALKERNELS_H
