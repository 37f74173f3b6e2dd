//===- Alignment.h - What is known of addresses -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ALIGNMENT_H
#define MERCURY_LIB_TRANSFORMS_GPU_ALIGNMENT_H

#include "mlir/IR/Value.h"

#include <cstdint>

namespace mercury {

/// Bytes of the longest access of a thread; more is not of use.
inline constexpr int64_t kMostAlignment = 16;

/// A number, the larger the better, that divides `value` (an index or integer)
/// in every run; 0 for the constant zero.
int64_t knownDivisor(mlir::Value value);

/// A power of two, at most kMostAlignment, that divides the address of the
/// first element of `buffer`, in bytes; at least the size of an element.
/// Allocations and arguments of functions are aligned to kMostAlignment.
int64_t knownAlignment(mlir::Value buffer);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ALIGNMENT_H
