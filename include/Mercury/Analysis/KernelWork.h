//===- KernelWork.h - What a kernel does, counted ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_KERNELWORK_H
#define MERCURY_ANALYSIS_KERNELWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace mercury {

/// The work of one run of a kernel.
struct KernelWork {
  enum class Kind { Contraction, Attention, Elementwise };
  Kind kind = Kind::Elementwise;
  double multiplyAdds = 0;
  double bytes = 0; ///< of the kernel's buffers, read and written
  /// Of a contraction the cube root of rows * columns * reduced, of attention
  /// the number of keys.
  double size = 0;
  int64_t headDim = 0;   ///< attention: features that query and key share
  bool isMasked = false; ///< attention: rows see ranges of its keys
  std::string type;      ///< element type of what is multiplied
  std::string kernel;    ///< that computes it (`commir.patch`), or ""
};

/// Counts the work of `kernel`, a function on buffers of static shapes. A mask
/// that stands in buffers excludes nothing here.
KernelWork countKernelWork(mlir::func::FuncOp kernel);

/// The arguments of `kernel` that hold the ranges of keys that the rows of its
/// attention see; nothing where it has no attention, or no such arguments.
std::optional<std::pair<unsigned, unsigned>>
findKeyRanges(mlir::func::FuncOp kernel);

/// The part of `keys` that a row sees on average, where `kernel` writes begin
/// and end of each row's range to two of its arguments and its arguments that
/// are numbers have the values `numbers`. Of many rows some stand for all.
/// Nothing where the ranges depend on more than that.
std::optional<double>
evaluateKeyRanges(mlir::func::FuncOp kernel, unsigned begin, unsigned end,
                  mlir::ArrayRef<std::optional<int64_t>> numbers, double keys);

} // namespace mercury

#endif // MERCURY_ANALYSIS_KERNELWORK_H
