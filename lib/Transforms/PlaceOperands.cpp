//===- PlaceOperands.cpp - Where the operands of a nest live --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceOperands.h"
#include "Mercury/Analysis/ArrangePlacement.h"
#include "Mercury/Analysis/PlacementAnalysis.h"
#include "Mercury/Analysis/SlicePlacement.h"
#include "Mercury/Schedule/Balance.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

bool OperandPlacer::isDivided() const {
  return !s.rankAxes().empty() || !timeLoops(s).empty();
}

TokenOrder OperandPlacer::order(size_t loop) const {
  return isDivided() ? s.orderOf(loop) : TokenOrder();
}

int64_t OperandPlacer::extent(size_t loop) const {
  return isDivided() ? nestExtent(s, model, loop, topology)
                     : model.loops[loop].extent;
}

/// The placement that a value is known to have.
static std::optional<Placement> knownPlacement(Value value,
                                               const TopologyModel &topology) {
  Operation *def = value.getDefiningOp();
  if (auto shard = dyn_cast_if_present<ShardOp>(def))
    return shard.getPlacement().getValue();
  if (auto reshard = dyn_cast_if_present<ReshardOp>(def))
    return reshard.getPlacement().getValue();
  if (auto replicate = dyn_cast_if_present<ReplicateOp>(def))
    return Placement::replicated(replicate.getType().getRank());
  if (auto arrange = dyn_cast_if_present<ArrangeOp>(def)) {
    std::optional<Placement> source =
        knownPlacement(arrange.getSource(), topology);
    if (source)
      return arrangedPlacement(arrange, *source, topology).result;
    return std::nullopt;
  }
  if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(def)) {
    std::optional<Placement> source =
        knownPlacement(slice.getSource(), topology);
    if (source && keepsBlocks(slice, *source))
      return source;
    return std::nullopt;
  }
  if (isa_and_present<scf::ForOp, scf::ForallOp>(def))
    return knownPlacement(loopInitOf(cast<OpResult>(value)), topology);
  return std::nullopt;
}

Value OperandPlacer::place(Value value, const Placement &placement,
                           const AxisList &fetch) {
  ArrayAttr fetchAttr =
      fetch.empty() ? ArrayAttr() : toArrayAttr(b.getContext(), fetch);
  auto attr = PlacementAttr::get(b.getContext(), placement);
  Value source = value;
  // Padding keeps blocks where they are; what counts is what is padded.
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    source = pad.getSource();
  std::optional<Placement> known = knownPlacement(source, topology);
  if (known == placement && fetch.empty() && source == value)
    return value;
  if (known)
    return ReshardOp::create(b, loc, value, attr, fetchAttr);
  if (placement.isReplicated() && placement.isNatural() && fetch.empty())
    return ReplicateOp::create(b, loc, value);
  return ShardOp::create(b, loc, value, attr, fetchAttr);
}

Placement OperandPlacer::inOrders(const Placement &placement,
                                  const OperatorModel::Tensor &tensor) const {
  Placement result = inNaturalOrder(placement);
  for (auto [dim, loop] : llvm::enumerate(tensor.loopOfDim))
    if (loop >= 0)
      result.setOrder(dim, order(loop));
  return result;
}

Value OperandPlacer::arrange(Value value, const OperatorModel::Tensor &tensor,
                             bool back) {
  for (auto [dim, loop] : llvm::enumerate(tensor.loopOfDim))
    if (loop >= 0 && !order(loop).isNatural())
      value = ArrangeOp::create(
          b, loc, value.getType(), value, dim,
          TokenOrderAttr::get(b.getContext(), order(loop), extent(loop)), back);
  return value;
}

Value OperandPlacer::enter(Value value, const Placement &placement,
                           const OperatorModel::Tensor &tensor,
                           const AxisList &fetch) {
  Placement ordered = inOrders(placement, tensor);
  if (ordered.isNatural())
    return place(value, ordered, fetch);
  value = arrange(place(value, ordered, {}), tensor, /*back=*/false);
  return place(value, inNaturalOrder(placement), fetch);
}
