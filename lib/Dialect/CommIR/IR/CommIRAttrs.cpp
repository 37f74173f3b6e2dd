//===- CommIRAttrs.cpp - Attributes of commir -===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisSyntax.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Axes and placements
//===----------------------------------------------------------------------===//

FailureOr<AxisRef> commir::parseAxisRef(AsmParser &parser) {
  AxisRef axis;
  if (parser.parseKeywordOrString(&axis.level))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseLParen() || parser.parseInteger(axis.pre) ||
        parser.parseRParen() || parser.parseInteger(axis.size))
      return failure();
    if (axis.pre < 1 || axis.size < 1)
      return parser.emitError(parser.getCurrentLocation())
             << "factors of axis '" << axis.level
             << "' must be positive, got (" << axis.pre << ")" << axis.size;
  }
  return axis;
}

FailureOr<AxisList> commir::parseAxisList(AsmParser &parser) {
  AxisList axes;
  auto one = [&]() -> ParseResult {
    FailureOr<AxisRef> axis = parseAxisRef(parser);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, one))
    return failure();
  return axes;
}

FailureOr<Placement> commir::parsePlacementText(AsmParser &parser) {
  Placement placement;
  auto one = [&]() -> ParseResult {
    FailureOr<AxisList> axes = parseAxisList(parser);
    if (failed(axes))
      return failure();
    placement.dims.push_back(std::move(*axes));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
    return failure();
  return placement;
}

ParseResult commir::parseAxes(OpAsmParser &parser, ArrayAttr &axes) {
  FailureOr<AxisList> list = parseAxisList(parser);
  if (failed(list))
    return failure();
  axes = toArrayAttr(parser.getContext(), *list);
  return success();
}

void commir::printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  printer << print(toAxisList(axes));
}

ParseResult commir::parsePlacement(OpAsmParser &parser,
                                   PlacementAttr &placement) {
  FailureOr<Placement> value = parsePlacementText(parser);
  if (failed(value))
    return failure();
  placement = PlacementAttr::get(parser.getContext(), *value);
  return success();
}

void commir::printPlacement(OpAsmPrinter &printer, Operation *,
                            PlacementAttr placement) {
  printer << placement.getText();
}

AxisRef AxisAttr::getValue() const {
  return {getLevel().str(), getPre(), getSize()};
}

int64_t AxisAttr::getMappingId() const { return 0; }
bool AxisAttr::isLinearMapping() const { return false; }
int64_t AxisAttr::getRelativeIndex() const { return 0; }

Attribute AxisAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<AxisRef> axis = parseAxisRef(parser);
  if (failed(axis) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *axis);
}

void AxisAttr::print(AsmPrinter &printer) const {
  printer << '<' << mercury::print(getValue()) << '>';
}

Placement PlacementAttr::getValue() const {
  TextCursor cursor(getText());
  Placement placement;
  std::string error;
  (void)mercury::parse(cursor, placement, error); // canonical text parses
  return placement;
}

Attribute PlacementAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Placement> placement = parsePlacementText(parser);
  if (failed(placement) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *placement);
}

void PlacementAttr::print(AsmPrinter &printer) const {
  printer << '<' << getText() << '>';
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

Schedule ScheduleAttr::getValue() const {
  std::string error;
  return parseSchedule(std::string_view(getText()), error)
      .value_or(Schedule()); // canonical text parses
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  std::string text, error;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<Schedule> schedule = parseSchedule(text, error);
  if (!schedule) {
    parser.emitError(loc) << "schedule: " << error;
    return {};
  }
  return get(parser.getContext(), *schedule);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getText() << "\">";
}

//===----------------------------------------------------------------------===//
// Levels, devices, hops
//===----------------------------------------------------------------------===//

static ParseResult parseFigure(AsmParser &parser, double &figure) {
  int64_t integer = 0;
  OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
  if (isInteger.has_value()) {
    figure = static_cast<double>(integer);
    return *isInteger;
  }
  return parser.parseFloat(figure);
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
  while (succeeded(parser.parseOptionalComma())) {
    StringRef field;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&field))
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
      if (!primitive)
        return parser.emitError(at) << "unknown primitive '" << word << "'";
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
  if (!getDomain().empty())
    printer << ", domain \"" << getDomain() << '"';
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
  Builder b(parser.getContext());
  auto one = [&]() -> ParseResult {
    StringRef field;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&field))
      return failure();
    if (field == "memory")
      return parser.parseInteger(device.memory);
    if (field == "reservable")
      return parser.parseInteger(device.reservable);
    if (field == "bandwidth")
      return parseFigure(parser, device.memoryBandwidth);
    if (field != "peak")
      return parser.emitError(loc)
             << "unknown field '" << field
             << "' of a device; known are memory, reservable, bandwidth, peak";
    auto rate = [&]() -> ParseResult {
      std::string type;
      double value;
      if (parser.parseKeywordOrString(&type) || parser.parseEqual() ||
          parseFigure(parser, value))
        return failure();
      device.peak[type] = value;
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

Attribute HopAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<AxisList> axes = parseAxisList(parser);
  int64_t stride = 0;
  if (failed(axes) || parser.parseKeyword("by") ||
      parser.parseInteger(stride) || parser.parseGreater())
    return {};
  SmallVector<AxisAttr> list;
  for (const AxisRef &axis : *axes)
    list.push_back(AxisAttr::get(parser.getContext(), axis));
  return get(parser.getContext(), list, stride);
}

void HopAttr::print(AsmPrinter &printer) const {
  AxisList axes;
  for (AxisAttr axis : getAxes())
    axes.push_back(axis.getValue());
  printer << '<' << mercury::print(axes) << " by " << getStride() << '>';
}
