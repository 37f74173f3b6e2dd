//===- PlayValues.cpp - Numbers and buffers in play -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/IndexEvaluation.h"
#include "RankPlayer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

RankPlayer::Cell RankPlayer::get(Value value) const {
  Cell cell;
  if (auto it = numbers.find(value); it != numbers.end())
    cell.number = it->second;
  if (auto it = buffers.find(value); it != buffers.end())
    cell.buffer = it->second;
  return cell;
}

void RankPlayer::set(Value value, const Cell &cell) {
  if (cell.number)
    numbers[value] = *cell.number;
  else
    numbers.erase(value);
  if (cell.buffer)
    buffers[value] = *cell.buffer;
  else
    buffers.erase(value);
}

SmallVector<RankPlayer::Cell> RankPlayer::getAll(ValueRange values) const {
  SmallVector<Cell> cells;
  for (Value value : values)
    cells.push_back(get(value));
  return cells;
}

void RankPlayer::setAll(ValueRange values, ArrayRef<Cell> cells) {
  for (auto [value, cell] : llvm::zip(values, cells))
    set(value, cell);
}

std::optional<int64_t> RankPlayer::number(OpFoldResult value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  auto it = numbers.find(dyn_cast<Value>(value));
  return it == numbers.end() ? std::nullopt
                             : std::optional<int64_t>(it->second);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The element that a load or extract takes from a constant.
std::optional<int64_t> RankPlayer::element(Operation *op) {
  DenseElementsAttr table;
  ValueRange indices;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    matchPattern(extract.getTensor(), m_Constant(&table));
    indices = extract.getIndices();
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (auto name = load.getMemref().getDefiningOp<memref::GetGlobalOp>()) {
      auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          op, name.getNameAttr());
      if (global && global.getConstant())
        table = dyn_cast_if_present<DenseElementsAttr>(
            global.getInitialValueAttr());
    }
    indices = load.getIndices();
  }
  if (!table || !table.getElementType().isIntOrIndex())
    return std::nullopt;
  int64_t position = 0;
  for (auto [index, extent] :
       llvm::zip(indices, cast<ShapedType>(table.getType()).getShape())) {
    std::optional<int64_t> at = number(index);
    if (!at || *at < 0 || *at >= extent)
      return std::nullopt;
    position = position * extent + *at;
  }
  return table.getValues<APInt>()[position].getSExtValue();
}

/// Numbers and buffers that an op without regions computes.
void RankPlayer::evaluate(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  if (op->getNumResults() != 1) {
    for (Value result : op->getResults())
      set(result, Cell());
    // What is freed where ownership depends on a condition.
    if (auto view = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      Cell cell;
      if (buffers.count(view.getSource()))
        cell.buffer = viewOf(op, view.getSource());
      set(view.getBaseBuffer(), cell);
    }
    return;
  }
  Value result = op->getResult(0);
  Cell cell;
  if (isa<MemRefType>(result.getType())) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op)) {
      cell.buffer = tracking.allocate(result);
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      auto [it, isNew] = globals.try_emplace(global.getNameAttr());
      if (isNew)
        it->second = tracking.allocate(result);
      cell.buffer = it->second;
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (std::optional<int64_t> first = number(select.getCondition()))
        cell = get(*first ? select.getTrueValue() : select.getFalseValue());
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      if (buffers.count(view.getViewSource()))
        cell.buffer = viewOf(op, view.getViewSource());
    }
    return set(result, cell);
  }
  if (!result.getType().isIntOrIndex())
    return;
  if (auto coordinate = dyn_cast<RankCoordOp>(op)) {
    cell.number =
        shared.topology.coordinate(rank, toAxisList(coordinate.getAxes()));
  } else if (isa<tensor::ExtractOp, memref::LoadOp>(op)) {
    cell.number = element(op);
  } else if (op->hasTrait<OpTrait::ConstantLike>()) {
    cell.number = getConstantIntValue(result);
  } else if (isPure(op)) {
    // Operands were set when they were visited: this folds one op.
    bool isKnown = llvm::all_of(op->getOperands(), [&](Value operand) {
      return numbers.count(operand) || getConstantIntValue(operand);
    });
    numbers.erase(result);
    if (isKnown)
      cell.number = evaluateIndex(result, numbers);
  }
  set(result, cell);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static BufferRef allOf(BufferRef source) {
  source.isExact = false;
  return source;
}

