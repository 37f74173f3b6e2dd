//===- Report.h - What a run prints -----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_REPORT_H
#define MERCURY_TOOLS_MERCURY_RUN_REPORT_H

#include "RankRunner.h"
#include "Verify.h"
#include "llvm/Support/raw_ostream.h"
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace mercury::run {

/// All that a report is made of.
struct Report {
  const CompiledProgram &program;
  const RunResult &run;
  std::optional<Verification> verification; ///< nothing: not asked for
};

/// Rows of columns, the first left-aligned, the others right-aligned; two
/// blanks between them.
std::string printTable(const std::vector<std::vector<std::string>> &rows);

/// "12,582,912"
std::string printCount(int64_t value);
/// "1.23 ms"
std::string printSeconds(double seconds);

/// The tables for people; `stats` adds counters and memory classes per rank and
/// the times of the compiler.
void printReport(llvm::raw_ostream &os, const Report &report, bool stats);
/// One JSON object with all of it; bytes, seconds.
void printJSON(llvm::raw_ostream &os, const Report &report);

/// Says on `os` what is going on when a phase takes more than `delay` seconds,
/// and again every ten seconds. From construction to destruction.
class Progress {
public:
  explicit Progress(llvm::raw_ostream &os, double delay = 2);
  ~Progress();
  void enter(llvm::StringRef phase);

private:
  void watch();

  llvm::raw_ostream &os;
  double delay;
  std::mutex mutex;
  std::condition_variable changed;
  std::string phase;
  uint64_t phases = 0;
  bool done = false;
  std::thread thread;
};

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_REPORT_H
