//===- KernelMemory.h - Buffers and numbers in device code ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_KERNELMEMORY_H
#define MERCURY_LIB_TRANSFORMS_GPU_KERNELMEMORY_H

#include "Outline/LocalOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace mercury {

/// Where a thread is in the loops of an op, and how many iterations of one loop
/// it takes at once.
struct LoopPoint {
  /// Per loop; null stands for 0.
  llvm::SmallVector<mlir::Value> indices;
  /// Iterations indices[*vectorLoop] + 0 .. width - 1.
  std::optional<unsigned> vectorLoop;
  int64_t width = 1;
};

/// The values of a kernel function as its gpu.func has them. Each buffer is
/// seen as one row of elements from its first one on.
class KernelMemory {
public:
  /// Makes constants and rows at the start of `function`.
  KernelMemory(mlir::func::FuncOp kernel, mlir::gpu::GPUFuncOp function);

  /// Numbers of the kernel to numbers of the function.
  const mlir::IRMapping &numbers() const { return mapping; }

  /// The elements at `point`: point.width of them, or one where the access does
  /// not depend on the vector loop.
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &b, const LocalOp &op,
                                      const OpAccess &access,
                                      const LoopPoint &point) const;
  /// Stores as many elements as load() gives.
  void store(mlir::OpBuilder &b, const LocalOp &op, const OpAccess &access,
             const LoopPoint &point, mlir::ValueRange elements) const;
  /// The element of a memref of the kernel at `indices`.
  mlir::Value loadElement(mlir::OpBuilder &b, mlir::Value memref,
                          mlir::ValueRange indices) const;

private:
  mlir::Value row(mlir::Value buffer) const { return rows.lookup(buffer); }
  mlir::Value loadAt(mlir::OpBuilder &b, mlir::Value buffer,
                     mlir::Value address) const;

  mlir::IRMapping mapping;
  /// From buffers to their rows.
  llvm::DenseMap<mlir::Value, mlir::Value> rows;
  /// From buffers that are constants of equal elements to that element.
  llvm::DenseMap<mlir::Value, mlir::Value> splats;
};

/// Whether `width` elements along `loop` can be accessed at once: they are
/// neighbours, and their bytes start at a multiple of their size.
bool canVectorize(const LocalOp &op, const OpAccess &access, unsigned loop,
                  int64_t width);

/// The widest access that suits accesses of `ops` along the loops given for
/// them (nothing: the op has no such loop): elements, 1 if none can be
/// vectorized.
int64_t vectorWidth(llvm::ArrayRef<const LocalOp *> ops,
                    llvm::ArrayRef<std::optional<unsigned>> loops);

/// Splits `index` into indices of loops of `extents`, the last the fastest.
llvm::SmallVector<mlir::Value> splitIndex(mlir::OpBuilder &b,
                                          mlir::Location loc, mlir::Value index,
                                          llvm::ArrayRef<int64_t> extents);

/// `sum` + `factor` * `index`; null stands for 0.
mlir::Value addProduct(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                       mlir::Value index, int64_t factor);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_KERNELMEMORY_H
