//===- IndexTables.h - Index arithmetic from its values ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_INDEXTABLES_H
#define MERCURY_LIB_TRANSFORMS_INDEXTABLES_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/IR/Builders.h"

namespace mercury {

/// An index per step and rank: values[step][rank].
using RankTable = std::vector<std::vector<int64_t>>;

/// Loop variables at the point where a table is read.
struct TableContext {
  llvm::ArrayRef<int64_t> steps;  ///< extents of the time loops
  llvm::ArrayRef<mlir::Value> at; ///< their variables
  const TopologyModel &topology;
};

/// Builds an index of a table: a constant, `scale *
/// ((linear in steps and coordinates) mod size)` where that reproduces the
/// table, or else a look-up in a constant.
mlir::OpFoldResult buildFromTable(mlir::OpBuilder &builder, mlir::Location loc,
                                  const RankTable &values,
                                  const TableContext &context);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_INDEXTABLES_H
