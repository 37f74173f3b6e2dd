//===- DialectExtension.h - Schedules as transform scripts ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_TRANSFORMOPS_DIALECTEXTENSION_H
#define MERCURY_DIALECT_COMMIR_TRANSFORMOPS_DIALECTEXTENSION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mercury::commir {

/// Adds the `transform.commir.*` ops to the transform dialect.
void registerTransformDialectExtension(mlir::DialectRegistry &registry);

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_TRANSFORMOPS_DIALECTEXTENSION_H
