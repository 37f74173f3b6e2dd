//===- Measure.cpp - Schedules that were found, run -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "RankRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

namespace mercury::tune {

/// Runs of one schedule; one more warms up.
static constexpr size_t kMostRuns = 20;

llvm::Error
measureSchedules(mlir::ModuleOp module, const CommandLine &line,
                 ReportOperator &op,
                 llvm::function_ref<void(llvm::StringRef)> progress) {
  size_t count = std::min<size_t>(line.measure, op.found.size());
  auto start = std::chrono::steady_clock::now();
  auto isOver = [&] {
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    return seconds.count() > line.measureBudget;
  };
  std::vector<run::CompiledProgram> programs;
  for (size_t i = 0; i < count && (i == 0 || !isOver()); ++i) {
    progress(
        llvm::formatv("compiling schedule {0} of {1}", i + 1, count).str());
    run::CompileOptions options;
    options.entry = line.entry;
    options.topology = line.topology;
    options.schedule = op.found[i].schedule;
    options.local = line.local;
    llvm::Expected<run::CompiledProgram> program =
        run::compileProgram(module, options);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
  }
  if (programs.empty())
    return llvm::Error::success();
  std::vector<run::HostTensor> arguments =
      run::makeArguments(programs.front().globalArguments(), /*seed=*/0);
  // In turns, so that what else the machine does meets all of them.
  std::vector<std::vector<double>> seconds(programs.size());
  for (size_t round = 0; round <= kMostRuns && (round < 2 || !isOver());
       ++round)
    for (size_t i = 0; i < programs.size(); ++i) {
      progress(llvm::formatv("running schedule {0} of {1}, round {2}", i + 1,
                             programs.size(), round)
                   .str());
      run::LaunchOptions launch;
      launch.poison = false;
      llvm::Expected<run::RunResult> result =
          run::runProgram(programs[i], arguments, launch);
      if (!result)
        return result.takeError();
      if (round > 0)
        seconds[i].push_back(result->seconds.front());
    }
  for (auto [row, times] : llvm::zip(op.found, seconds)) {
    std::sort(times.begin(), times.end());
    size_t runs = times.size();
    row.measured = times[runs / 2];
    row.measuredInterval =
        (times[runs - 1 - runs / 4] - times[runs / 4]) / 2 / row.measured;
  }
  std::stable_sort(op.found.begin(), op.found.begin() + programs.size(),
                   [](const ReportRow &a, const ReportRow &b) {
                     return a.measured < b.measured;
                   });
  return llvm::Error::success();
}

} // namespace mercury::tune
