//===- AttentionTileMask.cpp - Ranges of keys in a fused tile -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bounds the loops of a tile whose rows see a range of keys each. A block
// of rows against a block of keys runs over the panels of keys that some of its
// rows see; where there are none, its loop has no iteration. Scores outside of
// a row's range become -inf by a loop over the rows of blocks that a range
// cuts, which has no iteration in other blocks.
//
//===----------------------------------------------------------------------===//

#include "AttentionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace mercury {

/// Columns of `reach`: some row of a block sees keys of [FirstBegin, LastEnd),
/// all see those of [LastBegin, FirstEnd).
enum Reach { FirstBegin, LastEnd, LastBegin, FirstEnd, NumReaches };

SmallVector<Value>
AttentionTile::reduceAll(Value upper, ValueRange initial,
                         function_ref<SmallVector<Value>(Value)> body,
                         ArrayRef<bool> takesLeast) {
  auto loop =
      scf::ForOp::create(b, loc, constant(0), upper, constant(1), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next;
  for (auto [old, found, isLeast] : llvm::zip_equal(
           loop.getRegionIterArgs(), body(loop.getInductionVar()), takesLeast))
    next.push_back(isLeast ? min(old, found) : max(old, found));
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

bool AttentionTile::isRangeAlong(unsigned dim) {
  return op.getMap(op.getKeyBeginMutable()[0]).isFunctionOfDim(dim) ||
         op.getMap(op.getKeyEndMutable()[0]).isFunctionOfDim(dim);
}

std::pair<Value, Value> AttentionTile::readRange() {
  auto read = [&](OpOperand &operand) -> Value {
    Value element =
        memref::LoadOp::create(b, loc, operand.get(), indices(operand));
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
  };
  return {max(read(op.getKeyBeginMutable()[0]), constant(0)),
          min(read(op.getKeyEndMutable()[0]), keysThere)};
}

void AttentionTile::measureReach() {
  loop(constant(rows), blockRows, [&](Value first) {
    goToRowBlock(first);
    Value none = constant(0);
    SmallVector<Value> all = reduceAll(
        rowCount, {keysThere, none, none, keysThere},
        [&](Value row) -> SmallVector<Value> {
          goToRow(add(firstRow, row));
          auto [begin, end] = readRange();
          Value isEmpty = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::sge, begin, end);
          begin = arith::SelectOp::create(b, loc, isEmpty, keysThere, begin);
          end = arith::SelectOp::create(b, loc, isEmpty, none, end);
          return {begin, end, begin, end};
        },
        {true, false, false, true});
    for (auto [i, value] : llvm::enumerate(all))
      memref::StoreOp::create(
          b, loc, arith::IndexCastOp::create(b, loc, b.getI32Type(), value),
          reach, ValueRange{div(first, blockRows), constant(i)});
  });
}

Value AttentionTile::readReach(Value block, int which) {
  Value value =
      memref::LoadOp::create(b, loc, reach, ValueRange{block, constant(which)});
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

void AttentionTile::emitSeenKeyBlocks() {
  int64_t nr = registers.nr;
  Value numBlocks = constant(numRowBlocks());
  SmallVector<Value> all = reduceAll(numBlocks, {keysThere, constant(0)},
                                     [&](Value block) -> SmallVector<Value> {
                                       return {readReach(block, FirstBegin),
                                               readReach(block, LastEnd)};
                                     },
                                     {true, false});
  loop(alignDown(all[0], blockKeys), all[1], blockKeys, [&](Value first) {
    firstKey = first;
    Value last = min(add(first, constant(blockKeys)), all[1]);
    // The blocks of rows that see some of these keys, and the keys seen.
    SmallVector<Value> seen = reduceAll(
        numBlocks, {numBlocks, constant(0), last, first},
        [&](Value block) -> SmallVector<Value> {
          Value begin = max(readReach(block, FirstBegin), first),
                end = min(readReach(block, LastEnd), last);
          Value sees = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             begin, end);
          SmallVector<Value> found = {block, add(block, constant(1)), begin,
                                      end};
          for (auto [value, other] :
               llvm::zip_equal(found, SmallVector<Value>{numBlocks, constant(0),
                                                         last, first}))
            value = arith::SelectOp::create(b, loc, sees, value, other);
          return found;
        },
        {true, false, true, false});
    blockFrom = alignDown(sub(seen[2], first), nr);
    blockSize = sub(seen[3], first);
    packKeys();
    if (packsValues)
      packValues();
    loop(mul(seen[0], blockRows), mul(seen[1], blockRows), blockRows,
         [&](Value row) { emitSeenRowBlock(row, last); });
  });
}

void AttentionTile::emitSeenRowBlock(Value row, Value last) {
  int64_t nr = registers.nr;
  Value block = div(row, blockRows);
  Value begin = max(readReach(block, FirstBegin), firstKey),
        end = min(readReach(block, LastEnd), last);
  // One iteration, or none.
  loop(begin, end, blockKeys, [&](Value at) {
    goToRowBlock(row);
    blockFrom = alignDown(sub(at, firstKey), nr);
    blockSize = sub(end, firstKey);
    auto isLess = [&](Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
    };
    Value isCut = arith::OrIOp::create(
        b, loc, isLess(add(firstKey, blockFrom), readReach(block, LastBegin)),
        isLess(readReach(block, FirstEnd),
               add(firstKey, mul(ceilDiv(blockSize, nr), nr))));
    hiddenRows = arith::SelectOp::create(b, loc, isCut, rowCount, constant(0));
    emitRowBlock();
  });
}

/// Scores of keys that the row does not see become -inf.
void AttentionTile::hideUnseen(Value row) {
  int64_t nr = registers.nr;
  auto [begin, end] = readRange();
  Value hiddenTo = sub(begin, firstKey), seenTo = sub(end, firstKey);
  Value columns = mul(ceilDiv(blockSize, nr), nr);
  Value unseen = splat(-std::numeric_limits<double>::infinity(), nr);
  auto hide = [&](Value at, Value bound, bool hidesBelow) {
    Value isBelow = vector::CreateMaskOp::create(
        b, loc, VectorType::get(nr, b.getI1Type()), sub(bound, at));
    Value score = loadVector(scores, {row, at}, nr);
    Value shown =
        arith::SelectOp::create(b, loc, isBelow, hidesBelow ? unseen : score,
                                hidesBelow ? score : unseen);
    storeVector(shown, scores, {row, at});
  };
  loop(blockFrom, min(hiddenTo, columns), nr,
       [&](Value at) { hide(at, hiddenTo, /*hidesBelow=*/true); });
  loop(max(alignDown(max(seenTo, constant(0)), nr), blockFrom), columns, nr,
       [&](Value at) { hide(at, seenTo, /*hidesBelow=*/false); });
}

} // namespace mercury
