//===- ResolveCommunication.cpp - Distributed loop nests onto ranks -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionResolver.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace mercury {
#define GEN_PASS_DEF_RESOLVECOMMUNICATIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

bool mercury::isMadeAnywhere(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<tensor::EmptyOp>(op))
    return true;
  auto fill = dyn_cast_if_present<linalg::FillOp>(op);
  return fill && isMadeAnywhere(fill.getDpsInits()[0]);
}

LocalValue FunctionResolver::held(Location loc, Value value,
                                  const Placement &target,
                                  ArrayRef<int64_t> padded) {
  if (isMadeAnywhere(value)) {
    LocalValue local;
    local.shape =
        placedShape(padded.empty() ? shapeOf(value) : padded, target, topology);
    local.global.assign(shapeOf(value).begin(), shapeOf(value).end());
    local.value = resharder.empty(loc, local.shape.local(topology),
                                  getElementTypeOrSelf(value));
    if (auto fill = value.getDefiningOp<linalg::FillOp>())
      local.value =
          linalg::FillOp::create(
              b, loc, scalars.lookupOrDefault(fill.getInputs()[0]), local.value)
              .getResult(0);
    return local;
  }
  return resharder.convert(loc, locals.lookup(value), target, padded);
}

LogicalResult FunctionResolver::resolvePlacement(Operation *op,
                                                 const Placement &target) {
  Value source = op->getOperand(0), result = op->getResult(0);
  Location loc = op->getLoc();
  auto reduction = reductions.find(source);
  if (reduction == reductions.end()) {
    if (!isMadeAnywhere(source) && !locals.count(source))
      return op->emitError("places a value that no rank holds");
    LocalValue local = held(loc, source, target, {});
    local.shape.fetch = placements.lookup(result)->fetch;
    set(result, local);
    return success();
  }
  // The end of a reduction over ranks.
  DistributableOpInterface reducing = reduction->second;
  unsigned number = cast<OpResult>(source).getResultNumber(), group = 0;
  for (auto [g, members] : llvm::enumerate(reducing.getGroups()))
    if (llvm::is_contained(members, number))
      group = g;
  std::optional<ReductionKind> kind = reducing.getCollectiveKind(number);
  if (!kind)
    return reducing->emitError(
        "reduces over ranks with a combiner that no collective has");
  LocalValue partial = locals.lookup(reducing->getOperand(number));
  LocalValue reduced = resharder.reduce(loc, partial, *kind, target);
  reduced = resharder.convert(loc, reduced, target);
  Value init = cast<DestinationStyleOpInterface>(reducing.getOperation())
                   .getDpsInitOperand(number)
                   ->get();
  if (!reducing.isNeutral(number, init)) {
    LocalValue entered = held(loc, init, target, reduced.shape.padded);
    // What enters with the init may be read later: merge into a copy that
    // bufferization makes only if it is.
    reduced.value =
        reducing.createMerge(b, loc, group, entered.value, reduced.value)[0];
  }
  set(result, reduced);
  return success();
}

LogicalResult FunctionResolver::resolveReturn(func::ReturnOp op) {
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    NamedAttrList attrs(function.getResultAttrDict(i));
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      values.push_back(scalars.lookupOrDefault(value));
      resultTypes.push_back(values.back().getType());
      resultAttrs.push_back(attrs.getDictionary(b.getContext()));
      continue;
    }
    auto wanted =
        function.getResultAttrOfType<PlacementAttr>(i, kPlacementAttrName);
    const PlacedShape *placed = placements.lookup(value);
    Placement placement = wanted ? wanted.getValue()
                          : locals.count(value)
                              ? locals.lookup(value).shape.placement
                          : placed ? placed->placement
                                   : Placement::replicated(type.getRank());
    LocalValue local = held(op.getLoc(), value, placement);
    attrs.set(kPlacementAttrName,
              PlacementAttr::get(b.getContext(), placement));
    attrs.set(kGlobalTypeAttrName, TypeAttr::get(type));
    values.push_back(local.value);
    resultTypes.push_back(local.value.getType());
    resultAttrs.push_back(attrs.getDictionary(b.getContext()));
  }
  func::ReturnOp::create(b, op.getLoc(), values);
  return success();
}

