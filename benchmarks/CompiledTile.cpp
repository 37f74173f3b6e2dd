//===- CompiledTile.cpp - One tile of attention, compiled -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledTile.h"
#include "Jit.h"

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mercury::bench;

static std::string tileText(const TileSize &size, const std::string &type) {
  auto buffer = [&](int64_t rows, int64_t columns, llvm::StringRef type) {
    std::string shape = llvm::formatv("{0}x{1}x", size.heads, rows).str();
    if (columns)
      shape += std::to_string(columns) + "x";
    return "memref<" + shape + type.str() + ">";
  };
  int64_t d = size.features;
  std::string q = buffer(size.queries, d, type), k = buffer(size.keys, d, type),
              a = buffer(size.queries, d, "f32"),
              r = buffer(size.queries, 0, "f32");
  std::string map = "affine_map<(h, m, n, d, e) -> ", ofRow = map + "(m)>, ",
              i = "memref<" + std::to_string(size.queries) + "xi32>";
  bool ranged = size.hasRanges;
  return "func.func @tile(%q: " + q + ", %k: " + k + ", %v: " + k +
         (ranged ? ", %b: " + i + ", %n: " + i : "") + ", %a: " + a +
         ", %m: " + r + ", %l: " + r +
         ") attributes {llvm.bareptr} {\ncommir.online_attention maps [" + map +
         "(h, m, d)>, " + map + "(h, n, d)>, " + map + "(h, n, e)>, " +
         (ranged ? ofRow + ofRow : "") + map + "(h, m, e)>, " + map +
         "(h, m)>, " + map + "(h, m)>] scale " + attentionScale(d) +
         " ins(%q, %k, %v : " + q + ", " + k + ", " + k + ")" +
         (ranged ? " key_range(%b, %n : " + i + ", " + i + ")" : "") +
         " outs(%a, %m, %l : " + a + ", " + r + ", " + r + ")\nreturn\n}\n";
}

std::unique_ptr<mlir::ExecutionEngine>
mercury::bench::compileTile(mlir::MLIRContext &context, const TileSize &size,
                            const std::string &type, const std::string &blocks,
                            llvm::function_ref<void(mlir::ModuleOp)> extend) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(tileText(size, type), &context);
  if (!module)
    fail("the tile does not parse");
  mlir::PassManager pm(&context);
  if (failed(mlir::parsePassPipeline(
          "func.func(mercury-vectorize-attention{" + blocks + "})", pm)))
    fail("blocks: " + blocks);
  mlir::bufferization::buildBufferDeallocationPipeline(
      pm, mlir::bufferization::BufferDeallocationPipelineOptions());
  mercury::buildLowerBufferizedToLLVM(pm);
  extend(*module);
  if (failed(pm.run(*module)))
    fail("the tile does not compile");
  return orFail(mercury::run::createEngine(*module, /*optLevel=*/3));
}
