//===- Stall.h - Says who waits for whom ------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_STALL_H
#define MERCURY_LIB_RUNTIME_HOST_STALL_H

#include "Support.h"

#include <map>
#include <set>
#include <vector>

namespace mercury::host {

/// What one rank does when nothing moves any more.
struct RankState {
  /// "waits in recv of 4 bytes ... for rank 1", per operation under way.
  std::vector<std::string> waits;
  /// Global ranks that it waits for.
  std::set<int64_t> waitsFor;
  /// Operations that have not started, and the first of them.
  int queued = 0;
  std::string firstQueued;
  bool inBarrier = false;
  bool returned = false;
  /// Its process has not said what it does.
  bool silent = false;
};

/// The watchdog's report: who waits for whom, and a cycle where there is one.
std::string describeStall(double seconds,
                          const std::map<int64_t, RankState> &states);

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_STALL_H
