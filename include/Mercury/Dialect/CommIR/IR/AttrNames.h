//===- AttrNames.h - Names of discardable attributes ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_ATTRNAMES_H
#define MERCURY_DIALECT_COMMIR_IR_ATTRNAMES_H

#include "llvm/ADT/StringRef.h"

namespace mercury::commir {

/// On a distributable operator: its `#commir.schedule`.
inline constexpr llvm::StringLiteral kScheduleAttrName = "commir.schedule";
/// On a function (or its module): the symbol of the topology it runs on.
inline constexpr llvm::StringLiteral kTopologyAttrName = "commir.topology";
/// On a function argument or result: its `#commir.placement`.
inline constexpr llvm::StringLiteral kPlacementAttrName = "commir.placement";
/// On an argument or result of an SPMD function: its type before sharding.
inline constexpr llvm::StringLiteral kGlobalTypeAttrName = "commir.global_type";
/// On an argument of a bufferized function: it is the buffer of a result.
inline constexpr llvm::StringLiteral kResultAttrName = "commir.result";
/// On an operator: the registered kernel that its local tile calls.
inline constexpr llvm::StringLiteral kPatchAttrName = "commir.patch";
/// On an operator: the sizes of the local tile per loop, 0 where code
/// generation chooses.
inline constexpr llvm::StringLiteral kTileAttrName = "commir.tile";
/// On an operator's tile and on a rotation: into how many pieces each hop of a
/// tile is cut.
inline constexpr llvm::StringLiteral kChunksAttrName = "commir.chunks";
/// On a function that a rank runs: what it needs, a dictionary.
inline constexpr llvm::StringLiteral kRequirementsAttrName =
    "commir.requirements";
/// On a function at stages 2 and 3: identifies its schedules and topology.
inline constexpr llvm::StringLiteral kFingerprintAttrName =
    "commir.fingerprint";
/// On an allocation: its class (see mercury_memory_class) and owner.
inline constexpr llvm::StringLiteral kMemoryClassAttrName =
    "commir.memory_class";
inline constexpr llvm::StringLiteral kMemoryOwnerAttrName =
    "commir.memory_owner";
/// On a function: a kernel, which `commir.launch` enqueues.
inline constexpr llvm::StringLiteral kKernelAttrName = "commir.kernel";
/// On communication: sets of axes (an array of arrays) whose earlier
/// communication may be in flight together with it. Where it is not named,
/// communication over different sets of axes is ordered.
inline constexpr llvm::StringLiteral kConcurrentAttrName = "commir.concurrent";

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_ATTRNAMES_H
