//===- PlaceOperands.h - Where the operands of a nest live ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_PLACEOPERANDS_H
#define MERCURY_LIB_TRANSFORMS_PLACEOPERANDS_H

#include "Mercury/Schedule/Schedule.h"
#include "mlir/IR/Builders.h"

namespace mercury {

/// Places the operands and results of an operator as its schedule says, and
/// arranges them in the orders of its loops: its nest runs over indices.
class OperandPlacer {
public:
  OperandPlacer(mlir::OpBuilder &b, mlir::Location loc, const Schedule &s,
                const OperatorModel &model, const TopologyModel &topology)
      : b(b), loc(loc), s(s), model(model), topology(topology) {}

  /// Whether the schedule cuts any loop into tiles.
  bool isDivided() const;
  /// The order in which iterations of a loop are divided.
  TokenOrder order(size_t loop) const;
  /// Extent of a loop, padded to whole tiles, and where it has an order, to
  /// what every placement of it divides.
  int64_t extent(size_t loop) const;

  /// The placement of a tensor whose dimensions have the orders of their loops.
  Placement inOrders(const Placement &placement,
                     const OperatorModel::Tensor &tensor) const;

  /// A value that has a placement is resharded, another one is placed.
  mlir::Value place(mlir::Value value, const Placement &placement,
                    const AxisList &fetch);
  /// `value` with its dimensions in the orders of their loops, or back.
  mlir::Value arrange(mlir::Value value, const OperatorModel::Tensor &tensor,
                      bool back);
  /// An operand as the nest uses it: placed and arranged.
  mlir::Value enter(mlir::Value value, const Placement &placement,
                    const OperatorModel::Tensor &tensor,
                    const AxisList &fetch = {});

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  const Schedule &s;
  const OperatorModel &model;
  const TopologyModel &topology;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_PLACEOPERANDS_H
