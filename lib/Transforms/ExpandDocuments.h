//===- ExpandDocuments.h - Bounds of documents as operators -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_EXPANDDOCUMENTS_H
#define MERCURY_LIB_TRANSFORMS_EXPANDDOCUMENTS_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/PatternMatch.h"

namespace mercury {

/// Replaces the op by constants where its operands are constant, else by linalg
/// operators. Fails with a diagnostic on constants that describe no documents.
mlir::LogicalResult expandDocumentRanges(mlir::RewriterBase &b,
                                         commir::DocumentRangesOp op);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_EXPANDDOCUMENTS_H
