//===- AttentionLoops.h - Online attention as plain loops -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_LOCAL_ATTENTIONLOOPS_H
#define MERCURY_TRANSFORMS_LOCAL_ATTENTIONLOOPS_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury {

/// True of what kernels take: what rows see of the keys, if not all, is said by
/// `key_range` alone, in indices of the op's own keys
/// (mercury-materialize-masks).
bool hasOnlyRanges(commir::OnlineAttentionOp op);

/// Emits loops for one row of `op`, on buffers: what that does at `row`, an
/// index for each loop of the maps' domain before the key's. `op` stays. No
/// buffer is needed: scores are computed twice.
void emitAttentionRow(mlir::OpBuilder &b, commir::OnlineAttentionOp op,
                      mlir::ValueRange row);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_LOCAL_ATTENTIONLOOPS_H
