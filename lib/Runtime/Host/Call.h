//===- Call.h - A call of the communication ABI -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_CALL_H
#define MERCURY_LIB_RUNTIME_HOST_CALL_H

#include "Support.h"
#include "Traffic.h"

#include <functional>
#include <string>

namespace mercury::host {

/// The arguments of one call by one rank.
struct Call {
  Kind kind = Kind::Send;
  const void *source = nullptr;
  void *destination = nullptr;
  size_t count = 0;
  ncclDataType_t type = ncclInt8;
  ncclRedOp_t reduction = ncclSum;
  /// Peer of a send or receive, root of a broadcast; inside the team.
  int peer = -1;
  /// Arguments of a split.
  int color = 0;
  int key = 0;
  ncclComm_t *newComm = nullptr;

  /// Bytes of the buffer that `count` describes.
  size_t bytes() const { return count * sizeOf(type); }
  /// True for a send or a receive.
  bool isPointToPoint() const {
    return kind == Kind::Send || kind == Kind::Recv;
  }
};

/// What is wrong with a call by rank `rank` of a communicator of `size` ranks,
/// 0 when it names none; empty when nothing is. `describe` names the
/// communicator.
std::string problem(const Call &call, int rank, int size,
                    const std::function<std::string()> &describe);

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_CALL_H
