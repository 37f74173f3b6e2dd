//===- compile-time.cpp - Time to compile, bytes against the count --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each named schedule of a GEMM, or of attention: from stage 0 to the llvm
// dialect, the time of LLVM beside it, and the most bytes that a rank holds at
// once, as the allocator counts them in a run and as the compiler has counted
// them.
//
//   bench-compile-time [--operator=gemm|attention] [--size=N]
//                      [--topology=LEVELS] [--repeat=N] [--only=NAME]
//                      [--local=codegen|blas|loops] [--json=FILE]
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Mercury/InitAll.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "RankRunner.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <optional>

using namespace mercury::bench;
using namespace mercury::run;

namespace {
struct Measured {
  std::vector<double> compile, distribute, lower, llvm;
  int64_t counted = 0;         ///< bytes, by the compiler
  int64_t least = 0, most = 0; ///< bytes of the ranks
};

Measured measure(mlir::ModuleOp module, CompileOptions options,
                 int64_t repeat) {
  Measured measured;
  std::optional<CompiledProgram> program;
  for (int64_t i = 0; i < repeat; ++i) {
    program.emplace(orFail(compileProgram(module, options)));
    measured.distribute.push_back(program->distributeSeconds);
    measured.lower.push_back(program->lowerSeconds);
    measured.compile.push_back(program->distributeSeconds +
                               program->lowerSeconds);
    measured.llvm.push_back(program->jitSeconds);
  }
  measured.counted = program->staticPeakBytes;
  LaunchOptions launch;
  launch.poison = false;
  RunResult run = orFail(runProgram(
      *program, makeArguments(program->globalArguments(), /*seed=*/0), launch));
  auto [least, most] =
      std::minmax_element(run.stats.begin(), run.stats.end(),
                          [](const auto &one, const auto &other) {
                            return one.peak_bytes < other.peak_bytes;
                          });
  measured.least = least->peak_bytes;
  measured.most = most->peak_bytes;
  return measured;
}
} // namespace

int main(int argc, char **argv) {
  Options options(argc, argv,
                  {{"operator", "gemm"},
                   {"size", "2048"},
                   {"topology", "gpu=4"},
                   {"repeat", "7"},
                   {"local", "codegen"},
                   {"only", ""},
                   {"json", ""}});
  int64_t extent = options.number("size"), repeat = options.number("repeat");
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  const std::string &name = options.text("operator");
  if (name != "gemm" && name != "attention")
    fail("--operator is gemm or attention");
  bool isAttention = name == "attention";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      isAttention ? attentionText(/*heads=*/4, extent, /*features=*/64)
                  : gemmText(extent, extent, extent),
      &context);
  JsonLines json(options.text("json"));

  llvm::outs() << name << ", f32, " << extent
               << (isAttention ? " queries and keys, 4 heads, 64 features"
                               : "^3")
               << " on " << options.text("topology")
               << ", local work: " << options.text("local") << ", medians of "
               << repeat << " (minima), goal: stage 0 to llvm under 300 ms\n";
  llvm::outs() << llvm::format(
      "%-36s %21s %12s %21s %14s %14s\n", "schedule", "stage 0 to llvm, ms",
      "distribute", "LLVM itself, ms", "peak bytes", "counted bytes");
  double slowest = 0;
  for (const mercury::NamedSchedule &schedule : mercury::namedSchedules()) {
    using Scope = mercury::NamedSchedule::Scope;
    std::string name(schedule.name);
    if (name.find(options.text("only")) == std::string::npos ||
        schedule.scope == (isAttention ? Scope::Contraction : Scope::Attention))
      continue;
    CompileOptions compile;
    compile.topology = options.text("topology");
    compile.local = options.text("local");
    compile.schedule = name;
    Measured measured = measure(*module, compile, repeat);
    double time = median(measured.compile), llvm = median(measured.llvm);
    slowest = std::max(slowest, time);
    std::string peak = std::to_string(measured.most);
    if (measured.least != measured.most)
      peak = std::to_string(measured.least) + ".." + peak;
    std::string counted = std::to_string(measured.counted);
    if (measured.counted != measured.most)
      counted += " (differs)";
    llvm::outs() << llvm::format(
        "%-36s %9.1f (%9.1f) %12.1f %9.1f (%9.1f) %14s %14s\n", name.c_str(),
        time * 1e3, minimum(measured.compile) * 1e3,
        median(measured.distribute) * 1e3, llvm * 1e3,
        minimum(measured.llvm) * 1e3, peak.c_str(), counted.c_str());
    llvm::outs().flush();
    json.add(llvm::json::Object{
        {"benchmark", "compile-time"},
        {"operator", options.text("operator")},
        {"schedule", name},
        {"size", extent},
        {"topology", compile.topology},
        {"local", compile.local},
        {"repeat", repeat},
        {"compile_seconds", time},
        {"minimum_compile_seconds", minimum(measured.compile)},
        {"distribute_seconds", median(measured.distribute)},
        {"lower_seconds", median(measured.lower)},
        {"llvm_seconds", llvm},
        {"peak_bytes", measured.most},
        {"least_peak_bytes", measured.least},
        {"counted_bytes", measured.counted},
        {"goal_seconds", 0.3}});
  }
  llvm::outs() << llvm::format("slowest: %.1f ms, %.2f of the goal\n",
                               slowest * 1e3, slowest / 0.3);
  return 0;
}
