//===- PackOperands.cpp - Panels of the operands, side by side ------------===//
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using Pack = mercury::Blocking::Pack;

namespace mercury {
namespace {
Value write(OpBuilder &b, Location loc, Value vector, Value into,
            ValueRange at) {
  return vector::TransferWriteOp::create(b, loc, vector, into, at,
                                         ArrayRef<bool>{true})
      .getResult();
}
} // namespace

Value ContractionNest::packB(const Columns &columns) {
  switch (blocking.packB) {
  case Pack::None:
    return Value();
  case Pack::Vector:
    return packBVector(columns);
  case Pack::Turned:
    return packBTurned(columns);
  case Pack::Scalar:
    return packBScalar(columns);
  }
  return Value();
}

/// w[p, k, :] = B[k, p * width + :]. Rows of B from left to right.
Value ContractionNest::packBVector(const Columns &columns) {
  return loop(kSize, 1, columns.workspace, [&](Value step, Value outer) {
    return loop(columns.panels, 1, outer, [&](Value panel, Value inner) {
      Value row = readVector(
          contraction.b,
          indices(contraction.b, {{blocking.kLoop, step},
                                  {blocking.nLoop, mul(panel, columns.width)}}),
          columns.width, columns.isFull());
      return write(b, loc, extend(row), inner, {panel, step, constant(0)});
    });
  });
}

/// The same from B[n, k]: squares of lanes x lanes, transposed in registers.
/// Steps beyond the end of the reduction read zeros and are not used.
Value ContractionNest::packBTurned(const Columns &columns) {
  int64_t lanes = blocking.lanes;
  bool inBounds = k % lanes == 0;
  return loop(
      columns.panels, 1, columns.workspace, [&](Value panel, Value outer) {
        return loop(kSize, lanes, outer, [&](Value step, Value packed) {
          for (int64_t group = 0; group < columns.width; group += lanes) {
            SmallVector<Value> rows;
            for (int64_t row = group; row < group + lanes; ++row) {
              if (row >= columns.valid) {
                rows.push_back(arith::ConstantOp::create(
                    b, loc, b.getZeroAttr(vectorOf(lanes))));
                continue;
              }
              Value column = add(mul(panel, columns.width), constant(row));
              Value vector =
                  readVector(contraction.b,
                             indices(contraction.b, {{blocking.kLoop, step},
                                                     {blocking.nLoop, column}}),
                             lanes, inBounds);
              rows.push_back(extend(vector));
            }
            transposeSquare(b, loc, rows);
            for (auto [index, row] : llvm::enumerate(rows))
              packed =
                  write(b, loc, row, packed,
                        {panel, add(step, constant(index)), constant(group)});
          }
          return packed;
        });
      });
}

Value ContractionNest::packBScalar(const Columns &columns) {
  return loop(columns.panels, 1, columns.workspace, [&](Value panel, Value w0) {
    return loop(kSize, 1, w0, [&](Value step, Value w1) {
      return loop(
          constant(columns.valid), 1, w1, [&](Value column, Value packed) {
            Value at = add(mul(panel, columns.width), column);
            Value element = tensor::ExtractOp::create(
                b, loc, contraction.b.value,
                indices(contraction.b,
                        {{blocking.kLoop, step}, {blocking.nLoop, at}}));
            return tensor::InsertOp::create(b, loc, extend(element), packed,
                                            ValueRange{panel, step, column})
                .getResult();
          });
    });
  });
}

Value ContractionNest::packA(const Rows &rows, bool masked) {
  switch (blocking.packA) {
  case Pack::None:
    return Value();
  case Pack::Vector:
    return packAVector(rows, masked);
  case Pack::Turned:
    return packATurned(rows);
  case Pack::Scalar:
    return packAScalar(rows);
  }
  return Value();
}

/// w[p, k, :] = A[k, p * mr + :]. Masked rows are zeros and not used.
Value ContractionNest::packAVector(const Rows &rows, bool masked) {
  return loop(kSize, 1, workspaceA, [&](Value step, Value outer) {
    return loop(rows.panels, 1, outer, [&](Value panel, Value inner) {
      Value at = add(rows.start, mul(panel, rows.height));
      Value column = readVector(contraction.a,
                                indices(contraction.a, {{blocking.kLoop, step},
                                                        {*blocking.mLoop, at}}),
                                blocking.mr, !masked);
      return write(b, loc, extend(column), inner, {panel, step, constant(0)});
    });
  });
}

/// w[m, k] = A[m, k], extended. Steps beyond the end are zeros, not used.
Value ContractionNest::packATurned(const Rows &rows) {
  int64_t width = blocking.nr;
  Value count = mul(rows.panels, rows.height);
  return loop(count, 1, workspaceA, [&](Value row, Value outer) {
    return loop(kSize, width, outer, [&](Value step, Value inner) {
      Value at = add(rows.start, row);
      Value vector = readVector(contraction.a,
                                indices(contraction.a, {{blocking.kLoop, step},
                                                        {*blocking.mLoop, at}}),
                                width, k % width == 0);
      return write(b, loc, extend(vector), inner, {row, step});
    });
  });
}

Value ContractionNest::packAScalar(const Rows &rows) {
  Value count = mul(rows.panels, rows.height);
  return loop(count, 1, workspaceA, [&](Value row, Value outer) {
    return loop(kSize, 1, outer, [&](Value step, Value inner) {
      Value at = add(rows.start, row);
      Value element = tensor::ExtractOp::create(
          b, loc, contraction.a.value,
          indices(contraction.a,
                  {{blocking.kLoop, step}, {*blocking.mLoop, at}}));
      return tensor::InsertOp::create(b, loc, extend(element), inner,
                                      ValueRange{row, step})
          .getResult();
    });
  });
}

} // namespace mercury
