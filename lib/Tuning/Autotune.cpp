//===- Autotune.cpp - The schedules that the model finds best -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Tuning/Passes.h"
#include "Mercury/Tuning/Tune.h"

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

  LogicalResult readOptions(TuneOptions &options) {
    std::string error;
    std::optional<Objective> parsed =
        parseObjective(std::string_view(objective), error);
    if (!parsed)
      return getOperation()->emitError() << error;
    std::optional<LocalKernel> kernel =
        parseLocalKernel(std::string_view(local), error);
    if (!kernel)
      return getOperation()->emitError() << error;
    if (memoryLimit < 0 || budget < 0)
      return getOperation()->emitError()
             << "memory-limit and budget must not be negative, got "
             << memoryLimit << " and " << budget;
    options.objective = *parsed;
    options.local = *kernel;
    for (const std::string &name : kernels)
      if (globalKernelRegistry().lookup(name).empty())
        return getOperation()->emitError()
               << "option 'kernels': no kernel '" << name << "' is registered";
    options.kernels.assign(kernels.begin(), kernels.end());
    options.memoryLimit = memoryLimit;
    options.budget = budget;
    options.database = database;
    options.top = 1;
    return success();
  }

  void runOnOperation() override {
    TuneOptions options;
    if (failed(readOptions(options)) ||
        failed(setModuleTopology(getOperation(), topology)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      TopologyOp found = lookupTopology(function);
      if (!found) {
        function.emitError() << "no topology resolves for the tuner";
        return signalPassFailure();
      }
      Report report;
      report.topology = found.getModel();
      report.machine = topology.empty() ? "@" + found.getSymName().str()
                                        : std::string(topology);
      if (failed(tuneFunction(function, report.topology, options, report)))
        return signalPassFailure();
      for (const ReportOperator &op : report.operators)
        if (!op.found.empty())
          function.emitRemark()
              << op.title << ": " << op.found.front().words << "; predicted "
              << timeText(op.found.front().seconds) << ", bound by "
              << op.found.front().bound << ", "
              << bytesText(op.found.front().memory) << " a rank";
    }
  }
};
} // namespace
