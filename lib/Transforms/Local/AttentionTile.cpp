//===- AttentionTile.cpp - A fused tile of online attention ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTile.h"
#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Transforms/Local/AttentionLoops.h"
#include "VectorKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace mercury {

static constexpr double infinity = std::numeric_limits<double>::infinity();

AttentionTile::AttentionTile(OpBuilder &b, commir::OnlineAttentionOp op,
                             const AttentionBlocking &blocking)
    : b(b), loc(op.getLoc()), op(op), query(op.getQueryMutable()),
      key(op.getKeyMutable()), value(op.getValueMutable()),
      accumulator(op.getOutputsMutable()[0]),
      maximum(op.getOutputsMutable()[1]), sum(op.getOutputsMutable()[2]),
      extents(op.getMapExtents()), keyLoop(op.getKeyLoop()),
      feature(keyLoop + 1), valueFeature(keyLoop + 2), keys(extents[keyLoop]),
      d(extents[feature]), e(extents[valueFeature]),
      registers(chooseRegisterBlock(32, blocking.vectorBits)),
      hasRange(bool(op.getKeyBegin())) {
  Loops sameRange;
  for (unsigned dim = 0; dim < keyLoop; ++dim) {
    if (op.getMap(key).isFunctionOfDim(dim) ||
        op.getMap(value).isFunctionOfDim(dim)) {
      batchLoops.push_back(dim);
      continue;
    }
    // Neighbouring rows shall see much the same keys.
    (hasRange && !isRangeAlong(dim) ? sameRange : rowLoops).push_back(dim);
    rows *= extents[dim];
  }
  rowLoops.append(sameRange);
  chooseBlocks(blocking);
  // Packing pays where a value is read for several panels of rows.
  packsValues = rows > 2 * registers.mr || e % registers.lanes != 0 ||
                !getElementTypeOrSelf(value.get()).isF32() ||
                !isContiguous(value, valueFeature);
}

void AttentionTile::chooseBlocks(const AttentionBlocking &asked) {
  AttentionBlockSizes wanted;
  if (asked.blockQueries)
    wanted.rows = asked.blockQueries;
  if (asked.blockKeys)
    wanted.keys = asked.blockKeys;
  if (auto tile = op->getAttrOfType<DenseI64ArrayAttr>(commir::kTileAttrName)) {
    auto isAsked = [&](unsigned loop) { return tile[loop] != 0; };
    if (llvm::any_of(rowLoops, isAsked))
      wanted.rows = 1;
    for (unsigned loop : llvm::make_filter_range(rowLoops, isAsked))
      wanted.rows *= tile[loop];
    if (isAsked(keyLoop))
      wanted.keys = tile[keyLoop];
  }
  // Panels of equal height: few rows are computed in vain.
  height = balanceBlock(rows, registers.mr, 1);
  blockRows = balanceBlock(rows, wanted.rows, height);
  blockKeys = balanceBlock(keys, wanted.keys, registers.nr);
}

bool AttentionTile::canEmit(commir::OnlineAttentionOp op, int64_t minFlops) {
  SmallVector<int64_t> extents = op.getMapExtents();
  if (llvm::any_of(extents, ShapedType::isDynamic) ||
      llvm::is_contained(extents, 0) || !op.getStateType().isF32() ||
      !hasOnlyRanges(op))
    return false;
  int64_t flops = 2 * (extents.end()[-1] + extents.end()[-2]);
  for (int64_t extent : ArrayRef(extents).drop_back(2))
    flops *= extent;
  return flops >= minFlops;
}

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value AttentionTile::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value AttentionTile::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value AttentionTile::sub(Value lhs, Value rhs) {
  return b.createOrFold<arith::SubIOp>(loc, lhs, rhs);
}

Value AttentionTile::mul(Value lhs, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, constant(factor));
}

Value AttentionTile::div(Value value, int64_t factor) {
  return b.createOrFold<arith::DivUIOp>(loc, value, constant(factor));
}

Value AttentionTile::min(Value lhs, Value rhs) {
  return b.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
}

Value AttentionTile::max(Value lhs, Value rhs) {
  return b.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
}

Value AttentionTile::ceilDiv(Value value, int64_t factor) {
  return div(add(value, constant(factor - 1)), factor);
}

