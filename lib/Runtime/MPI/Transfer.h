//===- Transfer.h - Messages of an operation under way ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_MPI_TRANSFER_H
#define MERCURY_LIB_RUNTIME_MPI_TRANSFER_H

#include "Processes.h"

namespace mercury::host {

/// What each rank tells the others at the start of a collective, so that calls
/// that differ are an error and not a hang.
struct CollectiveHead {
  Kind kind;
  ncclDataType_t type;
  ncclRedOp_t reduction;
  int32_t peer;
  uint64_t count;
  int32_t color;
  int32_t key;
  int64_t nextTeam;
};

/// The messages of one operation.
struct Transfer {
  struct Message {
    MPI_Request request;
    bool isSend;
    /// The other rank, inside the team.
    int peer;
    /// Bytes to receive.
    size_t bytes;
    /// It is the head of `peer`.
    bool isHead;
  };
  std::vector<Message> messages;

  // Collectives.

  /// Heads by rank; MPI reads ours and writes those of the others.
  std::vector<CollectiveHead> heads;
  /// What the others have sent to be reduced, by rank.
  std::vector<std::unique_ptr<char[]>> received;
  int phase = 0;

  /// Starts to send `bytes` bytes to a rank of the team of `operation`.
  void send(const Operation &operation, int peer, const void *source,
            size_t bytes, bool isHead = false);
  /// Starts to receive as many.
  void receive(const Operation &operation, int peer, void *destination,
               size_t bytes, bool isHead = false);
  /// Tests all messages; true when there is none left. Fails the domain where
  /// sizes or heads differ. `moved` is set when one has ended.
  bool test(const Operation &operation, bool &moved);
  /// After a failure: ends all receives; those whose bytes are on their way
  /// first get them.
  void endReceives();
  /// After a failure: returns when nobody uses the buffers.
  void giveUp(Domain::Lock &lock);
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_MPI_TRANSFER_H
