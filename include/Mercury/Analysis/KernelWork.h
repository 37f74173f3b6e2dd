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
};

/// Counts the work of `kernel`, a function on buffers of static shapes. A mask
/// that stands in buffers excludes nothing here.
KernelWork countKernelWork(mlir::func::FuncOp kernel);

} // namespace mercury

#endif // MERCURY_ANALYSIS_KERNELWORK_H
