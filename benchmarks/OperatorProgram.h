//===- OperatorProgram.h - One operator as a program ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_OPERATORPROGRAM_H
#define MERCURY_BENCHMARKS_OPERATORPROGRAM_H

#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Tuning/CostProblem.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mercury::bench {

/// A function with one contraction or attention.
struct OperatorProgram {
  std::string name; ///< "gemm", "attention"
  std::string text; ///< stage 0
  bool isAttention = false;

  /// Ends the process where it does not parse.
  mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context) const;
  /// What the cost model is told of the operator.
  CostProblem problem(mlir::MLIRContext &context) const;
};

/// Products of `type`, "bf16"; the result is f32.
OperatorProgram gemmProgram(int64_t m, int64_t n, int64_t k,
                            const std::string &type);
/// Tensors of `type`, batch x heads x tokens x features; no batch: 0.
OperatorProgram attentionProgram(int64_t batch, int64_t heads, int64_t tokens,
                                 int64_t features, const std::string &type);

/// Every schedule of the space that is searched, in its order.
std::vector<Schedule> allSchedules(const OperatorModel &op,
                                   const TopologyModel &topology);

/// The levels of a machine without figures: `node=2,gpu=4`.
std::string shapeOf(const TopologyModel &machine);

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_OPERATORPROGRAM_H
