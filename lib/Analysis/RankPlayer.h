//===- RankPlayer.h - One rank runs its arithmetic --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_ANALYSIS_RANKPLAYER_H
#define MERCURY_LIB_ANALYSIS_RANKPLAYER_H

#include "BufferTracking.h"
#include "Mercury/Analysis/CommunicationPlay.h"
#include "Mercury/Analysis/StreamTrace.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mercury {

/// How an op (with everything inside it) uses a buffer from outside of it.
struct BufferUse {
  mlir::Value buffer;
  bool reads = false, writes = false, frees = false;
  bool operator==(const BufferUse &) const = default;
};

/// What is the same for all ranks of a play.
struct PlayShared {
  PlayShared(const TopologyModel &topology, CommunicationPlay &play,
             int64_t budget)
      : topology(topology), play(play), budget(budget) {}

  const TopologyModel &topology;
  CommunicationPlay &play;
  int64_t budget; ///< ops left to play, all ranks together
  /// What ranks enqueue is noted here, unless null.
  StreamTrace *streams = nullptr;

  /// With `streams`: or enqueues something.
  bool communicates(mlir::Operation *op);
  llvm::ArrayRef<BufferUse> uses(mlir::Operation *op);
  /// Adds a fault of one rank to those like it on other ranks.
  void fault(int64_t rank, PlayFault fault);

  llvm::DenseMap<mlir::Operation *, bool> communicating;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<BufferUse>> usesOf;
};

/// Plays a function on one rank.
class RankPlayer {
public:
  RankPlayer(PlayShared &shared, int64_t rank) : shared(shared), rank(rank) {}

  /// Appends to `trace`. Failure: a fault says what cannot be played.
  mlir::LogicalResult play(mlir::func::FuncOp function,
                           CommunicationTrace &trace);

private:
  /// What is known of a value: nothing, a number, or a buffer.
  struct Cell {
    std::optional<int64_t> number;
    std::optional<BufferRef> buffer;
  };

  // Control flow (RankPlayer.cpp). Terminators come back to the caller.
  mlir::FailureOr<mlir::Operation *> run(mlir::Region &region);
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitControl(mlir::Operation *op);
  mlir::LogicalResult visitFor(mlir::scf::ForOp op);
  mlir::LogicalResult visitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult visitRotate(commir::RotateOp op);
  mlir::LogicalResult visitCall(mlir::func::CallOp op);

  // Values (PlayValues.cpp).
  Cell get(mlir::Value value) const;
  void set(mlir::Value value, const Cell &cell);
  llvm::SmallVector<Cell> getAll(mlir::ValueRange values) const;
  void setAll(mlir::ValueRange values, llvm::ArrayRef<Cell> cells);
  std::optional<int64_t> number(mlir::OpFoldResult value) const;
  void evaluate(mlir::Operation *op);
  std::optional<int64_t> element(mlir::Operation *op);
  BufferRef viewOf(mlir::Operation *op, mlir::Value source);
  BufferRef subviewOf(mlir::memref::SubViewOp op, const BufferRef &source);
  mlir::LogicalResult useBuffers(mlir::Operation *op);

  // Communication (PlayCommunication.cpp).
  mlir::LogicalResult communicate(mlir::Operation *op);
  mlir::LogicalResult hop(mlir::Operation *op, mlir::ArrayAttr hops,
                          llvm::ArrayRef<mlir::Value> sources,
                          llvm::ArrayRef<mlir::Value> targets);
  mlir::LogicalResult permute(commir::PermuteOp op, CommunicationEvent &event);
  void checkCommunicators(mlir::Operation *op,
                          llvm::ArrayRef<unsigned> communicators);
  mlir::FailureOr<int64_t> coordinateOf(mlir::Operation *op, mlir::Value value,
                                        const AxisList &axes,
                                        llvm::StringRef what,
                                        bool allowsNobody);
  mlir::LogicalResult issue(CommunicationEvent event,
                            llvm::ArrayRef<unsigned> communicators,
                            llvm::ArrayRef<mlir::Value> sources,
                            llvm::ArrayRef<mlir::Value> targets);
  mlir::LogicalResult wait(commir::WaitOp op);
  mlir::LogicalResult finish(mlir::Operation *op);

  // Streams (PlayStreams.cpp).
  StreamItem &addItem(StreamItem::Kind kind, mlir::Operation *op,
                      unsigned stream = 0);
  StreamAccess accessTo(const BufferRef &part, bool writes) const;
  size_t enqueue(const CommunicationEvent &event, const Flight &flight);
  mlir::LogicalResult enqueue(mlir::Operation *op);
  void enqueueArguments(mlir::Operation *op);
  mlir::LogicalResult checkHostUse(mlir::Operation *op);

  /// What `shared.communicates` finds in an op.
  llvm::StringRef contents() const {
    return shared.streams ? "work is enqueued" : "there is communication";
  }
  /// Records "cannot be played: <reason>" and fails.
  mlir::LogicalResult cannot(mlir::Operation *op, const llvm::Twine &reason);
  void fault(mlir::Operation *op, const llvm::Twine &message,
             mlir::Operation *other = nullptr, const llvm::Twine &note = "");
  void conflict(mlir::Operation *op,
                const std::optional<BufferConflict> &conflict);

  PlayShared &shared;
  int64_t rank;
  CommunicationTrace *trace = nullptr;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  llvm::DenseMap<mlir::Value, BufferRef> buffers;
  llvm::DenseMap<mlir::Attribute, BufferRef> globals;
  llvm::MapVector<mlir::Value, BufferRef> arguments;
  BufferTracking tracking;
  unsigned callDepth = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> executions;
};

} // namespace mercury

#endif // MERCURY_LIB_ANALYSIS_RANKPLAYER_H
