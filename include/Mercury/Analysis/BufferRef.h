//===- BufferRef.h - Parts of buffers ---------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_BUFFERREF_H
#define MERCURY_ANALYSIS_BUFFERREF_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mercury {

/// The part of an allocation that a memref names.
struct BufferRef {
  unsigned allocation = 0;
  int64_t offset = 0; ///< elements
  /// (extent, stride) of every dimension of the memref's type.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> dims;
  /// False: `dims` bound what the memref names, and are not its dimensions.
  bool isExact = true;
  bool operator==(const BufferRef &) const = default;
};

/// Whether two parts share an element; true in doubt.
bool overlaps(const BufferRef &a, const BufferRef &b);

} // namespace mercury

#endif // MERCURY_ANALYSIS_BUFFERREF_H
