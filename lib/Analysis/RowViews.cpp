//===- RowViews.cpp - Slices, pads and reshapes along a row ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/RowEvaluation.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;

std::optional<Row>
RowEvaluator::readInside(Value source, ArrayRef<Row> at, Span keys,
                         llvm::function_ref<Result(Span)> other) {
  // Per dimension the signs of x and of x - extent.
  SmallVector<Row> signs;
  for (auto [row, extent] :
       llvm::zip(at, cast<ShapedType>(source.getType()).getShape()))
    for (int64_t bound : {int64_t(0), extent}) {
      Result sign = compareRows(row, constantRow(keys, bound));
      if (!sign)
        return std::nullopt;
      signs.push_back(*sign);
    }
  Row result;
  if (!visitPieces(signs, keys, [&](Span span, ArrayRef<Piece> pieces) {
        bool isInside = true;
        for (size_t i = 0; i < pieces.size(); i += 2)
          isInside &= pieces[i].first >= 0 && pieces[i + 1].first < 0;
        SmallVector<Row> within;
        for (const Row &row : at)
          within.push_back(restrictTo(row, span));
        Result part = !charge(1) ? std::nullopt
                      : isInside ? read(source, within, span)
                                 : other(span);
        if (part)
          for (const Piece &piece : *part)
            append(result, piece);
        return part.has_value();
      }))
    return std::nullopt;
  return result;
}

/// `at` with an index of 0 where a dimension was dropped, each then times its
/// stride and shifted; nothing where these are not static.
static std::optional<SmallVector<Row>>
unslice(ArrayRef<Row> at, const llvm::SmallBitVector &dropped,
        ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides, Span keys) {
  SmallVector<Row> result;
  const Row *next = at.begin();
  for (auto [dim, offset, stride] : llvm::enumerate(offsets, strides)) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
      return std::nullopt;
    std::optional<Row> row =
        dropped[dim] ? constantRow(keys, int64_t(0)) : *next++;
    if ((row = scaleRow(*row, stride)))
      row = addRows(*row, constantRow(keys, offset));
    if (!row)
      return std::nullopt;
    result.push_back(*row);
  }
  return result;
}

std::optional<Row> RowEvaluator::readView(Operation *op, ArrayRef<Row> at,
                                          Span keys) {
  Scope outside(nullptr);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return read(cast.getSource(), at, keys);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return evaluate(splat.getInput(), outside, keys);
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    return elements.getElements().size() == 1
               ? evaluate(elements.getElements()[0], outside, keys)
               : std::nullopt;
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    Block &body = generate.getBody().front();
    Scope scope(&body);
    for (auto [argument, row] : llvm::zip(body.getArguments(), at))
      scope.values[argument] = row;
    return evaluate(body.getTerminator()->getOperand(0), scope, keys);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<Row> of;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      SmallVector<int64_t> extents;
      for (int64_t dim : group)
        extents.push_back(expand.getResultType().getDimSize(dim));
      Result row = index(at.slice(group.front(), group.size()), extents, keys);
      if (!row)
        return std::nullopt;
      of.push_back(*row);
    }
    return read(expand.getSrc(), of, keys);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    SmallVector<Row> of(collapse.getSrcType().getRank(),
                        constantRow(keys, int64_t(0)));
    for (auto [index, group] :
         llvm::zip(at, collapse.getReassociationIndices())) {
      Row rest = index;
      for (int64_t dim : llvm::reverse(group)) {
        int64_t extent = collapse.getSrcType().getDimSize(dim);
        auto split = divideRow(rest, extent, /*limit=*/work);
        if (!split || !charge(split->first.size() + split->second.size()))
          return std::nullopt;
        std::tie(rest, of[dim]) = *split;
      }
    }
    return read(collapse.getSrc(), of, keys);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    auto of = unslice(at, slice.getDroppedDims(), slice.getStaticOffsets(),
                      slice.getStaticStrides(), keys);
    return of ? read(slice.getSource(), *of, keys) : std::nullopt;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    SmallVector<int64_t> minusLow(pad.getStaticLow()), ones(at.size(), 1);
    for (int64_t &low : minusLow)
      low = ShapedType::isDynamic(low) ? low : -low;
    auto of =
        unslice(at, llvm::SmallBitVector(at.size()), minusLow, ones, keys);
    if (!padding || !of)
      return std::nullopt;
    return readInside(pad.getSource(), *of, keys, [&](Span span) {
      Scope scope(nullptr);
      return evaluate(padding, scope, span);
    });
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (insert.getSourceType().getRank() != insert.getDestType().getRank() ||
        llvm::any_of(insert.getStaticStrides(),
                     [](int64_t stride) { return stride != 1; }))
      return std::nullopt;
    SmallVector<int64_t> minusOffsets(insert.getStaticOffsets());
    for (int64_t &offset : minusOffsets)
      offset = ShapedType::isDynamic(offset) ? offset : -offset;
    auto of = unslice(at, llvm::SmallBitVector(at.size()), minusOffsets,
                      insert.getStaticStrides(), keys);
    if (!of)
      return std::nullopt;
    return readInside(insert.getSource(), *of, keys, [&](Span span) {
      SmallVector<Row> within;
      for (const Row &row : at)
        within.push_back(restrictTo(row, span));
      return read(insert.getDest(), within, span);
    });
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    // The last operand that begins at or before the index.
    std::function<Result(size_t, SmallVector<Row>, Span)> from =
        [&](size_t i, SmallVector<Row> of, Span span) -> Result {
      Value input = concat.getInputs()[i];
      return readInside(input, of, span, [&](Span rest) -> Result {
        if (i + 1 == concat.getInputs().size())
          return std::nullopt;
        SmallVector<Row> next;
        for (const Row &row : of)
          next.push_back(restrictTo(row, rest));
        int64_t extent =
            cast<ShapedType>(input.getType()).getDimSize(concat.getDim());
        Result shifted =
            addRows(next[concat.getDim()], constantRow(rest, -extent));
        if (!shifted)
          return std::nullopt;
        next[concat.getDim()] = *shifted;
        return from(i + 1, next, rest);
      });
    };
    return from(0, SmallVector<Row>(at), keys);
  }
  return std::nullopt;
}
