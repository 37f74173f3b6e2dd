//===- FieldSyntax.h - Fields of levels and devices -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_DIALECT_COMMIR_IR_FIELDSYNTAX_H
#define MERCURY_LIB_DIALECT_COMMIR_IR_FIELDSYNTAX_H

#include "Mercury/Schedule/Curve.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"

namespace mercury::commir {

/// Parses fields of an attribute, each of which may stand in it once.
class FieldReader {
public:
  /// `of`: what the fields belong to, `known`: their names, for messages.
  FieldReader(mlir::AsmParser &parser, llvm::StringRef of,
              llvm::StringRef known)
      : parser(parser), of(of), known(known) {}

  /// The name of the next field.
  mlir::ParseResult next(llvm::StringRef &field);
  /// Notes a part of a field that may stand in the attribute once.
  mlir::ParseResult once(llvm::SMLoc loc, llvm::Twine name);
  /// A number with or without a point.
  mlir::ParseResult figure(double &value);
  /// `[(size, figure), ...]`
  mlir::ParseResult curve(Curve &curve);
  /// The name of the last field is none of the known ones.
  mlir::ParseResult unknown();

private:
  mlir::AsmParser &parser;
  llvm::StringRef of, known, last;
  llvm::SMLoc lastLoc;
  llvm::StringSet<> seen;
};

/// The shortest text from which MLIR reads the same figure.
std::string printFigure(double figure);
void printCurve(mlir::AsmPrinter &printer, const Curve &curve);

} // namespace mercury::commir

#endif // MERCURY_LIB_DIALECT_COMMIR_IR_FIELDSYNTAX_H
