//===- Operation.h - Communication calls ------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_OPERATION_H
#define MERCURY_LIB_RUNTIME_CUDA_OPERATION_H

#include "Call.h"
#include "Marks.h"

namespace mercury::cuda {

/// One call of the communication ABI by one rank.
struct Operation : host::Call {
  ncclComm_t comm = nullptr;
  CUstream stream = nullptr;

  /// What marks and texts say about it.
  Label label() const;
};

/// Where ranks share a device: enqueues the operations of a call or group. The
/// calling threads of the ranks meet until all that belongs together is
/// enqueued; the device does the rest. Takes the operations of one rank.
ncclResult_t runCopies(const std::vector<Operation> &operations);

/// True while the calling thread is inside of a group; leaving it this way
/// forgets the group's operations.
bool leaveGroup();

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_OPERATION_H
