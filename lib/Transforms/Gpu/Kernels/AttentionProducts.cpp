//===- AttentionProducts.cpp - Products of attention in registers ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProducts.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

/// Steps of a reduction that one vector from shared memory has.
static constexpr int64_t kSteps = 4;

Value AttentionThread::rowAt(KernelBuilder &b, const AttentionTiling &tiling,
                             int64_t i) const {
  return b.add(row, i * tiling.getRowThreads());
}

Value AttentionThread::keyAt(KernelBuilder &b, int64_t i) const {
  return b.add(lane, i * AttentionTiling::kLanes);
}

Value AttentionThread::valueAt(KernelBuilder &b, const AttentionTiling &tiling,
                               int64_t i) const {
  return b.mul(keyAt(b, i), tiling.valueWidth);
}

static Value loadShared(KernelBuilder &b, Value buffer, Value row, Value column,
                        int64_t width) {
  return vector::LoadOp::create(b, VectorType::get(width, b.getF32Type()),
                                buffer, ValueRange{row, column},
                                /*nontemporal=*/false,
                                llvm::Align(width * sizeof(float)));
}

SmallVector<Value> mercury::multiplyScores(KernelBuilder &b,
                                           const AttentionTiling &tiling,
                                           const AttentionThread &thread,
                                           Value query, Value firstFeature,
                                           Value key, ValueRange scores) {
  return b.loop(b.index(tiling.featureSlice), kSteps, scores,
                [&](Value feature, ValueRange carried) {
                  SmallVector<Value> sums(carried), rows;
                  Value column = b.add(firstFeature, feature);
                  for (int64_t i = 0; i < tiling.rowsPerThread; ++i)
                    rows.push_back(loadShared(
                        b, query, thread.rowAt(b, tiling, i), column, kSteps));
                  for (int64_t j = 0; j < tiling.keysPerThread; ++j) {
                    Value keys =
                        loadShared(b, key, thread.keyAt(b, j), feature, kSteps);
                    for (int64_t step = 0; step < kSteps; ++step) {
                      Value ofKey = b.extract(keys, step);
                      for (int64_t i = 0; i < tiling.rowsPerThread; ++i) {
                        Value &sum = sums[i * tiling.keysPerThread + j];
                        sum = b.fma(b.extract(rows[i], step), ofKey, sum);
                      }
                    }
                  }
                  return sums;
                });
}

SmallVector<Value>
mercury::multiplyValues(KernelBuilder &b, const AttentionTiling &tiling,
                        const AttentionThread &thread, Value weights,
                        Value firstKey, Value value, ValueRange accumulator) {
  int64_t width = tiling.valueWidth, columns = tiling.getValuesPerThread();
  return b.loop(
      b.index(tiling.valueKeys), kSteps, accumulator,
      [&](Value key, ValueRange carried) {
        SmallVector<Value> sums(carried), rows;
        Value column = b.add(firstKey, key);
        for (int64_t i = 0; i < tiling.rowsPerThread; ++i)
          rows.push_back(loadShared(b, weights, thread.rowAt(b, tiling, i),
                                    column, kSteps));
        for (int64_t step = 0; step < kSteps; ++step)
          for (int64_t j = 0; j < columns; j += width) {
            Value values =
                loadShared(b, value, b.add(key, step),
                           thread.valueAt(b, tiling, j / width), width);
            for (int64_t i = 0; i < tiling.rowsPerThread; ++i)
              for (int64_t w = 0; w < width; ++w) {
                Value &sum = sums[i * columns + j + w];
                sum =
                    b.fma(b.extract(rows[i], step), b.extract(values, w), sum);
              }
          }
        return sums;
      });
}
