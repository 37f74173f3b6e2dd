//===- KernelConstants.h - Constants of a kernel in device code -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_KERNELCONSTANTS_H
#define MERCURY_LIB_TRANSFORMS_GPU_KERNELCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace mercury {

/// Whether `op` is a constant inside of a kernel: a number, or a constant
/// global buffer.
bool isKernelConstant(mlir::Operation *op);

/// What the arguments and constants of `kernel` are in `function`: constants
/// are cloned to the insertion point of `b`. Who emits all kernels copies the
/// globals that they name.
mlir::IRMapping mapKernelValues(mlir::OpBuilder &b, mlir::func::FuncOp kernel,
                                mlir::gpu::GPUFuncOp function);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_KERNELCONSTANTS_H
