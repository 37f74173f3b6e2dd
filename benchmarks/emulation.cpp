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
// of a GEMM and of attention, and of the enumerated ones that do the most
// different things. All of it sleeps, so that a machine with two cores is
// enough. Where others use it, threads wake late: a run that is off is
// repeated, and the one nearest to its time counts, while a thread that does
// nothing but sleep says how late a thread wakes. A run that is no later than
// its chain of operations would be by that is marked, and counts apart.
//
//   bench-emulation [--ranks=4|2x4|4x4] [--operator=gemm|attention]
//                   [--different=N] [--seconds=N] [--attempts=N] [--named=no]
//                   [--json=FILE]
//
//===----------------------------------------------------------------------===//

#include "Emulation.h"
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Tuning/CostModel.h"
#include "Mercury/Tuning/Search.h"
#include "OperatorProgram.h"
#include "Support.h"
#include "llvm/Support/Format.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

using namespace mercury;
using namespace mercury::bench;
using namespace mercury::run;

namespace {
struct Settings {
  std::string op; ///< empty: both
  std::vector<std::string> ranks = {"4", "2x4", "4x4"};
  size_t different = 15; ///< enumerated schedules of an operator that run
  double seconds = 0.7;  ///< that a program is made to take
  int64_t attempts = 3;  ///< at most, where a run is more than 5% off
  bool named = true;     ///< the named ones run, too
  std::string json;
};

struct Measured {
  double seconds = 0;
  double wakes = 0; ///< how late the sleeping thread woke, on average, relative
                    ///< to the run
};

struct Row {
  std::string ranks, op, schedule;
  bool isNamed = false;
  double predicted = 0;
  size_t chain = 0; ///< operations of the rank that has most
  Measured measured;
  double ratio() const { return measured.seconds / predicted; }
  bool isWithin() const { return std::abs(ratio() - 1) <= 0.1; }
  /// Late as threads are that wake late after each operation.
  bool isStarved() const {
    return !isWithin() && ratio() > 1 &&
           ratio() - 1.1 <= double(chain) * measured.wakes;
  }
};
} // namespace

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

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// At most this many are looked at, evenly spread.
static constexpr size_t maxListed = 20000;

static std::vector<Schedule> listSchedules(const OperatorModel &op,
                                           const TopologyModel &machine) {
  std::vector<Schedule> list;
  size_t number = 0, stride = 1;
  enumerateSchedules(op, machine, spaceFor(op), [&](const Schedule &schedule) {
    if (number++ % stride != 0)
      return true;
    list.push_back(schedule);
    if (list.size() < 2 * maxListed)
      return true;
    for (size_t i = 1; i < maxListed; ++i)
      list[i] = std::move(list[2 * i]);
    list.resize(maxListed);
    stride *= 2;
    return true;
  });
  return list;
}

