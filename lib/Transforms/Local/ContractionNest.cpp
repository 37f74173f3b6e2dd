//===- ContractionNest.cpp - Loops around a register-blocked kernel -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionNest.h"
#include "VectorKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using Role = mercury::Contraction::Role;
using Pack = mercury::Blocking::Pack;

namespace mercury {

ContractionNest::ContractionNest(OpBuilder &b, const Contraction &contraction,
                                 const Blocking &blocking)
    : b(b), loc(contraction.op->getLoc()), contraction(contraction),
      blocking(blocking), accumulator(contraction.c.element()),
      m(blocking.mLoop ? contraction.extents[*blocking.mLoop] : 1),
      n(contraction.extents[blocking.nLoop]),
      k(contraction.extents[blocking.kLoop]) {}

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value ContractionNest::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value ContractionNest::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value ContractionNest::mul(Value lhs, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, constant(factor));
}

Value ContractionNest::blockSize(Value start, int64_t block, int64_t extent) {
  if (extent % block == 0)
    return constant(block);
  if (extent < block)
    return constant(extent);
  Value left = arith::SubIOp::create(b, loc, constant(extent), start);
  return arith::MinSIOp::create(b, loc, constant(block), left);
}

Value ContractionNest::loop(Value upper, int64_t step, Value carried,
                            Body body) {
  std::optional<int64_t> bound = getConstantIntValue(upper);
  if (bound && *bound <= step)
    return *bound <= 0 ? carried : body(constant(0), carried);
  Value lower = constant(0), stride = constant(step);
  auto loop = scf::ForOp::create(b, loc, lower, upper, stride, carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loc, next);
  return loop.getResult(0);
}

Value ContractionNest::overLoops(ArrayRef<unsigned> loops, Value carried,
                                 function_ref<Value(Value)> body) {
  if (loops.empty())
    return body(carried);
  unsigned first = loops.front();
  return loop(constant(contraction.extents[first]), 1, carried,
              [&](Value iv, Value inner) {
                position[first] = iv;
                return overLoops(loops.drop_front(), inner, body);
              });
}

SmallVector<Value>
ContractionNest::indices(const Operand &operand,
                         ArrayRef<std::pair<unsigned, Value>> moves) {
  SmallVector<Value> result;
  for (unsigned loop : operand.loops) {
    Value index = position[loop];
    for (auto [moved, by] : moves)
      if (moved == loop)
        index = add(index, by);
    result.push_back(index);
  }
  return result;
}

Value ContractionNest::readVector(const Operand &operand, ArrayRef<Value> at,
                                  int64_t width, bool inBounds) {
  Value padding =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(operand.element(), 0.0));
  return vector::TransferReadOp::create(
      b, loc, VectorType::get(width, operand.element()), operand.value, at,
      padding, ArrayRef<bool>{inBounds});
}

Value ContractionNest::extend(Value value) {
  if (getElementTypeOrSelf(value) == accumulator)
    return value;
  Type type = accumulator;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(accumulator);
  return arith::ExtFOp::create(b, loc, type, value);
}

