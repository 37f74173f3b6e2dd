//===- Probes.h - Small programs, timed again and again ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_PROBES_H
#define MERCURY_TOOLS_MERCURY_TUNE_PROBES_H

#include "Mercury/Tuning/Median.h"
#include "ProgressBar.h"
#include "RankRunner.h"

namespace mercury::tune {

/// Times of small programs on a machine that does something else, too: each
/// visit takes the fastest of several runs, visits of all programs are in
/// turns, and the median of visits counts. Of one rank it is processor time,
/// which others lengthen little; ranks that wait for each other are timed by
/// the clock.
class Probes {
public:
  Probes(mlir::MLIRContext &context, ProgressBar &bar)
      : context(context), bar(bar) {}

  /// A time to be known: of the program of the module `text` on one rank, which
  /// computes as `local` says (--local). Returns its number.
  llvm::Expected<size_t> add(std::string what, const std::string &text,
                             llvm::StringRef local = "codegen");
  /// The same of one of `times` operations that `more` does and `less` does
  /// not, on as many ranks.
  llvm::Expected<size_t> addDifference(std::string what,
                                       const std::string &less,
                                       const std::string &more, int64_t times,
                                       int64_t numRanks);

  /// Visits all until each is known well or `budget` seconds have passed, but
  /// each a few times. Fails where someone interrupts.
  llvm::Error measure(double budget);
  /// Seconds; 0 where a difference is lost in noise.
  Median of(size_t number) const;

private:
  struct Program {
    run::CompiledProgram compiled;
    std::vector<run::HostTensor> arguments;
    int64_t repeat = 0; ///< runs of a visit; 0: not known yet
  };
  struct Time {
    std::string what;
    size_t program, less;
    double times = 1;
    std::vector<double> visits = {};
  };
  /// Number of a program that takes no time.
  static constexpr size_t none = ~size_t(0);

  llvm::Expected<size_t> compile(llvm::StringRef what, const std::string &text,
                                 int64_t numRanks,
                                 llvm::StringRef local = "codegen");
  llvm::Expected<double> visit(Program &program);
  llvm::Error visit(Time &time);

  mlir::MLIRContext &context;
  ProgressBar &bar;
  std::vector<Program> programs;
  std::vector<Time> times;
};

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_PROBES_H
