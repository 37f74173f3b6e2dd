//===- StreamPrograms.h - Programs on streams -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_STREAMPROGRAMS_H
#define MERCURY_UNITTESTS_INTEGRATION_STREAMPROGRAMS_H

#include "Mercury/Analysis/StreamTrace.h"
#include "Programs.h"

#include <set>

namespace mercury::test {

/// What all ranks enqueue in the module's one function that is no kernel.
StreamTrace playRanks(mlir::ModuleOp module);

/// Per rank, what it enqueues while a communication is in flight:
/// (communication, other work), each by its number among all that it enqueues.
using Overlaps = std::vector<std::set<std::pair<size_t, size_t>>>;
Overlaps findOverlaps(const StreamTrace &trace);

/// How many of the pairs may be in no order: the second does not follow the
/// first through streams and what must be in order. Those that the events of
/// the trace put in order are appended to `lost`.
size_t countOverlaps(const StreamTrace &trace, const Overlaps &overlaps,
                     std::string &lost);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_STREAMPROGRAMS_H
