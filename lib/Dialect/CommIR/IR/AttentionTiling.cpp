//===- AttentionTiling.cpp - Tiles of attention ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury::commir;

using Folds = SmallVector<OpFoldResult>;

// Features are no loops: a tile of them would update the state once per tile.
// Neither is attention's key, whose softmax needs every key.
static unsigned numLoops(AttentionOp op) { return op.getKeyLoop(); }
static unsigned numLoops(OnlineAttentionOp op) { return op.getKeyLoop() + 1; }

template <typename OpTy>
static SmallVector<utils::IteratorType> loopsOf(OpTy op) {
  SmallVector<utils::IteratorType> loops(numLoops(op),
                                         utils::IteratorType::parallel);
  if (loops.size() > op.getKeyLoop())
    loops.back() = utils::IteratorType::reduction;
  return loops;
}

/// Extents of the maps' domain, dynamic ones from the operands.
template <typename OpTy> static Folds mixedExtents(OpBuilder &b, OpTy op) {
  Folds extents(op.getMapDims());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMap(operand);
    if (!map)
      continue;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (OpFoldResult &extent =
              extents[cast<AffineDimExpr>(expr).getPosition()];
          !extent)
        extent = linalg::createFoldedDimOp(b, op.getLoc(), operand.get(), dim);
  }
  return extents;
}

template <typename OpTy>
static SmallVector<Range> domainOf(OpBuilder &b, OpTy op) {
  SmallVector<Range> domain;
  Folds extents = mixedExtents(b, op);
  extents.resize(numLoops(op));
  for (OpFoldResult extent : extents)
    domain.push_back({b.getIndexAttr(0), extent, b.getIndexAttr(1)});
  return domain;
}

/// The part of an operand that a tile of the maps' domain touches.
static void tileOf(AffineMap map, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes, Folds &at, Folds &extents) {
  at.clear();
  extents.clear();
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    at.push_back(offsets[dim]);
    extents.push_back(sizes[dim]);
  }
}

/// Offsets and sizes of a tile of the loops, features and closed loops whole.
template <typename OpTy>
static std::pair<Folds, Folds> wholeTile(OpBuilder &b, OpTy op,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) {
  Folds at(offsets), extents(sizes), all = mixedExtents(b, op);
  for (unsigned dim = numLoops(op); dim < op.getMapDims(); ++dim) {
    at.push_back(b.getIndexAttr(0));
    extents.push_back(all[dim]);
  }
  return {at, extents};
}

