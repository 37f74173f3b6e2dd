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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

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
