//===- TokenOrders.h - Token orders as index arithmetic ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_TOKENORDERS_H
#define MERCURY_TRANSFORMS_TOKENORDERS_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury {

/// The position of `index`, of type index and in [0, extent), in the order, as
/// plain arithmetic.
mlir::Value createPosition(mlir::OpBuilder &b, mlir::Location loc,
                           commir::TokenOrderAttr order, mlir::Value index);

/// What `commir.arrange` makes of `source`, whose dimension `dim` has the
/// order's extent: a loop that copies chunk by chunk.
mlir::Value createArrange(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value source, int64_t dim,
                          commir::TokenOrderAttr order, bool back);

/// Replace an op by what it stands for on one device.
void lowerPosition(commir::PositionOp op);
void lowerArrange(commir::ArrangeOp op);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_TOKENORDERS_H
