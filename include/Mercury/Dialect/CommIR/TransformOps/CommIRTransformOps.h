//===- CommIRTransformOps.h - Schedules as transform scripts ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_TRANSFORMOPS_COMMIRTRANSFORMOPS_H
#define MERCURY_DIALECT_COMMIR_TRANSFORMOPS_COMMIRTRANSFORMOPS_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Schedule/Primitives.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "Mercury/Dialect/CommIR/TransformOps/CommIRTransformOps.h.inc"

#endif // MERCURY_DIALECT_COMMIR_TRANSFORMOPS_COMMIRTRANSFORMOPS_H
