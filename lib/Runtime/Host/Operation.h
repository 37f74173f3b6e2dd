//===- Operation.h - Communication calls under way --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_OPERATION_H
#define MERCURY_LIB_RUNTIME_HOST_OPERATION_H

#include "Call.h"
#include "Domain.h"

namespace mercury::host {

class Team;
struct Collective;
struct Portion;
struct Transfer;

/// One call of the communication ABI by one rank.
struct Operation : Call {
  std::shared_ptr<Team> team;
  /// The caller's rank inside the team.
  int rank = 0;
  /// The caller's context, NULL outside of a launch.
  mercury_context *context = nullptr;
  cudaStream_t stream = nullptr;

  // What follows is guarded by the domain's lock.

  /// Number of this operation among those that it is matched with: sends or
  /// receives of one ordered pair of ranks, or collectives of one rank.
  uint64_t sequence = 0;
  Portion *portion = nullptr;
  /// Others can see it: queued, matched, or arrived at its collective.
  bool posted = false;
  bool done = false;
  /// Emulated end of the transfer; with a timekeeper its number there.
  TimePoint readyAt{};
  int64_t timed = -1;

  /// Send and receive: next in the channel's list, and the matched partner.
  Operation *next = nullptr;
  Operation *match = nullptr;
  /// The partner is a buffered eager message that this receive owns.
  bool ownsMatch = false;
  /// The receiver copies out of this send's buffer at the moment.
  bool busy = false;
  /// The receive has its bytes.
  bool copied = false;
  /// Eager message: when it was sent, its bytes, its entry in the domain.
  TimePoint postedAt{};
  std::unique_ptr<char[]> buffer;
  std::list<Undelivered>::iterator undelivered;

  /// Collective: what it has joined, and the next share of work to do.
  Collective *collective = nullptr;
  int nextPhase = 0;

  /// Ranks as processes: its messages, instead of all that a match or a
  /// collective holds above.
  std::shared_ptr<Transfer> transfer;

  /// Global rank of the caller, or its rank in the team when unknown.
  int64_t globalRank() const;
  /// "send of 16 bytes to rank 1 on communicator 'gpu' {0,1}".
  std::string describe() const;
  /// Ranks inside the team that have not posted what this waits for; none while
  /// it is not posted itself.
  std::vector<int> missing() const;
};

/// The operations of one batch that run on one stream.
struct Portion {
  Batch *batch = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Operation> operations;
  /// The thread that runs it, once started.
  Waiter *waiter = nullptr;
  bool started = false;
  bool finished = false;

  /// Runs the operations until all are done or communication has failed.
  void run();
  /// Goes as far as it can without waiting. True when it has ended, else `next`
  /// is the time at which an operation is due.
  bool step(Domain::Lock &lock, TimePoint &next);

private:
  /// Strict mode: are all earlier batches of the rank done?
  bool hasTurn() const;
  /// Gives up all unfinished operations after a failure.
  void abandon(Domain::Lock &lock);
  /// Marks the portion and, with its last one, the batch as complete.
  void finish();
};

/// One call, or one outermost group, of one rank.
struct Batch {
  LiveHandle handle;
  std::shared_ptr<Domain> domain;
  mercury_context *context = nullptr;
  std::vector<Portion> portions;
  /// Position in Domain::batches.
  std::list<Batch *>::iterator position;
  /// Strict mode: its number among the rank's batches.
  uint64_t ticket = 0;
  size_t remaining = 0;
  /// The operation and source location that mercury_check named, or NULL.
  std::atomic<const char *> what{nullptr};
  /// Result of the portion that ran on the caller's thread.
  ncclResult_t result = ncclSuccess;

  /// Text of `what`, empty when there is none.
  std::string whatText() const;
};

/// Adds a complete operation to the counters of the caller.
void countTransfer(const Operation &operation);

/// What differs between two operations that should be the same collective, as
/// text about `operation` ("count 4"); empty when equal.
std::string difference(const Operation &operation, const Operation &other);

/// The elements of an all-reduce that rank `rank` of `size` reduces.
std::pair<size_t, size_t> slice(const Operation &operation, int rank, int size);

/// The error of two ranks that call different collectives: `first` came first.
Failure mismatch(const Operation &operation, const Operation &first);

/// The error of a receive of `bytes` from `peer`, which sends another size.
Failure sizeMismatch(const Operation &receive, int peer,
                     const std::string &sent, size_t bytes);

/// Posts a send or receive: matches it with its partner or queues it.
void postPointToPoint(Operation &operation, Domain::Lock &lock);
/// Advances it: true when something moved, else lowers `next` to the time at
/// which it is due.
bool advancePointToPoint(Operation &operation, Domain::Lock &lock,
                         TimePoint &next);
/// Takes it back after a failure; returns when nobody uses its buffer.
void abandonPointToPoint(Operation &operation, Domain::Lock &lock);

/// Joins the collective that the other ranks of the team have joined.
void postCollective(Operation &operation, Domain::Lock &lock);
/// As advancePointToPoint.
bool advanceCollective(Operation &operation, Domain::Lock &lock,
                       TimePoint &next);
/// As abandonPointToPoint.
void abandonCollective(Operation &operation, Domain::Lock &lock);

/// The batch that the calling thread issued last, if it is still alive.
std::shared_ptr<Batch> lastBatch();

/// True while the calling thread is inside of a group; leaving it this way
/// forgets the group's operations.
bool leaveGroup();

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_OPERATION_H
