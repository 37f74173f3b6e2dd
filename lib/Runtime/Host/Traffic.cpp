//===- Traffic.cpp - Bytes that operations move ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

using namespace mercury::host;

const char *mercury::host::nameOf(Kind kind) {
  switch (kind) {
  case Kind::Send:
    return "send";
  case Kind::Recv:
    return "recv";
  case Kind::AllGather:
    return "all_gather";
  case Kind::ReduceScatter:
    return "reduce_scatter";
  case Kind::AllReduce:
    return "all_reduce";
  case Kind::Broadcast:
    return "broadcast";
  case Kind::Split:
    return "split";
  }
  return "unknown operation";
}

Traffic mercury::host::trafficOf(Kind kind, int rank, int64_t size, int peer,
                                 int64_t bytes) {
  if (size < 2)
    return {};
  switch (kind) {
  case Kind::AllGather:
  case Kind::ReduceScatter:
    return {(size - 1) * bytes, (size - 1) * bytes, size - 1};
  case Kind::AllReduce: {
    int64_t moved = 2 * (size - 1) * bytes / size;
    return {moved, moved, 2 * (size - 1)};
  }
  case Kind::Broadcast:
    if (rank == peer)
      return {bytes, 0, 1};
    return {0, bytes, 0};
  case Kind::Send:
    if (rank == peer)
      return {};
    return {bytes, 0, 1};
  case Kind::Recv:
    if (rank == peer)
      return {};
    return {0, bytes, 0};
  case Kind::Split:
    break;
  }
  return {};
}