Value AttentionTile::alignDown(Value value, int64_t factor) {
  return mul(div(value, factor), factor);
}

void AttentionTile::loop(Value upper, int64_t step,
                         function_ref<void(Value)> body) {
  std::optional<int64_t> bound = getConstantIntValue(upper);
  if (bound && *bound <= step)
    return body(constant(0));
  loop(constant(0), upper, step, body);
}

void AttentionTile::loop(Value lower, Value upper, int64_t step,
                         function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, lower, upper, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void AttentionTile::overPanels(function_ref<void(Value)> body) {
  Value count = ceilDiv(blockSize, registers.nr);
  if (!hasRange)
    return loop(count, 1, body);
  loop(div(blockFrom, registers.nr), count, 1, body);
}

void AttentionTile::overKeys(int64_t step, function_ref<void(Value)> body) {
  if (!hasRange)
    return loop(blockSize, step, body);
  loop(blockFrom, blockSize, step, body);
}

Value AttentionTile::reduceKeys(Value initial,
                                function_ref<Value(Value, Value)> body) {
  auto loop = scf::ForOp::create(b, loc, blockFrom, blockSize,
                                 constant(registers.nr), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(b, loc, next);
  return loop.getResult(0);
}

void AttentionTile::chunks(int64_t extent, int64_t width,
                           function_ref<void(Value, bool)> body) {
  int64_t whole = extent / width * width;
  if (whole)
    loop(constant(whole), width, [&](Value at) { body(at, true); });
  if (whole != extent)
    body(constant(whole), false);
}

void AttentionTile::overLoops(ArrayRef<unsigned> loops,
                              function_ref<void()> body) {
  if (loops.empty())
    return body();
  loop(constant(extents[loops.front()]), 1, [&](Value iv) {
    position[loops.front()] = iv;
    overLoops(loops.drop_front(), body);
  });
}

SmallVector<Value> AttentionTile::indices(OpOperand &operand) {
  SmallVector<Value> result;
  for (AffineExpr expr : op.getMap(operand).getResults())
    result.push_back(position[cast<AffineDimExpr>(expr).getPosition()]);
  return result;
}

bool AttentionTile::isContiguous(OpOperand &operand, unsigned dim) {
  AffineMap map = op.getMap(operand);
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(operand.get().getType());
  return map.getNumResults() &&
         map.getResults().back() == getAffineDimExpr(dim, b.getContext()) &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

Value AttentionTile::toState(Value value) {
  unsigned bits = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  Type type = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  if (bits < 32)
    return arith::ExtFOp::create(b, loc, type, value);
  if (bits > 32)
    return arith::TruncFOp::create(b, loc, type, value);
  return value;
}

Value AttentionTile::readScalar(OpOperand &operand) {
  return toState(
      memref::LoadOp::create(b, loc, operand.get(), indices(operand)));
}

Value AttentionTile::readVector(OpOperand &operand, int64_t width,
                                bool inBounds) {
  Type element = getElementTypeOrSelf(operand.get());
  Value padding =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0.0));
  return toState(vector::TransferReadOp::create(
      b, loc, VectorType::get(width, element), operand.get(), indices(operand),
      padding, ArrayRef<bool>{inBounds}));
}

void AttentionTile::writeVector(Value vector, OpOperand &operand,
                                bool inBounds) {
  vector::TransferWriteOp::create(b, loc, vector, operand.get(),
                                  indices(operand), ArrayRef<bool>{inBounds});
}

Value AttentionTile::workspace(ArrayRef<int64_t> shape) {
  // Like the buffers of tensors.
  return memref::AllocOp::create(b, loc, MemRefType::get(shape, b.getF32Type()),
                                 b.getI64IntegerAttr(64));
}

Value AttentionTile::loadVector(Value buffer, ArrayRef<Value> at,
                                int64_t width) {
  return vector::LoadOp::create(b, loc, VectorType::get(width, b.getF32Type()),
                                buffer, at);
}

void AttentionTile::storeVector(Value vector, Value buffer,
                                ArrayRef<Value> at) {
  vector::StoreOp::create(b, loc, vector, buffer, at);
}

Value AttentionTile::number(double value) {
  return arith::ConstantOp::create(b, loc,
                                   b.getFloatAttr(b.getF32Type(), value));
}

Value AttentionTile::splat(Value scalar, int64_t width) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(width, b.getF32Type()), scalar);
}

