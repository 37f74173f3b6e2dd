//===- CommIRDialect.cpp - The commir dialect -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/KernelAttrNames.h"
#include "Mercury/Dialect/CommIR/IR/RowsWithoutKeys.h"
#include "Mercury/Dialect/CommIR/IR/SuggestedSchedule.h"
#include "VerifyAxes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

#include "Mercury/Dialect/CommIR/IR/CommIRDialect.cpp.inc"
#include "Mercury/Dialect/CommIR/IR/CommIREnums.cpp.inc"
#include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Mercury/Dialect/CommIR/IR/CommIRAttrs.cpp.inc"

namespace {
/// Functions that use the dialect are inlined like others: no op depends on the
/// function that it stands in.
struct CommIRInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void CommIRDialect::initialize() {
  addInterfaces<CommIRInlinerInterface>();
  addOperations<
#define GET_OP_LIST
#include "Mercury/Dialect/CommIR/IR/CommIROps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Mercury/Dialect/CommIR/IR/CommIRAttrs.cpp.inc"
      >();
}

/// For shifts, the only ops that fold to constants.
Operation *CommIRDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
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

/// The topology called `name` in the symbol table that encloses `op` most
/// closely, or in one further out.
static TopologyOp lookupOutward(Operation *op, FlatSymbolRefAttr name) {
  for (; op; op = op->getParentOp())
    if (op->hasTrait<OpTrait::SymbolTable>())
      if (Operation *found = SymbolTable::lookupSymbolIn(op, name))
        return dyn_cast<TopologyOp>(found);
  return nullptr;
}

TopologyOp commir::lookupTopology(Operation *op) {
  for (Operation *p = op; p; p = p->getParentOp()) {
    if (auto name = p->getAttrOfType<FlatSymbolRefAttr>(kTopologyAttrName))
      return lookupOutward(p, name);
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

//===----------------------------------------------------------------------===//
// Attributes on other ops
//===----------------------------------------------------------------------===//

LogicalResult CommIRDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName();
  Attribute value = attr.getValue();
  auto expect = [&](bool ok, StringRef what) {
    return ok ? success()
              : op->emitError()
                    << "'" << name << "' expects " << what << ", got " << value;
  };
  if (name == kScheduleAttrName)
    return expect(isa<ScheduleAttr>(value), "a #commir.schedule");
  if (name == kRowsWithoutKeysAttrName) {
    auto count = dyn_cast<IntegerAttr>(value);
    return expect(count && count.getInt() > 0 && isa<FunctionOpInterface>(op),
                  "a positive integer, on a function");
  }
  if (name == kSuggestedScheduleAttrName) {
    auto text = dyn_cast<StringAttr>(value);
    return expect(text && !text.empty() && isa<FunctionOpInterface>(op),
                  "the name or the text of a schedule, on a function");
  }
  if (name == kPlacementAttrName)
    return expect(isa<PlacementAttr>(value), "a #commir.placement");
  if (name == kPatchAttrName) {
    auto kernel = dyn_cast<StringAttr>(value);
    return expect(kernel && !kernel.empty(), "the name of a kernel");
  }
  if (name == kRequirementsAttrName || name == kFingerprintAttrName)
    return expect(isa<StringAttr>(value), "a text");
  if (name == kMemoryClassAttrName) {
    auto text = dyn_cast<StringAttr>(value);
    return expect(text &&
                      llvm::is_contained({"own_shard", "travelling", "staging",
                                          "workspace", "held_for_others"},
                                         text.getValue()),
                  "one of own_shard, travelling, staging, workspace, "
                  "held_for_others");
  }
  if (name == kChunksAttrName) {
    auto count = dyn_cast<IntegerAttr>(value);
    return expect(count && count.getInt() > 0, "a positive integer");
  }
  if (name == kTileAttrName) {
    auto sizes = dyn_cast<DenseI64ArrayAttr>(value);
    auto distributable = dyn_cast<DistributableOpInterface>(op);
    return expect(
        sizes && distributable &&
            size_t(sizes.size()) == distributable.getLoops().size() &&
            llvm::all_of(sizes.asArrayRef(), [](int64_t n) { return n >= 0; }),
        "a size for each loop of a distributable op, none negative");
  }
  if (name == kMemoryOwnerAttrName)
    return expect(isa<IntegerAttr>(value), "an integer");
  if (name == kKernelAttrName)
    return expect(isa<UnitAttr>(value) && isa<FunctionOpInterface>(op),
                  "without a value, on a function");
  if (name == kMatmulAttrName) {
    auto problem = dyn_cast<DenseI64ArrayAttr>(value);
    return expect(problem && problem.size() == kMatmulFields &&
                      isa<FunctionOpInterface>(op),
                  "16 integers, on a function");
  }
  if (name == kConcurrentAttrName) {
    auto sets = dyn_cast<ArrayAttr>(value);
    auto isSet = [](Attribute set) {
      auto axes = dyn_cast<ArrayAttr>(set);
      return axes && !axes.empty() &&
             llvm::all_of(axes, llvm::IsaPred<AxisAttr>);
    };
    if (!sets || !isa<CommunicationOpInterface, HopOp>(op) ||
        !llvm::all_of(sets, isSet))
      return expect(false, "an array of sets of axes, on communication");
    for (auto set : sets.getAsRange<ArrayAttr>())
      if (failed(verifyAxes(op, toAxisList(set))))
        return failure();
    return success();
  }
  if (name == kTopologyAttrName) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(value);
    return expect(symbol && lookupOutward(op, symbol),
                  "the symbol of a commir.topology");
  }
  return op->emitError() << "'" << name << "' is no attribute of commir";
}

/// Arguments and results of functions carry placements of their rank.
static LogicalResult verifyPlaced(Operation *op, Type type, Attribute attr) {
  auto placement = dyn_cast<PlacementAttr>(attr);
  if (!placement)
    return op->emitError() << "'" << kPlacementAttrName
                           << "' expects a #commir.placement, got " << attr;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return op->emitError() << "'" << kPlacementAttrName
                           << "' stands on a value of type " << type
                           << ", which has no dimensions";
  Placement value = placement.getValue();
  if (value.dims.size() != static_cast<size_t>(shaped.getRank()))
    return op->emitError() << "placement " << placement.getText() << " has "
                           << value.dims.size()
                           << " dimensions, its value of type " << type
                           << " has " << shaped.getRank();
  return verifyAxes(op, value.axes());
}

static LogicalResult verifyValueAttribute(Operation *op, Type type,
                                          NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kPlacementAttrName)
    return verifyPlaced(op, type, attr.getValue());
  if (name == kGlobalTypeAttrName) {
    auto global = dyn_cast<TypeAttr>(attr.getValue());
    return global ? success()
                  : op->emitError() << "'" << name << "' expects a type, got "
                                    << attr.getValue();
  }
  if (name == kResultAttrName)
    return success();
  return op->emitError() << "'" << name
                         << "' is no attribute of arguments and results";
}

LogicalResult CommIRDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argIndex,
                                                      NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyValueAttribute(op, function.getArgumentTypes()[argIndex], attr);
}

LogicalResult CommIRDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned resultIndex,
                                                         NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyValueAttribute(op, function.getResultTypes()[resultIndex], attr);
}
