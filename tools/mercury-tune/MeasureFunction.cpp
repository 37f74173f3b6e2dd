//===- MeasureFunction.cpp - A tuned function, measured -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasureFunction.h"
#include "Emit.h"
#include "Measure.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Tuning/Correction.h"
#include "RunError.h"
#include "ScheduleRunner.h"
#include "Variants.h"
#include "llvm/Support/FileSystem.h"

namespace mercury::tune {

using llvm::Error;
using run::badInput;

/// Writes the topology with the figures that the runs correct: the fastest of
/// each schedule, since what others do to the machine is no figure of it.
static Error writeCorrected(const CommandLine &line, Report &report,
                            commir::DistributableOpInterface tuned,
                            const Measurements &runs) {
  ReportOperator &op = report.operators.front();
  std::vector<MeasuredSchedule> measured;
  std::string error;
  for (const ReportRow &row : op.found) {
    Schedule schedule = *parseSchedule(row.schedule, error);
    // The model does not tell other blocks than the generator's.
    if (row.measured == 0 || !schedule.tile.empty())
      continue;
    const std::vector<double> &seconds = runs.runsOf(row.schedule);
    measured.push_back({std::move(schedule),
                        *std::min_element(seconds.begin(), seconds.end()),
                        row.measuredInterval});
  }
  std::vector<std::string> known;
  CostProblem problem =
      costProblemOf(tuned, line.tuning, report.topology.device, known);
  std::optional<Correction> correction =
      correctFigures(problem, report.topology, measured, error);
  if (!correction)
    return badInput("--correct: " + error);
  std::vector<std::string> comments = describe(*correction, measured.size());
  op.remarks.insert(op.remarks.end(), comments.begin(), comments.end());
  comments.insert(comments.begin(), report.machine + ", for " + op.title);
  Error failure =
      llvm::writeToOutput(line.correct, [&](llvm::raw_ostream &os) -> Error {
        commir::TopologyOp topology = commir::lookupTopology(tuned);
        emitTopology(os, *tuned->getContext(), topology.getSymName(),
                     correction->topology, comments);
        return Error::success();
      });
  if (failure)
    return badInput("cannot write '" + line.correct +
                    "': " + llvm::toString(std::move(failure)));
  return Error::success();
}

/// The operators' rows after a plan was chosen: its schedules are the first.
static void putFirst(llvm::ArrayRef<llvm::StringRef> schedules,
                     Report &report) {
  for (auto [schedule, op] : llvm::zip_equal(schedules, report.operators)) {
    auto it = llvm::find_if(op.found, [&](const ReportRow &row) {
      return row.schedule == schedule;
    });
    if (it == op.found.begin() || it == op.found.end())
      continue;
    double before = op.found.front().seconds;
    std::rotate(op.found.begin(), it, it + 1);
    op.isProven = false;
    if (before > 0)
      op.gap =
          std::max((1 + op.gap) * op.found.front().seconds / before - 1, 0.0);
  }
}

/// What does not go with several operators.
static Error checkSeveral(const CommandLine &line, const Report &report,
                          mlir::func::FuncOp function) {
  size_t count = report.operators.size();
  if (count == 0)
    return badInput("--measure: no operator of @" + function.getSymName() +
                    " was tuned");
  for (auto [name, isGiven] : {std::pair("--correct", !line.correct.empty()),
                               std::pair("--variants", line.variants > 0)})
    if (count > 1 && isGiven)
      return badInput(llvm::Twine(name) +
                      " is for functions with one operator to tune; @" +
                      function.getSymName() + " has " + llvm::Twine(count));
  return Error::success();
}

/// What runs of the function are of.
static TuningKey keyOf(const TunedOperators &tuned, const Report &report,
                       const TuneOptions &options) {
  TuningKey key;
  for (commir::DistributableOpInterface op : tuned.contractions) {
    TuningKey own = tuningKeyOf(op, report.topology, options);
    own.op = key.op + (key.op.empty() ? "" : "\n") + own.op;
    key = std::move(own);
  }
  return key;
}

Error measureFunction(mlir::ModuleOp module, const CommandLine &line,
                      mlir::func::FuncOp function, const TunedOperators &tuned,
                      Report &report, ProgressBar &bar) {
  if (Error problem = checkSeveral(line, report, function))
    return problem;
  bool isAlone = tuned.contractions.size() == 1;
  ReportOperator &measured = isAlone ? report.operators.front() : report.plans;
  Measurements runs;
  std::string remark, error;
  if (Verdict verdict =
          runs.open(line.resume, keyOf(tuned, report, line.tuning),
                    describeRanks(line.ranksAs), remark);
      !verdict)
    return badInput(verdict.reason());
  if (!remark.empty())
    measured.remarks.push_back(remark);
  size_t count =
      isAlone ? addVariants(line, report.topology, tuned.contractions.front(),
                            line.measure, measured)
              : std::min<size_t>(line.measure, measured.found.size());
  if (Error problem =
          measureSchedules(module, line, measured, count, runs, bar))
    return problem;
  const ReportRow &best = measured.found.front();
  llvm::SmallVector<llvm::StringRef> texts;
  llvm::StringRef(best.schedule).split(texts, '\n');
  std::vector<Schedule> schedules;
  for (llvm::StringRef text : texts)
    schedules.push_back(*parseSchedule(text, error));
  if (!isAlone) {
    putFirst(texts, report);
    report.seconds = best.seconds;
  }
  if (failed(setSchedules(tuned, function, report.topology, line.tuning,
                          report.machine, schedules, best.measured)))
    return badInput("");
  return line.correct.empty() || best.measured == 0
             ? Error::success()
             : writeCorrected(line, report, tuned.contractions.front(), runs);
}

} // namespace mercury::tune
