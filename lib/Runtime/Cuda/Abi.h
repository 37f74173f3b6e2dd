//===- Abi.h - Headers of the C ABI, exported -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_ABI_H
#define MERCURY_LIB_RUNTIME_CUDA_ABI_H

// Includes the public headers such that their functions are exported from a
// library whose symbols are hidden otherwise; see Host/Abi.h. Comes first.
// The types behind the handles stay private.
struct __attribute__((visibility("hidden"))) mercury_context;
struct __attribute__((visibility("hidden"))) ncclComm;

#pragma GCC visibility push(default)
#include "Mercury/Runtime/mercury_cuda.h"
#pragma GCC visibility pop

#include "Support.h"

namespace mercury::cuda {
namespace host = mercury::host;
} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_ABI_H
