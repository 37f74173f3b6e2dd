//===- Operation.h - Communication calls ------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_OPERATION_H
#define MERCURY_LIB_RUNTIME_CUDA_OPERATION_H

#include "Marks.h"

namespace mercury::cuda {

/// One call of the communication ABI by one rank.
struct Operation {
  host::Kind kind = host::Kind::Send;
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
  ncclComm_t comm = nullptr;
  CUstream stream = nullptr;

  /// Bytes that `count` describes.
  size_t bytes() const { return count * host::sizeOf(type); }
  /// True for a send or a receive.
  bool isPointToPoint() const {
    return kind == host::Kind::Send || kind == host::Kind::Recv;
  }
  /// What marks and texts say about it.
  Label label() const;
};

/// What is wrong with the arguments of `operation`; empty when nothing is.
std::string problem(const Operation &operation);

/// Where ranks share a device: enqueues the operations of a call or group. The
/// calling threads of the ranks meet until all that belongs together is
/// enqueued; the device does the rest. Takes the operations of one rank.
ncclResult_t runCopies(const std::vector<Operation> &operations);

/// True while the calling thread is inside of a group; leaving it this way
/// forgets the group's operations.
bool leaveGroup();

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_OPERATION_H
