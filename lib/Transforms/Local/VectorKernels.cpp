//===- VectorKernels.cpp - Code on values in registers --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace mercury {

Value multiplyAdd(OpBuilder &b, Location loc, Value lhs, Value rhs, Value sum,
                  bool fma) {
  if (fma)
    return vector::FMAOp::create(b, loc, lhs, rhs, sum);
  Value product = arith::MulFOp::create(b, loc, lhs, rhs);
  return arith::AddFOp::create(b, loc, sum, product);
}

SmallVector<Value>
emitMicrokernel(OpBuilder &b, Location loc, Value steps, int64_t height,
                VectorType type, bool fma,
                llvm::function_ref<Value(int64_t, Value)> left,
                llvm::function_ref<Value(Value)> right) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<Value> sums(height, zero);
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value stride = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, first, steps, stride, sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value column = right(step);
  SmallVector<Value> next;
  for (int64_t row = 0; row < height; ++row) {
    Value element = vector::BroadcastOp::create(b, loc, type, left(row, step));
    next.push_back(
        multiplyAdd(b, loc, element, column, loop.getRegionIterArg(row), fma));
  }
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

// In s steps: step by step, blocks of half the size change places across the
// diagonal.
void transposeSquare(OpBuilder &b, Location loc, SmallVectorImpl<Value> &rows) {
  int64_t size = rows.size();
  for (int64_t half = size / 2; half >= 1; half /= 2)
    for (int64_t i = 0; i < size; ++i) {
      if (i & half)
        continue;
      SmallVector<int64_t> upper, lower;
      for (int64_t lane = 0; lane < size; ++lane) {
        bool right = lane & half;
        upper.push_back(right ? size + lane - half : lane);
        lower.push_back(right ? size + lane : lane + half);
      }
      Value first = rows[i], second = rows[i + half];
      rows[i] = vector::ShuffleOp::create(b, loc, first, second, upper);
      rows[i + half] = vector::ShuffleOp::create(b, loc, first, second, lower);
    }
}

// x = n ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^n exp(r).
Value emitExp(OpBuilder &b, Location loc, Value x, bool fma) {
  auto type = cast<VectorType>(x.getType());
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type, b.getF32FloatAttr(value).getValue()));
  };
  auto madd = [&](Value lhs, Value rhs, Value sum) {
    return multiplyAdd(b, loc, lhs, rhs, sum, fma);
  };
  // Adding 1.5 * 2^23 rounds x / ln 2 to the integer n, which then stands in
  // the low bits; the bias of exponents is added on the way.
  Value shift = number(0x1.8p23f + 127);
  Value rounded = madd(x, number(0x1.715476p0f), shift);
  Value n = arith::SubFOp::create(b, loc, rounded, shift);
  // ln 2 in two parts, the first so short that n times it is exact.
  Value r = madd(n, number(-0x1.63p-1f), x);
  r = madd(n, number(0x1.bd0106p-13f), r);
  // Minimax for the relative error on |r| <= ln 2 / 2, by the algorithm of
  // Remez in f64, the constant fixed to 1 (error 2.6e-9); coefficients rounded
  // to f32, that of r^2 to 1/2, which lowers the error after rounding.
  Value power = number(0x1.709ba2p-10f);
  for (float coefficient :
       {0x1.129052p-7f, 0x1.55515ep-5f, 0x1.5553cp-3f, 0.5f, 1.0f, 1.0f})
    power = madd(power, r, number(coefficient));
  // 2^n: n and the bias move into the exponent, all above them out.
  auto bits = VectorType::get(type.getShape(), b.getI32Type());
  Value places = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(bits, b.getI32IntegerAttr(23).getValue()));
  Value exponent = arith::ShLIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, bits, rounded), places);
  Value result = arith::MulFOp::create(
      b, loc, power, arith::BitcastOp::create(b, loc, type, exponent));
  Value isTiny = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                       number(-0x1.5d589ep6f));
  return arith::SelectOp::create(b, loc, isTiny, number(0), result);
}

} // namespace mercury
