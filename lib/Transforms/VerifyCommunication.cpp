//===- VerifyCommunication.cpp - All ranks are played ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/CommunicationPlay.h"
#include "Mercury/Transforms/EmitFault.h"
#include "Mercury/Transforms/Passes.h"

namespace mercury {
#define GEN_PASS_DEF_VERIFYCOMMUNICATIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
struct VerifyCommunicationPass
    : public mercury::impl::VerifyCommunicationPassBase<
          VerifyCommunicationPass> {
  using VerifyCommunicationPassBase::VerifyCommunicationPassBase;

  void runOnOperation() override {
    // Functions that others call are played where they are called.
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool isCalled =
          function.isPrivate() &&
          llvm::any_of(users.getUsers(function), llvm::IsaPred<func::CallOp>);
      if (function.isExternal() || isCalled || !communicates(function))
        continue;
      TopologyOp topology = lookupTopology(function);
      if (!topology) {
        function.emitError("communicates, but no topology resolves");
        signalPassFailure();
        continue;
      }
      TopologyModel model = topology.getModel();
      CommunicationPlay play = playCommunication(function, model, budget);
      for (const CommunicationTrace &trace : play.traces)
        numEvents += trace.size();
      for (const PlayFault &fault : play.faults)
        emitFault(fault, model.numRanks());
      if (!play.faults.empty())
        signalPassFailure();
    }
  }
};
} // namespace
