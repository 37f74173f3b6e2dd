//===- ShiftArithmetic.h - Shifts as index arithmetic --------- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_SHIFTARITHMETIC_H
#define MERCURY_LIB_TRANSFORMS_SHIFTARITHMETIC_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury {

/// Replaces a shift by the arithmetic that it stands for.
void lowerShift(commir::ShiftOp shift);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_SHIFTARITHMETIC_H
