//===- Abi.h - Headers of the C ABI, exported -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes the public headers such that their functions are exported from a
// library whose symbols are hidden otherwise. Every file here that defines one
// of them includes this header.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_ABI_H
#define MERCURY_LIB_RUNTIME_HOST_ABI_H

// The types behind the handles stay private.
struct __attribute__((visibility("hidden"))) mercury_context;
struct __attribute__((visibility("hidden"))) ncclComm;

#pragma GCC visibility push(default)
#include "Mercury/Runtime/mercury_host.h"
#pragma GCC visibility pop

#endif // MERCURY_LIB_RUNTIME_HOST_ABI_H
