//===- ParameterSlots.h - What a launch passes to a kernel ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_CONVERSION_SUPPORT_PARAMETERSLOTS_H
#define MERCURY_LIB_CONVERSION_SUPPORT_PARAMETERSLOTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// The slots of a function for the parameters of its launches, one after the
/// other: 8 bytes each, as mgpuLaunchKernel (mercury_runtime.h) reads them
/// before it returns.
class ParameterSlots {
public:
  /// Makes `count` slots at the start of `function`: a launch in a loop must
  /// not take more of the stack each time.
  ParameterSlots(mlir::func::FuncOp function, size_t count);

  /// Stores `value` (a pointer, or a number of at most 8 bytes) into slot `i`.
  void store(mlir::OpBuilder &b, mlir::Location loc, size_t i,
             mlir::Value value) const;
  /// The pointers to the slots, as an array.
  mlir::Value getPointers() const { return pointers; }

private:
  mlir::Value slot(mlir::OpBuilder &b, mlir::Location loc, size_t i) const;

  mlir::Value slots, pointers;
};

} // namespace mercury

#endif // MERCURY_LIB_CONVERSION_SUPPORT_PARAMETERSLOTS_H
