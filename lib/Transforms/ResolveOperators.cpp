//===- ResolveOperators.cpp - What computes, on ranks ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionResolver.h"
#include "Mercury/Analysis/NestMovements.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

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