Value AttentionTile::splat(double number, int64_t width) {
  auto type = VectorType::get(width, b.getF32Type());
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          type, b.getFloatAttr(b.getF32Type(), number).getValue()));
}

//===----------------------------------------------------------------------===//
// Blocks of keys
//===----------------------------------------------------------------------===//

void AttentionTile::emit() {
  int64_t lanes = registers.lanes, nr = registers.nr;
  int64_t wholeD = llvm::alignTo(d, lanes), wholeE = llvm::alignTo(e, lanes);
  int64_t wholeRows = llvm::alignTo(blockRows, nr);
  // Rows are a vector longer than needed, so that those that a kernel reads
  // together do not fall into the same sets of a cache.
  packedQuery = workspace({blockRows, wholeD + lanes});
  packedKeys = workspace({blockKeys / nr, wholeD, nr});
  if (packsValues)
    packedValues = workspace({(e + nr - 1) / nr, blockKeys, nr});
  scores = workspace({blockRows, blockKeys + lanes});
  output = workspace({blockRows, wholeE});
  changes = workspace({wholeRows});
  factors = workspace({wholeRows});
  rowSums = workspace({wholeRows});
  if (hasRange)
    reach = memref::AllocOp::create(
        b, loc, MemRefType::get({numRowBlocks(), 4}, b.getI32Type()),
        b.getI64IntegerAttr(64));

  position.assign(extents.size(), constant(0));
  keysThere = constant(keys);
  if (Value valid = op.getValid())
    keysThere =
        min(keysThere, b.createOrFold<arith::MaxSIOp>(loc, valid, constant(0)));
  blockFrom = constant(0);
  if (!hasRange)
    return overLoops(batchLoops, [&] { emitKeyBlocks(); });
  bool isOfBatch =
      llvm::any_of(batchLoops, [&](unsigned dim) { return isRangeAlong(dim); });
  if (!isOfBatch)
    measureReach();
  overLoops(batchLoops, [&] {
    if (isOfBatch)
      measureReach();
    emitSeenKeyBlocks();
  });
}

void AttentionTile::emitKeyBlocks() {
  auto emitBlock = [&](Value first) {
    firstKey = first;
    if (!op.getValid() && keys % blockKeys == 0)
      blockSize = constant(blockKeys);
    else
      blockSize = min(constant(blockKeys), sub(keysThere, first));
    std::optional<int64_t> size = getConstantIntValue(blockSize);
    isBlockWhole = size && *size % registers.nr == 0;
    packKeys();
    if (packsValues)
      packValues();
    loop(constant(rows), blockRows, [&](Value row) {
      goToRowBlock(row);
      emitRowBlock();
    });
  };
  if (!op.getValid())
    return loop(keysThere, blockKeys, emitBlock);
  // There may be no key.
  auto loop =
      scf::ForOp::create(b, loc, constant(0), keysThere, constant(blockKeys));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emitBlock(loop.getInductionVar());
}

/// w[p, d, :] = K[p * nr + :, d].
void AttentionTile::packKeys() {
  int64_t nr = registers.nr;
  if (isContiguous(key, feature))
    return packKeysTurned();
  bool isVector = isContiguous(key, keyLoop);
  overPanels([&](Value panel) {
    Value panelStart = mul(panel, nr);
    loop(constant(d), 1, [&](Value step) {
      position[feature] = step;
      if (isVector) {
        position[keyLoop] = add(firstKey, panelStart);
        storeVector(readVector(key, nr, keys % nr == 0), packedKeys,
                    {panel, step, constant(0)});
        return;
      }
      loop(constant(nr), 1, [&](Value column) {
        position[keyLoop] =
            min(add(firstKey, add(panelStart, column)), constant(keys - 1));
        memref::StoreOp::create(b, loc, readScalar(key), packedKeys,
                                ValueRange{panel, step, column});
      });
    });
  });
}

