//===- RowsWithoutKeys.h - Where raising gives a number ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_ROWSWITHOUTKEYS_H
#define MERCURY_DIALECT_COMMIR_IR_ROWSWITHOUTKEYS_H

#include "llvm/ADT/StringRef.h"

namespace mercury::commir {

/// On a function: how many rows of the attention that was raised in it see no
/// key. Their output is 0, where the program before computes no number.
inline constexpr llvm::StringLiteral kRowsWithoutKeysAttrName =
    "commir.rows_without_keys";

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_ROWSWITHOUTKEYS_H
