//===- Traffic.h - Bytes that operations move -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_TRAFFIC_H
#define MERCURY_LIB_RUNTIME_HOST_TRAFFIC_H

#include <cstdint>

namespace mercury::host {

/// What an operation does.
enum class Kind {
  Send,
  Recv,
  AllGather,
  ReduceScatter,
  AllReduce,
  Broadcast,
  Split
};

/// Name of a kind as error texts spell it.
const char *nameOf(Kind kind);

/// What one rank moves in an operation; bytes.
struct Traffic {
  int64_t sent = 0;
  int64_t received = 0;
  int64_t messages = 0;
};

/// What rank `rank` of `size` moves in an operation whose count is `bytes`: of
/// a collective as many bytes as a ring algorithm moves through each rank, of a
/// broadcast what its root sends and the others receive. Messages of a rank to
/// itself use no link and are not counted. `peer` is that of a message, or the
/// root.
Traffic trafficOf(Kind kind, int rank, int64_t size, int peer, int64_t bytes);

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_TRAFFIC_H
