//===- MaterializeMasks.cpp - Masks as ranges of a tile's keys ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/IndexDivisor.h"
#include "Mercury/Analysis/IndexEvaluation.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Schedule/TokenRuns.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mercury {
#define GEN_PASS_DEF_MATERIALIZEMASKSPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

static Value index(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

template <typename OpTy>
static Value fold(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return b.createOrFold<OpTy>(loc, lhs, rhs);
}

/// Null for nothing in `values`.
template <typename OpTy>
static Value foldAll(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  Value all;
  for (Value value : values)
    all = all ? fold<OpTy>(b, loc, all, value) : value;
  return all;
}

/// Where index `offset` behind `start` (0 where that is null) stands.
static Value positionOf(OpBuilder &b, Location loc, Value start, Value offset,
                        TokenOrderAttr order) {
  Value at = start ? fold<arith::AddIOp>(b, loc, start, offset) : offset;
  return order ? b.createOrFold<PositionOp>(loc, at, order) : at;
}

//===----------------------------------------------------------------------===//
// The keys of a tile
//===----------------------------------------------------------------------===//

namespace {
/// Keys whose positions grow by chunks at a constant step.
class KeyTile {
public:
  KeyTile(OpBuilder &b, OnlineAttentionOp op, const TokenRuns &runs,
          OpFoldResult extent)
      : chunk(runs.chunk) {
    Location loc = op.getLoc();
    keys = getValueOrCreateConstantIndexOp(b, loc, extent);
    TokenOrderAttr order = op.getKeyOrderAttr();
    first = positionOf(b, loc, op.getKeyStart(), index(b, loc, 0), order);
    if (getConstantIntValue(extent) == chunk || !order)
      return;
    step = index(b, loc, runs.step);
    if (!runs.step)
      step = fold<arith::SubIOp>(
          b, loc,
          positionOf(b, loc, op.getKeyStart(), index(b, loc, chunk), order),
          first);
  }

  /// How many of the keys stand before `position`.
  Value countBefore(OpBuilder &b, Location loc, Value position) const {
    Value count = fold<arith::MaxSIOp>(
        b, loc, fold<arith::SubIOp>(b, loc, position, first), index(b, loc, 0));
    if (step) {
      Value extent = index(b, loc, chunk);
      Value chunks = fold<arith::DivUIOp>(b, loc, count, step);
      Value rest = fold<arith::MinSIOp>(
          b, loc, fold<arith::RemUIOp>(b, loc, count, step), extent);
      count = fold<arith::AddIOp>(
          b, loc, fold<arith::MulIOp>(b, loc, chunks, extent), rest);
    }
    return fold<arith::MinSIOp>(b, loc, count, keys);
  }

  Value keys;

private:
  int64_t chunk;
  Value first;
  Value step; ///< from a chunk to the next; null where there is one
};
} // namespace

/// The most keys that a part of the tile may have, which all parts have, so
/// that positions grow in each as a `KeyTile` expects; and how they do.
static std::pair<int64_t, TokenRuns> chooseRuns(OnlineAttentionOp op) {
  int64_t keys = op.getMapExtents()[op.getKeyLoop()];
  TokenOrderAttr attr = op.getKeyOrderAttr();
  if (!attr)
    return {keys, {keys, 0}};
  TokenOrder order = attr.getValue();
  int64_t extent = attr.getExtent();
  std::optional<int64_t> start = 0;
  int64_t divisor = 0;
  if (Value value = op.getKeyStart()) {
    llvm::DenseMap<Value, int64_t> known;
    start = evaluateIndex(value, known);
    divisor = divisorOf(value);
  }
  for (int64_t count = keys; count > 1; --count) {
    if (keys % count != 0)
      continue;
    TileStarts starts{0, std::gcd(divisor, count), extent - count};
    if (start)
      starts = {*start, count, *start + keys - count};
    if (std::optional<TokenRuns> runs = runsOf(order, extent, starts, count))
      return {count, *runs};
  }
  return {1, {1, 0}};
}

//===----------------------------------------------------------------------===//
// The ranges
//===----------------------------------------------------------------------===//

/// The op with what positions say in `valid` or `begin` and `end`, which have
/// `rangeMap`.
static OnlineAttentionOp createNormal(OpBuilder &b, OnlineAttentionOp op,
                                      Value valid, Value begin, Value end,
                                      AffineMap rangeMap) {
  SmallVector<Attribute> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMap(operand);
    bool isRange =
        operand.get() == op.getKeyBegin() || operand.get() == op.getKeyEnd();
    if (operand.getOperandNumber() ==
            op.getOutputsMutable().begin()->getOperandNumber() &&
        begin)
      maps.append(2, AffineMapAttr::get(rangeMap));
    if (map && !isRange)
      maps.push_back(AffineMapAttr::get(map));
  }
  auto made = OnlineAttentionOp::create(
      b, op.getLoc(), op.getResultTypes(), b.getArrayAttr(maps), op.getQuery(),
      op.getKey(), op.getValue(), op.getMask(), valid, /*query_start=*/Value(),
      /*key_start=*/Value(), begin, end, op.getOutputs(), op.getScaleAttr(),
      /*visible=*/nullptr, /*query_order=*/nullptr, /*key_order=*/nullptr);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return made;
}