/// The same where d is contiguous: squares, transposed in registers. A key
/// beyond the end is the last one again, a feature beyond it is not used.
void AttentionTile::packKeysTurned() {
  int64_t nr = registers.nr, lanes = registers.lanes;
  Value last = constant(keys - 1);
  bool mayMiss = keys % nr != 0;
  overPanels([&](Value panel) {
    Value panelStart = add(firstKey, mul(panel, nr));
    chunks(d, lanes, [&](Value step, bool isWhole) {
      position[feature] = step;
      for (int64_t group = 0; group < nr; group += lanes) {
        SmallVector<Value> square;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          Value at = add(panelStart, constant(group + lane));
          position[keyLoop] = mayMiss ? min(at, last) : at;
          square.push_back(readVector(key, lanes, isWhole));
        }
        transposeSquare(b, loc, square);
        for (auto [lane, vector] : llvm::enumerate(square))
          storeVector(vector, packedKeys,
                      {panel, add(step, constant(lane)), constant(group)});
      }
    });
  });
}

/// w[p, n, :] = V[n, p * nr + :].
void AttentionTile::packValues() {
  int64_t nr = registers.nr;
  int64_t tail = llvm::alignTo(e % nr, registers.lanes);
  bool isVector = isContiguous(value, valueFeature);
  overKeys(1, [&](Value row) {
    position[keyLoop] = add(firstKey, row);
    if (isVector)
      return chunks(e, nr, [&](Value at, bool isWhole) {
        position[valueFeature] = at;
        Value panel = div(at, nr);
        Value vector = isWhole ? readVector(value, nr, /*inBounds=*/true)
                               : readVector(value, tail, tail == e % nr);
        storeVector(vector, packedValues, {panel, row, constant(0)});
      });
    loop(constant(e), 1, [&](Value at) {
      position[valueFeature] = at;
      Value panel = div(at, nr);
      Value lane = b.createOrFold<arith::RemUIOp>(loc, at, constant(nr));
      memref::StoreOp::create(b, loc, readScalar(value), packedValues,
                              ValueRange{panel, row, lane});
    });
  });
}

//===----------------------------------------------------------------------===//
// A block of rows against a block of keys
//===----------------------------------------------------------------------===//

void AttentionTile::goToRowBlock(Value row) {
  firstRow = row;
  rowCount = rows % blockRows == 0
                 ? constant(blockRows)
                 : min(constant(blockRows), sub(constant(rows), row));
}

void AttentionTile::emitRowBlock() {
  packQuery();
  emitScores();
  emitSoftmax();
  scaleAccumulator();
  emitOutput();
  storeAccumulator();
}

void AttentionTile::goToRow(Value row) {
  for (unsigned dim : llvm::reverse(ArrayRef(rowLoops).drop_front())) {
    Value extent = constant(extents[dim]);
    position[dim] = b.createOrFold<arith::RemUIOp>(loc, row, extent);
    row = div(row, extents[dim]);
  }
  position[rowLoops.front()] = row;
}

/// w[m, d] = scale * Q[m, d]; a row beyond the end is the last one again.
void AttentionTile::packQuery() {
  int64_t lanes = registers.lanes;
  double scale = op.getScale().convertToDouble();
  Value last = constant(rows - 1);
  loop(mul(ceilDiv(rowCount, height), height), 1, [&](Value row) {
    Value at = add(firstRow, row);
    goToRow(rows % height ? min(at, last) : at);
    if (isContiguous(query, feature))
      return chunks(d, lanes, [&](Value step, bool isWhole) {
        position[feature] = step;
        Value vector = readVector(query, lanes, isWhole);
        if (scale != 1.0)
          vector = arith::MulFOp::create(b, loc, vector, splat(scale, lanes));
        storeVector(vector, packedQuery, {row, step});
      });
    loop(constant(d), 1, [&](Value step) {
      position[feature] = step;
      Value scalar = readScalar(query);
      if (scale != 1.0)
        scalar = arith::MulFOp::create(b, loc, scalar, number(scale));
      memref::StoreOp::create(b, loc, scalar, packedQuery,
                              ValueRange{row, step});
    });
  });
}

void AttentionTile::emitScores() {
  int64_t nr = registers.nr;
  overPanels([&](Value panel) {
    loop(ceilDiv(rowCount, height), 1, [&](Value rowPanel) {
      Value start = mul(rowPanel, height);
      SmallVector<Value> sums = emitMicrokernel(
          b, loc, constant(d), height, VectorType::get(nr, b.getF32Type()),
          registers.fma,
          [&](int64_t row, Value step) -> Value {
            return memref::LoadOp::create(
                b, loc, packedQuery,
                ValueRange{add(start, constant(row)), step});
          },
          [&](Value step) {
            return loadVector(packedKeys, {panel, step, constant(0)}, nr);
          });
      for (auto [row, vector] : llvm::enumerate(sums))
        storeVector(vector, scores,
                    {add(start, constant(row)), mul(panel, nr)});
    });
  });
}

