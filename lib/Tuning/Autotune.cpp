//===- Autotune.cpp - The schedules that the model finds best -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Tuning/Passes.h"
#include "Mercury/Tuning/Tune.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mercury {
#define GEN_PASS_DEF_AUTOTUNEPASS
#include "Mercury/Tuning/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
struct AutotunePass : public mercury::impl::AutotunePassBase<AutotunePass> {
  using AutotunePassBase::AutotunePassBase;

  std::optional<TuneOptions> readOptions(std::string &error) {
    TuneTexts texts;
    texts.objective = objective;
    texts.inputs = inputs;
    texts.results = results;
    texts.memoryLimit = memoryLimit;
    texts.budget = budget;
    texts.local = local;
    texts.database = database;
    texts.against.assign(against.begin(), against.end());
    texts.kernels.assign(kernels.begin(), kernels.end());
    texts.validFor.assign(validFor.begin(), validFor.end());
    texts.top = top;
    if (!llvm::is_contained({"table", "json", "html"}, emit)) {
      error = "emit: '" + emit + "' is none of 'table', 'json' and 'html'";
      return std::nullopt;
    }
    return parseTuneOptions(texts, /*dashes=*/"", error);
  }

  /// Those with a body that are asked for.
  FailureOr<SmallVector<func::FuncOp>> functionsToTune() {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock() &&
          (entry.empty() || function.getSymName() == entry))
        functions.push_back(function);
    if (functions.empty() && !entry.empty())
      return getOperation()->emitError()
             << "entry: no function with a body is called '" << entry << "'";
    if (functions.size() > 1 && emit != "table" && !output.empty())
      return getOperation()->emitError()
             << "emit=" << emit << " is of one function, and the module has "
             << functions.size() << "; entry names one";
    return functions;
  }

  FailureOr<Report> tune(func::FuncOp function, const TuneOptions &options) {
    TopologyOp found = lookupTopology(function);
    if (!found)
      return function.emitError() << "no topology resolves for the tuner";
    Report report;
    report.topology = found.getModel();
    report.machine = topology.empty() ? "@" + found.getSymName().str()
                                      : std::string(topology);
    report.showsSensitivity = sensitivity;
    report.memoryLimit = options.memoryLimit > 0
                             ? options.memoryLimit
                             : availableBytes(report.topology.device);
    auto tuned = tuneFunction(function, report.topology, options, report);
    if (failed(tuned))
      return failure();
    for (auto [op, entry] :
         llvm::zip_equal(tuned->contractions, report.operators)) {
      const ReportRow &row = entry.found.front();
      op->emitRemark() << entry.title << ": " << row.words << "; predicted "
                       << timeText(row.seconds) << ", bound by " << row.bound
                       << ", " << bytesText(row.memory) << " a rank";
    }
    return report;
  }

  LogicalResult write(ArrayRef<Report> reports) {
    if (output.empty())
      return success();
    std::string problem;
    std::unique_ptr<llvm::ToolOutputFile> file =
        openOutputFile(output, &problem);
    if (!file)
      return getOperation()->emitError() << problem;
    for (const Report &report : reports)
      (emit == "json"   ? writeJson
       : emit == "html" ? writeHtml
                        : writeTable)(file->os(), report);
    file->keep();
    return success();
  }

  void runOnOperation() override {
    std::string error;
    std::optional<TuneOptions> options = readOptions(error);
    if (!options) {
      getOperation()->emitError() << error;
      return signalPassFailure();
    }
    auto functions = functionsToTune();
    if (failed(functions) ||
        failed(setModuleTopology(getOperation(), topology)))
      return signalPassFailure();
    std::vector<Report> reports;
    for (func::FuncOp function : *functions) {
      FailureOr<Report> report = tune(function, *options);
      if (failed(report))
        return signalPassFailure();
      reports.push_back(std::move(*report));
    }
    if (failed(write(reports)))
      signalPassFailure();
  }
};
} // namespace
