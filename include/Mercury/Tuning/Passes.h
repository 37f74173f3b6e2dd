//===- Passes.h - Passes that choose ----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_PASSES_H
#define MERCURY_TUNING_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mercury {

#define GEN_PASS_DECL
#include "Mercury/Tuning/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mercury/Tuning/Passes.h.inc"

} // namespace mercury

#endif // MERCURY_TUNING_PASSES_H
