//===- Abi.h - The functions that are exported ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_ABI_H
#define MERCURY_LIB_RUNTIME_SIMT_ABI_H

// Only the functions of the header are visible outside of the library.
struct __attribute__((visibility("hidden"))) mercury_simt_thread;

#pragma GCC visibility push(default)
#include "Mercury/Runtime/mercury_simt.h"
#pragma GCC visibility pop

#endif // MERCURY_LIB_RUNTIME_SIMT_ABI_H
