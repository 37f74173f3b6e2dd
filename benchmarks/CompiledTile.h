//===- CompiledTile.h - One tile of attention, compiled ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_COMPILEDTILE_H
#define MERCURY_BENCHMARKS_COMPILEDTILE_H

#include "Support.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mercury::bench {

/// Extents of Q (heads x queries x features), K and V (keys instead).
struct TileSize {
  int64_t heads, queries, keys, features;
  bool hasRanges = false; ///< each row of queries has its range of keys
  double flops() const { return 4.0 * heads * queries * keys * features; }
};

/// Continues the state of one `commir.online_attention`, scaled by 1 / sqrt of
/// the features. Safe for several threads.
using CompiledTile = void (*)(const void *q, const void *k, const void *v,
                              float *accumulator, float *maximum, float *sum);

/// The same of a tile with ranges: keys [begin[m], end[m]) for query m.
using CompiledRangedTile = void (*)(const void *q, const void *k, const void *v,
                                    const int32_t *begin, const int32_t *end,
                                    float *accumulator, float *maximum,
                                    float *sum);

/// Compiles a module with a function @tile, which is one tile compiled as ranks
/// compile theirs. `type` is that of Q, K and V; `blocks` are options of
/// mercury-vectorize-attention; `extend` adds to the module before it is
/// lowered. Functions take bare pointers. Exits with an error where it fails.
std::unique_ptr<mlir::ExecutionEngine> compileTile(
    mlir::MLIRContext &context, const TileSize &size,
    const std::string &type = "f32", const std::string &blocks = "",
    llvm::function_ref<void(mlir::ModuleOp)> extend = [](mlir::ModuleOp) {});

/// The function `name`; it lives as long as `engine`. Exits with an error where
/// there is none.
template <typename Function = CompiledTile>
Function functionOf(mlir::ExecutionEngine &engine,
                    llvm::StringRef name = "tile") {
  return reinterpret_cast<Function>(orFail(engine.lookup(name)));
}

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_COMPILEDTILE_H
