//===- CommandLine.h - Options of mercury-tune ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_COMMANDLINE_H
#define MERCURY_TOOLS_MERCURY_TUNE_COMMANDLINE_H

#include "Mercury/Tuning/Tune.h"
#include "llvm/Support/Error.h"

namespace mercury::tune {

enum class Form { Table, Schedule, Transform, Json, Html, Timeline };

/// What ranks are that schedules are measured on.
enum class RanksAs {
  Threads,
  MPI,
  Emulated, ///< threads, on the clock of the topology's machine
  CUDA
};
llvm::StringRef stringify(RanksAs ranksAs);

struct CommandLine {
  std::string file;     ///< "-": standard input
  std::string entry;    ///< function; "": the only one
  std::string topology; ///< text or @symbol; "": the module's
  TuneOptions tuning;
  Form form = Form::Table;
  std::string output = "-";
  int64_t measure = 0;      ///< schedules that are run
  size_t variants = 0;      ///< of each, in other blocks and with other kernels
  bool sensitivity = false; ///< the table says how times depend on levels
  RanksAs ranksAs = RanksAs::Threads;
  std::string mpi;     ///< implementation of MPI; "": any
  std::string chip;    ///< of GPUs that run
  std::string resume;  ///< file of runs; "": none
  std::string correct; ///< file for the topology as the runs correct it
  double measureBudget = 60;
  std::string local = "codegen"; ///< of what is run
  bool calibrate = false;
  int64_t ranks = 0; ///< of the calibration; 0: one a core
};

/// Reads the arguments; `--help` and `--version` end the program.
llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_COMMANDLINE_H
