//===- CommandLine.h - Options of mercury-run -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_COMMANDLINE_H
#define MERCURY_TOOLS_MERCURY_RUN_COMMANDLINE_H

#include "Compile.h"
#include "RankRunner.h"
#include <map>
#include <optional>

namespace mercury::run {

struct CommandLine {
  std::string file;
  CompileOptions compile;
  LaunchOptions launch;
  bool verify = false, json = false, stats = false, listSchedules = false;
  uint64_t seed = 0;
  std::map<unsigned, std::string> argumentFiles, resultFiles;
  std::vector<std::string> libraries;
  std::optional<Stage> emit;
  std::string objectFile; ///< where to write one instead of running; or empty
  std::string packageFolder; ///< where a package is written; empty: nowhere
  bool predict = false;      ///< simulate instead of running
  std::string timelineFile; ///< where to write the simulation's; empty: nowhere
  bool emulate = false;     ///< run on the clock of the topology's machine
  bool ranksAreProcesses = false;
  bool enforceMemory = false; ///< the device's memory is the memory limit
  std::string mpi;            ///< implementation of MPI; empty: any
};

/// Parses the command line; --help and --version end the process. Fails with
/// bad input after a mistake has been reported on the standard error.
llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_COMMANDLINE_H
