//===- LevelAttr.cpp - Levels of a topology -------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldSyntax.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

llvm::hash_code mercury::hash_value(const Level &level) {
  // Adding 0 makes the zeros, which are equal, one.
  return llvm::hash_combine(level.name, level.size, level.sharedBy,
                            level.curves.size(),
                            llvm::bit_cast<uint64_t>(level.bandwidth + 0.0),
                            llvm::bit_cast<uint64_t>(level.latency + 0.0));
}

namespace {
/// A field that is one figure; 0 is left out.
struct FigureField {
  StringLiteral name;
  double Level::*member;
};
/// A field that is a word alone, and what it says of its member.
struct WordField {
  StringLiteral name;
  bool Level::*member;
  bool value;
};
} // namespace

static constexpr FigureField figureFields[] = {
    {"bandwidth", &Level::bandwidth},
    {"latency", &Level::latency},
    {"launch", &Level::launch},
    {"contention", &Level::contention}};
static constexpr WordField wordFields[] = {
    {"half_duplex", &Level::fullDuplex, false},
    {"no_peer_access", &Level::peerAccess, false},
    {"in_switch_reduction", &Level::inSwitchReduction, true}};

static ParseResult parsePrimitive(AsmParser &parser, Primitive &primitive) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Primitive> found = symbolizePrimitive(std::string_view(word));
  // level_c2
  if (!found)
    return parser.emitError(loc) << "unknown primitive '" << word << "'";
  primitive = *found;
  return success();
}

static ParseResult parsePrimitives(AsmParser &parser, Level &level) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        Primitive primitive;
        if (parsePrimitive(parser, primitive))
          return failure();
        if (llvm::is_contained(level.primitives, primitive))
          return parser.emitError(loc)
                 << "'" << stringify(primitive) << "' is named twice";
        level.primitives.push_back(primitive);
        return success();
      });
}

static ParseResult parseField(AsmParser &parser, FieldReader &fields,
                              Level &level) {
  StringRef field;
  if (fields.next(field))
    return failure();
  for (const FigureField &known : figureFields)
    if (field == known.name)
      return fields.figure(level.*known.member);
  for (const WordField &known : wordFields)
    if (field == known.name) {
      level.*known.member = known.value;
      return success();
    }
  if (field == "domain")
    return parser.parseString(&level.domain);
  if (field == "failure_domain")
    return parser.parseString(&level.failureDomain);
  if (field == "interval")
    return fields.curve(level.interval);
  if (field == "primitives")
    return parsePrimitives(parser, level);
  if (field == "shared_by") {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(level.sharedBy))
      return failure();
    // level_c1
    if (level.sharedBy < 1)
      return parser.emitError(loc)
             << "shared_by is at least 1, got " << level.sharedBy;
    return success();
  }
  if (field == "curve") {
    Primitive primitive;
    SMLoc loc = parser.getCurrentLocation();
    if (parsePrimitive(parser, primitive) ||
        fields.once(loc, "curve " + StringRef(stringify(primitive))))
      return failure();
    return fields.curve(level.curves[primitive]);
  }
  // level_c1
  return fields.unknown();
}

Attribute LevelAttr::parse(AsmParser &parser, Type) {
  Level level;
  level.sharedBy = 0; // not said
  if (parser.parseLess() || parser.parseKeywordOrString(&level.name) ||
      parser.parseComma() || parser.parseInteger(level.size))
    return {};
  FieldReader fields(
      parser, "a level",
      "bandwidth, latency, launch, contention, half_duplex, no_peer_access, "
      "in_switch_reduction, domain, shared_by, failure_domain, primitives, "
      "curve, interval");
  while (succeeded(parser.parseOptionalComma()))
    if (parseField(parser, fields, level))
      return {};
  if (parser.parseGreater())
    return {};
  // A port of its own is the ordinary case of a level without a domain.
  if (level.sharedBy == 0 && level.domain.empty())
    level.sharedBy = 1;
  return get(parser.getContext(), level);
}

void LevelAttr::print(AsmPrinter &printer) const {
  const Level &level = getValue();
  printer << '<';
  printer.printKeywordOrString(level.name);
  printer << ", " << level.size;
  for (const FigureField &field : figureFields)
    if (level.*field.member != 0)
      printer << ", " << field.name << ' ' << printFigure(level.*field.member);
  for (const WordField &field : wordFields)
    if (level.*field.member == field.value)
      printer << ", " << field.name;
  if (!level.domain.empty()) {
    printer << ", domain ";
    printer.printString(level.domain);
  }
  if (level.sharedBy != (level.domain.empty() ? 1 : 0))
    printer << ", shared_by " << level.sharedBy;
  if (!level.failureDomain.empty()) {
    printer << ", failure_domain ";
    printer.printString(level.failureDomain);
  }
  if (!level.primitives.empty()) {
    printer << ", primitives [";
    llvm::interleaveComma(level.primitives, printer,
                          [&](Primitive p) { printer << stringify(p); });
    printer << ']';
  }
  for (const auto &[primitive, curve] : level.curves) {
    printer << ", curve " << stringify(primitive) << ' ';
    printCurve(printer, curve);
  }
  if (level.interval) {
    printer << ", interval ";
    printCurve(printer, level.interval);
  }
  printer << '>';
}
