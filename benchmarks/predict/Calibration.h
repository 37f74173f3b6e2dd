//===- Calibration.h - Kernels and collectives -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PREDICT_CALIBRATION_H
#define MERCURY_BENCHMARKS_PREDICT_CALIBRATION_H

#include "Mercury/Schedule/Machine.h"
#include "Rows.h"

namespace mercury::predict {

/// A row of a kernel or a collective, in the terms of the model.
struct Sample {
  size_t line = 0;
  std::string source;
  std::string generation, machine;
  std::string operation; ///< "attention", "gemm", or a collective's name
  std::string library;
  // Kernels.
  int64_t headDim = 0;
  bool causal = false;
  std::string direction; ///< "fwd", "bwd", "fwd+bwd"
  double size = 0;       ///< keys, cube root of m n k, bytes
  double operations = 0; ///< of one run; 0 where the row does not say
  double fraction = 0;   ///< of the peak
  double peak = 0;
  // Collectives.
  int64_t ranks = 0, nodes = 1;
  bool ring = false;    ///< the switch was turned off
  std::string network;  ///< of several nodes; "" the machine's
  double bandwidth = 0; ///< bus bandwidth

  double measured() const { return fraction > 0 ? fraction : bandwidth; }
  /// What two sources have to share for one to predict the other.
  std::string key() const;
};

/// Samples of the published rows and of the files of `measured`; a run that is
/// given as time and as bandwidth is one. What is no sample gets a reason.
std::vector<Sample> samplesOf(const std::vector<Row> &rows,
                              const std::string &dataDir,
                              std::map<size_t, std::string> &reasons);

/// Rates of a generation's kernels fitted to all samples but those of one
/// source.
std::vector<AchievedRate> fitRates(const std::vector<Sample> &samples,
                                   const std::string &generation,
                                   const std::string &without);

/// Prints table (a).
void printCalibration(const std::vector<Sample> &samples, bool all);
/// Prints the fit as lib/Schedule/Machines/AchievedRates.cpp has it.
void printRates(const std::vector<Sample> &samples);

} // namespace mercury::predict

#endif // MERCURY_BENCHMARKS_PREDICT_CALIBRATION_H
