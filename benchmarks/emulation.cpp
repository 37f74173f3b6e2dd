//===- emulation.cpp - The simulator against emulated execution -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs programs for devices on the clock of a machine (mercury-run --emulate)
// and prints the measured time over the simulated one: of the named schedules
// of a GEMM and of attention, and of those that the enumerator lists the most
// different ones. All of it sleeps, so that a machine with two cores is enough;
// where others use it, take more --seconds.
//
//   bench-emulation [--ranks=4|2x4|4x4] [--operator=gemm|attention]
//                   [--different=N] [--candidates=N] [--seconds=N] [--repeat=N]
//                   [--json=FILE]
//
//===----------------------------------------------------------------------===//

#include "Emulation.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Transforms/Passes.h"
#include "Support.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

#include <limits>

using namespace mercury;
using namespace mercury::bench;
using namespace mercury::run;

namespace {
struct Settings {
  std::string op; ///< empty: both
  std::vector<std::string> ranks = {"4", "2x4", "4x4"};
  size_t different = 15;  ///< enumerated schedules of an operator that run
  size_t candidates = 45; ///< of which they are chosen
  double seconds = 0.7;   ///< that a program is made to take
  int64_t repeat = 1;
  std::string json;
};

struct Operator {
  const char *name, *text;
  bool isAttention;
};

struct Row {
  std::string ranks, op, schedule;
  bool isNamed;
  double predicted, measured;
  double ratio() const { return measured / predicted; }
};
} // namespace

// Extents that 16 ranks divide; small, since buffers are real.
static constexpr Operator operators[] = {{"gemm", R"(
func.func @f(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>)
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %c : tensor<512x512xf32>
})",
                                          false},
                                         {"attention", R"(
func.func @f(%q: tensor<16x512x32xf32>, %k: tensor<16x512x32xf32>,
             %v: tensor<16x512x32xf32>) -> tensor<16x512x32xf32> {
  %init = tensor.empty() : tensor<16x512x32xf32>
  %o = commir.attention maps [affine_map<(h, m, n, d, e) -> (h, m, d)>,
                              affine_map<(h, m, n, d, e) -> (h, n, d)>,
                              affine_map<(h, m, n, d, e) -> (h, n, e)>,
                              affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %v : tensor<16x512x32xf32>, tensor<16x512x32xf32>,
                       tensor<16x512x32xf32>)
      outs(%init : tensor<16x512x32xf32>) -> tensor<16x512x32xf32>
  return %o : tensor<16x512x32xf32>
})",
                                          true}};

/// GPUs with links of their own, of which those of a node share one card; as
/// fast as makes computing and communicating take about as long.
static TopologyModel makeMachine(llvm::StringRef ranks) {
  TopologyModel machine;
  auto [nodes, gpus] = ranks.split('x');
  int64_t numNodes = 0, numGpus = 0;
  if (gpus.empty())
    std::swap(nodes, gpus);
  if ((!nodes.empty() && nodes.getAsInteger(10, numNodes)) ||
      gpus.getAsInteger(10, numGpus) || numGpus < 1)
    fail("--ranks expects 4 or 2x4, but got '" + ranks + "'");
  Level gpu;
  gpu.name = "gpu";
  gpu.size = numGpus;
  gpu.bandwidth = 50e6;
  gpu.latency = 100e-6;
  gpu.launch = 50e-6;
  if (numNodes > 0) {
    Level node = gpu;
    node.name = "node";
    node.size = numNodes;
    node.bandwidth = 25e6;
    node.latency = 500e-6;
    node.sharedBy = numGpus;
    machine.levels.push_back(node);
  }
  machine.levels.push_back(gpu);
  machine.device.peak["f32"] = 20e9;
  machine.device.memoryBandwidth = 2e9;
  machine.device.launch = 50e-6;
  machine.device.communicationShare = 0.1;
  return machine;
}

static std::string shapeOf(const TopologyModel &machine) {
  std::string text;
  for (const Level &level : machine.levels)
    text += (text.empty() ? "" : ",") + level.name + "=" +
            std::to_string(level.size);
  return text;
}

