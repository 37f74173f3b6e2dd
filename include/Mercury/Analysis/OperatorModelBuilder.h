//===- OperatorModelBuilder.h - Operators as plain data ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_OPERATORMODELBUILDER_H
#define MERCURY_ANALYSIS_OPERATORMODELBUILDER_H

#include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.h"
#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// What schedules need to know of an operator. Dynamic extents are kept as
/// ShapedType::kDynamic; see firstDynamicExtent().
OperatorModel buildOperatorModel(commir::DistributableOpInterface op);

/// The operator's inputs that are ranked tensors, in the order of
/// OperatorModel::inputs.
llvm::SmallVector<mlir::OpOperand *>
tensorInputs(commir::DistributableOpInterface op);

/// The first tensor operand or result of `op` with a dynamic extent.
mlir::Value firstDynamicValue(mlir::Operation *op);

} // namespace mercury

#endif // MERCURY_ANALYSIS_OPERATORMODELBUILDER_H
