//===- NestMovements.h - How the tiles of one nest travel -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_NESTMOVEMENTS_H
#define MERCURY_ANALYSIS_NESTMOVEMENTS_H

#include "Mercury/Analysis/NestAnalysis.h"

namespace mercury {

/// How ranks hold `base` while the nest runs: `placed`, less the axes over
/// which it is gathered before because an access touches several blocks.
PlacedShape shapeInNest(mlir::Value base, llvm::ArrayRef<Access> accesses,
                        const PlacedShape &placed,
                        const TopologyModel &topology);

/// How the tiles of a read reach their readers; `held` is the shape in the
/// nest.
Movement movementOf(const Access &read, const PlacedShape &held,
                    llvm::ArrayRef<int64_t> steps,
                    const TopologyModel &topology);

/// How the tiles of a write reach their owners; the verdict says why in no way
/// that there is.
Verdict movementOf(const Access &write, const PlacedShape &held,
                   llvm::ArrayRef<int64_t> steps, const TopologyModel &topology,
                   Movement &movement);

} // namespace mercury

#endif // MERCURY_ANALYSIS_NESTMOVEMENTS_H
