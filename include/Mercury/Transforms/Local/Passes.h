//===- Passes.h - The computation inside one rank, on CPUs ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// None of these passes knows about ranks or communication: they see the ops
// that compute inside a rank, linalg's and online attention, before (on
// tensors) or after (on buffers) bufferization, and leave every other op alone.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_LOCAL_PASSES_H
#define MERCURY_TRANSFORMS_LOCAL_PASSES_H

#include "mlir/Pass/Pass.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mercury {

#define GEN_PASS_DECL
#include "Mercury/Transforms/Local/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mercury/Transforms/Local/Passes.h.inc"

/// Adds the passes that take a module of bufferized functions (memref, linalg,
/// vector, scf, affine, arith, math, func, cf, index, ub and llvm, mixed) to
/// the llvm dialect. Precondition: no tensor is left, and the dialect registry
/// of the context has the extensions of `mlir::registerAllExtensions`. `pm`
/// works on a `builtin.module`.
void buildLowerBufferizedToLLVM(mlir::OpPassManager &pm);

/// Registers the function above as the pipeline `mercury-lower-to-llvm`.
void registerLocalPipelines();

} // namespace mercury

#endif // MERCURY_TRANSFORMS_LOCAL_PASSES_H
