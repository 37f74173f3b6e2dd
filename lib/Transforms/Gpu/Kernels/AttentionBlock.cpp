//===- AttentionBlock.cpp - A block of threads that computes attention ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;

namespace mercury {

AttentionShape::AttentionShape(commir::OnlineAttentionOp op)
    : extents(op.getMapExtents()), keyLoop(op.getKeyLoop()),
      feature(keyLoop + 1), valueFeature(keyLoop + 2), keys(extents[keyLoop]),
      d(extents[feature]), e(extents[valueFeature]) {
  AffineMap ofKey = op.getMap(op.getKeyMutable()),
            ofValue = op.getMap(op.getValueMutable());
  for (unsigned loop = 0; loop < keyLoop; ++loop) {
    bool isBatch = ofKey.isFunctionOfDim(loop) || ofValue.isFunctionOfDim(loop);
    (isBatch ? batchLoops : rowLoops).push_back(loop);
    (isBatch ? batches : rows) *= extents[loop];
  }
}

static KernelOperand kernelOperand(func::FuncOp kernel,
                                   commir::OnlineAttentionOp op,
                                   OpOperand &operand, IRMapping &mapping) {
  return KernelOperand(kernel, operand.get(), mapping.lookup(operand.get()),
                       op.getMap(operand));
}

AttentionBlock::AttentionBlock(func::FuncOp kernel,
                               commir::OnlineAttentionOp op,
                               const AttentionShape &shape,
                               const AttentionTiling &tiling,
                               gpu::GPUFuncOp function, IRMapping &mapping,
                               KernelBuilder &b)
    : b(b), op(op), function(function), shape(shape), tiling(tiling),
      query(kernelOperand(kernel, op, op.getQueryMutable(), mapping)),
      key(kernelOperand(kernel, op, op.getKeyMutable(), mapping)),
      value(kernelOperand(kernel, op, op.getValueMutable(), mapping)),
      accumulator(
          kernelOperand(kernel, op, op.getOutputsMutable()[0], mapping)),
      maximum(kernelOperand(kernel, op, op.getOutputsMutable()[1], mapping)),
      sum(kernelOperand(kernel, op, op.getOutputsMutable()[2], mapping)),
      firstKey(b.index(0)), keysEnd(b.index(shape.keys)),
      keysVary(op.getValid() || op.getKeyBegin()) {
  if (op.getMask())
    mask = kernelOperand(kernel, op, op.getMaskMutable()[0], mapping);
  if (op.getValid()) {
    Value valid =
        arith::MaxSIOp::create(b, mapping.lookup(op.getValid()), b.index(0));
    keysEnd = b.min(valid, keysEnd);
  }
  if (op.getKeyBegin())
    range.emplace(
        kernelOperand(kernel, op, op.getKeyBeginMutable()[0], mapping),
        kernelOperand(kernel, op, op.getKeyEndMutable()[0], mapping));
}

void AttentionBlock::emit() {
  int64_t keyRows = tiling.getKeys(), rows = tiling.getRows();
  queries = b.addShared(function, {rows, tiling.getQueryStride()});
  keyTile = b.addShared(function, {keyRows, tiling.getKeyStride()});
  valueTile = b.addShared(function, {tiling.valueKeys, tiling.valueSlice});
  weights = b.addShared(function, {rows, tiling.getWeightStride()});
  placeThread();
  // Without a key the state stays, and there is no barrier between its threads.
  Value isAnything = keysVary ? b.isLess(firstKey, keysEnd) : Value();
  b.guarded(isAnything, [&] {
    b.loop(b.index(tiling.valueSlices * tiling.valueSlice), tiling.valueSlice,
           {}, [&](Value firstValue, ValueRange) {
             emitValueSlice(firstValue);
             return Values();
           });
  });
}

//===----------------------------------------------------------------------===//
// Where a thread stands
//===----------------------------------------------------------------------===//

/// Neighbouring blocks have rows of the same batch: they share K and V. Where
/// rows see ranges, the last come first: they tend to see most.
void AttentionBlock::placeThread() {
  thread.number = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  thread.lane = b.rem(thread.number, AttentionTiling::kLanes);
  thread.row = b.div(thread.number, AttentionTiling::kLanes);

  int64_t tiles = llvm::divideCeil(shape.rows, tiling.getRows());
  Value number = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  if (range)
    number = b.sub(b.index(tiles * shape.batches - 1), number);
  firstRow = b.mul(b.rem(number, tiles), tiling.getRows());
  block.resize(shape.extents.size());
  SmallVector<int64_t> extents;
  for (unsigned loop : shape.batchLoops)
    extents.push_back(shape.extents[loop]);
  for (auto [loop, at] : llvm::zip(
           shape.batchLoops, b.delinearize(b.div(number, tiles), extents)))
    block[loop] = at;

  for (int64_t i = 0; i < tiling.rowsPerThread; ++i) {
    Value row = b.add(firstRow, thread.rowAt(b, tiling, i));
    bool mayExceed = shape.rows % tiling.getRows() != 0;
    isRow.push_back(mayExceed ? b.isLess(row, b.index(shape.rows)) : Value());
    rows.push_back(mayExceed ? b.min(row, b.index(shape.rows - 1)) : row);
  }
  if (!range)
    return;
  seen = range->measure(
      b, tiling.getRows(), thread.number,
      [&](Value row) {
        return withRow(b.min(b.add(firstRow, row), b.index(shape.rows - 1)));
      },
      keysEnd);
  firstKey = seen.someBegin;
  keysEnd = seen.someEnd;
}

SmallVector<Value> AttentionBlock::withRow(Value row) {
  SmallVector<int64_t> extents;
  for (unsigned loop : shape.rowLoops)
    extents.push_back(shape.extents[loop]);
  Values position = block;
  for (auto [loop, at] : llvm::zip(shape.rowLoops, b.delinearize(row, extents)))
    position[loop] = at;
  return position;
}

SmallVector<Value> AttentionBlock::rowPosition(int64_t i, Value key,
                                               Value valueAt) {
  Values position = withRow(rows[i]);
  position[shape.keyLoop] = key;
  position[shape.valueFeature] = valueAt;
  return position;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

SmallVector<Value> AttentionBlock::State::pack() const {
  Values all = accumulators;
  llvm::append_range(all, maxima);
  llvm::append_range(all, sums);
  return all;
}

AttentionBlock::State AttentionBlock::State::unpack(ValueRange values,
                                                    int64_t rows) {
  return {Values(values.drop_back(2 * rows)),
          Values(values.take_back(2 * rows).drop_back(rows)),
          Values(values.take_back(rows))};
}

void AttentionBlock::forAccumulators(
    Value firstValue,
    function_ref<void(ArrayRef<Value>, int64_t, int64_t, Value)> access) {
  int64_t columns = tiling.getValuesPerThread();
  int64_t width = std::min(accumulator.getVectorWidth(shape.valueFeature),
                           tiling.valueWidth);
  bool mayExceed = shape.e % tiling.valueSlice != 0;
  for (int64_t i = 0; i < tiling.rowsPerThread; ++i)
    for (int64_t j = 0; j < columns; j += width) {
      Value at = b.add(firstValue,
                       b.add(thread.valueAt(b, tiling, j / tiling.valueWidth),
                             j % tiling.valueWidth));
      Value inside = isRow[i];
      if (mayExceed) {
        inside = b.both(inside, b.isLess(at, b.index(shape.e)));
        at = b.min(at, b.index(shape.e - width));
      }
      access(rowPosition(i, {}, at), i * columns + j, width, inside);
    }
}

AttentionBlock::State AttentionBlock::loadState(Value firstValue) {
  State state;
  state.accumulators.resize(tiling.rowsPerThread * tiling.getValuesPerThread());
  // Beyond the end, any accumulator: it is not stored.
  forAccumulators(firstValue, [&](ArrayRef<Value> position, int64_t at,
                                  int64_t width, Value) {
    if (width == 1) {
      state.accumulators[at] = accumulator.load(b, position);
      return;
    }
    Value loaded = accumulator.loadVector(b, position, width);
    for (int64_t i = 0; i < width; ++i)
      state.accumulators[at + i] = b.extract(loaded, i);
  });
  // Sums are those of each lane's keys; what there is belongs to the first.
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        thread.lane, b.index(0));
  for (int64_t i = 0; i < tiling.rowsPerThread; ++i) {
    state.maxima.push_back(maximum.load(b, rowPosition(i)));
    state.sums.push_back(arith::SelectOp::create(
        b, isFirst, sum.load(b, rowPosition(i)), b.number(0)));
  }
  return state;
}

void AttentionBlock::storeState(const State &state, Value firstValue) {
  forAccumulators(firstValue, [&](ArrayRef<Value> position, int64_t at,
                                  int64_t width, Value inside) {
    ArrayRef<Value> values = ArrayRef(state.accumulators).slice(at, width);
    b.guarded(inside, [&] {
      if (width == 1)
        return accumulator.store(b, values.front(), position);
      auto type = VectorType::get(width, b.getF32Type());
      accumulator.storeVector(
          b, vector::FromElementsOp::create(b, type, values), position);
    });
  });
  Values sums;
  for (Value ofLane : state.sums)
    sums.push_back(sumOverLanes(b, ofLane, AttentionTiling::kLanes));
  // Each slice of features begins with the maximum and sum of before.
  Value writes = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread.lane,
                                       b.index(0));
  int64_t lastSlice = (tiling.valueSlices - 1) * tiling.valueSlice;
  if (lastSlice)
    writes =
        b.both(writes, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                             firstValue, b.index(lastSlice)));
  for (int64_t i = 0; i < tiling.rowsPerThread; ++i)
    b.guarded(b.both(writes, isRow[i]), [&] {
      maximum.store(b, state.maxima[i], rowPosition(i));
      sum.store(b, sums[i], rowPosition(i));
    });
}

