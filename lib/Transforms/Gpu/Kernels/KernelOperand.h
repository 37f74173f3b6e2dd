//===- KernelOperand.h - A buffer that device code indexes ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_KERNELOPERAND_H
#define MERCURY_LIB_TRANSFORMS_GPU_KERNELOPERAND_H

#include "KernelBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// A buffer of static shape and strides and how loops index it.
class KernelOperand {
public:
  using Value = mlir::Value;

  /// `operand` is an argument of `kernel`, or a constant there; `buffer` what
  /// has become of it in device code; `map` a projected permutation of loops.
  KernelOperand(mlir::func::FuncOp kernel, Value operand, Value buffer,
                mlir::AffineMap map);

  /// Whether `loop` is among those that index it.
  bool has(unsigned loop) const { return map.isFunctionOfDim(loop); }
  /// True if elements along `loop` are neighbours in memory.
  bool isContiguous(unsigned loop) const;
  /// Elements along `loop`, at most 16 bytes of them and a power of 2, such
  /// that each such group of them that starts at a multiple of that is aligned
  /// to its size and inside of the buffer. 1 where nothing better is proven.
  int64_t getVectorWidth(unsigned loop) const;

  /// The element at `position` (per loop; others than the map's are not
  /// looked at), as it is, or in f32.
  Value loadElement(KernelBuilder &b, llvm::ArrayRef<Value> position) const;
  Value load(KernelBuilder &b, llvm::ArrayRef<Value> position) const;
  /// `width` elements along `loop`, as far as they are proven, in f32.
  Value loadVector(KernelBuilder &b, llvm::ArrayRef<Value> position,
                   int64_t width) const;
  /// Of elements of the buffer's type.
  void store(KernelBuilder &b, Value value,
             llvm::ArrayRef<Value> position) const;
  void storeVector(KernelBuilder &b, Value vector,
                   llvm::ArrayRef<Value> position) const;

private:
  llvm::SmallVector<Value> indices(llvm::ArrayRef<Value> position) const;
  mlir::MemRefType getType() const;
  int64_t getElementBytes() const;

  Value buffer;
  mlir::AffineMap map;
  int64_t alignment; ///< bytes that its address is known to be a multiple of
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_KERNELOPERAND_H
