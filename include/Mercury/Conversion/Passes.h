//===- Passes.h - commir into other dialects --------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_CONVERSION_PASSES_H
#define MERCURY_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mercury {

#define GEN_PASS_DECL
#include "Mercury/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mercury/Conversion/Passes.h.inc"

} // namespace mercury

#endif // MERCURY_CONVERSION_PASSES_H
