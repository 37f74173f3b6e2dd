//===- Measure.cpp - Schedules that were found, run -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "Agreement.h"
#include "Interrupt.h"
#include "Mercury/Tuning/MeasuredOrder.h"
#include "RunError.h"
#include "ScheduleRunner.h"
#include "llvm/Support/FormatVariadic.h"

namespace mercury::tune {

using run::isInterrupted;

/// Runs of one schedule, those of before included.
static constexpr size_t kMostRuns = 20;

//===----------------------------------------------------------------------===//
// What all processes do
//===----------------------------------------------------------------------===//

/// Rank 0 says a step at a time what is done: `compile SCHEDULE`, `run NUMBER`,
/// or nothing more. So all run the same, as often, whatever their clocks say.
static llvm::Expected<double> perform(ScheduleRunner &runner,
                                      llvm::StringRef step) {
  if (step.consume_front("compile ")) {
    if (llvm::Error error = runner.compile(step.str()))
      return std::move(error);
    return 0;
  }
  size_t number = 0;
  if (!step.consume_front("run ") || step.getAsInteger(10, number) ||
      number >= runner.size())
    return run::runtimeFailure("rank 0 says '" + step +
                               "': is it of another version of Mercury?");
  return runner.run(number);
}

static llvm::Expected<double> lead(ScheduleRunner &runner, std::string step) {
  llvm::Expected<std::string> agreed = run::agree(std::move(step));
  if (!agreed)
    return agreed.takeError();
  return perform(runner, *agreed);
}

llvm::Error followMeasuring(mlir::ModuleOp module, const CommandLine &line) {
  ScheduleRunner runner(module, line);
  while (true) {
    llvm::Expected<std::string> step = run::agree("");
    if (!step)
      return step.takeError();
    if (step->empty())
      return llvm::Error::success();
    llvm::Expected<double> done = perform(runner, *step);
    if (!done)
      return done.takeError();
  }
}

//===----------------------------------------------------------------------===//
// What rank 0 decides
//===----------------------------------------------------------------------===//

/// Compiles schedules of `op` until `isOver`, at least the first.
static llvm::Error compileAll(ScheduleRunner &runner, const ReportOperator &op,
                              size_t count, ProgressBar &bar,
                              llvm::function_ref<bool()> isOver) {
  for (size_t i = 0; i < count && !isInterrupted() && (i == 0 || !isOver());
       ++i) {
    bar.show(
        0, llvm::formatv("compiling schedule {0} of {1}", i + 1, count).str());
    llvm::Expected<double> done =
        lead(runner, "compile " + op.found[i].schedule);
    if (!done)
      return done.takeError();
  }
  return llvm::Error::success();
}

/// Runs the one that has run least, until all have run often or `isOver`: in
/// turns, so that what else the machine does meets all of them.
static llvm::Error runInTurns(ScheduleRunner &runner, const ReportOperator &op,
                              Measurements &runs, ProgressBar &bar,
                              llvm::function_ref<bool()> isOver) {
  auto runsOf = [&](size_t i) {
    return runs.runsOf(op.found[i].schedule).size();
  };
  while (!isInterrupted() && runner.size() > 0) {
    size_t next = 0, done = 0;
    for (size_t i = 0; i < runner.size(); ++i) {
      done += std::min(runsOf(i), kMostRuns);
      if (runsOf(i) < runsOf(next))
        next = i;
    }
    size_t least = runsOf(next), all = kMostRuns * runner.size();
    if (least >= kMostRuns || (least > 0 && isOver()))
      break;
    bar.show(double(done) / all,
             llvm::formatv("run {0} of {1}, schedule {2} of {3}", done + 1, all,
                           next + 1, runner.size())
                 .str());
    llvm::Expected<double> seconds =
        lead(runner, llvm::formatv("run {0}", next));
    if (!seconds)
      return seconds.takeError();
    runs.add(op.found[next].schedule, *seconds);
    if (Verdict verdict = runs.save(); !verdict)
      return run::runtimeFailure(verdict.reason());
  }
  return llvm::Error::success();
}

llvm::Error measureSchedules(mlir::ModuleOp module, const CommandLine &line,
                             ReportOperator &op, size_t count,
                             Measurements &runs, ProgressBar &bar) {
  size_t before = runs.size();
  bar.begin(line.measureBudget);
  auto isOver = [&] { return bar.elapsed() > line.measureBudget; };
  ScheduleRunner runner(module, line);
  if (llvm::Error error = compileAll(runner, op, count, bar, isOver))
    return error;
  if (llvm::Error error = runInTurns(runner, op, runs, bar, isOver))
    return error;
  // The others end.
  if (llvm::Expected<std::string> end = run::agree(""); !end)
    return end.takeError();
  bar.clear();

  if (before > 0)
    op.remarks.push_back(llvm::formatv("{0} of {1} runs are those of '{2}'",
                                       before, runs.size(), line.resume));
  std::vector<Median> measured;
  for (size_t i = 0; i < count; ++i) {
    const std::vector<double> &seconds = runs.runsOf(op.found[i].schedule);
    if (seconds.empty())
      break;
    measured.push_back(medianOf(seconds));
  }
  addMeasured(op, measured);
  if (measured.size() < count)
    op.remarks.push_back(llvm::formatv("{0} of {1} schedules were not measured",
                                       count - measured.size(), count));
  return llvm::Error::success();
}

} // namespace mercury::tune
