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
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
                 const ChangeArguments &change, const ComputeResults &compute)
    : context(makeContext()),
      diagnostics(context.get(),
                  [this](Diagnostic &diagnostic) {
                    llvm::raw_string_ostream(said) << diagnostic << "\n";
                  }),
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
  if (!compute)
    return;
  std::vector<run::HostTensor> expected = reference;
  compute(arguments, expected);
  std::swap(reference, expected);
  EXPECT_EQ(compare(expected), "") << "on one rank\n" << text;
}

OperatorModel Program::model() {
  OwningOpRef<ModuleOp> copy = module->clone();
  PassManager pm(context.get());
  pm.addNestedPass<func::FuncOp>(createExpandAttentionPass());
  EXPECT_TRUE(succeeded(pm.run(*copy)));
  OperatorModel found;
  bool foundContraction = false;
  copy->walk([&](commir::DistributableOpInterface op) {
    OperatorModel model = buildOperatorModel(op);
    bool isContraction =
        model.inputs.size() >= 2 &&
        llvm::any_of(model.loops, [](auto &loop) { return loop.reduction; });
    if (isContraction || !foundContraction)
      found = model;
    foundContraction |= isContraction;
  });
  return found;
}

std::string Program::compare(const std::vector<run::HostTensor> &results) {
  run::Verification verification =
      run::verifyResults(results, reference, {}, run::leastBoundOf(*module));
  return verification.verified() ? "" : verification.failures.front();
}

std::string Program::runRanks(const std::string &schedule,
                              const std::string &topology,
                              const Observer &observer, bool verifyEach,
                              RunDetails *details) {
  run::CompileOptions options;
  options.topology = topology;
  options.schedule = schedule;
  options.balance = balance;
  options.local = local;
  options.target = target;
  options.kernels = kernels;
  options.optLevel = 0;
  options.observer = [&](run::Stage stage, Operation *op) {
    if (observer)
      observer(stage, op);
    if (stage == run::Stage::Gpu && changeDevice)
      changeDevice(op);
  };
  options.verifyEach = verifyEach;
  said.clear();
  auto program = run::compileProgram(*module, options);
  if (!program)
    return said + llvm::toString(program.takeError());
  peakBytes = program->staticPeakBytes;
  run::LaunchOptions launch;
  launch.strict = true;
  launch.watchdogSeconds = 10;
  launch.jitterSeconds = jitterSeconds;
  auto result = run::runProgram(*program, arguments, launch);
  if (!result)
    return llvm::toString(result.takeError());
  if (details) {
    for (const mercury_host_stats &stats : result->stats)
      details->bytesSent.push_back(stats.bytes_sent);
    details->multiplyAdds = program->multiplyAddsOfRanks;
    details->inputMultiplyAdds = program->inputMultiplyAdds;
  }
  for (const mercury_host_stats &stats : result->stats)
    if (stats.peak_bytes != program->staticPeakBytes)
      return "held " + std::to_string(stats.peak_bytes) +
             " bytes, but the program says " +
             std::to_string(program->staticPeakBytes);
  if (!result->divergences.empty())
    return result->divergences.front();
  return compare(result->results);
}

/// Prints the module at the end of stage 3.
static auto printStage3(std::string *text) {
  return [=](run::Stage stage, Operation *op) {
    if (text && stage == run::Stage::SPMD)
      llvm::raw_string_ostream(*text) << *op;
  };
}

std::string Program::runOnRanks(const std::string &schedule,
                                const std::string &topology,
                                RunDetails *details) {
  return runRanks(schedule, topology,
                  printStage3(details ? &details->stage3 : nullptr),
                  /*verifyEach=*/true, details);
}

/// Stage 2 -> the function on one device, in place.
std::string Program::erase(ModuleOp stage2) {
  PassManager pm(context.get());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyDistributedPass());
  pm.addPass(createErasePlacementPass());
  said.clear();
  return succeeded(pm.run(stage2)) ? "" : said + "the pipeline failed";
}

