//===- EmulatedAccess.h - Accesses of device code that are checked -*- C++ -*-//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_EMULATEDACCESS_H
#define MERCURY_LIB_TRANSFORMS_GPU_EMULATEDACCESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mercury {

/// What an op does to memory: it reads or writes `count` elements from
/// `indices` on in the last dimension.
struct EmulatedAccess {
  mlir::Value memory; ///< a memref
  mlir::OperandRange indices;
  int64_t count;
  bool writes;
  std::optional<int64_t> alignment; ///< bytes, as promised by the op
};

/// Of memref.load and store, vector.load and store; nothing of other ops.
std::optional<EmulatedAccess> emulatedAccess(mlir::Operation *op);

/// Calls a function of the module, declared on first use.
mlir::Value callRuntime(mlir::SymbolTable &symbols, mlir::OpBuilder &b,
                        mlir::Location loc, llvm::StringRef callee,
                        mlir::TypeRange results, mlir::ValueRange operands);

/// Inserts before `op` calls that end `thread` when an index is out of range,
/// the address is not aligned, or the access conflicts with that of another
/// thread. `isShared`: to the memory of the block. `text` is what the op is
/// called.
void checkAccess(mlir::SymbolTable &symbols, mlir::Operation *op,
                 const EmulatedAccess &access, bool isShared,
                 mlir::Value thread, mlir::Value text);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_EMULATEDACCESS_H
