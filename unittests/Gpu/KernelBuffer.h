//===- KernelBuffer.h - Memory that a kernel is given -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_GPU_KERNELBUFFER_H
#define MERCURY_UNITTESTS_GPU_KERNELBUFFER_H

#include "HostTensor.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mercury::test {

/// A view of a memref type of static layout, without offset, in memory of its
/// own. What is no element of the view, between its rows and for some KiB
/// before and behind it, holds a signalling NaN of every float type.
class KernelBuffer {
public:
  /// All elements hold the pattern, too. The address is a multiple of
  /// `alignment` bytes, and not of twice that.
  KernelBuffer(mlir::MemRefType type, int64_t alignment);
  KernelBuffer(const KernelBuffer &);
  KernelBuffer &operator=(const KernelBuffer &) = delete;
  KernelBuffer(KernelBuffer &&) = default;

  mlir::MemRefType type() const { return memref; }
  int64_t size() const { return memref.getNumElements(); }
  /// By row-major number in the view, from 0 to size() - 1.
  double get(int64_t number) const;
  /// Rounds to the element type.
  void set(int64_t number, double value);
  void fill(double value);
  /// By indices.
  double at(llvm::ArrayRef<int64_t> indices) const;
  int64_t numberOf(llvm::ArrayRef<int64_t> indices) const;

  /// Whether what is no element still holds the pattern.
  bool isIntact() const;
  bool operator==(const KernelBuffer &other) const;

  /// The descriptor of the C interface.
  std::vector<int64_t> descriptor() const;

private:
  char *element(int64_t number) const;

  mlir::MemRefType memref;
  run::ElementKind kind;
  llvm::SmallVector<int64_t> strides;
  int64_t alignment;
  std::vector<char> memory;
  char *base; ///< of the view
};

/// The number `norm(actual - expected) / norm(expected)` over all elements;
/// infinite when one of two elements is NaN, or they are different infinities.
double relativeNorm(const KernelBuffer &actual, const KernelBuffer &expected);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_GPU_KERNELBUFFER_H