/// The operator on a tile, with `inits` as its outputs.
template <typename OpTy>
static TilingResult tileInputs(OpBuilder &b, OpTy op, const Folds &at,
                               const Folds &extents, ValueRange inits,
                               SmallVector<Operation *> slices) {
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isDpsInit(&operand))
      continue;
    AffineMap map = op.getMap(operand);
    if (!map && op.hasPositions()) {
      operands.push_back(operand.get());
      continue;
    }
    if (!map) {
      // Keys count from the tile's first one.
      AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
      operands.push_back(getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(
              b, loc, d0 - d1,
              {OpFoldResult(operand.get()), at[op.getKeyLoop()]})));
      continue;
    }
    Folds offsets, sizes;
    tileOf(map, at, extents, offsets, sizes);
    Folds unit(offsets.size(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(b, loc, operand.get(), offsets,
                                                sizes, unit);
    operands.push_back(slice);
    slices.push_back(slice);
  }
  llvm::append_range(operands, inits);
  Operation *tiled = mlir::clone(b, op, inits.getTypes(), operands);
  if (op.hasPositions()) {
    // Positions count from the tile's first query and key.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(tiled);
    auto shift = [&](MutableOperandRange start, OpFoldResult offset) {
      if (isZeroInteger(offset))
        return;
      AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
      if (!start.empty())
        offset = affine::makeComposedFoldedAffineApply(
            b, loc, d0 + d1, {OpFoldResult(start[0].get()), offset});
      start.assign(getValueOrCreateConstantIndexOp(b, loc, offset));
    };
    auto moved = cast<OpTy>(tiled);
    shift(moved.getQueryStartMutable(), at[op.getQueryLoop()]);
    shift(moved.getKeyStartMutable(), at[op.getKeyLoop()]);
  }
  return {{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

template <typename OpTy>
static FailureOr<TilingResult> tile(OpBuilder &b, OpTy op,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  if (!op->getNumResults())
    return op.emitOpError() << "is tiled on tensors only, got operand 0 of "
                            << "type " << op.getQuery().getType();
  auto [at, extents] = wholeTile(b, op, offsets, sizes);
  SmallVector<Value> inits;
  SmallVector<Operation *> slices;
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    Folds from, shape;
    tileOf(op.getMap(operand), at, extents, from, shape);
    Folds unit(from.size(), b.getIndexAttr(1));
    inits.push_back(tensor::ExtractSliceOp::create(
        b, op.getLoc(), operand.get(), from, shape, unit));
    slices.push_back(inits.back().getDefiningOp());
  }
  return tileInputs(b, op, at, extents, inits, slices);
}

template <typename OpTy>
static void resultTile(OpBuilder &b, OpTy op, unsigned result,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes, Folds &at, Folds &shape) {
  auto [from, extents] = wholeTile(b, op, offsets, sizes);
  tileOf(op.getMap(*op.getDpsInitOperand(result)), from, extents, at, shape);
}

/// The tile of the loops that belongs to parts of operands; fails where a part
/// cuts what is no parallel loop.
template <typename OpTy>
static LogicalResult
loopsFromOperands(OpBuilder &b, OpTy op, ArrayRef<AffineMap> maps,
                  ArrayRef<Folds> allOffsets, ArrayRef<Folds> allSizes,
                  SmallVectorImpl<OpFoldResult> &at,
                  SmallVectorImpl<OpFoldResult> &extents) {
  Folds all = mixedExtents(b, op);
  at.assign(numLoops(op), b.getIndexAttr(0));
  extents.assign(all.begin(), all.begin() + numLoops(op));
  for (auto [map, offsets, sizes] : llvm::zip(maps, allOffsets, allSizes))
    for (auto [expr, offset, size] :
         llvm::zip(map.getResults(), offsets, sizes)) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (dim >= op.getKeyLoop()) {
        if (!isEqualConstantIntOrValue(size, all[dim]))
          return failure();
        continue;
      }
      at[dim] = offset;
      extents[dim] = size;
    }
  return success();
}

#define MERCURY_TILE(OP)                                                       \
  SmallVector<utils::IteratorType> OP::getLoopIteratorTypes() {                \
    return loopsOf(*this);                                                     \
  }                                                                            \
  SmallVector<Range> OP::getIterationDomain(OpBuilder &b) {                    \
    return domainOf(b, *this);                                                 \
  }                                                                            \
  FailureOr<TilingResult> OP::getTiledImplementation(                          \
      OpBuilder &b, ArrayRef<OpFoldResult> offsets,                            \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return tile(b, *this, offsets, sizes);                                     \
  }                                                                            \
  LogicalResult OP::getResultTilePosition(                                     \
      OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,           \
      ArrayRef<OpFoldResult> sizes, Folds &at, Folds &shape) {                 \
    resultTile(b, *this, result, offsets, sizes, at, shape);                   \
    return success();                                                          \
  }                                                                            \
  LogicalResult OP::getIterationDomainTileFromOperandTiles(                    \
      OpBuilder &b, ArrayRef<unsigned> numbers, ArrayRef<Folds> offsets,       \
      ArrayRef<Folds> sizes, SmallVectorImpl<OpFoldResult> &at,                \
      SmallVectorImpl<OpFoldResult> &extents) {                                \
    SmallVector<AffineMap> maps;                                               \
    for (unsigned number : numbers)                                            \
      maps.push_back(getMap(getOperation()->getOpOperand(number)));            \
    return loopsFromOperands(b, *this, maps, offsets, sizes, at, extents);     \
  }                                                                            \
  FailureOr<TilingResult> OP::getTiledImplementationFromOperandTiles(          \
      OpBuilder &b, ArrayRef<unsigned> numbers, ArrayRef<Folds> offsets,       \
      ArrayRef<Folds> sizes) {                                                 \
    Folds at, extents;                                                         \
    if (failed(getIterationDomainTileFromOperandTiles(b, numbers, offsets,     \
                                                      sizes, at, extents)))    \
      return failure();                                                        \
    return tile(b, *this, at, extents);                                        \
  }                                                                            \
  LogicalResult OP::getIterationDomainTileFromResultTile(                      \
      OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,           \
      ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &at,         \
      SmallVectorImpl<OpFoldResult> &extents) {                                \
    return loopsFromOperands(b, *this, {getMap(*getDpsInitOperand(result))},   \
                             {Folds(offsets)}, {Folds(sizes)}, at, extents);   \
  }                                                                            \
  FailureOr<TilingResult> OP::generateResultTileValue(                         \
      OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets,           \
      ArrayRef<OpFoldResult> sizes) {                                          \
    Folds at, extents;                                                         \
    if (failed(getIterationDomainTileFromResultTile(b, result, offsets, sizes, \
                                                    at, extents)))             \
      return failure();                                                        \
    FailureOr<TilingResult> tiled = tile(b, *this, at, extents);               \
    if (succeeded(tiled))                                                      \
      tiled->tiledValues = {tiled->tiledValues[result]};                       \
    return tiled;                                                              \
  }
MERCURY_TILE(AttentionOp)
MERCURY_TILE(OnlineAttentionOp)
#undef MERCURY_TILE

//===----------------------------------------------------------------------===//
// Partial reductions over keys
//===----------------------------------------------------------------------===//

// A partial state has one more dimension in front: the part of the keys.

FailureOr<SmallVector<Value>>
OnlineAttentionOp::generateInitialTensorForPartialReduction(
    OpBuilder &b, Location loc, ArrayRef<OpFoldResult> tileSizes,
    const SetVector<unsigned> &reductionDims) {
  if (reductionDims.size() != 1 || !reductionDims.contains(getKeyLoop()))
    return emitOpError() << "has partial results over loop d" << getKeyLoop()
                         << " only";
  auto distributable = cast<DistributableOpInterface>(getOperation());
  SmallVector<Value> neutral;
  for (auto [i, output] : llvm::enumerate(getOutputs())) {
    Folds shape = tensor::getMixedSizes(b, loc, output);
    shape.insert(shape.begin(), tileSizes[getKeyLoop()]);
    Value empty =
        tensor::EmptyOp::create(b, loc, shape, getElementTypeOrSelf(output));
    neutral.push_back(distributable.createNeutral(b, loc, i, empty));
  }
  return neutral;
}

LogicalResult OnlineAttentionOp::getPartialResultTilePosition(
    OpBuilder &b, unsigned result, ReductionTilingStrategy strategy,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    const SetVector<unsigned> &, ArrayRef<OpFoldResult> parts, Folds &at,
    Folds &shape) {
  // The other strategies would keep one partial state per key of a tile.
  if (strategy != ReductionTilingStrategy::PartialReductionOuterParallel)
    return emitOpError() << "has partial results in parallel tiles only";
  resultTile(b, *this, result, offsets, sizes, at, shape);
  at.insert(at.begin(), parts[0]);
  shape.insert(shape.begin(), b.getIndexAttr(1));
  return success();
}

FailureOr<TilingResult> OnlineAttentionOp::tileToPartialReduction(
    OpBuilder &b, Location loc, ReductionTilingStrategy strategy,
    ValueRange init, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, const SetVector<unsigned> &reductionDims,
    ArrayRef<OpFoldResult> parts) {
  SmallVector<Value> inits;
  SmallVector<Operation *> slices;
  for (auto [i, whole] : llvm::enumerate(SmallVector<Value>(init))) {
    Folds at, shape;
    if (failed(getPartialResultTilePosition(b, i, strategy, offsets, sizes,
                                            reductionDims, parts, at, shape)))
      return failure();
    auto type = cast<RankedTensorType>(whole.getType());
    SmallVector<int64_t> extents;
    for (OpFoldResult extent : ArrayRef(shape).drop_front())
      extents.push_back(
          getConstantIntValue(extent).value_or(ShapedType::kDynamic));
    Folds unit(at.size(), b.getIndexAttr(1));
    inits.push_back(tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(extents, type.getElementType()), whole,
        at, shape, unit));
    slices.push_back(inits.back().getDefiningOp());
  }
  auto [at, extents] = wholeTile(b, *this, offsets, sizes);
  return tileInputs(b, *this, at, extents, inits, slices);
}

