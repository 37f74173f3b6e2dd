//===- PlayFunction.cpp - What a function enqueues ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlayFunction.h"
#include "Mercury/Transforms/EmitFault.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

FailureOr<std::optional<PlayedFunction>>
mercury::playFunction(func::FuncOp function, int64_t budget) {
  if (function.isExternal() || function->hasAttr(kKernelAttrName) ||
      !enqueues(function))
    return std::optional<PlayedFunction>();
  PlayedFunction played;
  if (TopologyOp topology = lookupTopology(function)) {
    played.topology = topology.getModel();
  } else {
    // Without axes, all ranks are like one.
    WalkResult result = function.walk([](Operation *op) {
      auto stream = op->getAttrOfType<ArrayAttr>("stream");
      bool namesAxes = isa<CommunicationOpInterface, HopOp, RankCoordOp>(op) ||
                       (isa<RecordEventOp, WaitEventOp>(op) && !stream.empty());
      return namesAxes ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return function.emitError("names axes, but no topology resolves");
  }
  played.trace = playStreams(function, played.topology, budget);
  for (const PlayFault &fault : played.trace.play.faults)
    emitFault(fault, played.topology.numRanks());
  if (!played.trace.play.faults.empty())
    return failure();
  return std::optional(std::move(played));
}
