//===- KernelRegistryTest.cpp - Kernels that a program registers ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "Mercury/InitAll.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "RankRunner.h"
#include "Reference.h"
#include "Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cmath>

using namespace mercury;

/// What mercury-patch-kernels says of a matmul of 8 x 8 whose first input has
/// rows of that distance and that asks for the kernel 'packed'.
static std::string patch(int64_t distance) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  std::string type =
      "memref<8x8xf32, strided<[" + std::to_string(distance) + ", 1]>>";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f(%a: " + type +
          ", %b: memref<8x8xf32>) {\n"
          "  linalg.matmul {commir.patch = \"packed\"} ins(%a, %b : " +
          type +
          ", memref<8x8xf32>) outs(%b : memref<8x8xf32>)\n"
          "  return }",
      &context);
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    text += d.str();
    return mlir::success();
  });
  mlir::PassManager pm(&context);
  pm.addPass(createPatchKernelsPass());
  bool patched = succeeded(pm.run(*module));
  EXPECT_EQ(patched, module->lookupSymbol("packed_gemm") != nullptr);
  return text;
}

TEST(KernelRegistry, RowsWithoutGaps) {
  Kernel kernel;
  kernel.name = "packed";
  kernel.type = "f32";
  kernel.symbol = "packed_gemm";
  kernel.layout = Kernel::Layout::RowMajor;
  ASSERT_EQ(registerKernel(kernel), "");
  EXPECT_EQ(patch(8), "");
  EXPECT_EQ(patch(16),
            "kernel 'packed' does not take this op: it takes rows without "
            "gaps, the op has rows of 8 elements with another stride");
}

static std::atomic<int> calls = 0;

/// Attention as the ABI wants it; the program finds it in this process.
extern "C" [[gnu::visibility("default")]] void mercury_test_attention(
    int64_t queries, int64_t keys, int64_t d, int64_t e, double scale,
    const float *q, int64_t ldq, const float *k, int64_t ldk, const float *v,
    int64_t ldv, float *accumulator, int64_t lda, float *maximum, float *sum) {
  ++calls;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      float score = 0;
      for (int64_t x = 0; x < d; ++x)
        score += q[i * ldq + x] * k[j * ldk + x];
      score *= scale;
      float top = std::max(maximum[i], score),
            factor = std::exp(maximum[i] - top), weight = std::exp(score - top);
      sum[i] = sum[i] * factor + weight;
      for (int64_t x = 0; x < e; ++x)
        accumulator[i * lda + x] =
            accumulator[i * lda + x] * factor + weight * v[j * ldv + x];
      maximum[i] = top;
    }
}

// On ranks, with a schedule by name and the patch on the operator; the heads of
// a group share K and V, and keys that pad the last shard do not count.
TEST(KernelRegistry, AttentionOnRanks) {
  using namespace mercury::run;
  Kernel kernel;
  kernel.name = "test";
  kernel.type = "f32";
  kernel.symbol = "mercury_test_attention";
  ASSERT_TRUE(parseForm("attention", kernel));
  ASSERT_EQ(registerKernel(kernel), "");
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry);
  const char *text = R"(
func.func @f(%q: tensor<2x3x13x8xf32>, %k: tensor<2x13x8xf32>,
             %v: tensor<2x13x8xf32>) -> tensor<2x3x13x8xf32> {
  %empty = tensor.empty() : tensor<2x3x13x8xf32>
  %o = commir.attention maps [
      affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>,
      affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, g, m, n, d, e) -> (h, n, e)>,
      affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>] scale 3.000000e-01
    ins(%q, %k, %v : tensor<2x3x13x8xf32>, tensor<2x13x8xf32>,
        tensor<2x13x8xf32>)
    outs(%empty : tensor<2x3x13x8xf32>) {commir.patch = "test"}
    -> tensor<2x3x13x8xf32>
  return %o : tensor<2x3x13x8xf32>
})";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto reference = compileOneRank(*module, {});
  ASSERT_TRUE(static_cast<bool>(reference));
  std::vector<HostTensor> arguments =
      makeArguments(reference->signature.arguments, 1);
  auto expected = runOneRank(*reference, arguments);
  ASSERT_TRUE(static_cast<bool>(expected));
  EXPECT_EQ(calls, 0);
  for (const char *schedule : {"ring", "ring_of_queries", "ulysses"}) {
    CompileOptions options;
    options.topology = "gpu=2";
    options.schedule = schedule;
    auto program = compileProgram(*module, options);
    ASSERT_TRUE(static_cast<bool>(program))
        << llvm::toString(program.takeError());
    calls = 0;
    auto result = runProgram(*program, arguments, {});
    ASSERT_TRUE(static_cast<bool>(result));
    EXPECT_GT(calls, 0) << schedule;
    EXPECT_TRUE(verifyResults(result->results, *expected).verified())
        << schedule;
  }
}
