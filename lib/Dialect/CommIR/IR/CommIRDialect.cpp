//===- CommIRDialect.cpp - The commir dialect -===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

#include "Mercury/Dialect/CommIR/IR/CommIRDialect.cpp.inc"
#include "Mercury/Dialect/CommIR/IR/CommIREnums.cpp.inc"
#include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Mercury/Dialect/CommIR/IR/CommIRAttrs.cpp.inc"

void CommIRDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mercury/Dialect/CommIR/IR/CommIROps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Mercury/Dialect/CommIR/IR/CommIRAttrs.cpp.inc"
      >();
}

AxisList commir::toAxisList(ArrayAttr axes) {
  AxisList list;
  if (axes)
    for (auto axis : axes.getAsRange<AxisAttr>())
      list.push_back(axis.getValue());
  return list;
}

ArrayAttr commir::toArrayAttr(MLIRContext *context, const AxisList &axes) {
  SmallVector<Attribute> list;
  for (const AxisRef &axis : axes)
    list.push_back(AxisAttr::get(context, axis));
  return ArrayAttr::get(context, list);
}

TopologyOp commir::lookupTopology(Operation *op) {
  for (Operation *p = op; p; p = p->getParentOp()) {
    if (auto name = p->getAttrOfType<FlatSymbolRefAttr>(kTopologyAttrName))
      return SymbolTable::lookupNearestSymbolFrom<TopologyOp>(p, name);
    if (!p->hasTrait<OpTrait::SymbolTable>())
      continue;
    TopologyOp found;
    for (auto topology : p->getRegion(0).getOps<TopologyOp>()) {
      if (found)
        return nullptr;
      found = topology;
    }
    if (found)
      return found;
  }
  return nullptr;
}

LogicalResult CommIRDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName();
  auto expect = [&](bool ok, StringRef what) {
    return ok ? success()
              : op->emitError() << "'" << name << "' expects " << what
                                << ", got " << attr.getValue();
  };
  if (name == kScheduleAttrName)
    return expect(isa<ScheduleAttr>(attr.getValue()), "a #commir.schedule");
  if (name == kTopologyAttrName)
    return expect(isa<FlatSymbolRefAttr>(attr.getValue()),
                  "the symbol of a commir.topology");
  if (name == kPatchAttrName)
    return expect(isa<StringAttr>(attr.getValue()), "the name of a kernel");
  return success();
}

/// Arguments and results of functions carry placements of their rank.
static LogicalResult verifyPlaced(Operation *op, Type type,
                                  NamedAttribute attr) {
  if (attr.getName() != kPlacementAttrName)
    return success();
  auto placement = dyn_cast<PlacementAttr>(attr.getValue());
  if (!placement)
    return op->emitError() << "'" << kPlacementAttrName
                           << "' expects a #commir.placement, got "
                           << attr.getValue();
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return op->emitError() << "'" << kPlacementAttrName
                           << "' stands on a value of type " << type
                           << ", which has no dimensions";
  size_t dims = placement.getValue().dims.size();
  if (dims != static_cast<size_t>(shaped.getRank()))
    return op->emitError() << "placement " << placement.getText() << " has "
                           << dims << " dimensions, its value of type " << type
                           << " has " << shaped.getRank();
  return success();
}

LogicalResult CommIRDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argIndex,
                                                      NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyPlaced(op, function.getArgumentTypes()[argIndex], attr);
}

LogicalResult CommIRDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned resultIndex,
                                                         NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyPlaced(op, function.getResultTypes()[resultIndex], attr);
}
