//===- AttentionRange.h - Which keys the rows of a block see ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONRANGE_H
#define MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONRANGE_H

#include "KernelOperand.h"

namespace mercury {

/// The `key_range` of attention: each row sees the keys at [begin, end), two
/// operands of i32, cut to [0, `keys`).
class AttentionRange {
public:
  using Value = mlir::Value;

  AttentionRange(KernelOperand begin, KernelOperand end)
      : begin(begin), end(end) {}

  /// Of one row, in i32; empty where begin >= end.
  struct Row {
    Value begin, end;
    /// Whether the row sees the key at `at`, an index.
    Value sees(KernelBuilder &b, Value at) const;
  };
  Row load(KernelBuilder &b, llvm::ArrayRef<Value> position, Value keys) const;

  /// Of the rows of a block together, as indices.
  struct Bounds {
    Value someBegin, someEnd; ///< no row sees a key outside of these
    Value allBegin, allEnd;   ///< every row sees the keys inside of these
  };
  /// `rows` is a power of 2, `position` where one of them stands, `thread` the
  /// number of the thread in its block. Each warp finds the same.
  Bounds
  measure(KernelBuilder &b, int64_t rows, Value thread,
          llvm::function_ref<llvm::SmallVector<Value>(Value row)> position,
          Value keys) const;

private:
  KernelOperand begin, end;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONRANGE_H