FailureOr<MergeResult>
OnlineAttentionOp::mergeReductions(OpBuilder &b, Location loc,
                                   ValueRange partials,
                                   const SetVector<unsigned> &) {
  auto distributable = cast<DistributableOpInterface>(getOperation());
  // Parts are merged into the state that enters, one after the other.
  auto type = cast<RankedTensorType>(partials[0].getType());
  if (type.isDynamicDim(0))
    return emitOpError() << "merges a static number of partial results, got "
                         << "type " << type;
  SmallVector<Value> state(getOutputs());
  SmallVector<Operation *> merges;
  for (int64_t part = 0; part < type.getDimSize(0); ++part) {
    SmallVector<Value> other;
    for (auto [partial, output] : llvm::zip(partials, getOutputs())) {
      Folds shape = tensor::getMixedSizes(b, loc, output);
      shape.insert(shape.begin(), b.getIndexAttr(1));
      Folds at(shape.size(), b.getIndexAttr(0)),
          unit(shape.size(), b.getIndexAttr(1));
      at[0] = b.getIndexAttr(part);
      other.push_back(tensor::ExtractSliceOp::create(
          b, loc, cast<RankedTensorType>(output.getType()), partial, at, shape,
          unit));
    }
    state = distributable.createMerge(b, loc, /*group=*/0, state, other);
    for (Value value : state)
      if (!llvm::is_contained(merges, value.getDefiningOp()))
        merges.push_back(value.getDefiningOp());
  }
  return MergeResult{merges, state};
}
