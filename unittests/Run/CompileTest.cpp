//===- CompileTest.cpp - From a module to a verified run ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Mercury/InitAll.h"
#include "RankRunner.h"
#include "Reference.h"
#include "RunError.h"
#include "Verify.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mercury::run;

namespace {

constexpr const char *gemm = R"(
  func.func @gemm(%a: tensor<9x6xf32>, %b: tensor<6x10xf32>,
                  %c: tensor<9x10xf32>) -> tensor<9x10xf32> {
    %r = linalg.matmul ins(%a, %b : tensor<9x6xf32>, tensor<6x10xf32>)
                       outs(%c : tensor<9x10xf32>) -> tensor<9x10xf32>
    return %r : tensor<9x10xf32>
  })";

class CompileTest : public testing::Test {
protected:
  static void SetUpTestSuite() { mercury::registerAllPasses(); }
  CompileTest() {
    mlir::DialectRegistry registry;
    mercury::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(gemm, &context);
    options.local = "loops";
    options.optLevel = 0;
    options.topology = "gpu=4";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CompileOptions options;
};

TEST_F(CompileTest, ManyProgramsInOneProcess) {
  ReferenceOptions referenceOptions;
  referenceOptions.optLevel = 0;
  auto reference = compileOneRank(*module, referenceOptions);
  ASSERT_TRUE(static_cast<bool>(reference));
  std::vector<HostTensor> arguments =
      makeArguments(reference->signature.arguments, 1);
  auto wanted = runOneRank(*reference, arguments);
  ASSERT_TRUE(static_cast<bool>(wanted));
  LaunchOptions launch;
  launch.strict = true;
  for (const char *topology : {"gpu=4", "node=2,gpu=2", "gpu=7"})
    for (const char *schedule :
         {"replicated", "all_gather_gemm", "all_gather_gemm_shifted",
          "gemm_reduce_scatter", "gemm_reduce_scatter_shifted"}) {
      options.topology = topology;
      options.schedule = schedule;
      auto program = compileProgram(*module, options);
      ASSERT_TRUE(static_cast<bool>(program))
          << llvm::toString(program.takeError());
      auto run = runProgram(*program, arguments, launch);
      ASSERT_TRUE(static_cast<bool>(run)) << llvm::toString(run.takeError());
      Verification v = verifyResults(run->results, *wanted, run->divergences);
      EXPECT_TRUE(v.verified())
          << topology << " " << schedule << ": " << v.failures.front();
    }
}

TEST_F(CompileTest, DescribesTheProgram) {
  options.schedule = "all_gather_gemm";
  auto program = compileProgram(*module, options);
  ASSERT_TRUE(static_cast<bool>(program));
  EXPECT_EQ(program->entry, "gemm");
  EXPECT_EQ(program->schedule, "all_gather_gemm");
  EXPECT_EQ(program->inputMultiplyAdds, 9 * 6 * 10);
  EXPECT_EQ(program->arguments.size(), 3u);
  EXPECT_EQ(program->results[0].global.str(), "9x10xf32");
  EXPECT_EQ(program->communicators.size(), 1u);
}

TEST_F(CompileTest, ShowsEachStageAndLeavesTheInput) {
  std::vector<Stage> seen;
  options.schedule = "all_gather_gemm";
  options.observer = [&](Stage stage, mlir::Operation *op) {
    seen.push_back(stage);
    EXPECT_TRUE(mlir::isa<mlir::ModuleOp>(op));
    EXPECT_NE(op, module->getOperation());
  };
  std::string before;
  llvm::raw_string_ostream(before) << *module;
  auto program = compileProgram(*module, options);
  ASSERT_TRUE(static_cast<bool>(program));
  EXPECT_EQ(seen, (std::vector<Stage>{Stage::Scheduled, Stage::Distributed,
                                      Stage::SPMD, Stage::LLVM}));
  std::string after;
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST_F(CompileTest, ShowsKernelsOfDevicesOnce) {
  options.schedule = "all_gather_gemm";
  options.target = Target::Emulated;
  for (mercury::EmulatedKernels kernels :
       {mercury::EmulatedKernels::CPU, mercury::EmulatedKernels::SIMT}) {
    options.kernels = kernels;
    std::vector<Stage> seen;
    options.observer = [&](Stage stage, mlir::Operation *op) {
      seen.push_back(stage);
      EXPECT_TRUE(mlir::isa<mlir::ModuleOp>(op));
    };
    auto program = compileProgram(*module, options);
    ASSERT_TRUE(static_cast<bool>(program));
    EXPECT_EQ(seen, (std::vector<Stage>{Stage::Scheduled, Stage::Distributed,
                                        Stage::SPMD, Stage::Gpu, Stage::LLVM}));
  }
}

TEST_F(CompileTest, MistakesAreBadInput) {
  options.schedule = "all_gather_gem";
  auto program = compileProgram(*module, options);
  ASSERT_FALSE(static_cast<bool>(program));
  llvm::handleAllErrors(program.takeError(), [](const RunError &error) {
    EXPECT_EQ(error.outcome, Outcome::BadInput);
    EXPECT_EQ(error.text, "no schedule is called 'all_gather_gem'; did you "
                          "mean 'all_gather_gemm'?");
  });
}

} // namespace
