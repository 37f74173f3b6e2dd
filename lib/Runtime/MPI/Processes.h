//===- Processes.h - The processes of an MPI job ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only one thread of a process calls MPI, and none works in the background:
// what is under way moves when the process issues a call, calls
// mercury_progress, or waits.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_MPI_PROCESSES_H
#define MERCURY_LIB_RUNTIME_MPI_PROCESSES_H

#include "Launch.h"

// The bindings for C++ that MPI has given up.
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace mercury::host {

/// What a process tells others beside the messages of the program.
enum class About : int32_t {
  Arrived,  ///< ready for the launch
  Barrier,  ///< has entered mercury_host_barrier
  Failed,   ///< communication has failed
  Returned, ///< its rank_main has returned, with its first error
  Closed,   ///< has heard that all have returned, with its first error
  Quiet,    ///< after a failure: all that it has sent has been received
  Waits,    ///< has waited too long, and for whom
  Moves,    ///< the answer to Waits of a process that has not
  Finished, ///< has called mercury_host_finish
  Joins,    ///< wants to join a communicator by unique id
  Joined    ///< all have joined it
};

/// A notice: a head, and a text of any length.
struct Notice {
  struct Head {
    About about = About::Moves;
    int32_t result = ncclSuccess;
    /// The launch that it is about, counted from 1.
    int64_t launch = 0;
    int64_t values[4] = {};
  } head;
  int from = -1;
  std::string text;

  Notice() = default;
  explicit Notice(About about, std::string text = "") : text(std::move(text)) {
    head.about = about;
  }
  /// With an error, which `failure` gives back.
  Notice(About about, const Failure &failure);
  Failure failure() const;
};

/// This process and the others of the job.
class Processes {
public:
  /// Lives until the process ends.
  static Processes &get();

  /// Initializes MPI unless that is done; returns what went wrong.
  std::string join();
  int getRank() const { return rank; }
  int getSize() const { return size; }

  /// Waits until all processes are ready for one more launch, and makes it that
  /// of `domain`; returns what went wrong.
  std::string open(Domain &domain, int64_t numCommunicators);
  /// Ends the launch after rank_main: agrees with the others on its first
  /// error.
  Failure close();
  /// See mercury_host_finish.
  Failure finish(Failure own);

  /// The launch, NULL between launches, and the communicator of its messages.
  Domain *domain = nullptr;
  MPI_Comm messages = MPI_COMM_NULL;
  /// The tag of a message with this number of a team.
  int tag(const Team &team, bool collective, uint64_t sequence) const;
  /// The next number for a team, larger than that of any team of this process.
  int64_t nextTeam = 1;
  /// The largest number of a team that tags can carry.
  int64_t maxTeam() const { return (int64_t(1) << teamBits) - 1; }

  void send(int to, const Notice &notice);
  void sendToOthers(const Notice &notice);
  /// Keeps an eager message, which owns its bytes, until it has been received.
  void keep(MPI_Request request, std::unique_ptr<char[]> bytes,
            std::list<Undelivered>::iterator undelivered);
  /// Handles what has arrived and moves what is under way, without waiting.
  void poll();
  /// The same, but for the operations on streams.
  void pollNotices();
  /// After polls that have changed nothing for so long: lets others have the
  /// core.
  void rest(double idleSeconds) const;

  /// How many barriers each rank has entered.
  std::vector<uint64_t> barriers;
  /// Tells the others what this process waits in, unless it has since anything
  /// moved; returns the seconds since.
  double tellWaits();
  /// What this process does, as the watchdog reports it.
  RankState state() const;
  /// What others have told.
  std::map<int64_t, RankState> waiting;
  /// What this process waits in when that is no operation, or empty.
  std::string waitsIn;
  /// Ranks that have returned; what they have sent may still be under way.
  std::vector<int64_t> returning;
  /// Answers to our Joins, by number of the id.
  std::map<uint64_t, Notice> answers;

private:
  /// A notice or an eager message under way.
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<char[]> bytes;
    bool isMessage = false;
    std::list<Undelivered>::iterator undelivered{};
  };
  /// A communicator by unique id of this process that waits for ranks.
  struct Gathering {
    std::vector<int64_t> ranks;
    int64_t team = 0;
    int missing = 0;
  };

  void receive();
  /// After a failure: ends all receives, once, and takes whatever the others
  /// have sent, so that they may free it.
  void drain();
  /// Is an eager message under way?
  bool isSending() const;
  void handle(Notice notice);
  void handleJoin(const Notice &notice);
  void handleWaits(const Notice &notice);
  bool hasToldWaits() const;
  /// Polls until all processes have said it.
  void waitForAll(const std::vector<bool> &said);

  bool joined = false;
  /// MPI was initialized here, not by the caller.
  bool owned = false;
  int rank = 0, size = 1;
  int teamBits = 0, sequenceBits = 0;
  /// The processes of this machine fit its cores.
  bool maySpin = false;
  MPI_Comm control = MPI_COMM_NULL;
  int64_t launch = 0;
  std::list<Outgoing> outgoing;
  /// Notices about later launches.
  std::vector<Notice> early;
  std::vector<bool> arrived, returned, closed, quiet, finished;
  /// After a failure: receives have ended.
  bool drained = false;
  /// Errors that each has closed the launch with, and finished with.
  std::vector<Failure> errors, exits;
  TimePoint toldAt{};
  std::map<uint64_t, Gathering> gatherings;
};

/// Runs the streams of this process as far as they go without waiting.
void workStreams();

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_MPI_PROCESSES_H
