//===- AttentionWork.cpp - The work that masks leave of attention ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

using Evaluate = function_ref<std::optional<int64_t>(Value)>;

namespace {
/// One end of `key_range`, a constant.
struct RangeEnd {
  SmallVector<int64_t> values;
  SmallVector<unsigned> dims; ///< of the maps' domain
  SmallVector<int64_t> shape;

  int64_t at(ArrayRef<int64_t> point) const {
    int64_t index = 0;
    for (auto [dim, extent] : llvm::zip(dims, shape))
      index = index * extent + point[dim];
    return values[index];
  }
};
} // namespace

template <typename OpTy>
static std::optional<RangeEnd> constantEnd(OpTy op, OpOperand &operand) {
  DenseIntElementsAttr elements;
  if (!matchPattern(operand.get(), m_Constant(&elements)))
    return std::nullopt;
  RangeEnd end;
  for (const APInt &value : elements)
    end.values.push_back(value.getSExtValue());
  for (AffineExpr expr : op.getMap(operand).getResults())
    end.dims.push_back(cast<AffineDimExpr>(expr).getPosition());
  end.shape.assign(elements.getType().getShape().begin(),
                   elements.getType().getShape().end());
  return end;
}

/// The positions of `extent` iterations from `start` on; nothing where the
/// order does not have them.
static std::optional<SmallVector<int64_t>>
positionsOf(int64_t start, int64_t extent, TokenOrderAttr order) {
  if (order && (start < 0 || start + extent > order.getExtent()))
    return std::nullopt;
  SmallVector<int64_t> positions;
  TokenOrder tokens = order ? order.getValue() : TokenOrder();
  for (int64_t index = start; index < start + extent; ++index)
    positions.push_back(
        order ? tokens.position(index, order.getExtent()) : index);
  return positions;
}

/// Pairs of a query and a key that the masks let through, for all parallel
/// loops; nothing where too little is known.
template <typename OpTy>
static std::optional<int64_t> countPairs(OpTy op, Evaluate evaluate) {
  SmallVector<int64_t> extents = op.getMapExtents();
  unsigned query = op.getQueryLoop(), keyLoop = op.getKeyLoop();
  if (!op.hasPositions() ||
      llvm::any_of(ArrayRef(extents).take_front(keyLoop + 1),
                   ShapedType::isDynamic))
    return std::nullopt;
  auto start = [&](Value value) -> std::optional<int64_t> {
    return value ? evaluate(value) : 0;
  };
  std::optional<int64_t> queryStart = start(op.getQueryStart()),
                         keyStart = start(op.getKeyStart());
  if (!keyStart)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> keys =
      positionsOf(*keyStart, extents[keyLoop], op.getKeyOrderAttr());
  if (!keys)
    return std::nullopt;
  if (op.getValid())
    if (std::optional<int64_t> valid = evaluate(op.getValid()))
      llvm::erase_if(*keys, [&](int64_t key) { return key >= *valid; });
  llvm::sort(*keys);

  // Limits of which nothing is known do not count.
  Mask mask;
  std::optional<SmallVector<int64_t>> rows;
  if (op.getVisibleAttr() && queryStart)
    rows = positionsOf(*queryStart, extents[query], op.getQueryOrderAttr());
  if (rows)
    mask = op.getVisibleAttr().getValue();
  SmallVector<RangeEnd, 2> ends;
  if (op.getKeyBegin())
    for (MutableOperandRange operands :
         {op.getKeyBeginMutable(), op.getKeyEndMutable()})
      if (std::optional<RangeEnd> end = constantEnd(op, operands[0]))
        ends.push_back(std::move(*end));
  if (ends.size() < 2)
    ends.clear();

  // Rows that differ: over all queries, and parallel loops of `key_range`.
  int64_t alike = 1, points = extents[query];
  SmallVector<unsigned> loops;
  for (unsigned dim = 0; dim < query; ++dim) {
    if (llvm::any_of(ends, [&](const RangeEnd &end) {
          return llvm::is_contained(end.dims, dim);
        })) {
      loops.push_back(dim);
      points *= extents[dim];
    } else {
      alike *= extents[dim];
    }
  }
  int64_t pairs = 0;
  SmallVector<int64_t> point(extents.size(), 0);
  for (int64_t number = 0; number < points; ++number) {
    point[query] = number % extents[query];
    int64_t rest = number / extents[query];
    for (unsigned dim : loops) {
      point[dim] = rest % extents[dim];
      rest /= extents[dim];
    }
    Mask::Range range = mask.at(rows ? (*rows)[point[query]] : 0);
    if (!ends.empty()) {
      range.begin = std::max(range.begin, ends[0].at(point));
      range.end = std::min(range.end, ends[1].at(point));
    }
    if (range.begin < range.end)
      pairs += llvm::lower_bound(*keys, range.end) -
               llvm::lower_bound(*keys, range.begin);
  }
  return alike * pairs;
}

template <typename OpTy>
static int64_t multiplyAddsAt(OpTy op, Evaluate evaluate) {
  std::optional<int64_t> pairs = countPairs(op, evaluate);
  if (!pairs)
    return op.countMultiplyAdds();
  int64_t features = 0;
  SmallVector<int64_t> extents = op.getMapExtents();
  for (int64_t extent : llvm::drop_begin(extents, op.getKeyLoop() + 1))
    features += ShapedType::isDynamic(extent) ? 1 : extent;
  return *pairs * features;
}

int64_t AttentionOp::countMultiplyAddsAt(Evaluate evaluate) {
  return multiplyAddsAt(*this, evaluate);
}
int64_t OnlineAttentionOp::countMultiplyAddsAt(Evaluate evaluate) {
  return multiplyAddsAt(*this, evaluate);
}
