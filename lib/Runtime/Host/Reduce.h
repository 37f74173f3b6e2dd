//===- Reduce.h - Element-wise reductions -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_REDUCE_H
#define MERCURY_LIB_RUNTIME_HOST_REDUCE_H

#include "Support.h"

#include <vector>

namespace mercury::host {

/// Writes `count` elements to `destination`: element i is sources[0][i]
/// combined with sources[1][i], then with sources[2][i] and so on, thus the
/// same on every rank and run. f16 and bf16 accumulate in f32 and round once,
/// to nearest even. Integers wrap. A NaN in any source makes the result of
/// every reduction NaN (NCCL's max and min drop it: here an error must not
/// vanish). `destination` may be one of the sources.
void reduce(void *destination, const std::vector<const void *> &sources,
            size_t count, ncclDataType_t type, ncclRedOp_t reduction);

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_REDUCE_H
