//===- Stages.h - What pipelines share --------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_PIPELINES_STAGES_H
#define MERCURY_LIB_PIPELINES_STAGES_H

#include "Mercury/Pipelines/Pipelines.h"
#include "mlir/Support/LLVM.h"

namespace mercury {

/// Stage 3 -> the function of a rank on buffers, with communication that
/// overlaps, verified. Whether contractions and attention
/// become vector code for the CPU on the way: of the former that needs tensors.
void buildSpmdOnBuffers(mlir::OpPassManager &pm, int64_t chunks,
                        bool vectorizeContractions, bool vectorizeAttention);

/// After the last buffer is made: each lives as long as it is used, and the
/// function's requirements say how many bytes that takes.
void settleBuffers(mlir::OpPassManager &pm);

/// Calls of registered kernels; with `local` "blas" those of a BLAS library
/// take every op that they can.
void addPatchKernels(mlir::OpPassManager &pm, mlir::StringRef local);

} // namespace mercury

#endif // MERCURY_LIB_PIPELINES_STAGES_H
