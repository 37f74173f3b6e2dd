//===- ContiguousBuffer.h - Buffers that the runtime takes ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_DIALECT_COMMIR_IR_CONTIGUOUSBUFFER_H
#define MERCURY_LIB_DIALECT_COMMIR_IR_CONTIGUOUSBUFFER_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury::commir {

/// The buffer of a tensor of static shape that is only read: contiguous, a copy
/// where it is not.
mlir::FailureOr<mlir::Value>
contiguousBuffer(mlir::RewriterBase &rewriter, mlir::Value tensor,
                 const mlir::bufferization::BufferizationOptions &options,
                 mlir::bufferization::BufferizationState &state);

} // namespace mercury::commir

#endif // MERCURY_LIB_DIALECT_COMMIR_IR_CONTIGUOUSBUFFER_H
