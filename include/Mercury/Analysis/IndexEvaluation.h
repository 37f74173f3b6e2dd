//===- IndexEvaluation.h - Index arithmetic on concrete values --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_INDEXEVALUATION_H
#define MERCURY_ANALYSIS_INDEXEVALUATION_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mercury {

/// The value of `value` (an index, integer or i1) where `known` gives the
/// values of loop variables. Evaluates any foldable op by its own folder, so
/// that it does not matter in which form the arithmetic is written. Remembers
/// what it computes in `known`. Nothing when the value does not depend on
/// `known` and constants alone.
std::optional<int64_t>
evaluateIndex(mlir::Value value, llvm::DenseMap<mlir::Value, int64_t> &known);

} // namespace mercury

#endif // MERCURY_ANALYSIS_INDEXEVALUATION_H