LogicalResult FunctionResolver::resolve(Operation *op) {
  if (isMadeAnywhere(op->getNumResults() == 1 ? op->getResult(0) : Value()))
    return success(); // made where it is used
  if (auto shard = dyn_cast<ShardOp>(op))
    return resolvePlacement(op, shard.getPlacement().getValue());
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return resolvePlacement(op, reshard.getPlacement().getValue());
  if (auto replicate = dyn_cast<ReplicateOp>(op))
    return resolvePlacement(
        op, Placement::replicated(replicate.getType().getRank()));
  if (auto arrange = dyn_cast<ArrangeOp>(op))
    return resolveArrange(arrange);
  if (isa<scf::ForOp, scf::ForallOp>(op))
    return resolveNestOp(op);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return resolvePad(pad);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return resolveExtract(slice);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return resolveInsert(slice);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return resolveReshape(op);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return resolveReturn(ret);
  if (auto distributable = dyn_cast<DistributableOpInterface>(op))
    return resolveOperator(distributable);
  return resolveReplicated(op);
}

LogicalResult FunctionResolver::run() {
  auto spmd = func::FuncOp::create(
      function.getLoc(), function.getName(), b.getFunctionType({}, {}),
      llvm::to_vector(function->getDiscardableAttrs()));
  Block *entry = spmd.addEntryBlock();
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> argAttrs;
  for (BlockArgument argument : function.getArguments()) {
    NamedAttrList attrs(function.getArgAttrDict(argument.getArgNumber()));
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      scalars.map(argument,
                  entry->addArgument(argument.getType(), argument.getLoc()));
    } else {
      LocalValue local;
      local.shape = *placements.lookup(argument);
      local.global.assign(type.getShape().begin(), type.getShape().end());
      local.value =
          entry->addArgument(RankedTensorType::get(local.shape.local(topology),
                                                   type.getElementType()),
                             argument.getLoc());
      attrs.set(kPlacementAttrName,
                PlacementAttr::get(b.getContext(), local.shape.placement));
      attrs.set(kGlobalTypeAttrName, TypeAttr::get(type));
      set(argument, local);
    }
    types.push_back(entry->getArguments().back().getType());
    argAttrs.push_back(attrs.getDictionary(b.getContext()));
  }
  OpBuilder(function).insert(spmd);
  b.setInsertionPointToStart(entry);
  for (Operation &op : function.front()) {
    if (failed(resolve(&op))) {
      spmd.erase();
      return failure();
    }
  }
  spmd.setFunctionType(b.getFunctionType(types, resultTypes));
  spmd.setAllArgAttrs(argAttrs);
  spmd.setAllResultAttrs(resultAttrs);
  spmd.setVisibility(function.getVisibility());
  function.erase();
  return success();
}

/// A function takes part when something in it says where tensors live.
static bool isDistributed(func::FuncOp function) {
  if (function.isExternal())
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kPlacementAttrName))
      return !function.getArgAttr(i, kGlobalTypeAttrName);
  return function
      .walk([](Operation *op) {
        return isa<ShardOp, ReplicateOp, ReshardOp, scf::ForallOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// An op of the module that calls `function`, or takes its address.
static Operation *userOf(func::FuncOp function) {
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(
      function.getSymNameAttr(), function->getParentOfType<ModuleOp>());
  return uses && !uses->empty() ? uses->begin()->getUser() : nullptr;
}

namespace {
struct ResolveCommunicationPass
    : public mercury::impl::ResolveCommunicationPassBase<
          ResolveCommunicationPass> {
  using ResolveCommunicationPassBase::ResolveCommunicationPassBase;

  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!isDistributed(function))
        continue;
      TopologyOp topology = lookupTopology(function);
      if (!topology) {
        function.emitError()
            << "no topology resolves: the module has none, or several and '"
            << kTopologyAttrName << "' names none of them";
        return signalPassFailure();
      }
      TopologyModel model = topology.getModel();
      if (!function.getBody().hasOneBlock()) {
        function.emitError("has control flow between blocks");
        return signalPassFailure();
      }
      if (Operation *user = userOf(function)) {
        InFlightDiagnostic diag =
            user->emitError()
            << "uses @" << function.getSymName()
            << ", which runs on ranks with arguments of another shape; inline "
               "the call first";
        diag.attachNote(function.getLoc()) << "this function";
        return signalPassFailure();
      }
      if (failed(FunctionResolver(function, model).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
