//===- ScheduleRunner.h - Schedules on the ranks at hand --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_SCHEDULERUNNER_H
#define MERCURY_TOOLS_MERCURY_TUNE_SCHEDULERUNNER_H

#include "CommandLine.h"
#include "Predict.h"

namespace mercury::tune {

/// Compiles a function under several schedules and runs it. Where ranks are
/// processes, all of them do the same.
class ScheduleRunner {
public:
  ScheduleRunner(mlir::ModuleOp module, const CommandLine &line)
      : module(module), line(line) {}

  llvm::Error compile(std::string schedule);
  /// Seconds of a run, once it is warm, from the first rank's start to the last
  /// one's end: of this machine, or of the topology's where that is emulated.
  /// Processes other than rank 0's get 0.
  llvm::Expected<double> run(size_t number);
  /// Programs that were compiled.
  size_t size() const { return programs.size(); }

private:
  struct Program {
    run::CompiledProgram compiled;
    std::optional<run::Prediction> prediction; ///< where it is emulated
  };
  double timeScale() const;

  mlir::ModuleOp module;
  const CommandLine &line;
  std::vector<Program> programs;
  std::vector<run::HostTensor> arguments;
};

/// What runs depend on besides the problem: what ranks are, and on which
/// machine.
std::string describeRanks(RanksAs ranksAs);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_SCHEDULERUNNER_H
