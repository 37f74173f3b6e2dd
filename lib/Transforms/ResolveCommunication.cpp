//===- ResolveCommunication.cpp - Distributed loop nests onto ranks -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/ArrangePlacement.h"
#include "Mercury/Analysis/NestMovements.h"
#include "Mercury/Analysis/ReshapePlacement.h"
#include "Mercury/Analysis/SlicePlacement.h"
#include "Mercury/Transforms/Passes.h"
#include "ResolveNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mercury {
#define GEN_PASS_DEF_RESOLVECOMMUNICATIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

/// Builds the SPMD form of one function.
class FunctionResolver {
public:
  FunctionResolver(func::FuncOp function, const TopologyModel &topology)
      : function(function), topology(topology), placements(function, topology),
        b(function.getContext()), resharder(b, topology) {}

  LogicalResult run();

private:
  LogicalResult resolve(Operation *op);
  LogicalResult resolvePlacement(Operation *op, const Placement &target);
  LogicalResult resolveArrange(ArrangeOp op);
  LogicalResult resolveNestOp(Operation *op);
  LogicalResult resolvePad(tensor::PadOp pad);
  LogicalResult resolveExtract(tensor::ExtractSliceOp slice);
  LogicalResult resolveInsert(tensor::InsertSliceOp slice);
  LogicalResult resolveReshape(Operation *op);
  LogicalResult resolveOperator(DistributableOpInterface op);
  LogicalResult resolveReplicated(Operation *op);
  LogicalResult resolveReturn(func::ReturnOp op);

  FailureOr<LocalValue> heldAsPlaced(Operation *user, Value base);
  /// What ranks hold of `value`, placed as `target`.
  LocalValue held(Location loc, Value value, const Placement &target,
                  ArrayRef<int64_t> padded = {});
  LocalValue whole(Location loc, Value value) {
    return held(loc, value,
                Placement::replicated(
                    cast<RankedTensorType>(value.getType()).getRank()));
  }
  LocalValue gathered(Operation *op, Value value, StringRef what);
  void set(Value value, LocalValue local) { locals[value] = std::move(local); }

  func::FuncOp function;
  const TopologyModel &topology;
  PlacementAnalysis placements;
  OpBuilder b;
  Resharder resharder;
  IRMapping scalars;
  llvm::DenseMap<Value, LocalValue> locals;
  /// Operators that reduce partial results; they end where they are placed.
  llvm::DenseMap<Value, DistributableOpInterface> reductions;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
};

} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// A tensor that every rank can make: an empty one, or one filled with a
/// scalar.
static bool isMadeAnywhere(Value value) {
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

//===----------------------------------------------------------------------===//
// Placement ops and what moves placements across
//===----------------------------------------------------------------------===//

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

/// What ranks hold of an order's blocks are blocks of what stands in it.
LogicalResult FunctionResolver::resolveArrange(ArrangeOp op) {
  Value source = op.getSource();
  if (!isMadeAnywhere(source) && !locals.count(source))
    return op.emitError("arranges a value that no rank holds");
  size_t dim = op.getDimAttr().getInt();
  LocalValue local;
  if (auto it = locals.find(source); it != locals.end())
    local = it->second;
  else
    local = whole(op.getLoc(), source);
  auto [before, after] = arrangedPlacement(op, local.shape.placement, topology);
  SmallVector<int64_t> padded = local.shape.padded;
  padded[dim] = op.getOrder().getExtent();
  local = resharder.convert(op.getLoc(), local, before, padded);
  local.shape.placement = after;
  local.shape.fetch.clear();
  set(op, local);
  return success();
}

LogicalResult FunctionResolver::resolvePad(tensor::PadOp pad) {
  Location loc = pad.getLoc();
  Value element = pad.getConstantPaddingValue();
  if (!element ||
      !llvm::all_of(pad.getStaticLow(), [](int64_t low) { return low == 0; }))
    return pad.emitError("pads a distributed tensor other than at its end with "
                         "a constant");
  element = scalars.lookupOrDefault(element);
  ArrayRef<int64_t> to = shapeOf(pad.getResult());
  if (isMadeAnywhere(pad.getSource()) || !locals.count(pad.getSource()))
    return pad.emitError("pads a value that no rank holds");
  LocalValue local = locals.lookup(pad.getSource());
  SmallVector<int64_t> valid = local.global;
  // Dimensions that are held whole are padded as they are; other ones keep
  // their blocks when these are as large as the padded tensor's.
  PlacedShape target = placedShape(to, local.shape.placement, topology);
  bool sameBlocks = true;
  for (size_t dim = 0; dim < target.padded.size(); ++dim)
    sameBlocks &= isWhole(target.placement, dim) ||
                  target.padded[dim] == local.shape.padded[dim];
  if (!sameBlocks) {
    local = resharder.convert(loc, local, target.placement, target.padded);
  }
  bool isZero = matchPattern(element, m_AnyZeroFloat()) ||
                matchPattern(element, m_Zero());
  bool isArgument = isa<BlockArgument>(pad.getSource());
  bool mustRefill = false;
  for (size_t dim = 0; dim < target.padded.size(); ++dim) {
    if (!isWhole(target.placement, dim)) {
      mustRefill |= valid[dim] != target.padded[dim];
      continue;
    }
    int64_t present =
        cast<RankedTensorType>(local.value.getType()).getDimSize(dim);
    if (present == to[dim])
      continue;
    auto type = cast<RankedTensorType>(local.value.getType());
    SmallVector<OpFoldResult> zero(type.getRank(), b.getIndexAttr(0)),
        high = zero;
    high[dim] = b.getIndexAttr(to[dim] - present);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = to[dim];
    local.value = tensor::PadOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        local.value, zero, high, element);
    local.shape.padded[dim] = to[dim];
  }
  // Callers fill padding with zeros.
  if (mustRefill && !(isZero && isArgument && sameBlocks))
    local.value = resharder.refill(loc, local, valid, element);
  local.global.assign(to.begin(), to.end());
  set(pad.getResult(), local);
  return success();
}

