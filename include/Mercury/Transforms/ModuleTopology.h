//===- ModuleTopology.h - The topology of a module --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_MODULETOPOLOGY_H
#define MERCURY_TRANSFORMS_MODULETOPOLOGY_H

#include "mlir/IR/BuiltinOps.h"

namespace mercury {

/// Lets the functions of `module` run on the topology that an option gives:
/// `@symbol` names one of the module, any other text is that of levels, a
/// machine or a file (see readTopology), which is added; nothing changes where
/// it is empty. Fails with a diagnostic.
mlir::LogicalResult setModuleTopology(mlir::ModuleOp module,
                                      llvm::StringRef text);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_MODULETOPOLOGY_H
