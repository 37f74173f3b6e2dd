//===- TokenOrderCheck.h - Which loops take a token order -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_TOKENORDERCHECK_H
#define MERCURY_DIALECT_COMMIR_IR_TOKENORDERCHECK_H

#include "mlir/Support/LLVM.h"

namespace mercury::commir {

/// Fails with a diagnostic where `setTokenOrder` cannot be asked of loop `loop`
/// of the operator: positions of an order begin at 0, and those of the loop at
/// a value that no attribute can take up.
mlir::LogicalResult checkTokenOrder(mlir::Operation *op, unsigned loop);

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_TOKENORDERCHECK_H
