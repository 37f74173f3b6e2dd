//===- Wishes.h - Where what follows would have results ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_WISHES_H
#define MERCURY_LIB_TUNING_WISHES_H

#include "OperatorTuner.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mercury {

/// Per operator, and per result of it, a placement; nothing where it is free.
using Wishes = llvm::MapVector<mlir::Operation *, Placements>;

/// Where the results of `producers` have to be for `schedule` to find the
/// inputs of `op` where it wants them: its entries, taken back through
/// reshapes and operators that are none of the producers and run where their
/// inputs are.
Wishes findWishes(commir::DistributableOpInterface op, const Schedule &schedule,
                  const llvm::SetVector<mlir::Operation *> &producers,
                  const TopologyModel &topology);

/// The operator divided as its results are placed, all else whole: what needs
/// no search. May be illegal.
Schedule scheduleFor(const OperatorModel &op, const Placements &results);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_WISHES_H
