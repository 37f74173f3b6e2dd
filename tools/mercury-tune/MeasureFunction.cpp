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

/// The operator of `function` that has the schedule.
static commir::DistributableOpInterface findTuned(mlir::func::FuncOp function,
                                                  const std::string &schedule) {
  commir::DistributableOpInterface found;
  function.walk([&](commir::DistributableOpInterface op) {
    auto attribute =
        op->getAttrOfType<commir::ScheduleAttr>(commir::kScheduleAttrName);
    if (!found && attribute && print(attribute.getValue()) == schedule)
      found = op;
  });
  return found;
}

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

Error measureFunction(mlir::ModuleOp module, const CommandLine &line,
                      mlir::func::FuncOp function, Report &report,
                      ProgressBar &bar) {
  if (report.operators.size() != 1)
    return badInput("--measure is for functions with one operator to tune; @" +
                    function.getSymName() + " has " +
                    llvm::Twine(report.operators.size()));
  ReportOperator &op = report.operators.front();
  commir::DistributableOpInterface tuned =
      findTuned(function, op.found.front().schedule);
  TuningKey key = tuningKeyOf(tuned, report.topology, line.tuning);
  Measurements runs;
  std::string remark, error;
  if (Verdict verdict =
          runs.open(line.resume, key, describeRanks(line.ranksAs), remark);
      !verdict)
    return badInput(verdict.reason());
  if (!remark.empty())
    op.remarks.push_back(remark);
  size_t count = addVariants(line, report.topology, tuned, line.measure, op);
  if (Error problem = measureSchedules(module, line, op, count, runs, bar))
    return problem;
  const ReportRow &best = op.found.front();
  tuned->setAttr(
      commir::kScheduleAttrName,
      commir::ScheduleAttr::get(module.getContext(),
                                *parseSchedule(best.schedule, error)));
  if (!line.tuning.database.empty()) {
    TuningDatabase database;
    Verdict verdict = database.open(line.tuning.database, remark);
    if (verdict && !remark.empty())
      op.remarks.push_back(remark);
    database.set(key,
                 {report.machine, best.schedule, best.seconds, best.measured,
                  /*validFor=*/"", /*gap=*/0});
    if (verdict)
      verdict = database.save();
    if (!verdict)
      op.remarks.push_back(verdict.reason());
  }
  return line.correct.empty() || best.measured == 0
             ? Error::success()
             : writeCorrected(line, report, tuned, runs);
}

} // namespace mercury::tune
