//===- Correction.h - A machine's figures after measuring -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_CORRECTION_H
#define MERCURY_TUNING_CORRECTION_H

#include "Mercury/Tuning/CostModel.h"

namespace mercury {

/// How long a schedule took.
struct MeasuredSchedule {
  Schedule schedule;
  double seconds = 0;
  double interval = 0; ///< half of it, relative
};

/// Figures of a machine that are too high or too low together.
struct CorrectedFigure {
  std::string name;    ///< "kernels", "kernel blas", "memory", "level gpu"
  double factor = 1;   ///< of the time that they give
  double before = 0;   ///< half of their interval, relative, as it was
  double interval = 0; ///< and as it is now
  bool isTold = false; ///< by the runs, and not by what was known alone
};

struct Correction {
  TopologyModel topology; ///< with the figures that were found
  std::vector<CorrectedFigure> figures;
  /// Root mean squares of the relative errors of the predictions.
  double errorBefore = 0, errorAfter = 0;
};

/// What was found, in lines: the error before and after, and each figure.
std::vector<std::string> describe(const Correction &correction,
                                  size_t schedules);

/// The figures under which the model predicts what was measured, as near to
/// those of `topology` as their intervals let it expect: of the kernels that
/// the problem needs, the memory, launches, and each level. Least squares of
/// the logarithms of times, weighed by the interval of each run and of each
/// figure; so runs that do not tell two figures apart change both a little, and
/// what no run needs stays as it is. Nothing where the topology lacks a figure
/// to correct, or there is no run; `error` says so.
std::optional<Correction>
correctFigures(const CostProblem &problem, const TopologyModel &topology,
               const std::vector<MeasuredSchedule> &measured,
               std::string &error);

} // namespace mercury

#endif // MERCURY_TUNING_CORRECTION_H
