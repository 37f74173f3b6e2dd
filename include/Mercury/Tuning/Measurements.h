//===- Measurements.h - Runs of schedules, kept in a file -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_MEASUREMENTS_H
#define MERCURY_TUNING_MEASUREMENTS_H

#include "Mercury/Tuning/Database.h"

namespace mercury {

/// Seconds of runs of the schedules of one problem, so that measuring can go on
/// where it was interrupted.
class Measurements {
public:
  Measurements() : file("file of runs", "mercury runs of schedules", 1) {}

  /// Runs of `problem` on `ranks` (what they are, on which machine). Takes what
  /// stands in the file `path`; one that does not exist is empty. A file that
  /// is none of ours, or of other runs, is moved aside, and `remark` says why.
  /// Not ok where it can neither be read nor moved. "": kept in no file.
  Verdict open(std::string path, const TuningKey &problem, std::string ranks,
               std::string &remark);

  /// Seconds of each run of a schedule, by its text.
  const std::vector<double> &runsOf(const std::string &schedule) const;
  void add(const std::string &schedule, double seconds);
  /// Of all schedules.
  size_t size() const;

  /// Writes all runs in the place of the file at once.
  Verdict save() const;

private:
  Verdict read(bool &isOurs);

  KeptFile file;
  TuningKey problem;
  std::string ranks;
  std::map<std::string, std::vector<double>> runs;
};

} // namespace mercury

#endif // MERCURY_TUNING_MEASUREMENTS_H
