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

/// The `commir.online_attention` that, beside constants, is all that `kernel`
/// does, on buffers of static shape and strides; null if there is none.
commir::OnlineAttentionOp getOnlyAttention(mlir::func::FuncOp kernel);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONKERNEL_H