/// What tells schedules apart: how long they take, on what, with how much on
/// the way at which level, and in which ways tensors arrive and leave.
static std::vector<double> featuresOf(const Schedule &schedule,
                                      const OperatorModel &op,
                                      CostModel &model) {
  Cost cost = model.estimate(schedule);
  std::vector<double> features = {std::log2(cost.seconds),
                                  cost.compute / cost.seconds,
                                  double(cost.timeLoops.size())};
  double startUp = 0, steps = 1;
  for (const Cost::TimeLoop &loop : cost.timeLoops) {
    startUp += loop.startUp / cost.seconds;
    steps *= double(loop.steps);
  }
  features.push_back(startUp);
  features.push_back(std::log2(steps));
  for (const Cost::Traffic &traffic : cost.traffic) {
    features.push_back(traffic.seconds / cost.seconds);
    features.push_back(traffic.exposed / cost.seconds);
  }
  std::vector<double> ways(9);
  for (size_t i = 0; i < schedule.inputs.size(); ++i) {
    AxisList axes = schedule.inputs[i].entry.axes();
    for (const AxisRef &axis : axes)
      ++ways[size_t(arrivalOf(schedule, op, i, axis))];
  }
  for (const AxisRef &axis : reductionAxes(schedule, op))
    ++ways[6 + size_t(endingOf(schedule, op, 0, axis))];
  features.insert(features.end(), ways.begin(), ways.end());
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

/// How late a thread wakes that sleeps a millisecond at a time, as long as this
/// lives.
namespace {
class Sleeper {
public:
  Sleeper() : thread([this] { run(); }) {}
  double stop() {
    isOver = true;
    thread.join();
    return sleeps > 0 ? late / sleeps : 0;
  }

private:
  void run() {
    using Clock = std::chrono::steady_clock;
    constexpr auto nap = std::chrono::milliseconds(1);
    while (!isOver) {
      Clock::time_point until = Clock::now() + nap;
      std::this_thread::sleep_until(until);
      late += std::chrono::duration<double>(Clock::now() - until).count();
      ++sleeps;
    }
  }
  std::atomic<bool> isOver = false;
  double late = 0, sleeps = 0;
  std::thread thread;
};
} // namespace

static Measured measure(mlir::ModuleOp module, CompileOptions options,
                        const Prediction &prediction,
                        const Settings &settings) {
  options.target = Target::Emulated;
  options.local = "loops"; // none of them runs
  options.optLevel = 0;
  CompiledProgram program = orFail(compileProgram(module, options));
  std::vector<HostTensor> arguments;
  for (const TensorSpec &spec : program.globalArguments())
    arguments.push_back(makeArgument(spec, 0, arguments.size()));
  Measured best;
  double predicted = prediction.simulation.seconds;
  for (int64_t attempt = 0; attempt < settings.attempts; ++attempt) {
    EmulatedMachine machine(prediction);
    LaunchOptions launch;
    launch.poison = false;
    launch.timeScale = settings.seconds / predicted;
    launch.clock = machine.clock();
    Sleeper sleeper;
    RunResult result = orFail(runProgram(program, arguments, launch));
    double wakes = sleeper.stop() / settings.seconds;
    if (llvm::Error error = machine.check(1))
      fail(std::move(error));
    double seconds = result.medianSeconds() / launch.timeScale;
    if (attempt == 0 || std::abs(seconds / predicted - 1) <
                            std::abs(best.seconds / predicted - 1))
      best = {seconds, wakes};
    if (std::abs(best.seconds / predicted - 1) <= 0.05)
      break;
  }
  return best;
}

/// Operations of the rank that has most: each begins when another has ended.
static size_t chainOf(const Prediction &prediction) {
  size_t most = 0;
  for (const auto &streams : prediction.simulation.timelines) {
    size_t count = 0;
    for (const auto &stream : streams)
      count += stream.size();
    most = std::max(most, count);
  }
  return most;
}

static void print(const Row &row) {
  llvm::outs() << llvm::formatv("{0,-5} {1,-9} ", row.ranks, row.op)
               << llvm::format("%9.2f %9.2f  %.3f %5.1f%% %s ",
                               row.predicted * 1e3, row.measured.seconds * 1e3,
                               row.ratio(),
                               double(row.chain) * row.measured.wakes * 100,
                               row.isStarved() ? "starved" : "       ")
               << row.schedule << '\n';
  llvm::outs().flush();
}

static void runAll(mlir::MLIRContext &context, const OperatorProgram &op,
                   const std::string &ranks, const Settings &settings,
                   std::vector<Row> &rows) {
  TopologyModel machine = makeMachine(ranks);
  mlir::OwningOpRef<mlir::ModuleOp> module = op.parse(context);
  CompileOptions options;
  options.topology = shapeOf(machine);
  options.verifyEach = false;
  auto run = [&](const std::string &schedule, bool isNamed) -> llvm::Error {
    options.schedule = schedule;
    llvm::Expected<Prediction> prediction = predict(*module, options, &machine);
    if (!prediction)
      return prediction.takeError();
    rows.push_back({ranks, op.name, schedule, isNamed,
                    prediction->simulation.seconds, chainOf(*prediction),
                    measure(*module, options, *prediction, settings)});
    print(rows.back());
    return llvm::Error::success();
  };
  for (const NamedSchedule &named : namedSchedules()) {
    bool isAttention = named.scope == NamedSchedule::Scope::Attention;
    if (!settings.named || (named.scope != NamedSchedule::Scope::Any &&
                            isAttention != op.isAttention))
      continue;
    // Not every design fits every machine.
    mlir::ScopedDiagnosticHandler silent(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    llvm::consumeError(run(std::string(named.name), true));
  }
  CostProblem problem = op.problem(context);
  CostModel model(problem, machine);
  std::vector<Schedule> schedules = listSchedules(problem.op, machine);
  std::vector<std::vector<double>> features;
  for (const Schedule &schedule : schedules)
    features.push_back(featuresOf(schedule, problem.op, model));
  for (size_t i : chooseDifferent(std::move(features), settings.different))
    if (llvm::Error error = run(print(schedules[i]), false))
      fail(std::move(error));
}

static void summarize(const std::vector<Row> &rows, bool named,
                      llvm::StringRef ranks) {
  std::vector<double> errors;
  size_t within = 0, starved = 0;
  for (const Row &row : rows) {
    if (row.isNamed != named || row.ranks != ranks)
      continue;
    errors.push_back(std::abs(row.ratio() - 1));
    within += row.isWithin();
    starved += row.isStarved();
  }
  if (errors.empty())
    return;
  llvm::outs() << llvm::formatv("{0,-5} {1,-10} ", ranks,
                                named ? "named" : "enumerated")
               << llvm::format(
                      "%4zu of %4zu within 10%%, %zu starved, median "
                      "%4.1f%%, largest %4.1f%%\n",
                      within, errors.size(), starved, median(errors) * 100,
                      *std::max_element(errors.begin(), errors.end()) * 100);
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
    else if (name == "--seconds")
      isWrong = value.getAsDouble(settings.seconds) || settings.seconds <= 0;
    else if (name == "--attempts")
      isWrong =
          value.getAsInteger(10, settings.attempts) || settings.attempts < 1;
    else if (name == "--named") {
      settings.named = value == "yes";
      isWrong = value != "yes" && value != "no";
    } else if (name == "--json")
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
  llvm::outs() << "ranks op        predicted  measured  ratio  wakes         "
                  "schedule (ms; wakes: how much later a chain of as many "
                  "operations is here)\n";
  // Extents that 16 ranks divide; small, since buffers are real.
  const OperatorProgram operators[] = {gemmProgram(512, 512, 512, "f32"),
                                       attentionProgram(0, 16, 512, 32, "f32")};
  for (const std::string &ranks : settings.ranks)
    for (const OperatorProgram &op : operators)
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
        json.attribute("measured_seconds", row.measured.seconds);
        json.attribute("wakes", double(row.chain) * row.measured.wakes);
      });
  });
}
