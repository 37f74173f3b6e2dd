//===- CommunicationPlay.h - Ranks are played -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Runs the index arithmetic and control flow of a function for every rank of a
// concrete topology, notes what each rank communicates, and lets the ranks meet
// with rendezvous semantics. Computes no tensor element.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_COMMUNICATIONPLAY_H
#define MERCURY_ANALYSIS_COMMUNICATIONPLAY_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// Communicators that share ranks and may be in flight together: launched in
/// different orders, more of them can deadlock on GPUs.
inline constexpr size_t kMaxCommunicators = 2;

/// Why a function does not communicate as it must, with the op to blame.
struct PlayFault {
  mlir::Operation *op = nullptr;
  /// As a diagnostic prints it, without the ranks.
  std::string message;
  /// The ranks that it happens on; empty: the message names them.
  std::vector<int64_t> ranks;
  /// Other ops that take part, with what they do.
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>, 2> notes;
};

/// One send or receive of a group.
struct Transfer {
  bool isSend = false;
  unsigned communicator = 0;
  int64_t peer = 0;  ///< a rank of the topology
  int64_t count = 0; ///< elements
  mlir::Type element;
  unsigned tile = 0; ///< which source and target of the op
  /// Of hops on buffers: what the sender's (receiver's) source is a part of.
  const void *origin = nullptr;
};

/// What a rank asks of the network, or waits for.
struct CommunicationEvent {
  enum class Kind {
    Collective, ///< all ranks of one communicator take part
    Transfers,  ///< one group of sends and receives
    Wait        ///< for the event numbered `awaited`
  };
  Kind kind = Kind::Collective;
  mlir::Operation *op = nullptr;
  /// Started only: a wait follows.
  bool starts = false;
  size_t awaited = 0;
  std::vector<Transfer> transfers;
  /// Of collectives.
  unsigned communicator = 0;
  int64_t count = 0; ///< elements that each rank gives
  mlir::Type element;
  int64_t root = -1; ///< coordinate; -1: has none
};

/// What one rank does, in order.
using CommunicationTrace = std::vector<CommunicationEvent>;

/// The sets of axes that communicate, numbered. The order of axes matters: it
/// is the order of ranks.
class CommunicatorTable {
public:
  unsigned indexOf(const AxisList &axes);
  const AxisList &axes(unsigned index) const { return lists[index]; }
  size_t size() const { return lists.size(); }

private:
  std::vector<AxisList> lists;
};

/// The result of a play.
struct CommunicationPlay {
  CommunicatorTable communicators;
  std::vector<CommunicationTrace> traces; ///< per rank
  std::vector<PlayFault> faults;          ///< none: communicates as it must
};

/// Whether `op`, something inside it, or a function of its module that it calls
/// communicates.
bool communicates(mlir::Operation *op);

/// Plays `function` on every rank: at stage 3 on tensors, where communication
/// blocks, or on buffers without rotations, where uses of buffers in flight are
/// faults, too. At most `budget` ops are played, all ranks together (a
/// communication counts for several); what would take more, or cannot be
/// evaluated, is a fault.
CommunicationPlay playCommunication(mlir::func::FuncOp function,
                                    const TopologyModel &topology,
                                    int64_t budget);

/// Lets the ranks of `play` meet: nothing is sent before its receiver is ready
/// (rendezvous), and each rank has one operation under way, in order of issue
/// (what would hang there may hang somewhere). The first fault, if any.
std::optional<PlayFault> findMeetingFault(const CommunicationPlay &play,
                                          const TopologyModel &topology);

/// "rank 3", "ranks 0, 1 and 2".
std::string describeRanks(llvm::ArrayRef<int64_t> ranks);

} // namespace mercury

#endif // MERCURY_ANALYSIS_COMMUNICATIONPLAY_H
