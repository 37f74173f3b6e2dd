//===- VerifyAxes.h - Axes against the topology -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_LIB_DIALECT_COMMIR_IR_VERIFYAXES_H
#define MERCURY_LIB_DIALECT_COMMIR_IR_VERIFYAXES_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury::commir {

/// Each axis exists in the topology of `op` and none is used twice. Succeeds
/// for known-good lists only; where no topology resolves, only names are
/// compared.
mlir::LogicalResult verifyAxes(mlir::Operation *op, const AxisList &axes);

/// Ranks of the group over `axes`, or nothing where no topology resolves.
std::optional<int64_t> groupSize(mlir::Operation *op, const AxisList &axes);

} // namespace mercury::commir

#endif // MERCURY_LIB_DIALECT_COMMIR_IR_VERIFYAXES_H
