//===- Meeting.h - Ranks meet with rendezvous semantics ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_ANALYSIS_MEETING_H
#define MERCURY_LIB_ANALYSIS_MEETING_H

#include "Mercury/Analysis/CommunicationPlay.h"

namespace mercury {

/// Whether the event communicates over the communicator.
bool isOn(const CommunicationEvent &event, unsigned communicator);

/// Lets the ranks of a play run until nothing moves.
class Meeting {
public:
  /// `inOrder`: a rank has one operation under way, in order of issue; else one
  /// on every communicator.
  Meeting(const CommunicationPlay &play, const TopologyModel &topology,
          bool inOrder);

  /// What two that meet disagree in, if they do.
  std::optional<PlayFault> run();
  bool isFinished() const;
  /// Why the ranks are stuck, after `run`.
  PlayFault explain() const;

private:
  /// Issued, and not done.
  struct Pending {
    size_t event;
    llvm::SmallVector<bool> done; ///< per transfer
  };
  struct Rank {
    size_t next = 0; ///< event to issue
    std::vector<Pending> queue;
    std::vector<bool> isDone; ///< per event
  };
  /// That rank `rank` cannot go on before `peer` does something.
  struct Lack {
    int64_t rank, peer;
    const CommunicationEvent *event;
    const Transfer *transfer; ///< null for collectives
  };

  const CommunicationEvent &event(int64_t rank, size_t number) const {
    return play.traces[rank][number];
  }
  bool isActive(int64_t rank, size_t position) const;
  bool advance(int64_t rank);
  bool meet(int64_t rank, std::optional<PlayFault> &fault);
  bool meetAll(int64_t rank, size_t position, std::optional<PlayFault> &fault);
  bool meetPeer(int64_t rank, size_t position, std::optional<PlayFault> &fault);
  void finish(int64_t rank, size_t position);
  std::optional<size_t> findActive(int64_t rank, unsigned communicator) const;
  /// The first event of `rank` on the communicator that is not done.
  const CommunicationEvent *nextOn(int64_t rank, unsigned communicator) const;
  /// Whether `lack.peer` does in the end what `lack` waits for.
  bool isLater(const Lack &lack) const;
  llvm::SmallVector<Lack> lacks() const;
  std::optional<PlayFault> explainMissing(const Lack &lack) const;
  PlayFault explainCycle(llvm::ArrayRef<Lack> lacks) const;
  std::string describe(const CommunicationEvent &event) const;
  std::string describe(const Transfer &transfer) const;

  const CommunicationPlay &play;
  const TopologyModel &topology;
  bool inOrder;
  std::vector<Rank> ranks;
};

} // namespace mercury

#endif // MERCURY_LIB_ANALYSIS_MEETING_H
