//===- Passes.h - The computation inside one rank, on GPUs ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_GPU_PASSES_H
#define MERCURY_TRANSFORMS_GPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <string>

namespace mercury {

#define GEN_PASS_DECL
#include "Mercury/Transforms/Gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mercury/Transforms/Gpu/Passes.h.inc"

} // namespace mercury

#endif // MERCURY_TRANSFORMS_GPU_PASSES_H
