//===- DeviceAttr.cpp - The device of a topology --------------------------===//
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

llvm::hash_code mercury::hash_value(const DeviceModel &device) {
  // Adding 0 makes the zeros, which are equal, one.
  return llvm::hash_combine(
      device.name, device.memory, device.reservable, device.achieved.size(),
      llvm::bit_cast<uint64_t>(device.memoryBandwidth + 0.0));
}

namespace {
/// A field that is one figure; 0 is left out.
struct FigureField {
  StringLiteral name;
  double DeviceModel::*member;
};
} // namespace

static constexpr FigureField figureFields[] = {
    {"bandwidth", &DeviceModel::memoryBandwidth},
    {"bandwidth_fraction", &DeviceModel::memoryFraction},
    {"launch", &DeviceModel::launch},
    {"communication_share", &DeviceModel::communicationShare},
    {"interval", &DeviceModel::interval},
    {"power", &DeviceModel::power}};

static ParseResult parsePeak(AsmParser &parser, FieldReader &fields,
                             DeviceModel &device) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        std::string type;
        double value = 0;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeywordOrString(&type) || parser.parseEqual() ||
            fields.figure(value))
          return failure();
        if (type.empty())
          return parser.emitError(loc) << "the element type has no name";
        if (!device.peak.emplace(type, value).second)
          return parser.emitError(loc) << "'" << type << "' is given twice";
        return success();
      });
}

/// `gemm bf16 library "cublas" fraction [(1024, 0.3)] interval 0.1`
static ParseResult parseAchieved(AsmParser &parser, FieldReader &fields,
                                 AchievedRate &rate) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef work;
  if (parser.parseKeyword(&work))
    return failure();
  if (work != "gemm" && work != "attention")
    return parser.emitError(loc)
           << "expected 'gemm' or 'attention', got '" << work << "'";
  rate.work =
      work == "gemm" ? AchievedRate::Work::Gemm : AchievedRate::Work::Attention;
  if (parser.parseKeywordOrString(&rate.type))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("head_dim")) &&
      parser.parseInteger(rate.headDim))
    return failure();
  rate.causal = succeeded(parser.parseOptionalKeyword("causal"));
  rate.backward = succeeded(parser.parseOptionalKeyword("backward"));
  if (succeeded(parser.parseOptionalKeyword("library")) &&
      parser.parseString(&rate.library))
    return failure();
  if (parser.parseKeyword("fraction") || fields.curve(rate.fraction))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("interval")))
    return fields.figure(rate.interval);
  return success();
}

static ParseResult parseField(AsmParser &parser, FieldReader &fields,
                              DeviceModel &device) {
  StringRef field;
  if (fields.next(field))
    return failure();
  for (const FigureField &known : figureFields)
    if (field == known.name)
      return fields.figure(device.*known.member);
  if (field == "name")
    return parser.parseString(&device.name);
  if (field == "memory")
    return parser.parseInteger(device.memory);
  if (field == "reservable")
    return parser.parseInteger(device.reservable);
  if (field == "peak")
    return parsePeak(parser, fields, device);
  if (field == "achieved")
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
      return parseAchieved(parser, fields, device.achieved.emplace_back());
    });
  // device_c1
  return fields.unknown();
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  DeviceModel device;
  FieldReader fields(parser, "a device",
                     "name, memory, reservable, bandwidth, bandwidth_fraction, "
                     "launch, communication_share, interval, power, peak, "
                     "achieved");
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() {
        return parseField(parser, fields, device);
      }))
    return {};
  return get(parser.getContext(), device);
}

static void printAchieved(AsmPrinter &printer, const AchievedRate &rate) {
  printer << (rate.work == AchievedRate::Work::Gemm ? "gemm " : "attention ");
  printer.printKeywordOrString(rate.type);
  if (rate.headDim)
    printer << " head_dim " << rate.headDim;
  if (rate.causal)
    printer << " causal";
  if (rate.backward)
    printer << " backward";
  if (!rate.library.empty()) {
    printer << " library ";
    printer.printString(rate.library);
  }
  printer << " fraction ";
  printCurve(printer, rate.fraction);
  if (rate.interval != 0)
    printer << " interval " << printFigure(rate.interval);
}

void DeviceAttr::print(AsmPrinter &printer) const {
  const DeviceModel &device = getValue();
  printer << '<';
  if (!device.name.empty()) {
    printer << "name ";
    printer.printString(device.name);
    printer << ", ";
  }
  printer << "memory " << device.memory;
  if (device.reservable)
    printer << ", reservable " << device.reservable;
  for (const FigureField &field : figureFields)
    if (device.*field.member != 0)
      printer << ", " << field.name << ' ' << printFigure(device.*field.member);
  if (!device.peak.empty()) {
    printer << ", peak {";
    llvm::interleaveComma(device.peak, printer, [&](auto &rate) {
      printer.printKeywordOrString(rate.first);
      printer << " = " << printFigure(rate.second);
    });
    printer << '}';
  }
  if (!device.achieved.empty()) {
    printer << ", achieved [";
    llvm::interleaveComma(device.achieved, printer,
                          [&](auto &rate) { printAchieved(printer, rate); });
    printer << ']';
  }
  printer << '>';
}
