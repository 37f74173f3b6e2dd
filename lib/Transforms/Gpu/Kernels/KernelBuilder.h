//===- KernelBuilder.h - Short forms for device code ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_KERNELBUILDER_H
#define MERCURY_LIB_TRANSFORMS_GPU_KERNELBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mercury {

/// Keeps LLVM and ptxas from unrolling `loop`.
void disableUnrolling(mlir::scf::ForOp loop);

/// Builds what device code is made of. Arithmetic is on `index` and not
/// negative, and folded where constant.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value index(int64_t value);
  Value number(double value);
  Value add(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs) { return add(lhs, index(rhs)); }
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, int64_t rhs);
  Value div(Value lhs, int64_t rhs);
  Value rem(Value lhs, int64_t rhs);
  Value min(Value lhs, Value rhs);
  Value isLess(Value lhs, Value rhs);
  /// Both; a null value is true.
  Value both(Value lhs, Value rhs);
  /// `value` in row-major order over `extents`: one index for each.
  llvm::SmallVector<Value> delinearize(Value value,
                                       llvm::ArrayRef<int64_t> extents);

  /// A scalar or vector of floats, in f32.
  Value toF32(Value value);
  /// value * factor + addend on f32.
  Value fma(Value value, Value factor, Value addend);
  Value extract(Value vector, int64_t at);

  using Body =
      llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>;
  /// for (iv = 0; iv < upper; iv += step), carrying values. No loop where it
  /// is known to run once. LLVM may unroll it, unless it is told not to.
  llvm::SmallVector<Value> loop(Value upper, int64_t step,
                                mlir::ValueRange initial, Body body,
                                bool unrolls = true);
  /// if (condition) body(); a null condition is true.
  void guarded(Value condition, llvm::function_ref<void()> body);
  /// What `then` gives, or `otherwise`: values of the same types.
  using Branch = llvm::function_ref<llvm::SmallVector<Value>()>;
  llvm::SmallVector<Value> choose(Value condition, mlir::TypeRange types,
                                  Branch then, Branch otherwise);

  /// Ends `function`, which runs on `blocks` blocks of `threads` threads, both
  /// along x.
  void finish(mlir::gpu::GPUFuncOp function, int64_t blocks, int64_t threads);
  /// A buffer of f32 that the threads of a block share, at 16 bytes.
  static Value addShared(mlir::gpu::GPUFuncOp function,
                         llvm::ArrayRef<int64_t> shape);
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_KERNELBUILDER_H