/// Positions beyond which no tensor reaches: limits further away are all the
/// same, and sums with them do not overflow.
static int64_t clampDistance(int64_t distance) {
  return std::clamp<int64_t>(distance, -(int64_t(1) << 40), int64_t(1) << 40);
}

/// Emits, per row of queries, the range of the tile's keys that it sees.
static OnlineAttentionOp emitRanges(RewriterBase &b, OnlineAttentionOp op,
                                    const TokenRuns &runs) {
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  SmallVector<Range> domain =
      cast<TilingInterface>(op.getOperation()).getIterationDomain(b);
  KeyTile tile(b, op, runs, domain[op.getKeyLoop()].size);
  Value valid = op.getValid();
  if (!op.getVisibleAttr() && !op.getKeyBegin()) {
    // All rows see the same keys, which are the tile's first ones.
    if (valid)
      valid = tile.countBefore(b, loc, valid);
    return createNormal(b, op, valid, Value(), Value(), AffineMap());
  }

  // The range has the query's dimension and those of what is given.
  unsigned query = op.getQueryLoop();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> inputMaps;
  if (op.getKeyBegin())
    for (MutableOperandRange range :
         {op.getKeyBeginMutable(), op.getKeyEndMutable()}) {
      inputs.push_back(range[0].get());
      inputMaps.push_back(op.getMap(range[0]));
    }
  SmallVector<AffineExpr> dims, places(op.getMapDims());
  SmallVector<OpFoldResult> shape;
  for (unsigned dim = 0; dim <= query; ++dim) {
    if (dim != query && llvm::none_of(inputMaps, [&](AffineMap map) {
          return map.isFunctionOfDim(dim);
        }))
      continue;
    places[dim] = getAffineDimExpr(dims.size(), context);
    dims.push_back(getAffineDimExpr(dim, context));
    shape.push_back(domain[dim].size);
  }
  SmallVector<AffineMap> maps;
  for (AffineMap map : inputMaps) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(places[cast<AffineDimExpr>(expr).getPosition()]);
    maps.push_back(AffineMap::get(dims.size(), 0, results, context));
  }
  maps.append(2, b.getMultiDimIdentityMap(dims.size()));

  Mask mask;
  if (MaskAttr visible = op.getVisibleAttr())
    mask = visible.getValue();
  Type element = b.getI32Type();
  SmallVector<Value> empty = {tensor::EmptyOp::create(b, loc, shape, element),
                              tensor::EmptyOp::create(b, loc, shape, element)};
  SmallVector<utils::IteratorType> loops(dims.size(),
                                         utils::IteratorType::parallel);
  auto ranges = linalg::GenericOp::create(
      b, loc, ValueRange(empty).getTypes(), inputs, empty, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        auto number = [&](int64_t value) { return index(b, loc, value); };
        Value row = linalg::IndexOp::create(b, loc, dims.size() - 1);
        Value position =
            positionOf(b, loc, op.getQueryStart(), row, op.getQueryOrderAttr());
        SmallVector<Value> begins, ends;
        for (const MaskTerm &term : mask.terms) {
          if (term.left)
            begins.push_back(fold<arith::SubIOp>(
                b, loc, position, number(clampDistance(*term.left))));
          if (!term.right)
            continue;
          Value end = fold<arith::AddIOp>(
              b, loc, position, number(clampDistance(*term.right) + 1));
          if (term.prefix)
            end = fold<arith::MaxSIOp>(b, loc, end, number(term.prefix));
          ends.push_back(end);
        }
        if (!inputs.empty()) {
          begins.push_back(
              arith::IndexCastOp::create(b, loc, b.getIndexType(), args[0]));
          ends.push_back(
              arith::IndexCastOp::create(b, loc, b.getIndexType(), args[1]));
        }
        if (valid)
          ends.push_back(valid);
        Value begin = foldAll<arith::MaxSIOp>(b, loc, begins),
              end = foldAll<arith::MinSIOp>(b, loc, ends);
        end = end ? tile.countBefore(b, loc, end) : tile.keys;
        begin = begin ? fold<arith::MinSIOp>(
                            b, loc, tile.countBefore(b, loc, begin), end)
                      : number(0);
        linalg::YieldOp::create(
            b, loc,
            ValueRange{arith::IndexCastOp::create(b, loc, element, begin),
                       arith::IndexCastOp::create(b, loc, element, end)});
      });
  return createNormal(b, op, Value(), ranges.getResult(0), ranges.getResult(1),
                      AffineMap::get(op.getMapDims(), 0, dims, context));
}