//===----------------------------------------------------------------------===//
// Tiles of keys
//===----------------------------------------------------------------------===//

void AttentionBlock::emitValueSlice(Value firstValue) {
  State state = loadState(firstValue);
  if (tiling.keepsQuery)
    b.loop(b.index(tiling.featureSlice * tiling.featureSlices),
           tiling.featureSlice, {}, [&](Value firstFeature, ValueRange) {
             stageQuery(firstFeature, firstFeature);
             return Values();
           });
  Values after =
      b.loop(b.sub(keysEnd, firstKey), tiling.getKeys(), state.pack(),
             [&](Value offset, ValueRange carried) {
               return emitKeys(b.add(firstKey, offset), firstValue, carried);
             });
  storeState(State::unpack(after, tiling.rowsPerThread), firstValue);
}

SmallVector<Value> AttentionBlock::emitKeys(Value first, Value firstValue,
                                            ValueRange carried) {
  auto emitTile = [&](bool isWhole) {
    State state = State::unpack(carried, tiling.rowsPerThread);
    emitKeyTile({first, isWhole}, firstValue, state);
    return state.pack();
  };
  if (!range)
    return emitTile(!keysVary && shape.keys % tiling.getKeys() == 0);
  Value begins =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle, seen.allBegin, first);
  Value ends =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                            b.add(first, tiling.getKeys()), seen.allEnd);
  return b.choose(
      b.both(begins, ends), carried.getTypes(), [&] { return emitTile(true); },
      [&] { return emitTile(false); });
}

