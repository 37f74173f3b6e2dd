//===- KernelAttrNames.h - Names of attributes of kernels -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_KERNELATTRNAMES_H
#define MERCURY_DIALECT_COMMIR_IR_KERNELATTRNAMES_H

#include "llvm/ADT/StringRef.h"

namespace mercury::commir {

/// On a kernel that the device's library computes: the fields of
/// mercury_matmul_problem from `batches` to `batch_stride_c`, then the numbers of
/// the arguments that are A, B and C; 16 integers.
inline constexpr llvm::StringLiteral kMatmulAttrName = "commir.matmul";

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_KERNELATTRNAMES_H