/// The op on keys [at, at + count) from the state `outputs`.
static OnlineAttentionOp cloneOnPart(OpBuilder &b, OnlineAttentionOp op,
                                     Value at, int64_t count,
                                     ValueRange outputs) {
  Location loc = op.getLoc();
  unsigned key = op.getKeyLoop();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMap(operand);
    if (op.isDpsInit(&operand) || !map || !map.isFunctionOfDim(key)) {
      operands.push_back(operand.get());
      continue;
    }
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, operand.get());
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
        strides(sizes.size(), b.getIndexAttr(1));
    unsigned dim =
        *map.getResultPosition(getAffineDimExpr(key, b.getContext()));
    offsets[dim] = at;
    sizes[dim] = b.getIndexAttr(count);
    operands.push_back(tensor::ExtractSliceOp::create(b, loc, operand.get(),
                                                      offsets, sizes, strides));
  }
  auto part = cast<OnlineAttentionOp>(
      mlir::clone(b, op, op->getResultTypes(), operands));
  part.getOutputsMutable().assign(outputs);
  b.setInsertionPoint(part);
  part.getKeyStartMutable().assign(
      positionOf(b, loc, op.getKeyStart(), at, nullptr));
  return part;
}

static void materialize(RewriterBase &b, OnlineAttentionOp op) {
  b.setInsertionPoint(op);
  if (!op.hasPositions()) { // Starts say nothing then.
    b.replaceOp(
        op, createNormal(b, op, op.getValid(), Value(), Value(), AffineMap()));
    return;
  }
  auto [count, runs] = chooseRuns(op);
  if (count == op.getMapExtents()[op.getKeyLoop()]) {
    b.replaceOp(op, emitRanges(b, op, runs));
    return;
  }
  // Parts of the keys, one after the other.
  Location loc = op.getLoc();
  Value keys = getValueOrCreateConstantIndexOp(
      b, loc,
      cast<TilingInterface>(op.getOperation())
          .getIterationDomain(b)[op.getKeyLoop()]
          .size);
  auto loop = scf::ForOp::create(b, loc, index(b, loc, 0), keys,
                                 index(b, loc, count), op.getOutputs());
  b.setInsertionPointToStart(loop.getBody());
  OnlineAttentionOp part = cloneOnPart(b, op, loop.getInductionVar(), count,
                                       loop.getRegionIterArgs());
  b.setInsertionPoint(part);
  OnlineAttentionOp normal = emitRanges(b, part, runs);
  b.eraseOp(part);
  scf::YieldOp::create(b, loc, normal->getResults());
  b.replaceOp(op, loop);
}

namespace {
struct MaterializeMasksPass
    : public mercury::impl::MaterializeMasksPassBase<MaterializeMasksPass> {
  void runOnOperation() override {
    IRRewriter b(&getContext());
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) {
      if (op->getNumResults() &&
          (op.hasPositions() || op.getQueryStart() || op.getKeyStart()))
        ops.push_back(op);
    });
    for (OnlineAttentionOp op : ops)
      materialize(b, op);
  }
};
} // namespace
