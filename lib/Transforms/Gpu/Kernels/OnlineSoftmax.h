//===- OnlineSoftmax.h - Softmax over tiles of keys -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ONLINESOFTMAX_H
#define MERCURY_LIB_TRANSFORMS_GPU_ONLINESOFTMAX_H

#include "KernelBuilder.h"

namespace mercury {

/// The state of a row as its lanes have it: `maximum` is the same in all of
/// them, `sum` is that of each lane's own keys.
struct SoftmaxState {
  mlir::Value maximum, sum;
};

/// Continues `state` by a tile of keys: `scores` are those of this lane, and
/// become their weights exp(score - maximum). Returns exp(old maximum - new
/// maximum), by which what was accumulated has to be multiplied. Scores of -inf
/// weigh nothing, also where the maximum is; a NaN among them does not become
/// the maximum, but its weight. A group of `lanes` (a power of 2, at most 32)
/// neighbouring threads shares the row. Weights are computed by exp2.
mlir::Value updateSoftmax(KernelBuilder &b, SoftmaxState &state,
                          llvm::MutableArrayRef<mlir::Value> scores,
                          int64_t lanes);

/// The values of all lanes combined, in each of them.
mlir::Value reduceOverLanes(
    KernelBuilder &b, mlir::Value value, int64_t lanes,
    llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// The sum of `value` over the lanes, in each of them.
mlir::Value sumOverLanes(KernelBuilder &b, mlir::Value value, int64_t lanes);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ONLINESOFTMAX_H
