//===- EmitFault.h - Faults of a play as diagnostics ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_EMITFAULT_H
#define MERCURY_TRANSFORMS_EMITFAULT_H

#include "Mercury/Analysis/CommunicationPlay.h"

namespace mercury {

/// Emits the fault at its op, with its notes and, of `numRanks`, the ranks that
/// it happens on.
void emitFault(const PlayFault &fault, int64_t numRanks);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_EMITFAULT_H