std::string Program::runOne(ModuleOp erased) {
  run::ReferenceOptions compile;
  compile.promote = false;
  compile.optLevel = 0;
  auto program = run::compileOneRank(erased, compile);
  if (!program)
    return llvm::toString(program.takeError());
  auto results = run::runOneRank(*program, arguments);
  if (!results)
    return llvm::toString(results.takeError());
  return compare(*results);
}

std::string Program::runErased(const std::string &schedule,
                               const std::string &topology) {
  OwningOpRef<ModuleOp> copy = module->clone();
  PassManager pm(context.get());
  SetSchedulePassOptions options;
  options.schedule = schedule;
  options.topology = topology;
  options.balance = balance;
  pm.addNestedPass<func::FuncOp>(createExpandAttentionPass());
  pm.addPass(createSetSchedulePass(options));
  pm.addPass(createDistributePass());
  said.clear();
  if (failed(pm.run(*copy)))
    return said + "the pipeline failed";
  std::string wrong = erase(*copy);
  return wrong.empty() ? runOne(*copy) : wrong;
}

std::string Program::runBoth(const std::string &schedule,
                             const std::string &topology, SeenPrograms &erased,
                             std::string *stage3) {
  OwningOpRef<ModuleOp> stage2;
  auto print = printStage3(stage3);
  std::string wrong = runRanks(
      schedule, topology,
      [&](run::Stage stage, Operation *op) {
        if (stage == run::Stage::Distributed)
          stage2 = cast<ModuleOp>(op).clone();
        print(stage, op);
      },
      /*verifyEach=*/false);
  if (!wrong.empty())
    return "on ranks: " + wrong;
  std::string text;
  wrong = erase(*stage2);
  if (wrong.empty()) {
    llvm::raw_string_ostream(text) << *stage2;
    if (erased.insert(text))
      wrong = runOne(*stage2);
  }
  return wrong.empty() ? "" : "erased: " + wrong;
}

void test::runCases(const std::string &text, const std::vector<Case> &cases,
                    bool erased, const ChangeArguments &change,
                    const ComputeResults &compute) {
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    Program program(text, 7, change, compute);
    for (size_t i; (i = next++) < cases.size();) {
      const auto &[schedule, topology, balance] = cases[i];
      program.balance = balance;
      std::string wrong = program.runOnRanks(schedule, topology);
      std::string alone =
          erased ? program.runErased(schedule, topology) : std::string();
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_EQ(wrong, "") << schedule << " on " << topology << ", balance "
                           << balance << "\n"
                           << text;
      EXPECT_EQ(alone, "") << schedule << " erased, " << topology
                           << ", balance " << balance << "\n"
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

std::string test::attentionText(int64_t heads, int64_t group, int64_t queries,
                                int64_t keys, int64_t features) {
  auto type = [&](std::vector<int64_t> shape) {
    std::string text = "tensor<";
    for (int64_t extent : shape)
      text += std::to_string(extent) + "x";
    return text + std::to_string(features) + "xf32>";
  };
  bool isGrouped = group > 1;
  std::string q = isGrouped ? type({heads, group, queries})
                            : type({heads, queries}),
              kv = type({heads, keys}), rows = isGrouped ? "h, g, m" : "h, m";
  auto map = [&](const std::string &results) {
    return "affine_map<(" + rows + ", n, d, e) -> (" + results + ")>";
  };
  return "func.func @attention(%q: " + q + ", %k: " + kv + ", %v: " + kv +
         ") -> " + q + " {\n  %i = tensor.empty() : " + q +
         "\n  %r = commir.attention maps [" + map(rows + ", d") + ", " +
         map("h, n, d") + ", " + map("h, n, e") + ", " + map(rows + ", e") +
         "] scale 0.5\n    ins(%q, %k, %v : " + q + ", " + kv + ", " + kv +
         ") outs(%i : " + q + ") -> " + q + "\n  return %r : " + q + "\n}\n";
}
