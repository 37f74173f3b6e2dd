//===- CompiledForGpus.cpp - Every schedule as machine code of GPUs -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionText.h"
#include "DeviceCode.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "Programs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

static const std::vector<std::string> kTopologies = {"gpu=4", "node=2,gpu=2"};

/// C = A B of `type`, added in f32.
static std::string gemm(const std::string &type) {
  std::string matrix = "tensor<512x512x" + type + ">";
  return "func.func @f(%a: " + matrix + ", %b: " + matrix + ") -> " + matrix +
         " {\n  %z = arith.constant 0.0 : " + type +
         "\n  %e = tensor.empty() : " + matrix +
         "\n  %i = linalg.fill ins(%z : " + type + ") outs(%e : " + matrix +
         ") -> " + matrix + "\n  %r = linalg.matmul ins(%a, %b : " + matrix +
         ", " + matrix + ") outs(%i : " + matrix + ") -> " + matrix +
         "\n  return %r : " + matrix + "\n}\n";
}

static std::string attention(const std::string &type,
                             const std::string &visible = "") {
  AttentionText text;
  text.visible = visible;
  text.extents = {{'h', 8}, {'m', 512}, {'n', 512}, {'d', 64}, {'e', 64}};
  text.type = text.outType = type;
  return text.attention();
}

namespace {
/// The programs of one operator, by all chips.
class Compiled {
public:
  Compiled() : context(makeContext()) {
    for (const Chip &chip : knownChips())
      codes.emplace_back(context.get(), chip.name.str());
  }

  /// Adds the kernels of all schedules of `text`, for all chips.
  void compile(const std::string &text, NamedSchedule::Scope scope) {
    auto module = parseSourceString<ModuleOp>(text, context.get());
    ASSERT_TRUE(module);
    for (const Case &item : everySchedule(scope, kTopologies)) {
      std::string program = item.schedule + " on " + item.topology;
      auto outlined = outlineProgram(*module, item.schedule, item.topology);
      ASSERT_TRUE(bool(outlined))
          << program << ": " << llvm::toString(outlined.takeError());
      for (DeviceCode &code : codes) {
        llvm::Error error = code.add(**outlined, program);
        ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
      }
    }
  }

  void expectNoSpills(const std::string &ptxas) {
    for (auto [chip, code] : llvm::zip_equal(knownChips(), codes)) {
      auto kernels = code.assemble(ptxas);
      ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
      EXPECT_GT(kernels->size(), 0u);
      for (const AssembledKernel &kernel : *kernels) {
        EXPECT_EQ(kernel.spilledBytes, 0)
            << kernel.kernel << " of " << kernel.program << " spills on "
            << chip.name.str();
        EXPECT_LE(kernel.sharedBytes, Chip::kStaticSharedBytes);
      }
    }
  }

private:
  std::unique_ptr<MLIRContext> context;
  std::vector<DeviceCode> codes;
};
} // namespace

#define MERCURY_NEEDS_PTXAS(path)                                              \
  std::string path = findPtxas();                                              \
  if (path.empty())                                                            \
  GTEST_SKIP() << "no ptxas in PATH, CUDA_HOME, CUDA_ROOT, CUDA_PATH or "      \
                  "/usr/local/cuda"

TEST(CompiledForGpus, EveryGemm) {
  MERCURY_NEEDS_PTXAS(ptxas);
  Compiled compiled;
  for (const char *type : {"f32", "bf16"})
    compiled.compile(gemm(type), NamedSchedule::Scope::Contraction);
  compiled.expectNoSpills(ptxas);
}

TEST(CompiledForGpus, EveryAttention) {
  MERCURY_NEEDS_PTXAS(ptxas);
  Compiled compiled;
  for (const char *type : {"f32", "bf16"})
    compiled.compile(attention(type), NamedSchedule::Scope::Attention);
  compiled.expectNoSpills(ptxas);
}

TEST(CompiledForGpus, EveryCausalAttention) {
  MERCURY_NEEDS_PTXAS(ptxas);
  Compiled compiled;
  compiled.compile(attention("bf16", "right 0"),
                   NamedSchedule::Scope::Attention);
  compiled.expectNoSpills(ptxas);
}

/// Every named schedule through the whole pipeline; what is left is calls, and
/// one image.
static void expectCallsOnly(const std::string &text,
                            NamedSchedule::Scope scope) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(text, context.get());
  ASSERT_TRUE(module);
  for (const Case &item : everySchedule(scope, kTopologies)) {
    run::CompileOptions options;
    options.schedule = item.schedule;
    options.topology = item.topology;
    run::CompiledProgram program;
    auto lowered =
        run::lowerProgram(*module, options, run::Stage::SPMD, program);
    ASSERT_TRUE(bool(lowered)) << llvm::toString(lowered.takeError());
    PassManager pm(context.get());
    GpuPipelineOptions pipeline;
    pipeline.format = std::string("isa");
    buildGpuPipeline(pm, pipeline);
    ASSERT_TRUE(succeeded(pm.run(**lowered)))
        << item.schedule << " on " << item.topology;
    unsigned images = 0;
    (*lowered)->walk([&](Operation *op) {
      EXPECT_TRUE(
          (isa<ModuleOp>(op) || isa<LLVM::LLVMDialect>(op->getDialect())))
          << op->getName().getStringRef().str();
      EXPECT_FALSE(isa<LLVM::GlobalCtorsOp>(op));
      if (auto global = dyn_cast<LLVM::GlobalOp>(op))
        images += global.getSymName() == "kernels_image";
    });
    EXPECT_EQ(images, 1u);
  }
}

TEST(CompiledForGpus, HostCodeOfGemm) {
  MERCURY_NEEDS_PTXAS(ptxas);
  for (const char *type : {"f32", "bf16"})
    expectCallsOnly(gemm(type), NamedSchedule::Scope::Contraction);
}

TEST(CompiledForGpus, HostCodeOfAttention) {
  MERCURY_NEEDS_PTXAS(ptxas);
  for (const char *type : {"f32", "bf16"})
    expectCallsOnly(attention(type), NamedSchedule::Scope::Attention);
}

TEST(CompiledForGpus, HostCodeOfCausalAttention) {
  MERCURY_NEEDS_PTXAS(ptxas);
  expectCallsOnly(attention("bf16", "right 0"),
                  NamedSchedule::Scope::Attention);
}
