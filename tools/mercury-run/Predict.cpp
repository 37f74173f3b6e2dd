//===- Predict.cpp - The time of a program, simulated ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Predict.h"
#include "Mercury/Tuning/SimulateFunction.h"
#include "Report.h"
#include "RunError.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"
#include <chrono>

namespace mercury::run {

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerForDevices(mlir::ModuleOp module, const CompileOptions &options,
                CompiledProgram &program) {
  auto spmd = lowerProgram(module, options, Stage::SPMD, program);
  if (!spmd)
    return spmd;
  mlir::PassManager pm(module.getContext());
  pm.enableVerifier(options.verifyEach);
  buildDevicePrefix(pm, options.chunks);
  if (mlir::failed(pm.run(**spmd)))
    return badInput("cannot lower @" + program.entry + " for devices");
  return spmd;
}

llvm::Expected<Prediction> predict(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   const TopologyModel *figures) {
  auto start = std::chrono::steady_clock::now();
  CompiledProgram compiled;
  auto lowered = lowerForDevices(module, options, compiled);
  if (!lowered)
    return lowered.takeError();
  auto function = (*lowered)->lookupSymbol<mlir::func::FuncOp>(compiled.entry);
  Prediction prediction;
  prediction.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  prediction.schedule = compiled.schedule;
  prediction.topology = figures ? *figures : compiled.topology;
  auto program = buildSimulatedProgram(function, prediction.topology);
  if (mlir::failed(program))
    return badInput("cannot simulate @" + compiled.entry);
  prediction.program = std::move(*program);
  if (Verdict verdict = simulate(prediction.program, prediction.topology,
                                 prediction.simulation);
      !verdict)
    return badInput("cannot simulate @" + compiled.entry + ": " +
                    verdict.reason());
  return prediction;
}

void printPrediction(llvm::raw_ostream &os, const Prediction &prediction) {
  const Simulation &simulation = prediction.simulation;
  os << printTable({{"schedule", "ranks", "predicted time"},
                    {prediction.schedule,
                     std::to_string(prediction.topology.numRanks()),
                     printSeconds(simulation.seconds)}})
     << '\n';
  std::vector<std::vector<std::string>> rows = {
      {"rank", "end", "computes", "communicates", "exposed", "waits"}};
  for (auto [number, rank] : llvm::enumerate(simulation.ranks))
    rows.push_back({std::to_string(number), printSeconds(rank.end),
                    printSeconds(rank.compute),
                    printSeconds(rank.communication),
                    printSeconds(rank.exposed), printSeconds(rank.waiting)});
  os << printTable(rows) << '\n';
  rows = {{"links", "bytes of all ranks"}};
  for (const Simulation::Domain &domain : simulation.domains)
    rows.push_back(
        {domain.name, printCount(static_cast<int64_t>(domain.bytes))});
  os << printTable(rows);
}

void printPredictionJSON(llvm::raw_ostream &os, const Prediction &prediction) {
  const Simulation &simulation = prediction.simulation;
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schedule", prediction.schedule);
    json.attribute("ranks", prediction.topology.numRanks());
    json.attribute("predicted_seconds", simulation.seconds);
    json.attributeArray("per_rank", [&] {
      for (const Simulation::Rank &rank : simulation.ranks)
        json.object([&] {
          json.attribute("end", rank.end);
          json.attribute("compute_seconds", rank.compute);
          json.attribute("communication_seconds", rank.communication);
          json.attribute("exposed_seconds", rank.exposed);
          json.attribute("wait_seconds", rank.waiting);
        });
    });
    json.attributeObject("bytes", [&] {
      for (const Simulation::Domain &domain : simulation.domains)
        json.attribute(domain.name, domain.bytes);
    });
  });
  os << '\n';
}

llvm::Error writeTimeline(const Prediction &prediction, llvm::StringRef path) {
  std::error_code failure;
  llvm::raw_fd_ostream os(path, failure);
  if (failure)
    return badInput("cannot write '" + path + "': " + failure.message());
  writeTrace(os, spansOf(prediction.program, prediction.simulation));
  os.close();
  if (os.has_error())
    return badInput("cannot write '" + path + "': " + os.error().message());
  return llvm::Error::success();
}

} // namespace mercury::run
