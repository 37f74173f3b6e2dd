//===- ElementBytes.h - Size of elements of buffers -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ELEMENTBYTES_H
#define MERCURY_LIB_TRANSFORMS_GPU_ELEMENTBYTES_H

#include "mlir/IR/BuiltinTypes.h"

namespace mercury {

/// Bytes that an element of a memref takes: a number, an index (64 bits), or a
/// vector of them.
inline int64_t elementBytes(mlir::Type type) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return vector.getNumElements() * elementBytes(vector.getElementType());
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ELEMENTBYTES_H
