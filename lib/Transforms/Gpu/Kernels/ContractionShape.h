//===- ContractionShape.h - A contraction of strided buffers -- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONSHAPE_H
#define MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONSHAPE_H

#include "Mercury/Transforms/Local/Contraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace mercury {

/// A contraction on the arguments of a kernel as four linear indices,
///   C[batch, m, n] += A[batch, m, k] * B[batch, k, n]
/// and how each of them moves through the buffers.
struct StridedContraction {
  enum Operand : unsigned { A, B, C };
  using Role = Contraction::Role;

  /// A loop, or several that step through memory as one.
  struct Axis {
    int64_t extent;
    /// Elements that a step moves in A, B and C.
    std::array<int64_t, 3> strides;
  };

  struct Buffer {
    mlir::Value value;  ///< an argument of the kernel or a constant in it
    mlir::Type element; ///< f16, bf16, f32 or f64
    int64_t alignment;  ///< bytes, of the first element
    int64_t span;       ///< elements from the first to the last, inclusive
  };

  std::array<Buffer, 3> buffers;
  /// The type in which products are added: f64 for an f64 output, else f32.
  mlir::FloatType accumulator;

  /// The axes of `role`, the slowest first: the digits of the linear index.
  llvm::ArrayRef<Axis> axes(Role role) const { return digits[size_t(role)]; }
  llvm::SmallVector<Axis> &axes(Role role) { return digits[size_t(role)]; }
  /// The extent of the linear index of `role`; 1 if it has no loop.
  int64_t extent(Role role) const;
  /// Whether there is nothing to add.
  bool isEmpty() const;
  /// Elements that a step of the fastest axis of `role` moves in `operand`;
  /// nothing if `role` has no axis.
  std::optional<int64_t> innerStride(Operand operand, Role role) const;
  /// The largest power of two of elements, 16 bytes at most, that lie side by
  /// side and aligned in `operand` from every multiple of it on along `role`,
  /// whatever the other indices are.
  int64_t vectorWidth(Operand operand, Role role) const;
  /// Exchanges A with B and m with n: the product commutes.
  void swapInputs();

private:
  std::array<llvm::SmallVector<Axis>, 4> digits;
};

/// Matches a kernel that is one contraction of its arguments and of constants,
/// whose strides are known and not negative. Exchanges A and B, and with them m
/// and n, where this makes the columns the contiguous index of C. On failure
/// `reason`, if given, says why in a few words.
mlir::FailureOr<StridedContraction>
matchStridedContraction(mlir::func::FuncOp kernel,
                        std::string *reason = nullptr);

/// The constant `value`, of type index.
mlir::Value createIndex(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// The offset in `operand`, in elements, of the linear index `index` of `role`.
mlir::Value createOffset(mlir::ImplicitLocOpBuilder &b,
                         const StridedContraction &shape,
                         StridedContraction::Operand operand,
                         StridedContraction::Role role, mlir::Value index);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONSHAPE_H
