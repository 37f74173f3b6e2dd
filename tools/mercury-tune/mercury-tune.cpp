//===- mercury-tune.cpp - Finds schedules ---------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "CommandLine.h"
#include "Emit.h"
#include "HostLibrary.h"
#include "Interrupt.h"
#include "Job.h"
#include "Measure.h"
#include "MeasureFunction.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/InitAll.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Predict.h"
#include "RunError.h"
#include "Signature.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mercury;
using namespace mercury::tune;
using llvm::Error;
using run::badInput;

static Error calibrateTo(llvm::raw_ostream &os, mlir::MLIRContext &context,
                         const CommandLine &line) {
  ProgressBar bar;
  CalibrateOptions options;
  options.ranks = line.ranks;
  options.budget = line.measureBudget;
  llvm::Expected<TopologyModel> machine = calibrate(context, options, bar);
  bar.clear();
  if (!machine)
    return machine.takeError();
  emitTopology(os, context, "host", *machine,
               {"This machine, measured by mercury-tune --calibrate."});
  return Error::success();
}

/// Finds schedules for the entry of `module`, in which operators are prepared
/// and get them.
static llvm::Expected<Report> tuneEntry(mlir::ModuleOp module,
                                        const CommandLine &line,
                                        mlir::func::FuncOp &function,
                                        TunedOperators &tuned,
                                        ProgressBar &bar) {
  if (failed(setModuleTopology(module, line.topology)))
    return badInput("");
  auto entry = run::findEntry(module, line.entry);
  if (!entry)
    return entry.takeError();
  std::string name = entry->getSymName().str();
  mlir::PassManager pm(module.getContext());
  buildOperators(pm, /*promote=*/true);
  if (failed(pm.run(module)))
    return badInput("");
  function = module.lookupSymbol<mlir::func::FuncOp>(name);
  commir::TopologyOp topology = commir::lookupTopology(function);
  if (!topology)
    return badInput("no topology: give one with --topology=node=2,gpu=4");
  Report report;
  report.topology = topology.getModel();
  report.machine = line.topology.empty() || line.topology.front() == '@'
                       ? "@" + topology.getSymName().str()
                       : line.topology;
  report.showsSensitivity = line.sensitivity;
  report.memoryLimit = line.tuning.memoryLimit > 0
                           ? line.tuning.memoryLimit
                           : availableBytes(report.topology.device);
  TuneOptions options = line.tuning;
  // What is known is measured again.
  if (line.measure > 0) {
    options.database.clear();
    options.top = std::max<size_t>(options.top, line.measure);
    options.plans = line.measure;
  }
  bar.begin(options.budget);
  options.progress = [&](const SearchProgress &search) {
    bar.show(search.elapsed / options.budget,
             "searching: " + llvm::utostr(search.visited) + " schedules");
    return !run::isInterrupted();
  };
  auto found = tuneFunction(function, report.topology, options, report);
  bar.clear();
  if (failed(found))
    return badInput("");
  tuned = std::move(*found);
  return report;
}

static Error emit(llvm::raw_ostream &os, const CommandLine &line,
                  const Report &report, mlir::func::FuncOp function) {
  switch (line.form) {
  case Form::Table:
    writeTable(os, report);
    return Error::success();
  case Form::Json:
    writeJson(os, report);
    return Error::success();
  case Form::Html:
    writeHtml(os, report);
    return Error::success();
  case Form::Timeline:
    writeTrace(os, report.timeline);
    return Error::success();
  case Form::Schedule:
  case Form::Transform:
    break;
  }
  if (line.form == Form::Transform)
    emitTransform(os, function);
  else
    emitSchedules(os, function);
  return Error::success();
}

/// What ranks do when under the schedules of `module`, as the simulator plays
/// it.
static Error addTimeline(mlir::ModuleOp module, const CommandLine &line,
                         Report &report) {
  if (run::isInterrupted())
    return llvm::make_error<run::RunError>(run::Outcome::Interrupted,
                                           "interrupted");
  run::CompileOptions options;
  options.entry = line.entry;
  llvm::Expected<run::Prediction> prediction = run::predict(module, options);
  if (!prediction)
    return prediction.takeError();
  report.compileSeconds = prediction->compileSeconds;
  report.timeline = spansOf(prediction->program, prediction->simulation);
  for (ReportOperator &op : report.operators)
    op.remarks.push_back(
        "the simulator gives the " +
        std::string(report.operators.size() > 1 ? "function " : "first ") +
        timeText(prediction->simulation.seconds) + " as a program for devices");
  return Error::success();
}

