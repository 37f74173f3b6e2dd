//===- StreamFaults.h - What events leave open ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_STREAMFAULTS_H
#define MERCURY_ANALYSIS_STREAMFAULTS_H

#include "Mercury/Analysis/StreamTrace.h"

namespace mercury {

/// Two items of a rank that streams may do in either order, and must not.
struct StreamFault {
  enum class Kind {
    Race,     ///< they use a part of a buffer, and one writes it
    Together, ///< communication that competes, see StreamTrace::compete
    TooMany   ///< `later` says of too many that it may be in flight with them
  };
  Kind kind = Kind::Race;
  int64_t rank = 0;
  size_t earlier = 0, later = 0; ///< items, in order of the host
  /// Of a race: the access of each of the two, by number.
  size_t earlierAccess = 0, laterAccess = 0;
};

/// Every item with the last item of each other stream that stands against it,
/// ordered by nothing but the records and waits of the trace (vector clocks,
/// each rank by itself: other ranks order nothing). Of a pair one access is
/// named.
std::vector<StreamFault> findStreamFaults(const StreamTrace &trace);

} // namespace mercury

#endif // MERCURY_ANALYSIS_STREAMFAULTS_H
