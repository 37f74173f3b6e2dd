//===- FieldSyntax.cpp - Fields of levels and devices ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldSyntax.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

ParseResult FieldReader::next(StringRef &field) {
  lastLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&field))
    return failure();
  last = field;
  // Each primitive has its own curve.
  return field == "curve" ? ParseResult(success()) : once(lastLoc, field);
}

ParseResult FieldReader::once(SMLoc loc, Twine name) {
  // level_c1, level_c2, device_c1
  if (!seen.insert(name.str()).second)
    return parser.emitError(loc) << "'" << name << "' is given twice";
  return success();
}

ParseResult FieldReader::figure(double &value) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    value = number.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(attribute))
    value = static_cast<double>(integer.getValue().getSExtValue());
  else
    return parser.emitError(loc) << "expected a figure, got " << attribute;
  // level_c1, device_c1
  if (!std::isfinite(value))
    return parser.emitError(loc) << "figure is not finite";
  return success();
}

ParseResult FieldReader::curve(Curve &curve) {
  auto point = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    double size = 0, value = 0;
    if (parser.parseLParen() || figure(size) || parser.parseComma() ||
        figure(value) || parser.parseRParen())
      return failure();
    // level_c3, device_c2
    double before = curve.points.empty() ? 0 : curve.points.back().first;
    if (size <= before)
      return parser.emitError(loc)
             << "sizes of '" << last << "' are positive and increase, got "
             << printFigure(size) << " after " << printFigure(before);
    if (value <= 0)
      return parser.emitError(loc)
             << "figures of '" << last << "' are positive, got "
             << printFigure(value) << " at size " << printFigure(size);
    curve.points.emplace_back(size, value);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, point))
    return failure();
  // level_c3, device_c2
  if (!curve)
    return parser.emitError(loc) << "'" << last << "' has no point";
  return success();
}

ParseResult FieldReader::unknown() {
  return parser.emitError(lastLoc) << "unknown field '" << last << "' of " << of
                                   << "; known are " << known;
}

std::string commir::printFigure(double figure) {
  char buffer[32];
  // A long integer is none of MLIR's 64 bits.
  auto [end, error] =
      std::abs(figure) < 1e17
          ? std::to_chars(buffer, buffer + sizeof(buffer), figure)
          : std::to_chars(buffer, buffer + sizeof(buffer), figure,
                          std::chars_format::scientific);
  (void)error; // 24 characters are enough for every double
  std::string text(buffer, end);
  // MLIR's floats have a point.
  size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  return text;
}

void commir::printCurve(AsmPrinter &printer, const Curve &curve) {
  printer << '[';
  llvm::interleaveComma(curve.points, printer, [&](auto &point) {
    printer << '(' << printFigure(point.first) << ", "
            << printFigure(point.second) << ')';
  });
  printer << ']';
}
