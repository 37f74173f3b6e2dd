//===- VectorKernels.h - Code on values in registers ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_LOCAL_VECTORKERNELS_H
#define MERCURY_LIB_TRANSFORMS_LOCAL_VECTORKERNELS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mercury {

/// lhs * rhs + sum, rounded once if the machine can (`fma`).
mlir::Value multiplyAdd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs,
                        mlir::Value rhs, mlir::Value sum, bool fma);

/// `height` vectors of `type`: the one of row i is the sum over all steps below
/// `steps` of the scalar left(i, step) times the vector right(step). The sums
/// stay in registers.
llvm::SmallVector<mlir::Value>
emitMicrokernel(mlir::OpBuilder &b, mlir::Location loc, mlir::Value steps,
                int64_t height, mlir::VectorType type, bool fma,
                llvm::function_ref<mlir::Value(int64_t, mlir::Value)> left,
                llvm::function_ref<mlir::Value(mlir::Value)> right);

/// Transposes a square of 2^s rows of as many lanes.
void transposeSquare(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::SmallVectorImpl<mlir::Value> &rows);

/// exp(x) of a vector of f32 for x <= 0. 1 at 0, 0 for -inf and for all x whose
/// result is below the least normal number 2^-126; NaN stays NaN. The relative
/// error of other results is below 2^-23 with fused multiply-adds: at most
/// 9.0e-8, over every seventh float from -87.33 to 0, against libm in f64.
mlir::Value emitExp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                    bool fma);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_LOCAL_VECTORKERNELS_H
