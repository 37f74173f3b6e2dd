//===- Call.cpp - A call of the communication ABI -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mercury::host;

std::string
mercury::host::problem(const Call &call, int rank, int size,
                       const std::function<std::string()> &describe) {
  const char *name = nameOf(call.kind);
  if (size == 0)
    return format("%s without a communicator", name);
  if (call.kind == Kind::Split) {
    if (!call.newComm)
      return "split without a place for the new communicator";
    if (call.color < -1)
      return format("split with color %d, expected -1 (no part) or more",
                    call.color);
    return "";
  }
  size_t width = sizeOf(call.type);
  if (width == 0)
    return format("%s of unknown data type %d", name,
                  static_cast<int>(call.type));
  if (call.count > SIZE_MAX / width / size)
    return format("%s of %zu elements exceeds the address space", name,
                  call.count);
  bool isRooted = call.isPointToPoint() || call.kind == Kind::Broadcast;
  if (isRooted && (call.peer < 0 || call.peer >= size))
    return format("%s: %s %d is not a rank of %s of size %d", name,
                  call.kind == Kind::Broadcast ? "root" : "peer", call.peer,
                  describe().c_str(), size);
  bool reduces =
      call.kind == Kind::AllReduce || call.kind == Kind::ReduceScatter;
  if (reduces && (call.reduction < ncclSum || call.reduction > ncclMin))
    return format("%s with unsupported reduction %d (%s)", name,
                  static_cast<int>(call.reduction), nameOf(call.reduction));
  bool reads = call.kind != Kind::Recv &&
               (call.kind != Kind::Broadcast || call.peer == rank);
  bool writes = call.kind != Kind::Send;
  if (call.count > 0 &&
      ((reads && !call.source) || (writes && !call.destination)))
    return format("%s of %zu elements with a NULL buffer", name, call.count);
  return "";
}
