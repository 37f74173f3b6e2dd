//===- Chip.h - What a GPU offers to a kernel -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_GPU_CHIP_H
#define MERCURY_TRANSFORMS_GPU_CHIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace mercury {

/// A GPU by the name that LLVM's NVPTX target and ptxas give it. Limits are
/// those of the CUDA C++ Programming Guide, "Compute Capabilities".
struct Chip {
  llvm::StringRef name;
  /// Compute capability, 10 * major + minor.
  int capability;
  /// The least PTX version that LLVM and ptxas need for it, 10 * major + minor.
  int leastPtx;
  /// The PTX feature that is asked for when none is given, as "+ptx80".
  llvm::StringRef defaultFeatures;

  /// Shared memory of a block that needs no opt-in, bytes.
  static constexpr int64_t kStaticSharedBytes = 48 * 1024;
  static constexpr int64_t kThreadsPerBlock = 1024;
  static constexpr int64_t kThreadsPerWarp = 32;
  /// Of a grid in y and z; in x it is 2^31 - 1.
  static constexpr int64_t kGridLimitYZ = 65535;
};

/// The chips that kernels are made for.
llvm::ArrayRef<Chip> knownChips();

/// The chip called `name`. Error: names the chips that there are.
llvm::Expected<Chip> findChip(llvm::StringRef name);

/// Whether `features` ("+ptx80") suit `chip`: LLVM aborts the process on those
/// that do not. Error: the pair, and the least version of PTX.
llvm::Error checkFeatures(const Chip &chip, llvm::StringRef features);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_GPU_CHIP_H
