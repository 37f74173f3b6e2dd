//===- Blocking.h - Block sizes of a contraction ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_LOCAL_BLOCKING_H
#define MERCURY_LIB_TRANSFORMS_LOCAL_BLOCKING_H

#include "Mercury/Schedule/LocalTile.h"
#include "Mercury/Transforms/Local/Contraction.h"

namespace mercury {

/// What the caller fixes; 0 leaves the choice to chooseBlocking().
struct BlockingOptions {
  unsigned vectorBits = 0;
  int64_t blockM = 0, blockN = 0, blockK = 0, registerM = 0;
};

/// What fits into the registers of a machine: `mr` rows of `nr` accumulators.
struct RegisterBlock {
  int64_t lanes = 0; ///< elements of a vector register
  int64_t mr = 0, nr = 0;
  bool fma = true;
};

/// For elements of `bits` bits and registers of `vectorBits`; 0 asks the CPU.
RegisterBlock chooseRegisterBlock(unsigned bits, unsigned vectorBits);

/// How one contraction is blocked. The kernel keeps mr x nr accumulators in
/// registers; kc x nr of B stay in the first cache while rows pass, mc x kc of
/// A and kc x nc of B in the second (Goto and van de Geijn, "Anatomy of
/// high-performance matrix multiplication", 2008).
struct Blocking {
  /// How an operand reaches the kernel.
  enum class Pack {
    None,   ///< read where it is
    Vector, ///< packed; contiguous along the panel (B: n, A: m)
    Turned, ///< packed; contiguous along k
    Scalar  ///< packed element by element
  };
  unsigned nLoop = 0, kLoop = 0;
  std::optional<unsigned> mLoop;
  int64_t lanes = 0;      ///< elements of a vector register
  int64_t mr = 0, nr = 0; ///< register block
  /// Cache blocks; mc and nc are multiples of mr and nr.
  int64_t mc = 0, nc = 0, kc = 0;
  bool fma = true;
  Pack packA = Pack::None, packB = Pack::None;
};

/// Chooses blocks; may exchange the inputs of `contraction`, so that its last
/// output dimension belongs to B. Nothing where that dimension cannot be
/// vectorized. `tile` has the cache blocks asked for, per loop, 0: chosen here;
/// empty: all of them. Of loops other than n, m and k it says nothing.
std::optional<Blocking> chooseBlocking(Contraction &contraction,
                                       const BlockingOptions &options,
                                       llvm::ArrayRef<int64_t> tile = {});

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_LOCAL_BLOCKING_H
