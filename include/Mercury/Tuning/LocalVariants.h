//===- LocalVariants.h - Ways to compute a rank's tile ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No figure of a machine tells the cache blocks of generated code apart, so
// that those of a schedule are measured, not searched.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_LOCALVARIANTS_H
#define MERCURY_TUNING_LOCALVARIANTS_H

#include "Mercury/Tuning/CostProblem.h"

namespace mercury {

/// Bytes of the data caches of a core.
struct CacheSizes {
  int64_t first = 48 << 10, second = 2 << 20;
};
/// Those of the machine that this runs on; what it does not say stays as above.
CacheSizes hostCaches();

/// `schedule` with other blocks (`tile`) around those that the code generator
/// takes, at most `most` of them, the nearest first: halves and doubles, of one
/// loop or of several, that take no more of a cache than there is, or than the
/// generator's own do. Loops that a rank has little of are not blocked. Nothing
/// of a schedule that has a kernel or blocks already, nor of work that is
/// neither a contraction nor attention.
std::vector<Schedule> localVariants(const Schedule &schedule,
                                    const CostProblem &problem,
                                    const TopologyModel &topology,
                                    const CacheSizes &caches, size_t most);

} // namespace mercury

#endif // MERCURY_TUNING_LOCALVARIANTS_H
