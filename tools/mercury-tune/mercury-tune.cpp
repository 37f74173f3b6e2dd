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
#include "Measure.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/InitAll.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Transforms/Passes.h"
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
#include <unistd.h>

using namespace mercury;
using namespace mercury::tune;
using llvm::Error;
using run::badInput;

/// What is done now: a line that changes on a terminal, nothing elsewhere.
static void showProgress(llvm::StringRef text) {
  if (isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K" << text;
}

static void endProgress() { showProgress(""); }

static Error calibrateTo(llvm::raw_ostream &os, mlir::MLIRContext &context,
                         const CommandLine &line) {
  CalibrateOptions options;
  options.ranks = line.ranks;
  options.progress = showProgress;
  llvm::Expected<TopologyModel> machine = calibrate(context, options);
  endProgress();
  if (!machine)
    return machine.takeError();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(module->getBody());
  commir::TopologyOp::create(b, module->getLoc(), llvm::StringRef("host"),
                             *machine);
  os << "// This machine, measured by mercury-tune --calibrate.\n";
  module->print(os);
  os << '\n';
  return Error::success();
}

/// Finds schedules for the entry of `module`, in which operators are prepared
/// and get them.
static llvm::Expected<Report> tuneEntry(mlir::ModuleOp module,
                                        const CommandLine &line,
                                        mlir::func::FuncOp &function) {
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
  report.memoryLimit = line.tuning.memoryLimit > 0
                           ? line.tuning.memoryLimit
                           : availableBytes(report.topology.device);
  if (failed(tuneFunction(function, report.topology, line.tuning, report)))
    return badInput("");
  return report;
}

static Error emit(llvm::raw_ostream &os, const CommandLine &line,
                  const Report &report, mlir::ModuleOp module,
                  mlir::func::FuncOp function) {
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
    if (!report.operators.empty())
      writeTrace(os, report.operators.front());
    return Error::success();
  case Form::Schedule:
  case Form::Transform:
    break;
  }
  if (line.form == Form::Transform) {
    emitTransform(os, function);
    return Error::success();
  }
  // The contractions that follow the ones that were tuned.
  SetSchedulePassOptions rest;
  rest.schedule = "default";
  mlir::PassManager pm(module.getContext());
  pm.addPass(createSetSchedulePass(rest));
  if (failed(pm.run(module)))
    return badInput("");
  emitSchedules(os, function);
  return Error::success();
}

/// What ranks do when under the best schedule, as the simulator plays it.
static Error addTimeline(mlir::ModuleOp module, const CommandLine &line,
                         Report &report) {
  if (report.operators.size() != 1 || report.operators.front().found.empty())
    return badInput(
        "a timeline is of one operator that was searched for; there "
        "are " +
        llvm::Twine(report.operators.size()));
  ReportOperator &op = report.operators.front();
  run::CompileOptions options;
  options.entry = line.entry;
  options.topology = line.topology;
  options.schedule = op.found.front().schedule;
  llvm::Expected<run::Prediction> prediction = run::predict(module, options);
  if (!prediction)
    return prediction.takeError();
  op.timeline = spansOf(prediction->program, prediction->simulation);
  op.remarks.push_back("the simulator gives the first " +
                       timeText(prediction->simulation.seconds) +
                       " as a program for devices");
  return Error::success();
}

static Error tuneFile(llvm::raw_ostream &os, mlir::MLIRContext &context,
                      const CommandLine &line) {
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context, llvm::errs());
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(line.file, sources, &context);
  if (!module)
    return badInput("cannot parse '" + line.file + "'");
  mlir::OwningOpRef<mlir::ModuleOp> prepared = module->clone();
  mlir::func::FuncOp function;
  llvm::Expected<Report> report = tuneEntry(*prepared, line, function);
  if (!report)
    return report.takeError();
  if (line.measure > 0) {
    if (report->operators.size() != 1)
      return badInput(
          "--measure is for functions with one operator to tune; @" +
          function.getSymName() + " has " +
          llvm::Twine(report->operators.size()));
    Error error = measureSchedules(*module, line, report->operators.front(),
                                   showProgress);
    endProgress();
    if (error)
      return error;
  }
  if (line.form == Form::Html || line.form == Form::Timeline)
    if (Error error = addTimeline(*module, line, *report)) {
      // A page is worth having without it.
      if (line.form == Form::Timeline)
        return error;
      std::string reason = llvm::toString(std::move(error));
      for (ReportOperator &op : report->operators)
        op.remarks.push_back("no timeline: " + reason);
    }
  return emit(os, line, *report, *prepared, function);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int code = 0;
  auto report = [&](Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [&](const run::RunError &problem) {
          code = static_cast<int>(problem.outcome);
          if (!problem.text.empty())
            llvm::errs() << "mercury-tune: error: " << problem.text << '\n';
        },
        [&](const llvm::ErrorInfoBase &problem) {
          code = static_cast<int>(run::Outcome::RuntimeFailure);
          llvm::errs() << "mercury-tune: error: " << problem.message() << '\n';
        });
    return code;
  };
  llvm::Expected<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return report(line.takeError());
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  // Inputs without it get a topology.
  context.loadDialect<commir::CommIRDialect>();
  std::error_code problem;
  llvm::ToolOutputFile file(line->output, problem, llvm::sys::fs::OF_Text);
  if (problem)
    return report(
        badInput("cannot write '" + line->output + "': " + problem.message()));
  if (Error error = line->calibrate ? calibrateTo(file.os(), context, *line)
                                    : tuneFile(file.os(), context, *line))
    return report(std::move(error));
  file.keep();
  return 0;
}