/// Every rank holds the tensor as it stands in the program.
static bool isWholeEverywhere(const Placement &placement) {
  return placement.isReplicated() && placement.isNatural();
}

/// All of `value`, with a remark where its blocks do not survive what `op`
/// does.
LocalValue FunctionResolver::gathered(Operation *op, Value value,
                                      StringRef what) {
  if (auto local = locals.find(value);
      local != locals.end() &&
      !isWholeEverywhere(local->second.shape.placement))
    op->emitRemark() << "sharded dimension of placement "
                     << print(local->second.shape.placement)
                     << " does not survive the " << what
                     << "; the tensor is gathered";
  return whole(op->getLoc(), value);
}

/// Sizes of a slice on a rank: of a sharded dimension, or one in an order, what
/// is there.
static SmallVector<OpFoldResult>
localSizes(OpBuilder &b, ArrayRef<int64_t> sizes, const LocalValue &of) {
  auto type = cast<RankedTensorType>(of.value.getType());
  SmallVector<OpFoldResult> local;
  for (auto [dim, size] : llvm::enumerate(sizes))
    local.push_back(b.getIndexAttr(
        isWhole(of.shape.placement, dim) ? size : type.getDimSize(dim)));
  return local;
}

/// Offsets or strides, of which some may be computed.
static SmallVector<OpFoldResult> mapped(ArrayRef<OpFoldResult> values,
                                        const IRMapping &scalars) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    if (auto computed = dyn_cast<Value>(value))
      return scalars.lookupOrDefault(computed);
    return value;
  });
}

LogicalResult FunctionResolver::resolveExtract(tensor::ExtractSliceOp slice) {
  Location loc = slice.getLoc();
  if (!locals.count(slice.getSource()))
    return slice.emitError("slices a value that no rank holds");
  LocalValue local = locals.lookup(slice.getSource());
  if (isWholeEverywhere(local.shape.placement) ||
      !slice.getType().hasStaticShape())
    return resolveReplicated(slice);
  ArrayRef<int64_t> to = slice.getType().getShape();
  if (!keepsBlocks(slice, local.shape.placement)) {
    local = gathered(slice, slice.getSource(), "slice");
    local.value = tensor::ExtractSliceOp::create(
        b, loc, slice.getType(), local.value,
        mapped(slice.getMixedOffsets(), scalars), slice.getMixedSizes(),
        mapped(slice.getMixedStrides(), scalars));
    local.shape = placedShape(to, Placement::replicated(to.size()), topology);
  } else {
    // Blocks that only lose their end keep their padded size.
    local.value = tensor::ExtractSliceOp::create(
        b, loc, local.value, mapped(slice.getMixedOffsets(), scalars),
        localSizes(b, to, local), mapped(slice.getMixedStrides(), scalars));
    for (auto [dim, extent] : llvm::enumerate(to))
      if (isWhole(local.shape.placement, dim))
        local.shape.padded[dim] = extent;
  }
  local.global.assign(to.begin(), to.end());
  set(slice, local);
  return success();
}

