//===- Communicator.h - Communicators of ranks on devices -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_COMMUNICATOR_H
#define MERCURY_LIB_RUNTIME_CUDA_COMMUNICATOR_H

#include "Operation.h"

#include <array>
#include <deque>
#include <optional>

namespace mercury::cuda {

/// Copies: a send that its receiver has not copied yet.
struct Message {
  CUdeviceptr source = 0;
  size_t bytes = 0;
  /// Behind what fills the source, and behind the copy.
  CUevent ready = nullptr;
  CUevent done = nullptr;
  /// The copy is on the receiver's stream.
  bool taken = false;
};

/// Copies: a collective that not all ranks are through with enqueueing.
struct Meeting {
  /// The operation of each rank, empty before it arrives, and its context: both
  /// are needed when that rank has gone on.
  std::vector<std::optional<Operation>> members;
  std::vector<mercury_context *> contexts;
  /// Event k of a rank is behind what it has enqueued in phase k.
  std::vector<std::array<CUevent, 3>> events;
  /// Where each rank reduces, page-locked host memory.
  std::vector<char *> staging;
  /// Ranks that have enqueued phase k.
  std::array<int, 3> through{};
  int left = 0;
  /// Split: the new teams by color.
  std::map<int, std::shared_ptr<Team>> teams;
};

/// What the ranks of one communicator share; with copies guarded by the lock of
/// the domain.
class Team {
public:
  /// `ranks[i]` is the rank in the launch of rank i of the team, -1 while it is
  /// not known.
  Team(std::string name, std::vector<int64_t> ranks)
      : name(std::move(name)), ranks(std::move(ranks)),
        issued(this->ranks.size(), 0) {}

  const std::string name;
  std::vector<int64_t> ranks;
  /// Copies: sends by sender and receiver, in order.
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> sends;
  /// Copies: collectives that each rank has issued, and those under way.
  std::vector<uint64_t> issued;
  std::map<uint64_t, std::shared_ptr<Meeting>> meetings;

  int size() const { return static_cast<int>(ranks.size()); }
  /// "communicator 'gpu' {4,5,6,7}".
  std::string describe() const;
  /// "rank 5", or "rank 1 of the communicator" when its global rank is unknown.
  std::string describeRank(int rank) const;
};

/// Returns `result`; NCCL's text about it becomes the last error. `comm` is
/// NCCL's handle or NULL.
ncclResult_t tellNccl(const Nccl &nccl, ncclResult_t result, ncclComm_t comm);

/// Makes the communicators of `context`, which all ranks do at the same time:
/// NCCL meets in one order on all of them. Records an error.
void makeCommunicators(mercury_context &context);

} // namespace mercury::cuda

/// A rank's handle of a communicator.
struct ncclComm {
  /// One of NCCL is from now on looked after by the watcher of the launch.
  ncclComm(std::shared_ptr<mercury::cuda::Team> team, int rank,
           mercury_context *context, ncclComm_t real, bool owned);
  ~ncclComm();
  ncclComm(const ncclComm &) = delete;
  ncclComm &operator=(const ncclComm &) = delete;

  /// Takes NCCL's handle, so that the caller destroys or aborts it; NULL when
  /// the watcher has done so.
  ncclComm_t takeReal();

  mercury::host::LiveHandle handle;
  std::shared_ptr<mercury::cuda::Team> team;
  /// The caller's rank inside the team.
  int rank;
  /// The caller's context, NULL outside of a launch.
  mercury_context *context;
  /// NCCL's own handle; NULL: copies.
  const ncclComm_t real;
  /// Somebody destroys or aborts it. Under the lock of the domain.
  bool taken = false;
  /// Belongs to the context, which frees it.
  bool owned;
};

#endif // MERCURY_LIB_RUNTIME_CUDA_COMMUNICATOR_H