void AttentionBlock::emitKeyTile(const KeyTile &tile, Value firstValue,
                                 State &state) {
  Values scores = emitScores(tile);
  finishScores(tile, scores);
  int64_t keys = tiling.keysPerThread, columns = tiling.getValuesPerThread();
  for (int64_t i = 0; i < tiling.rowsPerThread; ++i) {
    SoftmaxState row{state.maxima[i], state.sums[i]};
    auto ofRow = MutableArrayRef(scores).slice(i * keys, keys);
    Value factor = updateSoftmax(b, row, ofRow, AttentionTiling::kLanes);
    state.maxima[i] = row.maximum;
    state.sums[i] = row.sum;
    for (auto [j, weight] : llvm::enumerate(ofRow))
      memref::StoreOp::create(
          b, weight, weights,
          ValueRange{thread.rowAt(b, tiling, i), thread.keyAt(b, j)});
    for (Value &element :
         MutableArrayRef(state.accumulators).slice(i * columns, columns))
      element = arith::MulFOp::create(b, element, factor);
  }
  Value left = b.min(b.sub(keysEnd, tile.first), b.index(tiling.getKeys()));
  if (tile.isWhole)
    left = b.index(tiling.getKeys());
  state.accumulators =
      b.loop(left, tiling.valueKeys, state.accumulators,
             [&](Value offset, ValueRange carried) {
               // The slice before has been read.
               if (tiling.valueKeys < tiling.getKeys())
                 gpu::BarrierOp::create(b);
               stageValue(tile, offset, firstValue);
               gpu::BarrierOp::create(b);
               return multiplyValues(b, tiling, thread, weights, offset,
                                     valueTile, carried);
             });
}