void AttentionTile::emitSoftmax() {
  auto overRows = [&](Value count, function_ref<void(Value)> body) {
    loop(count, 1, [&](Value row) {
      goToRow(add(firstRow, row));
      body(row);
    });
  };
  if (hasRange) {
    if (op.getMask())
      overRows(rowCount, [&](Value row) { addMask(row); });
    overRows(hiddenRows, [&](Value row) { hideUnseen(row); });
  }
  overRows(rowCount, [&](Value row) {
    if (!hasRange && op.getMask())
      addMask(row);
    if (!hasRange && !isBlockWhole)
      hideMissingKeys(row);
    emitSoftmaxRow(row);
  });
  loop(rowCount, registers.nr, [&](Value at) {
    Value change = loadVector(changes, at, registers.nr);
    storeVector(emitExp(b, loc, change, registers.fma), factors, at);
  });
}

void AttentionTile::addMask(Value row) {
  OpOperand &mask = op.getMaskMutable()[0];
  int64_t nr = registers.nr;
  bool hasKey = op.getMap(mask).isFunctionOfDim(keyLoop);
  if (hasKey && !isContiguous(mask, keyLoop)) {
    overKeys(1, [&](Value at) {
      position[keyLoop] = add(firstKey, at);
      Value score = memref::LoadOp::create(b, loc, scores, ValueRange{row, at});
      memref::StoreOp::create(
          b, loc, arith::AddFOp::create(b, loc, score, readScalar(mask)),
          scores, ValueRange{row, at});
    });
    return;
  }
  Value ofRow = hasKey ? Value() : splat(readScalar(mask), nr);
  overKeys(nr, [&](Value at) {
    position[keyLoop] = add(firstKey, at);
    Value added = hasKey ? readVector(mask, nr, keys % nr == 0) : ofRow;
    Value score = loadVector(scores, {row, at}, nr);
    storeVector(arith::AddFOp::create(b, loc, score, added), scores, {row, at});
  });
}

/// Scores of the last panel beyond the last key become -inf.
void AttentionTile::hideMissingKeys(Value row) {
  int64_t nr = registers.nr;
  Value start = alignDown(sub(blockSize, constant(1)), nr);
  Value left = sub(blockSize, start);
  Value isThere = vector::CreateMaskOp::create(
      b, loc, VectorType::get(nr, b.getI1Type()), left);
  Value shown = arith::SelectOp::create(b, loc, isThere,
                                        loadVector(scores, {row, start}, nr),
                                        splat(-infinity, nr));
  storeVector(shown, scores, {row, start});
}

void AttentionTile::emitSoftmaxRow(Value row) {
  using arith::CmpFPredicate;
  using arith::FastMathFlags;
  int64_t nr = registers.nr;
  auto isEqual = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, loc, CmpFPredicate::OEQ, lhs, rhs);
  };
  auto larger = [&](Value lhs, Value rhs) -> Value {
    // One instruction, other than the maxima of arith; skips NaN in `lhs`,
    // which the exponentials keep.
    Value isLarger =
        arith::CmpFOp::create(b, loc, CmpFPredicate::OGT, lhs, rhs);
    return arith::SelectOp::create(b, loc, isLarger, lhs, rhs);
  };
  Value tops = reduceKeys(splat(-infinity, nr), [&](Value at, Value tops) {
    return larger(loadVector(scores, {row, at}, nr), tops);
  });
  Value before = readScalar(maximum);
  Value after =
      larger(vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXNUMF,
                                         tops, FastMathFlags::nnan),
             before);
  memref::StoreOp::create(b, loc, after, maximum.get(), indices(maximum));
  // Where all scores are -inf, so is the maximum: against any finite number
  // their exponentials are 0.
  Value pivot = arith::SelectOp::create(
      b, loc, isEqual(after, number(-infinity)), number(0), after);
  // Equal maxima, also those of -inf, change nothing.
  Value change =
      arith::SelectOp::create(b, loc, isEqual(before, after), number(0),
                              arith::SubFOp::create(b, loc, before, pivot));
  memref::StoreOp::create(b, loc, change, changes, row);

  Value pivots = splat(pivot, nr);
  Value sums = reduceKeys(splat(0, nr), [&](Value at, Value sums) -> Value {
    Value score = loadVector(scores, {row, at}, nr);
    Value weight = emitExp(b, loc, arith::SubFOp::create(b, loc, score, pivots),
                           registers.fma);
    storeVector(weight, scores, {row, at});
    return arith::AddFOp::create(b, loc, sums, weight);
  });
  Value rowSum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                             sums, FastMathFlags::reassoc);
  memref::StoreOp::create(b, loc, rowSum, rowSums, row);
}

