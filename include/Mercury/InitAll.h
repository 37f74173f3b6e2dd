//===- InitAll.h - Everything Mercury registers -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_INITALL_H
#define MERCURY_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mercury {

/// Adds commir, all upstream dialects, their extensions and translations to the
/// LLVM dialects, and the external models and transform ops of Mercury.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers all passes and pipelines of Mercury and of upstream.
void registerAllPasses();

} // namespace mercury

#endif // MERCURY_INITALL_H
