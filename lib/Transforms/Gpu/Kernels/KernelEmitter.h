//===- KernelEmitter.h - Who writes device code -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_KERNELEMITTER_H
#define MERCURY_LIB_TRANSFORMS_GPU_KERNELEMITTER_H

#include "Mercury/Transforms/Gpu/Chip.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mercury {

/// Writes the device code of one kind of kernel.
class KernelEmitter {
public:
  virtual ~KernelEmitter() = default;

  /// Whether it writes `kernel` (a function with `commir.kernel`: ops on its
  /// arguments, static memrefs and numbers, and on constants) for `chip`.
  virtual bool takes(mlir::func::FuncOp kernel, const Chip &chip) const = 0;

  /// Writes what `kernel` does into `function`, which has the same arguments,
  /// an empty block, and lies in a gpu.module; ends it with gpu.return, sets
  /// `known_grid_size` and `known_block_size`, adds workgroup attributions.
  /// What it leaves are ops of arith, gpu, math, memref, scf and vector.
  virtual void emit(mlir::func::FuncOp kernel, mlir::gpu::GPUFuncOp function,
                    const Chip &chip) const = 0;
};

/// All emitters, in order of preference: one that serves some chips better
/// (with tensor cores) stands before the one that serves all.
llvm::ArrayRef<const KernelEmitter *> kernelEmitters();

/// One a file.
const KernelEmitter &contractionEmitter();
const KernelEmitter &attentionEmitter();
const KernelEmitter &attentionRowsEmitter();
const KernelEmitter &elementwiseEmitter();

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_KERNELEMITTER_H
