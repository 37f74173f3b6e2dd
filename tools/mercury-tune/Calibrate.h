//===- Calibrate.h - The figures of this machine ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_CALIBRATE_H
#define MERCURY_TOOLS_MERCURY_TUNE_CALIBRATE_H

#include "Mercury/Schedule/TopologyModel.h"
#include "ProgressBar.h"
#include "llvm/Support/Error.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mercury::tune {

struct CalibrateOptions {
  int64_t ranks = 0;  ///< 0: one a core
  double budget = 60; ///< seconds, compiling included
};

/// Measures ranks that are threads of this machine: rates of generated code for
/// contractions and attention, memory, and communication over message sizes;
/// the intervals are those of the medians. The level is called `gpu`, so that
/// schedules need not be rewritten.
llvm::Expected<TopologyModel> calibrate(mlir::MLIRContext &context,
                                        const CalibrateOptions &options,
                                        ProgressBar &bar);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_CALIBRATE_H
