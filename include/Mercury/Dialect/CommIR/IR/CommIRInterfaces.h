//===- CommIRInterfaces.h - What passes ask of ops --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_H
#define MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_H

#include "Mercury/Schedule/Mask.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

#include "Mercury/Dialect/CommIR/IR/CommIREnums.h.inc"

#include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.h.inc"

#endif // MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_H
