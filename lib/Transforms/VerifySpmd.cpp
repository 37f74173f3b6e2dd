//===- VerifySpmd.cpp - The contract of stage 3 ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/CommunicationPlay.h"
#include "Mercury/Analysis/RankDivergence.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mercury {
#define GEN_PASS_DEF_VERIFYSPMDPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// What an argument or result is on a rank, and was before.
namespace {
struct Boundary {
  std::string name; ///< "argument 0"
  Type type;
  PlacementAttr placement;
  Attribute globalType;
};
} // namespace

static SmallVector<Boundary> boundaries(func::FuncOp function) {
  SmallVector<Boundary> result;
  auto add = [&](StringRef kind, unsigned i, Type type, DictionaryAttr attrs) {
    if (!isa<RankedTensorType, MemRefType>(type))
      return;
    Boundary boundary{(kind + " " + Twine(i)).str(), type, {}, {}};
    if (attrs) {
      boundary.placement = attrs.getAs<PlacementAttr>(kPlacementAttrName);
      boundary.globalType = attrs.get(kGlobalTypeAttrName);
    }
    result.push_back(boundary);
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    add("argument", i, type, function.getArgAttrDict(i));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    add("result", i, type, function.getResultAttrDict(i));
  return result;
}

/// The local type is the block that every rank holds of the global one.
static LogicalResult verifyBlock(func::FuncOp function, const Boundary &at,
                                 const TopologyModel &topology) {
  auto local = cast<ShapedType>(at.type);
  auto typeAttr = dyn_cast_if_present<TypeAttr>(at.globalType);
  auto global = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue())
                         : RankedTensorType();
  if (!global || !at.placement)
    return function.emitError()
           << at.name << " of type " << at.type << " has no '"
           << (global ? kPlacementAttrName : kGlobalTypeAttrName)
           << "', which says what part of which tensor it is";
  Placement placement = at.placement.getValue();
  if (local.getRank() != global.getRank() ||
      local.getElementType() != global.getElementType())
    return function.emitError() << at.name << " of type " << at.type
                                << " can be no block of " << global;
  if (Verdict verdict = mercury::verify(placement, topology, global.getRank());
      !verdict)
    return function.emitError() << at.name << ": " << verdict.reason();
  if (!local.hasStaticShape() || !global.hasStaticShape())
    return function.emitError()
           << at.name << " of type " << at.type << ", a block of " << global
           << ", has a dynamic extent";
  for (auto [dim, axes] : llvm::enumerate(placement.dims)) {
    int64_t parts = topology.sizeOf(axes);
    int64_t extent = local.getDimSize(dim), all = global.getDimSize(dim);
    TokenOrder order = placement.orderOf(dim);
    bool isWhole = axes.empty() && order.isNatural();
    int64_t expected = llvm::divideCeil(all, parts);
    if (extent * parts % order.granularity() != 0)
      return function.emitError()
             << at.name << " has extent " << extent << " in dimension " << dim
             << ", but " << parts << " blocks of it are no multiple of the "
             << order.granularity() << " chunks of '" << mercury::print(order)
             << "'";
    if (isWhole ? extent == all : extent >= expected)
      continue;
    return function.emitError()
           << at.name << " has extent " << extent << " in dimension " << dim
           << ", but " << parts << " blocks (over " << mercury::print(axes)
           << ") of a global extent " << all << " need "
           << (isWhole ? "" : "at least ") << expected;
  }
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  if (isa<ShardOp, ReplicateOp, ReshardOp>(op))
    return op->emitError() << "places a tensor of global shape "
                           << op->getResult(0).getType()
                           << ", but ranks hold local shapes";
  if (isa<ShiftOp>(op))
    return op->emitError("shifts a step by a coordinate of a rank loop, but "
                         "ranks have no rank loop");
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    if (std::optional<ArrayAttr> mapping = loop.getMapping())
      for (Attribute attr : *mapping)
        if (isa<AxisAttr>(attr))
          return op->emitError() << "runs over the ranks of " << attr
                                 << ", but this is what one rank runs";
  for (Type type : op->getResultTypes())
    if (auto shaped = dyn_cast<ShapedType>(type))
      if (!shaped.hasStaticShape())
        return op->emitError() << "has a result of type " << type
                               << ", but local shapes are static";
  return success();
}

/// Whether ranks reach every communication alike.
static LogicalResult verifyUniform(Operation *op,
                                   const RankDivergence &divergence) {
  std::optional<RankDivergence::Control> control =
      divergence.divergentControl(op);
  if (!control)
    return success();
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic << "'" << op->getName() << "' stands under '"
             << control->op->getName() << "', which "
             << (control->cause ? "ranks take differently"
                                : "nothing says that ranks run alike");
  diagnostic.attachNote(control->op->getLoc())
      << "'" << control->op->getName() << "' decides whether it runs";
  if (control->cause)
    diagnostic.attachNote(control->cause->getLoc())
        << "'" << control->cause->getName() << "' differs between ranks";
  return diagnostic;
}

/// Functions of other stages are left alone.
static bool isSpmd(func::FuncOp function) {
  if (function.isExternal())
    return false;
  for (const Boundary &boundary : boundaries(function))
    if (boundary.globalType || boundary.placement)
      return true;
  return function
      .walk([](Operation *op) {
        return isa_and_present<CommIRDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct VerifySpmdPass
    : public mercury::impl::VerifySpmdPassBase<VerifySpmdPass> {
  using VerifySpmdPassBase::VerifySpmdPassBase;

  LogicalResult verify(func::FuncOp function,
                       const RankDivergence &divergence) {
    TopologyOp topology = lookupTopology(function);
    if (!topology)
      return function.emitError("is what a rank runs, but no topology "
                                "resolves");
    TopologyModel model = topology.getModel();
    SmallVector<Boundary> all = boundaries(function);
    bool isPlaced = llvm::any_of(all, [](const Boundary &each) {
      return each.globalType || each.placement;
    });
    LogicalResult result = success();
    for (const Boundary &boundary : all)
      if (isPlaced && failed(verifyBlock(function, boundary, model)))
        result = failure();
    function.walk([&](Operation *op) {
      if (failed(verifyOp(op)))
        result = failure();
      bool isCommunication =
          isa<CommunicationOpInterface, HopOp, WaitOp, RotateOp>(op) ||
          (isa<func::CallOp>(op) && communicates(op));
      if (isCommunication && failed(verifyUniform(op, divergence)))
        result = failure();
    });
    return result;
  }

  void runOnOperation() override {
    RankDivergence divergence(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isSpmd(function) && failed(verify(function, divergence)))
        signalPassFailure();
  }
};
} // namespace
