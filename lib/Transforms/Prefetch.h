//===- Prefetch.h - Communication one step ahead ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_PREFETCH_H
#define MERCURY_LIB_TRANSFORMS_PREFETCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// Blocking communication on buffers that each step of a loop begins with comes
/// one step ahead of its use: the first step's before the loop, that of step
/// t + 1 around the rest of step t, under requests from `nextRequest` on. Two
/// buffers take turns, the body is emitted once:
///
///   scf.for %t = %lb to %ub {             broadcast %a into %x from %lb
///     broadcast %a into %x from %t        scf.for %t = %lb to %ub
///     use(%x)                                 iter_args(%now = %x, %to = %y) {
///   }                                       scf.if %t != last {
///                                      =>     broadcast %a into %to
///                                                 from %t + 1 request 0
///                                           }
///                                           use(%now)
///                                           scf.if %t != last { wait 0 }
///                                           yield %to, %now
///                                         }
///
/// Where what is sent is not written in the loop, the receiving buffer is one
/// that only the loop uses and is overwritten by the communication alone, and
/// no more than two communicators come to be in flight together. Returns how
/// many communications come ahead.
unsigned prefetchTiles(mlir::func::FuncOp function, int32_t &nextRequest);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_PREFETCH_H
