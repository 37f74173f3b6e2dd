//===- RetypeBody.h - Scalar bodies in a wider type -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_LOCAL_RETYPEBODY_H
#define MERCURY_LIB_TRANSFORMS_LOCAL_RETYPEBODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mercury {

/// True if `type` is a floating type of fewer bits than `wide`.
bool isNarrower(mlir::Type type, mlir::FloatType wide);

/// The first op of a scalar body that cannot compute in `wide` in the place of
/// narrower types; null if all can.
mlir::Operation *findUnretypable(mlir::Block &body, mlir::FloatType wide);

/// Clones `from` into the empty block `to` (whose arguments stand for those of
/// `from`, each of its old type or of `wide`), extending narrower arguments and
/// captured values and computing in `wide`. Conversions that become the
/// identity disappear. Precondition: findUnretypable() found nothing.
void cloneBodyInType(mlir::OpBuilder &b, mlir::Block &from, mlir::Block &to,
                     mlir::FloatType wide);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_LOCAL_RETYPEBODY_H
