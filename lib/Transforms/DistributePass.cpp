//===- DistributePass.cpp - Schedules into loop nests, the pass -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Distribute.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

namespace mercury {
#define GEN_PASS_DEF_DISTRIBUTEPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
struct DistributePass
    : public mercury::impl::DistributePassBase<DistributePass> {
  using DistributePassBase::DistributePassBase;

  LogicalResult distributeFunction(func::FuncOp function) {
    SmallVector<DistributableOpInterface> ops;
    Operation *with = nullptr, *without = nullptr;
    Operation *stray = nullptr;
    function.walk([&](Operation *operation) {
      auto op = dyn_cast<DistributableOpInterface>(operation);
      bool isOnTensors =
          operation->getNumResults() &&
          isa<RankedTensorType>(operation->getResult(0).getType());
      if (operation->hasAttr(kScheduleAttrName)) {
        if (op && isOnTensors)
          with = op, ops.push_back(op);
        else
          stray = operation;
      } else if (op && isOnTensors && !without &&
                 op->getParentOp() == function) {
        without = op;
      }
    });
    if (stray)
      return stray->emitError() << "'" << stray->getName()
                                << "' has a schedule but cannot be distributed";
    if (!with)
      return success();
    if (without) {
      InFlightDiagnostic diag = without->emitError()
                                << "'" << without->getName()
                                << "' has no schedule, but another operator of "
                                   "the function has one";
      diag.attachNote(with->getLoc()) << "this one";
      return diag;
    }
    TopologyOp topology = lookupTopology(function);
    if (!topology)
      return function.emitError()
             << "no topology resolves: the module has none, or several and '"
             << kTopologyAttrName << "' names none of them";
    TopologyModel model = topology.getModel();
    IRRewriter rewriter(&getContext());
    std::string chosen;
    llvm::raw_string_ostream(chosen) << topology.getLevels();
    for (DistributableOpInterface op : ops) {
      auto schedule = op->getAttrOfType<ScheduleAttr>(kScheduleAttrName);
      chosen += op->getName().getStringRef();
      chosen += schedule.getText();
      if (failed(distribute(rewriter, op, schedule.getValue(), model)))
        return failure();
    }
    // Tells programs apart: the same schedules on the same topology.
    std::string print = llvm::toHex(llvm::ArrayRef<uint8_t>(
        llvm::SHA1::hash(llvm::arrayRefFromStringRef(chosen))));
    function->setAttr(kFingerprintAttrName,
                      StringAttr::get(&getContext(), print));
    return success();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(distributeFunction(function)))
        return signalPassFailure();
  }
};
} // namespace
