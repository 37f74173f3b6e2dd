//===- KernelCall.h - What is computed, as calls of a kernel ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_LOCAL_KERNELCALL_H
#define MERCURY_LIB_TRANSFORMS_LOCAL_KERNELCALL_H

#include "mlir/IR/Builders.h"

#include <optional>
#include <string>

namespace mercury {
struct Kernel;
class KernelRegistry;

/// An operator on buffers as one call of a kernel (KernelRegistry.h) for each
/// point of its outer loops.
struct KernelCall {
  /// A buffer that the kernel receives as the address of its first element at
  /// a point of the outer loops and, of a matrix, the distance between rows.
  struct Buffer {
    mlir::Value memref;
    llvm::SmallVector<unsigned> loops; ///< per dimension
    unsigned column;                   ///< the loop whose stride is 1
    bool isMatrix = true;
    std::optional<unsigned> row; ///< of a matrix; absent where there is one row
    mlir::Type element() const;
    /// The dimension that `row` indexes.
    std::optional<unsigned> rowDim() const;
  };

  mlir::Operation *op;
  std::string form;                   ///< that a kernel has to have
  llvm::SmallVector<int64_t> extents; ///< per loop
  llvm::SmallVector<unsigned> outer;
  // The arguments, in their order.
  llvm::SmallVector<int64_t> sizes;
  mlir::Value valid; ///< of attention: how many keys there are, or null
  std::optional<double> scale; ///< of attention
  /// Inputs, then outputs, then ranges of keys.
  llvm::SmallVector<Buffer> buffers;
  unsigned numInputs;

  /// Why `kernel` does not take the call; empty if it does.
  std::string refusal(const Kernel &kernel) const;
  /// Emits the calls of `symbol` at `b`. Fails, and changes nothing, where the
  /// symbol is something else than a function of the kernel ABI.
  mlir::LogicalResult emit(mlir::OpBuilder &b, llvm::StringRef symbol) const;
};

/// `op` as calls: a contraction or online attention, on buffers. Fails with
/// `reason`.
mlir::FailureOr<KernelCall> matchKernelCall(mlir::Operation *op,
                                            std::string &reason);

/// The first kernel of `name` that takes `call`; null with a reason.
const Kernel *chooseKernel(const KernelRegistry &registry,
                           const std::string &name, const KernelCall &call,
                           std::string &reason);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_LOCAL_KERNELCALL_H
