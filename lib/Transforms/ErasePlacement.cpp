//===- ErasePlacement.cpp - Back to one device ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "Mercury/Transforms/TokenOrders.h"
#include "ShiftArithmetic.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace mercury {
#define GEN_PASS_DEF_ERASEPLACEMENTPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static bool isRankLoop(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  return mapping && !mapping->empty() &&
         llvm::all_of(*mapping, llvm::IsaPred<AxisAttr>);
}

/// A rank loop becomes a nest of scf.for that carries the outputs; slices are
/// inserted one iteration after the other (upstream's lowering of scf.forall
/// does not take tensors).
static LogicalResult eraseRankLoop(scf::ForallOp loop) {
  if (!loop.isNormalized() || !loop.getDynamicUpperBound().empty())
    return loop.emitError("is a rank loop, whose bounds must be constant, from "
                          "0 by steps of 1");
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  IRMapping map;
  SmallVector<Value> carried(loop.getOutputs());
  SmallVector<scf::ForOp> loops;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  for (auto [iv, extent] :
       llvm::zip(loop.getInductionVars(), loop.getStaticUpperBound())) {
    Value end = arith::ConstantIndexOp::create(b, loc, extent);
    auto forOp = scf::ForOp::create(b, loc, zero, end, one, carried);
    loops.push_back(forOp);
    map.map(iv, forOp.getInductionVar());
    carried.assign(forOp.getRegionIterArgs().begin(),
                   forOp.getRegionIterArgs().end());
    b.setInsertionPointToStart(forOp.getBody());
  }
  map.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, map);
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert)
      return op.emitError("is no tensor.parallel_insert_slice");
    auto output = cast<BlockArgument>(insert.getDest());
    Value &now = carried[output.getArgNumber() - loop.getRank()];
    auto remap = [&](ArrayRef<OpFoldResult> values) {
      SmallVector<OpFoldResult> result;
      for (OpFoldResult value : values)
        result.push_back(isa<Value>(value) ? OpFoldResult(map.lookupOrDefault(
                                                 cast<Value>(value)))
                                           : value);
      return result;
    };
    now = tensor::InsertSliceOp::create(
        b, insert.getLoc(), map.lookupOrDefault(insert.getSource()), now,
        remap(insert.getMixedOffsets()), remap(insert.getMixedSizes()),
        remap(insert.getMixedStrides()));
  }
  for (scf::ForOp forOp : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(forOp.getBody());
    scf::YieldOp::create(b, loc, carried);
    carried.assign(forOp.getResults().begin(), forOp.getResults().end());
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
  return success();
}

/// (index + stride * coordinate) mod modulus, with a result that is not
/// negative.
void mercury::lowerShift(ShiftOp shift) {
  OpBuilder b(shift);
  AffineExpr index = b.getAffineDimExpr(0), coordinate = b.getAffineDimExpr(1);
  AffineExpr sum = index + coordinate * static_cast<int64_t>(shift.getStride());
  AffineExpr map = sum % static_cast<int64_t>(shift.getModulus());
  shift.replaceAllUsesWith(
      affine::AffineApplyOp::create(
          b, shift.getLoc(), AffineMap::get(2, 0, map),
          ValueRange{shift.getIndex(), shift.getCoordinate()})
          .getResult());
  shift.erase();
}

namespace {
struct ErasePlacementPass
    : public mercury::impl::ErasePlacementPassBase<ErasePlacementPass> {
  using ErasePlacementPassBase::ErasePlacementPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      for (StringRef name :
           {kScheduleAttrName, kTopologyAttrName, kPatchAttrName, kTileAttrName,
            kChunksAttrName, kFingerprintAttrName})
        op->removeDiscardableAttr(name);
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          function.removeArgAttr(i, kPlacementAttrName);
        for (unsigned i = 0; i < function.getNumResults(); ++i)
          function.removeResultAttr(
              i, StringAttr::get(&getContext(), kPlacementAttrName));
      } else if (isa<ShardOp, ReplicateOp, ReshardOp>(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      } else if (auto shift = dyn_cast<ShiftOp>(op)) {
        lowerShift(shift);
      } else if (auto position = dyn_cast<PositionOp>(op)) {
        lowerPosition(position);
      } else if (auto arrange = dyn_cast<ArrangeOp>(op)) {
        lowerArrange(arrange);
      } else if (auto loop = dyn_cast<scf::ForallOp>(op)) {
        if (isRankLoop(loop) && failed(eraseRankLoop(loop)))
          return signalPassFailure();
      } else if (isa<TopologyOp>(op)) {
        op->erase();
      }
    }
  }
};
} // namespace
