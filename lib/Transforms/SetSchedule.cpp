//===- SetSchedule.cpp - A schedule for every operator --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/SuggestedSchedule.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Transforms/Passes.h"
#include "Mercury/Transforms/ScheduleChooser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mercury {
#define GEN_PASS_DEF_SETSCHEDULEPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Orders that schedules choose themselves.
static constexpr llvm::StringLiteral kAutomatic("auto");

namespace {
struct SetSchedulePass
    : public mercury::impl::SetSchedulePassBase<SetSchedulePass> {
  using SetSchedulePassBase::SetSchedulePassBase;

  /// Lists of chunks are looked at where it is known how many there are.
  LogicalResult checkBalance() {
    std::string error;
    if (balance == kAutomatic ||
        parseBalance(std::string_view(balance), /*parts=*/1, error))
      return success();
    return getOperation().emitError() << error;
  }

  void runOnOperation() override {
    if (failed(setModuleTopology(getOperation(), topology)) ||
        failed(checkBalance()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      bool scheduled = function
                           .walk([](DistributableOpInterface op) {
                             return op->hasAttr(kScheduleAttrName)
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
      std::string request = schedule;
      auto suggested =
          function->getAttrOfType<StringAttr>(kSuggestedScheduleAttrName);
      if (request.empty() && suggested)
        request = suggested.str();
      if (isDistributed(function) || (request.empty() && !scheduled))
        continue;
      TopologyOp found = lookupTopology(function);
      if (!found) {
        function.emitError()
            << "no topology resolves: the module has none, or several and '"
            << kTopologyAttrName << "' names none of them";
        return signalPassFailure();
      }
      TopologyModel model = found.getModel();
      ScheduleChooser chooser(function, model, request, balance);
      for (Operation &op : function.front())
        if (failed(chooser.visit(op)))
          return signalPassFailure();
      if (failed(chooser.finish()))
        return signalPassFailure();
      for (const auto &[op, chosen] : chooser.schedules())
        op->setAttr(kScheduleAttrName,
                    ScheduleAttr::get(op->getContext(), chosen));
      function->removeAttr(kSuggestedScheduleAttrName);
    }
  }
};
} // namespace
