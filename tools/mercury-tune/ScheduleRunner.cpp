//===- ScheduleRunner.cpp - Schedules on the ranks at hand ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRunner.h"
#include "Emulation.h"
#include "RunError.h"
#include "llvm/TargetParser/Host.h"
#include <thread>
#include <unistd.h>

namespace mercury::tune {

/// What the fastest program takes on an emulated machine.
static constexpr double kEmulatedSeconds = 0.3;

llvm::Error ScheduleRunner::compile(std::string schedule) {
  run::CompileOptions options;
  options.entry = line.entry;
  options.topology = line.topology;
  options.schedule = std::move(schedule);
  options.local = line.local;
  options.verifyEach = false;
  Program program;
  switch (line.ranksAs) {
  case RanksAs::Threads:
  case RanksAs::MPI:
    break;
  case RanksAs::CUDA:
    options.target = run::Target::CUDA;
    options.chip = line.chip;
    break;
  case RanksAs::Emulated: {
    options.target = run::Target::Emulated;
    // No kernel runs.
    options.local = "loops";
    options.optLevel = 0;
    llvm::Expected<run::Prediction> prediction = run::predict(module, options);
    if (!prediction)
      return prediction.takeError();
    program.prediction = std::move(*prediction);
    break;
  }
  }
  llvm::Expected<run::CompiledProgram> compiled =
      run::compileProgram(module, options);
  if (!compiled)
    return compiled.takeError();
  program.compiled = std::move(*compiled);
  if (programs.empty())
    arguments = run::makeArguments(program.compiled.globalArguments(),
                                   /*seed=*/0);
  programs.push_back(std::move(program));
  return llvm::Error::success();
}

double ScheduleRunner::timeScale() const {
  double fastest = HUGE_VAL;
  for (const Program &program : programs)
    fastest = std::min(fastest, program.prediction->simulation.seconds);
  return fastest > 0 ? kEmulatedSeconds / fastest : 1;
}

llvm::Expected<double> ScheduleRunner::run(size_t number) {
  const Program &program = programs[number];
  run::LaunchOptions launch;
  launch.poison = false;
  launch.results = false;
  std::optional<run::EmulatedMachine> machine;
  if (program.prediction) {
    machine.emplace(*program.prediction);
    launch.clock = machine->clock();
    launch.timeScale = timeScale();
  } else {
    launch.repeat = 2; // the first one warms up
  }
  llvm::Expected<run::RunResult> result =
      run::runProgram(program.compiled, arguments, launch);
  if (!result)
    return result.takeError();
  if (machine)
    if (llvm::Error error = machine->check(launch.repeat))
      return std::move(error);
  return result->seconds.empty() ? 0
                                 : result->seconds.back() / launch.timeScale;
}

std::string describeRanks(RanksAs ranksAs) {
  std::string text = stringify(ranksAs).str();
  if (ranksAs == RanksAs::Emulated)
    return text;
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return text + " of " + host + ", " + llvm::sys::getHostCPUName().str() +
         ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

} // namespace mercury::tune
