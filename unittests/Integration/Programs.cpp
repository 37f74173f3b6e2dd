//===- Programs.cpp - Runs a schedule both ways ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "Compile.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/InitAll.h"
#include "Mercury/Transforms/Passes.h"
#include "RankRunner.h"
#include "Reference.h"
#include "Verify.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

std::unique_ptr<MLIRContext> test::makeContext() {
  static bool once = [] {
    registerAllPasses();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)once;
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  return context;
}

Program::Program(const std::string &text, uint64_t seed,
                 const ChangeArguments &change)
    : context(makeContext()),
      module(parseSourceString<ModuleOp>(text, context.get())) {
  run::ReferenceOptions options;
  options.optLevel = 0;
  auto program = run::compileOneRank(*module, options);
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return;
  }
  arguments = run::makeArguments(program->signature.arguments, seed);
  if (change)
    change(arguments);
  auto results = run::runOneRank(*program, arguments);
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError());
    return;
  }
  reference = std::move(*results);
}

OperatorModel Program::model() {
  OperatorModel found;
  module->walk([&](commir::DistributableOpInterface op) {
    OperatorModel model = buildOperatorModel(op);
    if (found.inputs.empty() || model.inputs.size() >= 2)
      found = model;
  });
  return found;
}

std::string Program::compare(const std::vector<run::HostTensor> &results) {
  run::Verification verification =
      run::verifyResults(results, reference, {}, run::leastBoundOf(*module));
  return verification.verified() ? "" : verification.failures.front();
}

std::string Program::runOnRanks(const std::string &schedule,
                                const std::string &topology,
                                RunDetails *details) {
  run::CompileOptions options;
  options.topology = topology;
  options.schedule = schedule;
  options.local = local;
  options.optLevel = 0;
  options.observer = [&](run::Stage stage, Operation *op) {
    if (details && stage == run::Stage::SPMD)
      llvm::raw_string_ostream(details->stage3) << *op;
  };
  std::string diagnostics;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      llvm::raw_string_ostream(diagnostics) << diagnostic << '\n';
  });
  auto program = run::compileProgram(*module, options);
  if (!program)
    return diagnostics + llvm::toString(program.takeError());
  run::LaunchOptions launch;
  launch.strict = true;
  launch.watchdogSeconds = 10;
  auto result = run::runProgram(*program, arguments, launch);
  if (!result)
    return llvm::toString(result.takeError());
  if (details)
    for (const mercury_host_stats &stats : result->stats)
      details->bytesSent.push_back(stats.bytes_sent);
  for (const mercury_host_stats &stats : result->stats)
    if (stats.peak_bytes != program->staticPeakBytes)
      return "held " + std::to_string(stats.peak_bytes) +
             " bytes, but the program says " +
             std::to_string(program->staticPeakBytes);
  if (!result->divergences.empty())
    return result->divergences.front();
  return compare(result->results);
}

std::string Program::runErased(const std::string &schedule,
                               const std::string &topology) {
  OwningOpRef<ModuleOp> copy = module->clone();
  PassManager pm(context.get());
  SetSchedulePassOptions options;
  options.schedule = schedule;
  options.topology = topology;
  pm.addPass(createSetSchedulePass(options));
  pm.addPass(createDistributePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyDistributedPass());
  pm.addPass(createErasePlacementPass());
  if (failed(pm.run(*copy)))
    return "the pipeline failed";
  run::ReferenceOptions compile;
  compile.promote = false;
  compile.optLevel = 0;
  auto program = run::compileOneRank(*copy, compile);
  if (!program)
    return llvm::toString(program.takeError());
  auto results = run::runOneRank(*program, arguments);
  if (!results)
    return llvm::toString(results.takeError());
  return compare(*results);
}

void test::runCases(const std::string &text, const std::vector<Case> &cases,
                    bool erased, const ChangeArguments &change) {
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    Program program(text, 7, change);
    for (size_t i; (i = next++) < cases.size();) {
      const auto &[schedule, topology] = cases[i];
      std::string wrong = program.runOnRanks(schedule, topology);
      std::string alone =
          erased ? program.runErased(schedule, topology) : std::string();
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_EQ(wrong, "") << schedule << " on " << topology << "\n" << text;
      EXPECT_EQ(alone, "") << schedule << " erased, " << topology << "\n"
                           << text;
    }
  };
  std::thread other(work);
  work();
  other.join();
}

std::vector<Case>
test::everySchedule(NamedSchedule::Scope scope,
                    const std::vector<std::string> &topologies) {
  std::vector<Case> cases;
  for (const NamedSchedule &named : namedSchedules())
    if (named.scope == scope || named.scope == NamedSchedule::Scope::Any)
      for (const std::string &topology : topologies)
        cases.push_back({std::string(named.name), topology});
  return cases;
}

std::string test::matmulText(int64_t m, int64_t n, int64_t k) {
  auto type = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf32>";
  };
  std::string a = type(m, k), b = type(k, n), c = type(m, n);
  return "func.func @gemm(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
         "  %z = arith.constant 0.0 : f32\n" + "  %e = tensor.empty() : " + c +
         "\n" + "  %i = linalg.fill ins(%z : f32) outs(%e : " + c + ") -> " +
         c + "\n" + "  %r = linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%i : " + c + ") -> " + c + "\n  return %r : " + c + "\n}\n";
}