SmallVector<Value> AttentionBlock::emitScores(const KeyTile &tile) {
  Values zeros(tiling.rowsPerThread * tiling.keysPerThread, b.number(0));
  return b.loop(b.index(tiling.featureSlice * tiling.featureSlices),
                tiling.featureSlice, zeros,
                [&](Value firstFeature, ValueRange carried) {
                  // The slice before has been read; the tile of keys before has
                  // other barriers after its products.
                  if (tiling.featureSlices > 1)
                    gpu::BarrierOp::create(b);
                  Value column = tiling.keepsQuery ? firstFeature : b.index(0);
                  if (!tiling.keepsQuery)
                    stageQuery(firstFeature, column);
                  stageKey(tile, firstFeature);
                  gpu::BarrierOp::create(b);
                  return multiplyScores(b, tiling, thread, queries, column,
                                        keyTile, carried);
                });
}

void AttentionBlock::finishScores(const KeyTile &tile, Values &scores) {
  bool hasRow = mask && llvm::any_of(shape.rowLoops, [&](unsigned loop) {
                  return mask->has(loop);
                });
  bool hasKey = mask && mask->has(shape.keyLoop);
  Value none = b.number(-std::numeric_limits<double>::infinity());
  double scale = op.getScale().convertToDouble();
  Values masks(scores.size());
  SmallVector<AttentionRange::Row> ranges;
  if (range && !tile.isWhole)
    for (int64_t i = 0; i < tiling.rowsPerThread; ++i)
      ranges.push_back(range->load(b, rowPosition(i), keysEnd));
  for (int64_t j = 0; j < tiling.keysPerThread; ++j) {
    Value key = b.add(tile.first, thread.keyAt(b, j)), at = key, isKey;
    if (!tile.isWhole) {
      if (!range)
        isKey = b.isLess(key, keysEnd);
      at = b.min(at, b.sub(keysEnd, b.index(1)));
    }
    for (int64_t i = 0; i < tiling.rowsPerThread; ++i) {
      int64_t number = i * tiling.keysPerThread + j;
      Value &score = scores[number];
      if (scale != 1)
        score = arith::MulFOp::create(b, score, b.number(scale));
      if (mask) {
        // Loaded once for what it does not depend on.
        Value &first =
            masks[(hasRow ? i : 0) * tiling.keysPerThread + (hasKey ? j : 0)];
        if (!first)
          first = mask->load(b, rowPosition(i, at));
        score = arith::AddFOp::create(b, score, first);
      }
      if (!ranges.empty())
        isKey = ranges[i].sees(b, key);
      if (isKey)
        score = arith::SelectOp::create(b, isKey, score, none);
    }
  }
}

} // namespace mercury