BufferRef RankPlayer::subviewOf(memref::SubViewOp op, const BufferRef &source) {
  BufferRef ref;
  ref.allocation = source.allocation;
  ref.offset = source.offset;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [i, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    auto [extent, along] = source.dims[i];
    std::optional<int64_t> first = number(offset), by = number(stride),
                           count = number(size);
    if (!first || !by || !count)
      return allOf(source);
    ref.offset += *first * along;
    if (!dropped.test(i))
      ref.dims.push_back({*count, *by * along});
  }
  return ref;
}

BufferRef RankPlayer::viewOf(Operation *op, Value value) {
  const BufferRef &source = buffers.find(value)->second;
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (!source.isExact || isa<memref::CastOp>(op))
    return source;
  if (auto subview = dyn_cast<memref::SubViewOp>(op))
    return subviewOf(subview, source);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op) ||
      !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return allOf(source);
  BufferRef ref;
  ref.allocation = source.allocation;
  ref.offset = source.offset;
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides))
    ref.dims.push_back({extent, stride});
  return ref;
}

//===----------------------------------------------------------------------===//
// Uses of buffers
//===----------------------------------------------------------------------===//

/// Checks what `op` does to buffers against what is in flight.
LogicalResult RankPlayer::useBuffers(Operation *op) {
  if (shared.streams && failed(checkHostUse(op)))
    return failure();
  for (const BufferUse &use : shared.uses(op)) {
    auto it = buffers.find(use.buffer);
    if (it == buffers.end()) {
      if (tracking.flights.empty() || !isa<MemRefType>(use.buffer.getType()))
        continue;
      return cannot(op, "which buffer it uses depends on data, while "
                        "communication is in flight");
    }
    // A free inside of an op may stand under a condition that is not known.
    if (use.frees)
      conflict(op, tracking.release(it->second, op, op->getNumRegions() == 0));
    else
      conflict(op, tracking.access(it->second, use.writes));
  }
  return success();
}

/// The buffers from outside of `op` that `buffer` may be a part of; false when
/// that cannot be told.
static bool findOutside(Value buffer, Operation *op,
                        SmallVectorImpl<Value> &found, unsigned depth = 0) {
  Region *region = buffer.getParentRegion();
  if (op->getNumRegions() == 0 || !op->isAncestor(region->getParentOp())) {
    found.push_back(buffer);
    return true;
  }
  if (depth > 32)
    return false;
  Operation *defining = buffer.getDefiningOp();
  if (isa_and_present<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(
          defining))
    return true;
  if (auto view = dyn_cast_if_present<ViewLikeOpInterface>(defining))
    return findOutside(view.getViewSource(), op, found, depth + 1);
  if (auto select = dyn_cast_if_present<arith::SelectOp>(defining))
    return findOutside(select.getTrueValue(), op, found, depth + 1) &&
           findOutside(select.getFalseValue(), op, found, depth + 1);
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    if (auto loop = dyn_cast<LoopLikeOpInterface>(region->getParentOp()))
      if (OpOperand *init = loop.getTiedLoopInit(argument))
        if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
          return findOutside(init->get(), op, found, depth + 1) &&
                 (yielded->get() == buffer ||
                  findOutside(yielded->get(), op, found, depth + 8));
  return false;
}

ArrayRef<BufferUse> PlayShared::uses(Operation *op) {
  auto [it, isNew] = usesOf.try_emplace(op);
  if (!isNew)
    return it->second;
  SmallVector<BufferUse> &uses = it->second;
  auto add = [&](Value buffer, bool reads, bool writes, bool frees) {
    SmallVector<Value> found;
    if (!findOutside(buffer, op, found))
      // Any of the buffers that the op can name.
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (isa<BaseMemRefType>(operand.getType()) &&
              !op->isAncestor(operand.getParentRegion()->getParentOp()))
            found.push_back(operand);
      });
    for (Value outside : found)
      if (BufferUse use{outside, reads, writes, frees};
          !llvm::is_contained(uses, use))
        uses.push_back(use);
  };
  op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner) || isa<ViewLikeOpInterface>(inner))
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects) {
      if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return;
      for (Value operand : inner->getOperands())
        if (isa<BaseMemRefType>(operand.getType()))
          add(operand, true, true, false);
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    for (const MemoryEffects::EffectInstance &effect : list) {
      Value value = effect.getValue();
      if (!value || !isa<BaseMemRefType>(value.getType()) ||
          isa<MemoryEffects::Allocate>(effect.getEffect()))
        continue;
      add(value, isa<MemoryEffects::Read>(effect.getEffect()),
          isa<MemoryEffects::Write>(effect.getEffect()),
          isa<MemoryEffects::Free>(effect.getEffect()));
    }
  });
  return uses;
}
