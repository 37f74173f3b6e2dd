//===- DistributableOpInterfaceImpl.h - linalg as operators -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_LINALG_DISTRIBUTABLEOPINTERFACEIMPL_H
#define MERCURY_DIALECT_LINALG_DISTRIBUTABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mercury::commir {

/// Gives every structured linalg op (named ops, generic, contract, reduce,
/// fill, elementwise, transpose, broadcast) the DistributableOpInterface.
void registerLinalgDistributableOps(mlir::DialectRegistry &registry);

} // namespace mercury::commir

#endif // MERCURY_DIALECT_LINALG_DISTRIBUTABLEOPINTERFACEIMPL_H
