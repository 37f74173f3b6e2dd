//===- MemoryProgram.h - The buffers of one scheduled operator --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_MEMORYPROGRAM_H
#define MERCURY_LIB_TUNING_MEMORYPROGRAM_H

#include "MemoryNest.h"

namespace mercury {

/// Follows what distribution, resolution and bufferization make of one operator
/// (lib/Transforms/{Distribute,ResolveCommunication}.cpp), on shapes.
class MemoryProgram {
public:
  MemoryProgram(const MemoryProblem &problem, const Schedule &schedule,
                const TopologyModel &topology)
      : problem(problem), op(problem.op), s(schedule), nest(op, s, topology),
        ops(ledger), reshards(ops, nest.axes) {}
  MemoryEstimate run();

private:
  Sharded enter(size_t input);
  void runNest();
  /// What the local kernel holds at most, of each half of a tile its own:
  /// packed panels of generated code for this CPU. Kernels that are patched in
  /// hold nothing that is counted.
  int64_t workspaceBytes() const;
  void endReductions();
  void reduceCoupled(llvm::ArrayRef<size_t> members);
  void leave(size_t result);
  void finish();
  void store(const Sharded &value);
  Sharded elementwise(llvm::ArrayRef<const Sharded *> from, const Sharded &like,
                      int64_t elementBytes);
  AxesOfDims atEnd(size_t result) const;
  Extents globalOf(llvm::ArrayRef<int64_t> shape,
                   const OperatorModel::Tensor &tensor) const;

  const MemoryProblem &problem;
  const OperatorModel &op;
  const Schedule &s;
  NestModel nest;
  MemoryLedger ledger;
  TileOps ops;
  ReshardOps reshards;
  bool isExact = true;
  Axes partial;
  llvm::SmallVector<Sharded, 4> inputs, results;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_MEMORYPROGRAM_H
