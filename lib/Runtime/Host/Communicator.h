//===- Communicator.h - Communicators of ranks ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_COMMUNICATOR_H
#define MERCURY_LIB_RUNTIME_HOST_COMMUNICATOR_H

#include "Operation.h"

#include <unordered_map>

namespace mercury::host {

/// Sends and receives from one rank of a team to another. They are matched by
/// number, so that the order is that of issue whatever the streams do.
struct Channel {
  uint64_t sendsIssued = 0;
  uint64_t recvsIssued = 0;
  /// Posted, not yet matched.
  Operation *sends = nullptr;
  Operation *recvs = nullptr;
};

/// One collective under way on a team.
struct Collective {
  uint64_t sequence = 0;
  /// The operation of each rank, NULL before it arrives.
  std::vector<Operation *> members;
  /// Parameters of the first to arrive, which the others must equal.
  int firstRank = -1;
  int arrived = 0;
  /// Ranks that have left.
  int left = 0;
  /// Small collectives are computed for all ranks by one thread: one wait
  /// instead of one a phase.
  bool small = false;
  bool claimed = false;
  int phase = 0;
  int doneInPhase = 0;
  bool finished = false;
  /// Threads that work on it at the moment.
  int working = 0;
  TimePoint readyAt{};
  int64_t timed = -1; ///< with a timekeeper: its number there
};

/// What the ranks of one communicator share. Its state is guarded by the lock
/// of the domain.
class Team {
public:
  /// `globalRanks[i]` is the rank in the launch of rank i of the team, -1 while
  /// it is not known.
  Team(std::shared_ptr<Domain> domain, std::string name,
       std::vector<int64_t> globalRanks);
  ~Team();

  const std::shared_ptr<Domain> domain;
  const std::string name;
  std::vector<int64_t> globalRanks;
  /// Ranks as processes: tells its messages from those of other teams. Any two
  /// ranks have it for one team of both only.
  int number = 0;
  /// Collectives issued by each rank.
  std::vector<uint64_t> collectivesIssued;
  /// Collectives that a rank has joined and not all have left.
  std::vector<std::unique_ptr<Collective>> collectives;

  int size() const { return static_cast<int>(globalRanks.size()); }
  /// The channel for messages of `from` to `to`.
  Channel &channel(int from, int to);
  /// "communicator 'gpu' {4,5,6,7}".
  std::string describe() const;
  /// "rank 5", or "rank 1 of the communicator" when its global rank is unknown.
  std::string describeRank(int rank) const;

private:
  std::unordered_map<uint64_t, Channel> channels;
};

/// Forgets communicators of `domain` that not all ranks have initialized.
void forgetIncompleteTeams(const Domain *domain);

/// What ncclGetUniqueId and ncclCommInitRank do after their arguments have been
/// checked. `context` is the caller's.
ncclResult_t makeUniqueId(ncclUniqueId &uniqueId);
ncclResult_t joinTeam(ncclComm_t &comm, int size, const ncclUniqueId &id,
                      int rank);

} // namespace mercury::host

/// A rank's handle of a communicator.
struct ncclComm {
  ncclComm(std::shared_ptr<mercury::host::Team> team, int rank,
           mercury_context *context, bool owned)
      : team(std::move(team)), rank(rank), context(context), owned(owned) {}

  mercury::host::LiveHandle handle;
  std::shared_ptr<mercury::host::Team> team;
  /// The caller's rank inside the team.
  int rank;
  /// The caller's context, NULL outside of a launch.
  mercury_context *context;
  /// Belongs to the context, which frees it.
  bool owned;
};

#endif // MERCURY_LIB_RUNTIME_HOST_COMMUNICATOR_H