/// `leads`: this is rank 0, which searches and says what is run.
static Error tuneFile(llvm::raw_ostream &os, mlir::MLIRContext &context,
                      const CommandLine &line, bool leads) {
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(
      sources, &context, leads ? llvm::errs() : llvm::nulls());
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(line.file, sources, &context);
  if (!module)
    return badInput("cannot parse '" + line.file + "'");
  if (!leads)
    return followMeasuring(*module, line);
  ProgressBar bar;
  mlir::OwningOpRef<mlir::ModuleOp> prepared = module->clone();
  mlir::func::FuncOp function;
  TunedOperators tuned;
  llvm::Expected<Report> report =
      tuneEntry(*prepared, line, function, tuned, bar);
  if (!report)
    return report.takeError();
  if (line.measure > 0)
    if (Error error =
            measureFunction(*module, line, function, tuned, *report, bar))
      return error;
  if (run::isInterrupted())
    for (ReportOperator &op : report->operators)
      op.remarks.push_back("interrupted: this is the best so far" +
                           (line.resume.empty() ? std::string()
                                                : "; the same command goes on "
                                                  "with the runs in '" +
                                                      line.resume + "'"));
  if (line.form == Form::Html || line.form == Form::Timeline)
    if (Error error = addTimeline(*prepared, line, *report)) {
      // A page is worth having without it.
      if (line.form == Form::Timeline)
        return error;
      std::string reason = llvm::toString(std::move(error));
      for (ReportOperator &op : report->operators)
        op.remarks.push_back("no timeline: " + reason);
    }
  return emit(os, line, *report, function);
}

/// Starts mpirun with this program.
static llvm::Expected<int> launch(const CommandLine &line,
                                  mlir::MLIRContext &context,
                                  llvm::ArrayRef<std::string> arguments) {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(line.file, &context);
  if (!module)
    return badInput("cannot parse '" + line.file + "'");
  llvm::Expected<std::string> mpi = run::chooseMPI(line.mpi);
  if (!mpi)
    return mpi.takeError();
  run::CompileOptions options;
  options.entry = line.entry;
  options.topology = line.topology;
  llvm::Expected<int64_t> ranks = run::countRanks(*module, options);
  if (!ranks)
    return ranks.takeError();
  return run::launchJob(*mpi, *ranks, arguments);
}

/// The output of one process; the file stays only where all went well.
static Error writeOutput(mlir::MLIRContext &context, const CommandLine &line,
                         bool leads) {
  std::error_code problem;
  llvm::ToolOutputFile file(leads ? line.output : "-", problem,
                            llvm::sys::fs::OF_Text);
  if (problem)
    return badInput("cannot write '" + line.output + "': " + problem.message());
  if (Error error = line.calibrate ? calibrateTo(file.os(), context, line)
                                   : tuneFile(file.os(), context, line, leads))
    return error;
  file.keep();
  return Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int code = 0;
  std::string text;
  auto note = [&](Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [&](const run::RunError &problem) {
          code = static_cast<int>(problem.outcome);
          text = problem.text;
        },
        [&](const llvm::ErrorInfoBase &problem) {
          code = static_cast<int>(run::Outcome::RuntimeFailure);
          text = problem.message();
        });
  };
  auto say = [&] {
    if (!text.empty())
      llvm::errs() << "mercury-tune: error: " << text << '\n';
  };
  llvm::Expected<CommandLine> line = parseCommandLine(argc, argv);
  if (!line) {
    note(line.takeError());
    say();
    return code;
  }
  run::catchInterrupts();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  // Inputs without it get a topology.
  context.loadDialect<commir::CommIRDialect>();

  bool isJob = line->ranksAs == RanksAs::MPI;
  int rank = 0;
  if (isJob && !run::isPartOfJob()) {
    llvm::Expected<int> result =
        launch(*line, context, std::vector<std::string>(argv + 1, argv + argc));
    if (result)
      return *result;
    note(result.takeError());
    say();
    return code;
  }
  if (isJob) {
    llvm::Expected<int> number = run::joinJob(line->mpi);
    if (!number) {
      note(number.takeError());
      say();
      return code;
    }
    rank = *number;
  } else if (line->ranksAs == RanksAs::CUDA) {
    note(run::bindCuda());
  }
  if (code == 0)
    note(writeOutput(context, *line, /*leads=*/rank == 0));
  if (code == 0 && run::isInterrupted())
    code = static_cast<int>(run::Outcome::Interrupted);
  if (rank == 0)
    say();
  if (!isJob)
    return code;
  bool own = code != 0;
  code = run::finishJob(code, text);
  if (!own && rank == 0)
    say();
  return code;
}