LogicalResult FunctionResolver::resolveInsert(tensor::InsertSliceOp slice) {
  Location loc = slice.getLoc();
  for (Value value : {slice.getSource(), slice.getDest()})
    if (!isMadeAnywhere(value) && !locals.count(value))
      return slice.emitError("inserts a value that no rank holds");
  const PlacedShape *placed = placements.lookup(slice);
  Placement target = placed ? placed->placement
                            : Placement::replicated(slice.getType().getRank());
  ArrayRef<int64_t> part = slice.getSourceType().getShape();
  LocalValue dest, source;
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  if (isWholeEverywhere(target)) {
    dest = gathered(slice, slice.getDest(), "insertion");
    source = gathered(slice, slice.getSource(), "insertion");
  } else {
    dest = held(loc, slice.getDest(), target);
    // Of sharded dimensions both have the same blocks.
    SmallVector<int64_t> padded(part);
    for (size_t dim = 0; dim < padded.size(); ++dim)
      if (!isWhole(target, dim))
        padded[dim] = dest.shape.padded[dim];
    source = held(loc, slice.getSource(), target, padded);
    sizes = localSizes(b, part, source);
  }
  dest.value = tensor::InsertSliceOp::create(
      b, loc, source.value, dest.value,
      mapped(slice.getMixedOffsets(), scalars), sizes,
      mapped(slice.getMixedStrides(), scalars));
  set(slice, dest);
  return success();
}

LogicalResult FunctionResolver::resolveReshape(Operation *op) {
  Location loc = op->getLoc();
  Value source = op->getOperand(0), result = op->getResult(0);
  if (isMadeAnywhere(source) || !locals.count(source))
    return resolveReplicated(op);
  LocalValue local = locals.lookup(source);
  std::optional<Placement> moved =
      reshapePlacement(op, local.shape.placement, topology);
  Placement kept = placementToReshape(op, local.shape.placement);
  if (moved && !(kept == local.shape.placement)) {
    op->emitRemark() << "order of placement " << print(local.shape.placement)
                     << " does not survive the reshape; the tensor leaves it";
    local = resharder.convert(loc, local, kept,
                              placedShape(local.global, kept, topology).padded);
    set(source, local);
  }
  bool isPadded = !llvm::equal(local.shape.padded, local.global);
  if (!moved || isPadded) {
    local = gathered(op, source, "reshape");
    moved = Placement::replicated(shapeOf(result).size());
  }
  PlacedShape target = placedShape(shapeOf(result), *moved, topology);
  auto type = RankedTensorType::get(target.local(topology),
                                    getElementTypeOrSelf(result));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    local.value = tensor::ExpandShapeOp::create(
        b, loc, type, local.value, expand.getReassociationIndices());
  else
    local.value = tensor::CollapseShapeOp::create(
        b, loc, type, local.value,
        cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
  local.shape = target;
  local.global.assign(shapeOf(result).begin(), shapeOf(result).end());
  set(result, local);
  return success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

/// What ranks hold of a tensor that a nest uses, where it is placed.
FailureOr<LocalValue> FunctionResolver::heldAsPlaced(Operation *user,
                                                     Value base) {
  const PlacedShape *placed = placements.lookup(base);
  if (!placed && !isMadeAnywhere(base) && !locals.count(base))
    return user->emitError("uses a value that no rank holds");
  Placement placement =
      placed ? placed->placement : Placement::replicated(shapeOf(base).size());
  SmallVector<int64_t> padded;
  if (placed && locals.count(base))
    padded = locals.lookup(base).shape.padded;
  // The nest runs over positions.
  if (!placement.isNatural()) {
    placement = inNaturalOrder(placement);
    padded = placedShape(shapeOf(base), placement, topology).padded;
  }
  LocalValue local = held(user->getLoc(), base, placement, padded);
  if (placed)
    local.shape.fetch = placed->fetch;
  return local;
}

LogicalResult FunctionResolver::resolveNestOp(Operation *op) {
  FailureOr<DistributedNest> nest = matchNest(op, topology);
  if (failed(nest))
    return failure();
  FailureOr<std::vector<Access>> accesses = collectAccesses(*nest, topology);
  if (failed(accesses) || failed(verifyNoRace(*nest, *accesses, topology)))
    return failure();
  // Outputs stay where they are placed; what is read is gathered first where an
  // access touches several blocks.
  std::vector<Access> reads;
  for (const Access &access : *accesses)
    if (!access.output)
      reads.push_back(access);
  llvm::DenseMap<Value, LocalValue> used;
  for (const Access &access : reads) {
    if (used.count(access.base))
      continue;
    FailureOr<LocalValue> local = heldAsPlaced(access.op, access.base);
    if (failed(local))
      return failure();
    PlacedShape needed =
        shapeInNest(access.base, reads, local->shape, topology);
    if (!(needed.placement == local->shape.placement)) {
      AxisList fetch = local->shape.fetch;
      local = resharder.convert(access.op->getLoc(), *local, needed.placement);
      local->shape.fetch = fetch;
    }
    used[access.base] = *local;
  }
  SmallVector<LocalValue> outputs;
  for (auto [i, init] : llvm::enumerate(nest->inits)) {
    FailureOr<LocalValue> local = heldAsPlaced(op, init);
    if (failed(local))
      return failure();
    for (const Access &access : *accesses)
      if (access.output == i &&
          !(gatherFor({&access}, local->shape, topology) ==
            local->shape.placement))
        return access.op->emitError()
               << "touches output " << i << " across blocks of its placement "
               << print(local->shape.placement);
    outputs.push_back(*local);
  }
  SmallVector<bool> neutral;
  for (auto [i, init] : llvm::enumerate(nest->inits)) {
    bool startsNeutral = false;
    for (const Access &access : *accesses) {
      if (!access.isWrite || access.output != i)
        continue;
      Value tile = cast<tensor::ParallelInsertSliceOp>(access.op).getSource();
      if (auto op = tile.getDefiningOp<DistributableOpInterface>())
        startsNeutral =
            op.isNeutral(cast<OpResult>(tile).getResultNumber(), init);
    }
    neutral.push_back(startsNeutral);
  }
  FailureOr<SmallVector<LocalValue>> results = mercury::resolveNest(
      b, *nest, *accesses, used, outputs, neutral, scalars, topology);
  if (failed(results))
    return failure();
  for (auto [result, local] : llvm::zip(op->getResults(), *results))
    set(result, local);
  return success();
}

/// An op outside of rank loops runs on all ranks, on whole tensors. One that
/// makes no value only looks at tensors: then ranks gather what they hold of
/// them.
LogicalResult FunctionResolver::resolveReplicated(Operation *op) {
  IRMapping map(scalars);
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    const LocalValue *local =
        locals.count(operand) ? &locals.find(operand)->second : nullptr;
    if (local && !local->shape.placement.isReplicated() &&
        op->getNumResults() != 0)
      return op->emitError()
             << "'" << op->getName() << "' stands outside of a rank loop, but "
             << "an operand is placed " << print(local->shape.placement);
    map.map(operand, whole(op->getLoc(), operand).value);
  }
  // Of what its body reads by indices of its own, any element.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (!isMadeAnywhere(value) && !locals.count(value))
      return op->emitError("reads a value that no rank holds");
    map.map(value, whole(op->getLoc(), value).value);
  }
  Operation *copy = b.clone(*op, map);
  copy->removeAttr(kScheduleAttrName);
  for (auto [result, made] : llvm::zip(op->getResults(), copy->getResults())) {
    if (!isa<RankedTensorType>(result.getType())) {
      scalars.map(result, made);
      continue;
    }
    LocalValue local;
    local.value = made;
    local.shape =
        placedShape(shapeOf(result),
                    Placement::replicated(shapeOf(result).size()), topology);
    local.global = local.shape.padded;
    set(result, local);
  }
  return success();
}

