//===- Predict.h - The time of a program, simulated -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_PREDICT_H
#define MERCURY_TOOLS_MERCURY_RUN_PREDICT_H

#include "Compile.h"
#include "Mercury/Tuning/Simulator.h"

namespace mercury::run {

/// What the simulator says of a program for devices.
struct Prediction {
  std::string schedule; ///< its name, or where it comes from
  TopologyModel topology;
  SimulatedProgram program;
  Simulation simulation;
  double compileSeconds = 0; ///< until the program stood there
};

/// Lowers a copy of `module` as for devices, as far as streams and events, and
/// fills in what is known of the program.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerForDevices(mlir::ModuleOp module, const CompileOptions &options,
                CompiledProgram &program);

/// Does so and simulates it on the figures of its topology, or on `figures` of
/// the same levels.
llvm::Expected<Prediction> predict(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   const TopologyModel *figures = nullptr);

/// The time, a table of ranks and one of congestion domains.
void printPrediction(llvm::raw_ostream &os, const Prediction &prediction);
/// The same as one JSON object; bytes, seconds.
void printPredictionJSON(llvm::raw_ostream &os, const Prediction &prediction);
/// Writes the timeline of all streams for Perfetto.
llvm::Error writeTimeline(const Prediction &prediction, llvm::StringRef path);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_PREDICT_H
