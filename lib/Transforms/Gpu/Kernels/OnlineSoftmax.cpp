//===- OnlineSoftmax.cpp - Softmax over tiles of keys ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mercury;

static constexpr int64_t kWarp = 32;

// Each step doubles how many values each lane has.
Value mercury::reduceOverLanes(KernelBuilder &b, Value value, int64_t lanes,
                               function_ref<Value(Value, Value)> combine) {
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    Value other =
        gpu::ShuffleOp::create(b, value, distance, kWarp, gpu::ShuffleMode::XOR)
            .getShuffleResult();
    value = combine(value, other);
  }
  return value;
}

Value mercury::sumOverLanes(KernelBuilder &b, Value value, int64_t lanes) {
  return reduceOverLanes(b, value, lanes, [&](Value lhs, Value rhs) -> Value {
    return arith::AddFOp::create(b, lhs, rhs);
  });
}

/// exp(lhs - rhs). The difference is taken first: a logarithm's factor before
/// it would round relative to the scores instead of to their distance.
static Value expOfDifference(KernelBuilder &b, Value lhs, Value rhs) {
  Value difference = arith::SubFOp::create(b, lhs, rhs);
  Value power =
      arith::MulFOp::create(b, difference, b.number(std::log2(std::exp(1.0))));
  return math::Exp2Op::create(b, power);
}

Value mercury::updateSoftmax(KernelBuilder &b, SoftmaxState &state,
                             MutableArrayRef<Value> scores, int64_t lanes) {
  auto larger = [&](Value lhs, Value rhs) -> Value {
    return arith::MaxNumFOp::create(b, lhs, rhs);
  };
  auto isEqual = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lhs, rhs);
  };
  Value top = scores.front();
  for (Value score : scores.drop_front())
    top = larger(top, score);
  top = reduceOverLanes(b, top, lanes, larger);

  Value before = state.maximum, after = larger(before, top);
  // Where all scores are -inf, so is the maximum: against any finite number
  // their exponentials are 0.
  double infinity = std::numeric_limits<double>::infinity();
  Value pivot = arith::SelectOp::create(b, isEqual(after, b.number(-infinity)),
                                        b.number(0), after);
  // Equal maxima, also those of -inf, change nothing.
  Value factor = arith::SelectOp::create(b, isEqual(before, after), b.number(1),
                                         expOfDifference(b, before, pivot));
  Value sum = arith::MulFOp::create(b, state.sum, factor);
  for (Value &score : scores) {
    score = expOfDifference(b, score, pivot);
    sum = arith::AddFOp::create(b, sum, score);
  }
  state = {after, sum};
  return factor;
}