VectorType ContractionNest::vectorOf(int64_t width) {
  return VectorType::get(width, accumulator);
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

Value ContractionNest::emit() {
  int64_t tail = n % blocking.nr;
  int64_t tailWidth = llvm::alignTo(tail, blocking.lanes);
  auto workspace = [&](ArrayRef<int64_t> shape) -> Value {
    return tensor::EmptyOp::create(b, loc, shape, accumulator);
  };
  if (blocking.packB != Pack::None && n >= blocking.nr)
    workspaceB =
        workspace({blocking.nc / blocking.nr, blocking.kc, blocking.nr});
  if (blocking.packB != Pack::None && tail)
    workspaceTail = workspace({1, blocking.kc, tailWidth});
  if (blocking.packA == Pack::Vector)
    workspaceA =
        workspace({blocking.mc / blocking.mr, blocking.kc, blocking.mr});
  else if (blocking.packA != Pack::None)
    workspaceA = workspace({blocking.mc, blocking.kc});

  position.assign(contraction.extents.size(), constant(0));
  SmallVector<unsigned> outer = contraction.loopsOf(Role::Batch);
  for (Role role : {Role::N, Role::K})
    for (unsigned loop : contraction.loopsOf(role))
      if (loop != blocking.nLoop && loop != blocking.kLoop)
        outer.push_back(loop);
  return overLoops(outer, contraction.c.value,
                   [&](Value c) { return emitReductionBlocks(c); });
}

Value ContractionNest::emitReductionBlocks(Value c) {
  int64_t nr = blocking.nr, full = n / nr * nr, tail = n % nr;
  return loop(constant(k), blocking.kc, c, [&](Value k0, Value inner) {
    position[blocking.kLoop] = k0;
    kSize = blockSize(k0, blocking.kc, k);
    if (full)
      inner = loop(
          constant(full), blocking.nc, inner, [&](Value n0, Value carried) {
            position[blocking.nLoop] = n0;
            Value size = blockSize(n0, blocking.nc, full);
            Value panels =
                b.createOrFold<arith::DivUIOp>(loc, size, constant(nr));
            return emitColumns(carried, {panels, nr, nr, workspaceB});
          });
    if (tail) {
      position[blocking.nLoop] = constant(full);
      int64_t width = llvm::alignTo(tail, blocking.lanes);
      inner = emitColumns(inner, {constant(1), width, tail, workspaceTail});
    }
    return inner;
  });
}

Value ContractionNest::emitColumns(Value c, Columns columns) {
  columns.workspace = packB(columns);
  SmallVector<unsigned> outer;
  for (unsigned loop : contraction.loopsOf(Role::M))
    if (loop != blocking.mLoop)
      outer.push_back(loop);
  return overLoops(outer, c,
                   [&](Value inner) { return emitRows(inner, columns); });
}

Value ContractionNest::emitRows(Value c, const Columns &columns) {
  int64_t mr = blocking.mr, full = m / mr * mr, tail = m % mr;
  if (full)
    c = loop(constant(full), blocking.mc, c, [&](Value m0, Value inner) {
      Value size = blockSize(m0, blocking.mc, full);
      Value panels = b.createOrFold<arith::DivUIOp>(loc, size, constant(mr));
      Rows rows{m0, panels, mr, Value()};
      rows.workspace = packA(rows, /*masked=*/false);
      return emitPanels(inner, columns, rows);
    });
  if (tail) {
    Rows rows{constant(full), constant(1), tail, Value()};
    rows.workspace = packA(rows, /*masked=*/true);
    c = emitPanels(c, columns, rows);
  }
  return c;
}

Value ContractionNest::emitPanels(Value c, const Columns &columns,
                                  const Rows &rows) {
  return loop(columns.panels, 1, c, [&](Value columnPanel, Value outer) {
    return loop(rows.panels, 1, outer, [&](Value rowPanel, Value inner) {
      return emitKernel(inner, columns, rows, columnPanel, rowPanel);
    });
  });
}

Value ContractionNest::loadA(const Rows &rows, Value rowPanel, int64_t row,
                             Value step) {
  if (blocking.packA == Pack::Vector)
    return tensor::ExtractOp::create(b, loc, rows.workspace,
                                     ValueRange{rowPanel, step, constant(row)});
  Value offset = add(mul(rowPanel, rows.height), constant(row));
  if (blocking.packA != Pack::None)
    return tensor::ExtractOp::create(b, loc, rows.workspace,
                                     ValueRange{offset, step});
  SmallVector<std::pair<unsigned, Value>> moves{{blocking.kLoop, step}};
  if (blocking.mLoop)
    moves.push_back({*blocking.mLoop, add(rows.start, offset)});
  return extend(tensor::ExtractOp::create(b, loc, contraction.a.value,
                                          indices(contraction.a, moves)));
}

Value ContractionNest::loadB(const Columns &columns, Value panel, Value step) {
  if (columns.workspace)
    return vector::TransferReadOp::create(
        b, loc, vectorOf(columns.width), columns.workspace,
        ValueRange{panel, step, constant(0)},
        arith::ConstantOp::create(b, loc, b.getFloatAttr(accumulator, 0.0)),
        ArrayRef<bool>{true});
  return extend(readVector(
      contraction.b,
      indices(contraction.b, {{blocking.kLoop, step},
                              {blocking.nLoop, mul(panel, columns.width)}}),
      columns.width, columns.isFull()));
}

Value ContractionNest::emitKernel(Value c, const Columns &columns,
                                  const Rows &rows, Value columnPanel,
                                  Value rowPanel) {
  VectorType type = vectorOf(columns.width);
  SmallVector<Value> sums = emitMicrokernel(
      b, loc, kSize, rows.height, type, blocking.fma,
      [&](int64_t row, Value step) { return loadA(rows, rowPanel, row, step); },
      [&](Value step) { return loadB(columns, columnPanel, step); });
  // C is read after the sums are done: the loads do not delay the loop.
  Operand output = contraction.c;
  Value start = mul(rowPanel, rows.height);
  for (int64_t row = 0; row < rows.height; ++row) {
    output.value = c;
    SmallVector<std::pair<unsigned, Value>> moves{
        {blocking.nLoop, mul(columnPanel, columns.width)}};
    if (blocking.mLoop)
      moves.push_back(
          {*blocking.mLoop, add(rows.start, add(start, constant(row)))});
    SmallVector<Value> at = indices(output, moves);
    Value old = readVector(output, at, columns.width, columns.isFull());
    Value sum = arith::AddFOp::create(b, loc, old, sums[row]);
    c = writeRow(sum, c, at, columns.isFull());
  }
  return c;
}

/// Writes along the last dimension of `into`. Upstream's bufferization (22.1)
/// takes a write at constant zero indices for one of the whole tensor if the
/// first extents of tensor and vector say so, whatever their ranks, and then
/// drops the rest of the tensor. So there the vector gets the tensor's rank.
Value ContractionNest::writeRow(Value vector, Value into, ArrayRef<Value> at,
                                bool inBounds) {
  auto type = cast<VectorType>(vector.getType());
  int64_t rank = at.size();
  SmallVector<bool> bounds(1, inBounds);
  if (rank > 1 &&
      llvm::all_of(at, [](Value v) { return getConstantIntValue(v) == 0; })) {
    SmallVector<int64_t> shape(rank, 1);
    shape.back() = type.getDimSize(0);
    vector = vector::ShapeCastOp::create(
        b, loc, type.cloneWith(shape, accumulator), vector);
    bounds.assign(rank, true);
    bounds.back() = inBounds;
  }
  return vector::TransferWriteOp::create(b, loc, vector, into, at, bounds)
      .getResult();
}

} // namespace mercury
