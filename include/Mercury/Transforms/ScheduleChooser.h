//===- ScheduleChooser.h - Schedules of a function's operators --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_SCHEDULECHOOSER_H
#define MERCURY_TRANSFORMS_SCHEDULECHOOSER_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mercury {

/// Two inputs and a reduction: what schedules are made for, and what other
/// operators follow.
bool isContraction(const OperatorModel &model);

/// Whether the function is past schedules: stage 2 or 3.
bool isDistributed(mlir::func::FuncOp function);

/// Whether a contraction uses the op's results, through others.
bool feedsContraction(mlir::Operation *op);

/// Chooses schedules in program order, so that placements of producers are
/// known. The function is left as it is; a copy goes on from where this is.
class ScheduleChooser {
public:
  /// `request` names the schedule of contractions ("default": those that follow
  /// another one run where its results are), or is its text; `balance` is as in
  /// mercury-set-schedule. All arguments outlive this.
  ScheduleChooser(mlir::func::FuncOp function, const TopologyModel &topology,
                  llvm::StringRef request, llvm::StringRef balance = "auto");

  /// Goes on to `op`, the next one of the function's body: chooses a schedule
  /// where it is an operator that has none, and hands placements on. Failure,
  /// with a diagnostic, where none can be had.
  mlir::LogicalResult visit(mlir::Operation &op);
  /// The same of an operator that gets `schedule`.
  void take(commir::DistributableOpInterface op, const Schedule &schedule);
  /// Diagnostics of the whole, after the last op.
  mlir::LogicalResult finish();

  /// Where the value lives, as far as that is known.
  std::optional<Placement> placementOf(mlir::Value value) const;
  /// Per tensor input and per init of `op`.
  void placementsOf(commir::DistributableOpInterface op,
                    std::vector<std::optional<Placement>> &inputs,
                    std::vector<std::optional<Placement>> &inits) const;
  /// Of all operators that were visited, in program order.
  const llvm::MapVector<mlir::Operation *, Schedule> &schedules() const {
    return chosen;
  }

private:
  mlir::LogicalResult choose(commir::DistributableOpInterface op);
  mlir::LogicalResult named(commir::DistributableOpInterface op,
                            const OperatorModel &model, llvm::StringRef name,
                            Schedule &schedule);
  mlir::LogicalResult setBalance(commir::DistributableOpInterface op,
                                 const OperatorModel &model,
                                 Schedule &schedule);
  void deferExits(commir::DistributableOpInterface op,
                  const OperatorModel &model, Schedule &schedule);
  void takeExits(commir::DistributableOpInterface op,
                 const OperatorModel &model, Schedule &schedule);
  void placeArgument(mlir::Value value, Placement placement);

  mlir::func::FuncOp function;
  const TopologyModel *topology;
  llvm::StringRef request, balance;
  bool sawContraction = false;
  bool sawMask = false;
  bool isTaken = false; ///< some contraction has what was asked for
  llvm::MapVector<mlir::Operation *, Schedule> chosen;
  llvm::DenseMap<mlir::Value, Placement> placements;
  /// Where results were to leave whose exit waits for the op that uses them.
  llvm::DenseMap<mlir::Value, Placement> deferred;
};

} // namespace mercury

#endif // MERCURY_TRANSFORMS_SCHEDULECHOOSER_H