static OperatorModel modelOf(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::PassManager pm(module.getContext());
  pm.addNestedPass<mlir::func::FuncOp>(createExpandAttentionPass());
  if (mlir::failed(pm.run(*copy)))
    fail("cannot expand attention");
  OperatorModel found;
  copy->walk([&](commir::DistributableOpInterface op) {
    OperatorModel model = buildOperatorModel(op);
    bool reduces =
        llvm::any_of(model.loops, [](auto &loop) { return loop.reduction; });
    if (model.inputs.size() >= 2 && reduces)
      found = model;
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// At most `count` of those that the enumerator lists, evenly spread.
static std::vector<std::string> listSchedules(const OperatorModel &model,
                                              const TopologyModel &machine,
                                              bool isAttention, size_t count) {
  EnumeratorOptions options;
  if (isAttention) {
    options.relays = Relays::Together;
    options.bothDirections = true;
  }
  std::vector<std::string> all, some;
  enumerateSchedules(model, machine, options, [&](const Schedule &schedule) {
    all.push_back(print(schedule));
    return true;
  });
  for (size_t i = 0; i < count && i < all.size(); ++i)
    some.push_back(all[i * all.size() / std::min(count, all.size())]);
  return some;
}

/// What tells programs apart: how long, on what, with how much on the way.
static std::vector<double> featuresOf(const Prediction &prediction) {
  const Simulation &simulation = prediction.simulation;
  double all = simulation.seconds, ranks = simulation.ranks.size();
  std::vector<double> features = {std::log2(all)};
  double compute = 0, communication = 0, exposed = 0, waiting = 0;
  for (const Simulation::Rank &rank : simulation.ranks) {
    compute += rank.compute / all / ranks;
    communication += rank.communication / all / ranks;
    exposed += rank.exposed / all / ranks;
    waiting += rank.waiting / all / ranks;
  }
  features.insert(features.end(), {compute, communication, exposed, waiting});
  for (const Simulation::Domain &domain : simulation.domains)
    features.push_back(std::log2(1 + domain.bytes));
  // Kinds of work on rank 0.
  std::vector<double> kinds(8);
  for (const SimulatedItem &item : prediction.program.ranks[0])
    if (item.kind == SimulatedItem::Kind::Compute)
      ++kinds[0];
    else if (item.kind == SimulatedItem::Kind::Transfers)
      ++kinds[1];
    else if (item.kind == SimulatedItem::Kind::Collective)
      ++kinds[2 + static_cast<size_t>(item.primitive)];
  for (double count : kinds)
    features.push_back(std::log2(1 + count));
  return features;
}

/// Positions of `count` points, each as far as can be from those before it;
/// features count over their ranges.
static std::vector<size_t>
chooseDifferent(std::vector<std::vector<double>> points, size_t count) {
  for (size_t f = 0; !points.empty() && f < points[0].size(); ++f) {
    double least = points[0][f], most = points[0][f];
    for (const auto &point : points) {
      least = std::min(least, point[f]);
      most = std::max(most, point[f]);
    }
    for (auto &point : points)
      point[f] = most > least ? (point[f] - least) / (most - least) : 0;
  }
  std::vector<double> distance(points.size(),
                               std::numeric_limits<double>::infinity());
  std::vector<size_t> chosen;
  while (chosen.size() < std::min(count, points.size())) {
    size_t next =
        std::max_element(distance.begin(), distance.end()) - distance.begin();
    chosen.push_back(next);
    for (size_t i = 0; i < points.size(); ++i) {
      double sum = 0;
      for (size_t f = 0; f < points[i].size(); ++f)
        sum +=
            (points[i][f] - points[next][f]) * (points[i][f] - points[next][f]);
      distance[i] = i == next ? -1 : std::min(distance[i], sum);
    }
  }
  return chosen;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static double measure(mlir::ModuleOp module, CompileOptions options,
                      const Prediction &prediction, const Settings &settings) {
  options.target = Target::Emulated;
  options.local = "loops"; // none of them runs
  options.optLevel = 0;
  CompiledProgram program = orFail(compileProgram(module, options));
  std::vector<HostTensor> arguments;
  for (const TensorSpec &spec : program.globalArguments())
    arguments.push_back(makeArgument(spec, 0, arguments.size()));
  EmulatedMachine machine(prediction);
  LaunchOptions launch;
  launch.poison = false;
  launch.repeat = settings.repeat;
  launch.timeScale = settings.seconds / prediction.simulation.seconds;
  launch.clock = machine.clock();
  RunResult result = orFail(runProgram(program, arguments, launch));
  if (llvm::Error error = machine.check(settings.repeat))
    fail(std::move(error));
  return result.medianSeconds() / launch.timeScale;
}

static void print(const Row &row) {
  llvm::outs() << llvm::formatv("{0,-5} {1,-9} ", row.ranks, row.op)
               << llvm::format("%9.2f %9.2f  %.3f  ", row.predicted * 1e3,
                               row.measured * 1e3, row.ratio())
               << row.schedule << '\n';
  llvm::outs().flush();
}

static void runAll(mlir::MLIRContext &context, const Operator &op,
                   const std::string &ranks, const Settings &settings,
                   std::vector<Row> &rows) {
  TopologyModel machine = makeMachine(ranks);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(op.text, &context);
  if (!module)
    fail(llvm::Twine("cannot parse ") + op.name);
  CompileOptions options;
  options.topology = shapeOf(machine);
  options.verifyEach = false;
  auto run = [&](const std::string &schedule, const Prediction &prediction,
                 bool isNamed) {
    options.schedule = schedule;
    rows.push_back({ranks, op.name, schedule, isNamed,
                    prediction.simulation.seconds,
                    measure(*module, options, prediction, settings)});
    print(rows.back());
  };
  auto predictOf = [&](const std::string &schedule) {
    options.schedule = schedule;
    return predict(*module, options, &machine);
  };
  OperatorModel model = modelOf(*module);
  for (const NamedSchedule &named : namedSchedules()) {
    bool isAttention = named.scope == NamedSchedule::Scope::Attention;
    if (named.scope != NamedSchedule::Scope::Any &&
        isAttention != op.isAttention)
      continue;
    std::string name(named.name);
    // Not every design fits every machine.
    mlir::ScopedDiagnosticHandler silent(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    llvm::Expected<Prediction> prediction = predictOf(name);
    if (!prediction) {
      llvm::consumeError(prediction.takeError());
      continue;
    }
    run(name, *prediction, true);
  }
  std::vector<std::string> schedules;
  std::vector<Prediction> predictions;
  std::vector<std::vector<double>> features;
  for (std::string &schedule :
       listSchedules(model, machine, op.isAttention, settings.candidates)) {
    predictions.push_back(orFail(predictOf(schedule)));
    features.push_back(featuresOf(predictions.back()));
    schedules.push_back(std::move(schedule));
  }
  for (size_t i : chooseDifferent(std::move(features), settings.different))
    run(schedules[i], predictions[i], false);
}

static void summarize(const std::vector<Row> &rows, bool named,
                      llvm::StringRef ranks) {
  std::vector<double> errors;
  for (const Row &row : rows)
    if (row.isNamed == named && row.ranks == ranks)
      errors.push_back(std::abs(row.ratio() - 1));
  if (errors.empty())
    return;
  size_t within = std::count_if(errors.begin(), errors.end(),
                                [](double error) { return error <= 0.1; });
  llvm::outs() << llvm::formatv("{0,-5} {1,-10} ", ranks,
                                named ? "named" : "enumerated")
               << llvm::format("%4zu of %4zu within 10%%, median %4.1f%%, "
                               "largest %4.1f%%\n",
                               within, errors.size(), median(errors) * 100,
                               *std::max_element(errors.begin(), errors.end()) *
                                   100);
}

static Settings parseArguments(int argc, char **argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    auto [name, value] = llvm::StringRef(argv[i]).split('=');
    bool isWrong = false;
    if (name == "--ranks")
      settings.ranks = {value.str()};
    else if (name == "--operator")
      settings.op = value.str();
    else if (name == "--different")
      isWrong = value.getAsInteger(10, settings.different);
    else if (name == "--candidates")
      isWrong = value.getAsInteger(10, settings.candidates);
    else if (name == "--seconds")
      isWrong = value.getAsDouble(settings.seconds) || settings.seconds <= 0;
    else if (name == "--repeat")
      isWrong = value.getAsInteger(10, settings.repeat) || settings.repeat < 1;
    else if (name == "--json")
      settings.json = value.str();
    else
      isWrong = true;
    if (isWrong)
      fail(llvm::Twine("unknown argument '") + argv[i] + "'");
  }
  return settings;
}

int main(int argc, char **argv) {
  Settings settings = parseArguments(argc, argv);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<Row> rows;
  llvm::outs() << "ranks op        predicted  measured  ratio  schedule (ms)\n";
  for (const std::string &ranks : settings.ranks)
    for (const Operator &op : operators)
      if (settings.op.empty() || settings.op == op.name)
        runAll(context, op, ranks, settings, rows);
  llvm::outs() << '\n';
  for (const std::string &ranks : settings.ranks)
    for (bool named : {true, false})
      summarize(rows, named, ranks);
  if (settings.json.empty())
    return 0;
  std::error_code error;
  llvm::raw_fd_ostream file(settings.json, error);
  if (error)
    fail("cannot write '" + settings.json + "'");
  llvm::json::OStream json(file, 2);
  json.array([&] {
    for (const Row &row : rows)
      json.object([&] {
        json.attribute("ranks", row.ranks);
        json.attribute("operator", row.op);
        json.attribute("schedule", row.schedule);
        json.attribute("predicted_seconds", row.predicted);
        json.attribute("measured_seconds", row.measured);
      });
  });
}
