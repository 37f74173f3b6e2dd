//===- Probes.cpp - Small programs, timed again and again -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probes.h"
#include "Interrupt.h"
#include "RunError.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

namespace mercury::tune {

/// Visits before a time is believed, those that a budget leaves at least, and
/// at most.
static constexpr size_t kEnough = 6, kLeast = 3, kMost = 40;
/// An interval that needs no more visits.
static constexpr double kGoodInterval = 0.03;
/// Seconds that a visit is to take.
static constexpr double kVisit = 0.02;

llvm::Expected<size_t> Probes::compile(llvm::StringRef what,
                                       const std::string &text,
                                       int64_t numRanks,
                                       llvm::StringRef local) {
  bar.show(0, ("compiling " + what).str());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return run::runtimeFailure("the program for " + what + " does not parse");
  run::CompileOptions options;
  options.topology = "gpu=" + std::to_string(numRanks);
  options.schedule = "replicated";
  options.local = local.str();
  options.verifyEach = false;
  llvm::Expected<run::CompiledProgram> compiled =
      run::compileProgram(*module, options);
  if (!compiled)
    return compiled.takeError();
  std::vector<run::HostTensor> arguments =
      run::makeArguments(compiled->globalArguments(), /*seed=*/1);
  programs.push_back({std::move(*compiled), std::move(arguments)});
  return programs.size() - 1;
}

llvm::Expected<size_t> Probes::add(std::string what, const std::string &text,
                                   llvm::StringRef local) {
  llvm::Expected<size_t> program = compile(what, text, /*numRanks=*/1, local);
  if (!program)
    return program.takeError();
  times.push_back({std::move(what), *program, none});
  return times.size() - 1;
}

llvm::Expected<size_t> Probes::addDifference(std::string what,
                                             const std::string &less,
                                             const std::string &more,
                                             int64_t count, int64_t numRanks) {
  llvm::Expected<size_t> first = compile(what, less, numRanks);
  if (!first)
    return first.takeError();
  llvm::Expected<size_t> second = compile(what, more, numRanks);
  if (!second)
    return second.takeError();
  times.push_back({std::move(what), *second, *first, double(count)});
  return times.size() - 1;
}

/// The fastest of several runs, after one that warms up.
llvm::Expected<double> Probes::visit(Program &program) {
  run::LaunchOptions launch;
  launch.repeat = 1 + std::max<int64_t>(program.repeat, 3);
  launch.poison = false;
  launch.results = false;
  llvm::Expected<run::RunResult> result =
      run::runProgram(program.compiled, program.arguments, launch);
  if (!result)
    return result.takeError();
  bool isAlone = program.compiled.topology.numRanks() == 1;
  const std::vector<double> &seconds =
      isAlone ? result->processorSeconds : result->seconds;
  double fastest = *std::min_element(seconds.begin() + 1, seconds.end());
  if (program.repeat == 0)
    program.repeat = std::clamp<int64_t>(
        std::llround(kVisit / std::max(fastest, 1e-9)), 3, 30);
  return fastest;
}

llvm::Error Probes::visit(Time &time) {
  llvm::Expected<double> seconds = visit(programs[time.program]);
  if (!seconds)
    return seconds.takeError();
  double sum = *seconds;
  if (time.less != none) {
    llvm::Expected<double> less = visit(programs[time.less]);
    if (!less)
      return less.takeError();
    sum -= *less;
  }
  time.visits.push_back(std::max(sum, 0.0) / time.times);
  return llvm::Error::success();
}

llvm::Error Probes::measure(double budget) {
  auto isKnown = [](const Time &time) {
    return time.visits.size() >= kMost ||
           (time.visits.size() >= kEnough &&
            medianOf(time.visits).interval() <= kGoodInterval);
  };
  for (size_t round = 1;; ++round) {
    size_t known = llvm::count_if(times, isKnown), done = 0;
    if (known == times.size() || (round > kLeast && bar.elapsed() > budget))
      return llvm::Error::success();
    for (Time &time : times) {
      if (run::isInterrupted())
        return llvm::make_error<run::RunError>(
            run::Outcome::Interrupted, "interrupted before all was measured");
      ++done;
      if (isKnown(time))
        continue;
      bar.show(std::max(bar.elapsed() / budget, double(known) / times.size()),
               llvm::formatv("round {0}, {1} of {2}: {3}", round, done,
                             times.size(), time.what)
                   .str());
      if (llvm::Error error = visit(time))
        return error;
    }
  }
}

Median Probes::of(size_t number) const {
  return medianOf(times[number].visits);
}

} // namespace mercury::tune
