//===- AttentionKernel.h - Kernels of online attention ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONKERNEL_H
#define MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONKERNEL_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// Whether what rows see of the keys, if not all, is said by `key_range` alone,
/// in the operator's own keys: mercury-materialize-masks has seen to that.
bool hasMaterializedMask(commir::OnlineAttentionOp op);

/// The `commir.online_attention` that, beside constants, is all that `kernel`
/// does, on buffers of static shape and strides; null if there is none.
commir::OnlineAttentionOp getOnlyAttention(mlir::func::FuncOp kernel);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONKERNEL_H
