//===- EmulatedKernel.h - A device function on CPUs -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_EMULATEDKERNEL_H
#define MERCURY_LIB_TRANSFORMS_GPU_EMULATEDKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mercury {

/// Makes the functions of mercury-emulate-kernels for `kernel`, which is left
/// without a body, in the module of `symbols`. Returns the one that runs the
/// grid. Error: diagnosed, and nothing has changed.
mlir::FailureOr<mlir::func::FuncOp> emulateKernel(mlir::gpu::GPUFuncOp kernel,
                                                  mlir::SymbolTable &symbols,
                                                  bool checks);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_EMULATEDKERNEL_H
