//===- VerifyDistributed.cpp - The contract of stage 2 --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/NestAnalysis.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace mercury {
#define GEN_PASS_DEF_VERIFYDISTRIBUTEDPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static bool isPlacementOp(Operation *op) {
  return isa<ShardOp, ReplicateOp, ReshardOp>(op);
}

/// Ops at the top level whose placement follows from their operand, or that any
/// rank can make.
static bool isPassive(Operation *op) {
  return isPlacementOp(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tensor::EmptyOp, tensor::PadOp, tensor::ExtractSliceOp,
             tensor::InsertSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, ArrangeOp>(op);
}

namespace {
struct VerifyDistributedPass
    : public mercury::impl::VerifyDistributedPassBase<VerifyDistributedPass> {
  using VerifyDistributedPassBase::VerifyDistributedPassBase;

  LogicalResult verifyNest(Operation *op, const TopologyModel &topology,
                           const PlacementAnalysis &placements) {
    FailureOr<DistributedNest> nest = matchNest(op, topology);
    if (failed(nest))
      return failure();
    FailureOr<std::vector<Access>> accesses = collectAccesses(*nest, topology);
    if (failed(accesses))
      return failure();
    if (failed(verifyNoRace(*nest, *accesses, topology)))
      return failure();
    for (auto [i, init] : llvm::enumerate(nest->inits)) {
      const PlacedShape *placed = placements.lookup(init);
      if (!placed)
        return op->emitError()
               << "starts output " << i
               << " from a tensor that has no placement; place it by "
                  "commir.shard or commir.replicate";
      for (const AxisRef &axis : nest->axes)
        if (!placed->placement.dimOf(axis) && topology.sizeOf(axis) > 1)
          return op->emitError()
                 << "ranks of axis '" << print(axis)
                 << "' write different tiles of output " << i
                 << ", which is placed " << print(placed->placement)
                 << " and holds replicas on it";
      for (const AxisRef &axis : placed->placement.axes())
        if (!llvm::is_contained(nest->axes, axis) && topology.sizeOf(axis) > 1)
          return op->emitError()
                 << "output " << i << " is sharded over axis '" << print(axis)
                 << "', which the rank loop does not map";
    }
    return success();
  }

  LogicalResult verify(func::FuncOp function) {
    bool isDistributed = false;
    function.walk([&](Operation *op) {
      isDistributed |= isPlacementOp(op) || isa<scf::ForallOp>(op);
    });
    if (!isDistributed)
      return success();
    if (!function.getBody().hasOneBlock())
      return function.emitError("has control flow between blocks");
    TopologyOp topologyOp = lookupTopology(function);
    if (!topologyOp)
      return function.emitError("no topology resolves");
    TopologyModel topology = topologyOp.getModel();
    PlacementAnalysis placements(function, topology);
    for (Operation &op : function.front()) {
      if (op.hasAttr(kScheduleAttrName))
        return op.emitError("still carries a schedule; run mercury-distribute");
      if (isa<scf::ForOp, scf::ForallOp>(op)) {
        if (failed(verifyNest(&op, topology, placements)))
          return failure();
        continue;
      }
      if (op.getNumResults() == 0 || isPassive(&op) ||
          llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
        continue;
      // What is left runs on all ranks on purpose: its result is placed.
      for (Value result : op.getResults())
        for (Operation *user : result.getUsers())
          if (!isPlacementOp(user) && !isa<linalg::FillOp>(user))
            return op.emitError()
                   << "'" << op.getName()
                   << "' stands outside of a rank loop and its result is not "
                      "placed by commir.shard or commir.replicate";
    }
    return success();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(verify(function)))
        return signalPassFailure();
  }
};
} // namespace
