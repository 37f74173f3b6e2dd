//===- ReshapeTensor.h - Reshapes between static shapes ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_RESHAPETENSOR_H
#define MERCURY_LIB_TRANSFORMS_RESHAPETENSOR_H

#include "mlir/IR/Builders.h"

namespace mercury {

/// `tensor` with another static shape of as many elements, by at most one
/// `tensor.collapse_shape` and one `tensor.expand_shape`.
mlir::Value reshapeTensor(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value tensor, llvm::ArrayRef<int64_t> shape);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_RESHAPETENSOR_H
