//===- Signature.h - What a function takes and gives ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_SIGNATURE_H
#define MERCURY_TOOLS_MERCURY_RUN_SIGNATURE_H

#include "HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mercury::run {

/// The global types of a function's arguments and results.
struct Signature {
  std::vector<TensorSpec> arguments, results;
  /// Per argument: it is a number that every rank has, and no tensor.
  std::vector<bool> isNumber;
};

/// The spec of a ranked tensor type, or of a number as a tensor without
/// dimensions (an index as i64); `what` names the value in messages ("argument
/// 1 of @f"). Dynamic extents and other element types are errors.
llvm::Expected<TensorSpec> specOf(mlir::Type type, const llvm::Twine &what);
/// Results that are no tensors are errors.
llvm::Expected<Signature> signatureOf(mlir::func::FuncOp function);

/// The function called `name`; when `name` is empty the only one with a body,
/// or the public one of that kind, or `main`.
llvm::Expected<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                             llvm::StringRef name);

/// A copy of `module` in which the functions that `entry` does not reach and
/// transform scripts are gone, and `entry` is public.
mlir::OwningOpRef<mlir::ModuleOp> isolateEntry(mlir::ModuleOp module,
                                               llvm::StringRef entry);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_SIGNATURE_H
