//===- KernelFunction.h - Local ops as a function and a launch --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_KERNELFUNCTION_H
#define MERCURY_LIB_TRANSFORMS_GPU_KERNELFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace mercury {

/// Makes kernels of one module; ops that are alike share one.
class KernelFunctions {
public:
  explicit KernelFunctions(mlir::ModuleOp module) : symbols(module) {}

  /// Replaces `ops` (in order, of one block) by a launch in the place of the
  /// last one. Its kernel is called `<prefix>_<n>` with the least free n.
  void outline(llvm::ArrayRef<mlir::Operation *> ops,
               const llvm::Twine &prefix);

  unsigned size() const { return known.size(); }

private:
  mlir::SymbolTable symbols;
  /// From the text of a kernel without its name.
  llvm::StringMap<mlir::func::FuncOp> known;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_KERNELFUNCTION_H