/// w[m, :] = factor[m] * accumulator[m, :], and the sum is brought forward.
void AttentionTile::scaleAccumulator() {
  int64_t lanes = registers.lanes;
  loop(rowCount, 1, [&](Value row) {
    goToRow(add(firstRow, row));
    Value factor = memref::LoadOp::create(b, loc, factors, row);
    Value total = arith::AddFOp::create(
        b, loc, arith::MulFOp::create(b, loc, readScalar(sum), factor),
        memref::LoadOp::create(b, loc, rowSums, row));
    memref::StoreOp::create(b, loc, total, sum.get(), indices(sum));
    if (isContiguous(accumulator, valueFeature)) {
      Value vectorOfFactor = splat(factor, lanes);
      return chunks(e, lanes, [&](Value at, bool isWhole) {
        position[valueFeature] = at;
        Value old = readVector(accumulator, lanes, isWhole);
        storeVector(arith::MulFOp::create(b, loc, old, vectorOfFactor), output,
                    {row, at});
      });
    }
    loop(constant(e), 1, [&](Value at) {
      position[valueFeature] = at;
      memref::StoreOp::create(
          b, loc,
          arith::MulFOp::create(b, loc, readScalar(accumulator), factor),
          output, ValueRange{row, at});
    });
  });
}

/// w[m, e] += exponentials[m, n] * V[n, e].
void AttentionTile::emitOutput() {
  int64_t nr = registers.nr;
  auto emitPanel = [&](Value panel, int64_t width) {
    Value column = mul(panel, nr);
    loop(ceilDiv(rowCount, height), 1, [&](Value rowPanel) {
      Value start = mul(rowPanel, height);
      SmallVector<Value> sums = emitMicrokernel(
          b, loc, sub(blockSize, blockFrom), height,
          VectorType::get(width, b.getF32Type()), registers.fma,
          [&](int64_t row, Value step) -> Value {
            return memref::LoadOp::create(
                b, loc, scores,
                ValueRange{add(start, constant(row)), add(blockFrom, step)});
          },
          [&](Value step) {
            step = add(blockFrom, step);
            if (packsValues)
              return loadVector(packedValues, {panel, step, constant(0)},
                                width);
            position[keyLoop] = add(firstKey, step);
            position[valueFeature] = column;
            return readVector(value, width, /*inBounds=*/true);
          });
      for (auto [row, vector] : llvm::enumerate(sums)) {
        SmallVector<Value> at{add(start, constant(row)), column};
        storeVector(arith::AddFOp::create(b, loc, loadVector(output, at, width),
                                          vector),
                    output, at);
      }
    });
  };
  if (e / nr)
    loop(constant(e / nr), 1, [&](Value panel) { emitPanel(panel, nr); });
  if (e % nr)
    emitPanel(constant(e / nr), llvm::alignTo(e % nr, registers.lanes));
}

void AttentionTile::storeAccumulator() {
  int64_t lanes = registers.lanes;
  loop(rowCount, 1, [&](Value row) {
    goToRow(add(firstRow, row));
    if (isContiguous(accumulator, valueFeature))
      return chunks(e, lanes, [&](Value at, bool isWhole) {
        position[valueFeature] = at;
        writeVector(loadVector(output, {row, at}, lanes), accumulator, isWhole);
      });
    loop(constant(e), 1, [&](Value at) {
      position[valueFeature] = at;
      Value element =
          memref::LoadOp::create(b, loc, output, ValueRange{row, at});
      memref::StoreOp::create(b, loc, element, accumulator.get(),
                              indices(accumulator));
    });
  });
}

} // namespace mercury
