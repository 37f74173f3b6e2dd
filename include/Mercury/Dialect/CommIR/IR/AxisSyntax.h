//===- AxisSyntax.h - Axes and placements in text ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_AXISSYNTAX_H
#define MERCURY_DIALECT_COMMIR_IR_AXISSYNTAX_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury::commir {

/// `gpu` or `gpu:(1)2`.
mlir::FailureOr<AxisRef> parseAxisRef(mlir::AsmParser &parser);
/// `{node, gpu}`.
mlir::FailureOr<AxisList> parseAxisList(mlir::AsmParser &parser);
/// `[{gpu}, {}]`.
mlir::FailureOr<Placement> parsePlacementText(mlir::AsmParser &parser);

/// Directives of op formats.
mlir::ParseResult parseAxes(mlir::OpAsmParser &parser, mlir::ArrayAttr &axes);
void printAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::ArrayAttr axes);
/// `compute` (an empty list), or the axes of a communication stream.
mlir::ParseResult parseStream(mlir::OpAsmParser &parser, mlir::ArrayAttr &axes);
void printStream(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::ArrayAttr axes);
mlir::ParseResult parsePlacement(mlir::OpAsmParser &parser,
                                 PlacementAttr &placement);
void printPlacement(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    PlacementAttr placement);

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_AXISSYNTAX_H
