//===- EmitFault.cpp - Faults of a play as diagnostics --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/EmitFault.h"

using namespace mlir;
using namespace mercury;

void mercury::emitFault(const PlayFault &fault, int64_t numRanks) {
  InFlightDiagnostic diagnostic = fault.op->emitError() << fault.message;
  if (!fault.ranks.empty()) {
    if (static_cast<int64_t>(fault.ranks.size()) == numRanks && numRanks > 1)
      diagnostic << ", on every rank";
    else
      diagnostic << ", on " << describeRanks(fault.ranks);
  }
  for (const auto &[op, text] : fault.notes)
    diagnostic.attachNote(op->getLoc()) << text;
}
