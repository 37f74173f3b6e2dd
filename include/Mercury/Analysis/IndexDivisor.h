//===- IndexDivisor.h - What divides an index -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_INDEXDIVISOR_H
#define MERCURY_ANALYSIS_INDEXDIVISOR_H

#include "mlir/IR/Value.h"

namespace mercury {

/// The largest number that is known to divide `value`, an index or integer,
/// whatever the ranks and loops that it depends on; 0 if it is 0.
int64_t divisorOf(mlir::Value value);

} // namespace mercury

#endif // MERCURY_ANALYSIS_INDEXDIVISOR_H
