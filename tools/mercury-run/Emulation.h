//===- Emulation.h - The clock of another machine ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_EMULATION_H
#define MERCURY_TOOLS_MERCURY_RUN_EMULATION_H

#include "Mercury/Runtime/mercury_host.h"
#include "Mercury/Tuning/LinkDemands.h"
#include "Predict.h"
#include "RankRunner.h"

namespace mercury::run {

/// Says how long kernels and communication of a program take on the machine
/// that it was predicted for: kernels as long as they are predicted to, in
/// their order, communication as the figures of the links say; those who share
/// ports, and kernels beside communication, go slower. The real program decides
/// when work begins.
class EmulatedMachine {
public:
  /// `prediction` outlives this.
  explicit EmulatedMachine(const Prediction &prediction);

  /// What the host library asks; usable as long as this lives.
  const mercury_host_clock *clock() const { return &interface; }
  /// Fails where ranks have not launched the kernels that are predicted, once
  /// for each repetition.
  llvm::Error check(int64_t repetitions) const;

private:
  llvm::Expected<Demand> demandOf(const mercury_host_work &work);
  int64_t begin(const mercury_host_work &work, double now, char *error,
                size_t errorSize);
  int32_t advance(double now, int64_t *ended, int32_t capacity, double *next);

  LinkDemands links;
  SharedProgress progress;
  std::vector<std::vector<double>> kernels; ///< seconds, by rank
  std::vector<int64_t> launched;            ///< by rank
  std::vector<SharedProgress::Id> ended;    ///< that nobody has been told of
  mercury_host_clock interface;
};

/// The measured time, in seconds of the machine, beside the predicted one.
void printEmulation(llvm::raw_ostream &os, const Prediction &prediction,
                    const RunResult &run, double timeScale);
/// The same as one JSON object.
void printEmulationJSON(llvm::raw_ostream &os, const Prediction &prediction,
                        const RunResult &run, double timeScale);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_EMULATION_H