/// An operator outside of rank loops reduces dimension 0 of a partial value,
/// over which axes shard it, or else runs on all ranks.
LogicalResult FunctionResolver::resolveOperator(DistributableOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!locals.count(operand.get()))
      continue;
    const LocalValue &local = locals.find(operand.get())->second;
    if (local.shape.placement.dims.empty() ||
        local.shape.placement.dims[0].empty())
      continue;
    std::optional<AffineMap> map = op.getOperandMap(operand);
    AffineDimExpr loop(nullptr);
    if (map)
      loop = dyn_cast<AffineDimExpr>(map->getResult(0));
    if (!loop ||
        op.getLoops()[loop.getPosition()] != utils::IteratorType::reduction)
      continue;
    if (local.global[0] != topology.sizeOf(local.shape.placement.dims[0]))
      return op->emitError()
             << "reduces over dimension 0 of size " << local.global[0]
             << ", of which axes " << print(local.shape.placement.dims[0])
             << " hold more than one element each; reduce inside the rank loop "
                "first";
    for (auto [group, members] : llvm::enumerate(op.getGroups()))
      if (!op.isPlainReduction(group))
        return op->emitError()
               << "reduces over axes " << print(local.shape.placement.dims[0])
               << " of a partial value, but does more than that; what ranks "
                  "reduce is a plain reduction of dimension 0";
    for (Value result : op->getResults())
      reductions[result] = op;
  }
  if (!op->getResults().empty() && reductions.count(op->getResult(0))) {
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        if (!isa<ShardOp, ReplicateOp, ReshardOp>(user))
          return user->emitError("uses a reduction over ranks that is not "
                                 "placed by commir.shard or commir.replicate");
    return success();
  }
  return resolveReplicated(op);
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
