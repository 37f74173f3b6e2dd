//===- TopologyAttrs.cpp - Levels and devices -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include <cmath>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// A field of an attribute, which may stand in it once.
static ParseResult parseField(AsmParser &parser, StringRef &field,
                              llvm::SmallSet<StringRef, 4> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&field))
    return failure();
  // level_c1, device_c1
  if (!seen.insert(field).second)
    return parser.emitError(loc) << "'" << field << "' is given twice";
  return success();
}

/// A number with or without a point.
static ParseResult parseFigure(AsmParser &parser, double &figure) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  if (auto number = dyn_cast<FloatAttr>(value))
    figure = number.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    figure = static_cast<double>(integer.getValue().getSExtValue());
  else
    return parser.emitError(loc) << "expected a figure, got " << value;
  // level_c1, device_c1
  if (!std::isfinite(figure))
    return parser.emitError(loc) << "figure is not finite";
  return success();
}

Level LevelAttr::getValue() const {
  Level level;
  level.name = getName().str();
  level.size = getSize();
  level.bandwidth = getBandwidth().convertToDouble();
  level.latency = getLatency().convertToDouble();
  level.domain = getDomain().str();
  for (int32_t p : getPrimitives())
    level.primitives.push_back(static_cast<Primitive>(p));
  return level;
}

Attribute LevelAttr::parse(AsmParser &parser, Type) {
  Level level;
  if (parser.parseLess() || parser.parseKeywordOrString(&level.name) ||
      parser.parseComma() || parser.parseInteger(level.size))
    return {};
  llvm::SmallSet<StringRef, 4> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef field;
    SMLoc loc = parser.getCurrentLocation();
    if (parseField(parser, field, seen))
      return {};
    if (field == "bandwidth" || field == "latency") {
      double &figure = field == "latency" ? level.latency : level.bandwidth;
      if (parseFigure(parser, figure))
        return {};
      continue;
    }
    if (field == "domain") {
      if (parser.parseString(&level.domain))
        return {};
      continue;
    }
    // level_c1
    if (field != "primitives") {
      parser.emitError(loc) << "unknown field '" << field
                            << "' of a level; known are bandwidth, latency, "
                               "domain, primitives";
      return {};
    }
    auto one = [&]() -> ParseResult {
      StringRef word;
      SMLoc at = parser.getCurrentLocation();
      if (parser.parseKeyword(&word))
        return failure();
      std::optional<Primitive> primitive =
          symbolizePrimitive(std::string_view(word));
      // level_c2
      if (!primitive)
        return parser.emitError(at) << "unknown primitive '" << word << "'";
      if (llvm::is_contained(level.primitives, *primitive))
        return parser.emitError(at) << "'" << word << "' is named twice";
      level.primitives.push_back(*primitive);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), level);
}

void LevelAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printKeywordOrString(getName());
  printer << ", " << getSize();
  auto figure = [&](StringRef name, const APFloat &value) {
    if (value.isZero())
      return;
    printer << ", " << name << ' ';
    printer.printFloat(value);
  };
  figure("bandwidth", getBandwidth());
  figure("latency", getLatency());
  if (!getDomain().empty()) {
    printer << ", domain ";
    printer.printString(getDomain());
  }
  if (!getPrimitives().empty()) {
    printer << ", primitives [";
    llvm::interleaveComma(getPrimitives(), printer, [&](int32_t p) {
      printer << stringify(static_cast<Primitive>(p));
    });
    printer << ']';
  }
  printer << '>';
}

DeviceModel DeviceAttr::getValue() const {
  DeviceModel device;
  device.memory = getMemory();
  device.reservable = getReservable();
  device.memoryBandwidth = getBandwidth().convertToDouble();
  for (NamedAttribute rate : getPeak())
    if (auto value = dyn_cast<FloatAttr>(rate.getValue()))
      device.peak[rate.getName().str()] = value.getValueAsDouble();
  return device;
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  DeviceModel device;
  llvm::SmallSet<StringRef, 4> seen;
  auto one = [&]() -> ParseResult {
    StringRef field;
    SMLoc loc = parser.getCurrentLocation();
    if (parseField(parser, field, seen))
      return failure();
    if (field == "memory")
      return parser.parseInteger(device.memory);
    if (field == "reservable")
      return parser.parseInteger(device.reservable);
    if (field == "bandwidth")
      return parseFigure(parser, device.memoryBandwidth);
    // device_c1
    if (field != "peak")
      return parser.emitError(loc)
             << "unknown field '" << field
             << "' of a device; known are memory, reservable, bandwidth, peak";
    auto rate = [&]() -> ParseResult {
      std::string type;
      double value;
      SMLoc at = parser.getCurrentLocation();
      if (parser.parseKeywordOrString(&type) || parser.parseEqual() ||
          parseFigure(parser, value))
        return failure();
      if (type.empty())
        return parser.emitError(at) << "the element type has no name";
      if (!device.peak.emplace(type, value).second)
        return parser.emitError(at) << "'" << type << "' is given twice";
      return success();
    };
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, rate);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, one))
    return {};
  return get(parser.getContext(), device);
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << "<memory " << getMemory();
  if (getReservable())
    printer << ", reservable " << getReservable();
  if (!getBandwidth().isZero()) {
    printer << ", bandwidth ";
    printer.printFloat(getBandwidth());
  }
  if (!getPeak().empty()) {
    printer << ", peak {";
    llvm::interleaveComma(getPeak(), printer, [&](NamedAttribute rate) {
      printer.printKeywordOrString(rate.getName());
      printer << " = ";
      printer.printFloat(cast<FloatAttr>(rate.getValue()).getValue());
    });
    printer << '}';
  }
  printer << '>';
}
