//===- fidelity.cpp - The cost model against the simulator ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the seconds of the closed form with those of the simulator, which
// plays the compiled program: on enumerated schedules of a GEMM and of
// attention, a sample at random (--seed) and those that the closed form likes
// best, or --all. A program is compiled once for all machines of one shape.
//
//   bench-fidelity [--operator=gemm|attention] [--machine=TEXT]...
//                  [--sample=N | --all] [--best=N] [--seed=N] [--threads=N]
//                  [--worst=N] [--json=FILE] [--known=FILE]
//
// --json keeps what was simulated, and --known takes it from there, so that a
// run can be continued, and a change of the cost model looked at in seconds.
//
//===----------------------------------------------------------------------===//

#include "Mercury/InitAll.h"
#include "Mercury/Tuning/CostModel.h"
#include "Mercury/Tuning/SimulateFunction.h"
#include "OperatorProgram.h"
#include "Predict.h"
#include "Support.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <array>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

using namespace mercury;
using namespace mercury::bench;
using namespace mercury::run;

namespace {
struct Settings {
  std::string op; ///< empty: both
  std::vector<std::string> machines;
  size_t sample = 500; ///< 0: all
  size_t best = 100;   ///< of the closed form, played whatever the sample is
  size_t worst = 10;
  unsigned seed = 1, threads = std::thread::hardware_concurrency();
  std::string json, known;
};

/// What the simulator says, of the rank that computes longest.
struct Played {
  double seconds = 0;
  double compute = 0;        ///< kernels, undisturbed
  std::vector<double> bytes; ///< by domain, of all ranks
};

/// One machine with its times of the schedules.
struct Machine {
  std::string text;
  TopologyModel topology;
  std::vector<double> closed;                ///< of all schedules
  std::vector<std::optional<Played>> played; ///< of those that were played
};
} // namespace

//===----------------------------------------------------------------------===//
// Playing
//===----------------------------------------------------------------------===//

static Played play(mlir::func::FuncOp function, const TopologyModel &topology) {
  auto program = buildSimulatedProgram(function, topology);
  if (mlir::failed(program))
    fail("cannot play a program");
  Simulation simulation;
  if (Verdict verdict = simulate(*program, topology, simulation); !verdict)
    fail(verdict.reason());
  Played played;
  played.seconds = simulation.seconds;
  for (const std::vector<SimulatedItem> &items : program->ranks) {
    double seconds = 0;
    for (const SimulatedItem &item : items)
      seconds += item.seconds;
    played.compute = std::max(played.compute, seconds);
  }
  for (const Simulation::Domain &domain : simulation.domains)
    played.bytes.push_back(domain.bytes);
  return played;
}

/// What --known has, by operator, machine and schedule.
using Known = std::map<std::array<std::string, 3>, Played>;

static Known readKnown(const std::string &path) {
  Known known;
  if (path.empty())
    return known;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    fail(path + ": " + buffer.getError().message());
  for (llvm::line_iterator line(**buffer); !line.is_at_end(); ++line) {
    llvm::json::Value value = orFail(llvm::json::parse(*line));
    const llvm::json::Object *object = value.getAsObject();
    const llvm::json::Array *bytes =
        object ? object->getArray("bytes") : nullptr;
    if (!bytes)
      fail(path + ": line " + llvm::Twine(line.line_number()) +
           " is none of bench-fidelity's");
    auto text = [&](llvm::StringRef name) {
      return object->getString(name).value_or("").str();
    };
    Played &played =
        known[{text("operator"), text("machine"), text("schedule")}];
    played.seconds = object->getNumber("simulated_seconds").value_or(0);
    played.compute = object->getNumber("kernel_seconds").value_or(0);
    for (const llvm::json::Value &domain : *bytes)
      played.bytes.push_back(domain.getAsNumber().value_or(0));
  }
  return known;
}

/// Compiles the schedules at `picked`, each once, and plays it on all machines.
static void playAll(const OperatorProgram &op,
                    const std::vector<Schedule> &schedules,
                    std::vector<size_t> picked, std::vector<Machine> &machines,
                    const Known &known, const Settings &settings) {
  for (Machine &machine : machines)
    machine.played.resize(schedules.size());
  llvm::erase_if(picked, [&](size_t i) {
    bool isKnown = true;
    for (Machine &machine : machines)
      if (auto it = known.find({op.name, machine.text, print(schedules[i])});
          it != known.end())
        machine.played[i] = it->second;
      else
        isKnown = false;
    return isKnown;
  });
  std::atomic<size_t> next = 0;
  auto work = [&] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::OwningOpRef<mlir::ModuleOp> module = op.parse(context);
    CompileOptions options;
    options.topology = shapeOf(machines.front().topology);
    options.verifyEach = false;
    for (size_t i; (i = next++) < picked.size();) {
      options.schedule = print(schedules[picked[i]]);
      CompiledProgram compiled;
      auto lowered = orFail(lowerForDevices(*module, options, compiled));
      auto function = lowered->lookupSymbol<mlir::func::FuncOp>(compiled.entry);
      for (Machine &machine : machines)
        machine.played[picked[i]] = play(function, machine.topology);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < settings.threads; ++t)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// The `count` least of `picked` by `value`.
template <typename Value>
static std::vector<size_t> leastOf(std::vector<size_t> picked, size_t count,
                                   Value value) {
  llvm::sort(picked, [&](size_t a, size_t b) {
    return std::pair(value(a), a) < std::pair(value(b), b);
  });
  picked.resize(std::min(picked.size(), count));
  return picked;
}

/// Numbers of the schedules to play, in order.
static std::vector<size_t> pick(size_t count,
                                const std::vector<Machine> &machines,
                                const Settings &settings) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  if (settings.sample == 0)
    return all;
  std::vector<size_t> picked = all;
  std::shuffle(picked.begin(), picked.end(), std::mt19937(settings.seed));
  picked.resize(std::min(count, settings.sample));
  for (const Machine &machine : machines) {
    std::vector<size_t> best = leastOf(
        all, settings.best, [&](size_t i) { return machine.closed[i]; });
    picked.insert(picked.end(), best.begin(), best.end());
  }
  std::sort(picked.begin(), picked.end());
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// What the two differ in: the time of kernels, bytes on links, or else what
/// overlaps and who waits.
static std::string reasonOf(const Cost &cost, const Played &played,
                            const TopologyModel &topology) {
  double off = cost.seconds - played.seconds;
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  double work = cost.compute - played.compute;
  if (std::abs(work) > std::abs(off) / 3)
    add(llvm::formatv("work {0:P1}", work / cost.seconds).str());
  // By domain; of a level what all of its ports carry.
  LinkTimes links(topology);
  std::map<size_t, double> bytes;
  for (size_t l = 0; l < topology.levels.size(); ++l)
    bytes[links.domainOf(l)] += cost.traffic[l].bytes *
                                double(topology.numRanks()) /
                                double(links.sharing(l));
  size_t d = 0;
  for (auto [level, sent] : bytes) {
    double other = played.bytes[d++];
    if (std::abs(sent - other) > 0.03 * std::max(sent, other))
      add(llvm::formatv("bytes of {0} {1:P0}", topology.levels[level].name,
                        other > 0 ? sent / other : 0)
              .str());
  }
  return text.empty() ? "overlap" : text;
}

static double errorOf(const Machine &machine, size_t i) {
  return machine.closed[i] / machine.played[i]->seconds - 1;
}

/// What a model says of schedules, in seconds.
using Seconds = llvm::function_ref<double(size_t)>;

/// Of a list, the least first by `own`: how much more than the best by `other`,
/// which takes `otherBest`, the first, the best and the worst take by it, and
/// by how much that differs from what `own` says of them.
static void judge(const char *what, const std::vector<size_t> &list,
                  Seconds own, Seconds other, double otherBest) {
  double least = HUGE_VAL, most = 0, apart = 0;
  size_t near = 0, agreed = 0;
  for (size_t i : list) {
    double more = other(i) / otherBest - 1,
           differs = std::abs(more - (own(i) / own(list[0]) - 1));
    least = std::min(least, more);
    most = std::max(most, more);
    near += more <= 0.03;
    apart = std::max(apart, differs);
    agreed += differs <= 0.03;
  }
  llvm::outs() << llvm::format(
      "  best %zu of %s: first +%.1f%%, best +%.1f%%, worst +%.1f%%, %zu "
      "within 3%%; of %zu both say the same within 3%%, most apart %.1f%%\n",
      list.size(), what, (other(list[0]) / otherBest - 1) * 100, least * 100,
      most * 100, near, agreed, apart * 100);
}

static void report(const OperatorProgram &op, const CostProblem &problem,
                   const std::vector<Schedule> &schedules,
                   const std::vector<size_t> &picked, const Machine &machine,
                   const Settings &settings, JsonLines &json) {
  size_t within[3] = {};
  double limits[3] = {0.03, 0.1, 0.25}, most = 0, sum = 0;
  for (size_t i : picked) {
    double error = errorOf(machine, i);
    sum += error;
    most = std::max(most, std::abs(error));
    for (size_t l = 0; l < 3; ++l)
      within[l] += std::abs(error) <= limits[l];
  }
  double count = picked.size();
  llvm::outs() << llvm::format(
      "%s on %s: %zu of %zu schedules, within 3%% %.2f%%, 10%% %.2f%%, 25%% "
      "%.2f%%, most off %.1f%%, mean %+.1f%%\n",
      op.name.c_str(), machine.text.c_str(), picked.size(), schedules.size(),
      within[0] / count * 100, within[1] / count * 100, within[2] / count * 100,
      most * 100, sum / count * 100);
  auto closed = [&](size_t i) { return machine.closed[i]; };
  auto played = [&](size_t i) { return machine.played[i]->seconds; };
  std::vector<size_t> ours = leastOf(picked, 20, closed),
                      theirs = leastOf(picked, 20, played);
  judge("the closed form, simulated", ours, closed, played, played(theirs[0]));
  judge("the simulator, in closed form", theirs, played, closed,
        closed(ours[0]));
  std::vector<size_t> worst = leastOf(picked, settings.worst, [&](size_t i) {
    return -std::abs(errorOf(machine, i));
  });
  CostModel model(problem, machine.topology);
  for (size_t i : worst)
    llvm::outs() << llvm::format("  %+6.1f%%  %.4g of %.4g ms  ",
                                 errorOf(machine, i) * 100, closed(i) * 1e3,
                                 played(i) * 1e3)
                 << reasonOf(model.estimate(schedules[i]), *machine.played[i],
                             machine.topology)
                 << ": " << print(schedules[i]) << '\n';
  llvm::outs().flush();
  for (size_t i : picked)
    json.add(llvm::json::Object{
        {"operator", op.name},
        {"machine", machine.text},
        {"closed_seconds", closed(i)},
        {"simulated_seconds", played(i)},
        {"kernel_seconds", machine.played[i]->compute},
        {"bytes", llvm::json::Array(machine.played[i]->bytes)},
        {"schedule", print(schedules[i])}});
}

static void compare(const OperatorProgram &op, std::vector<Machine> machines,
                    const Known &known, const Settings &settings,
                    JsonLines &json) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  CostProblem problem = op.problem(context);
  std::vector<Schedule> schedules =
      allSchedules(problem.op, machines.front().topology);
  for (Machine &machine : machines) {
    CostModel model(problem, machine.topology);
    for (const Schedule &schedule : schedules)
      machine.closed.push_back(model.seconds(schedule));
  }
  std::vector<size_t> picked = pick(schedules.size(), machines, settings);
  double begin = processSeconds();
  playAll(op, schedules, picked, machines, known, settings);
  llvm::outs() << llvm::format(
      "%s on %s: %.1f ms of processor time to compile and play a schedule\n",
      op.name.c_str(), shapeOf(machines.front().topology).c_str(),
      (processSeconds() - begin) / double(picked.size()) * 1e3);
  for (const Machine &machine : machines)
    report(op, problem, schedules, picked, machine, settings, json);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Settings parseArguments(int argc, char **argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    auto [name, value] = llvm::StringRef(argv[i]).split('=');
    bool isWrong = false;
    if (name == "--machine")
      settings.machines.push_back(value.str());
    else if (name == "--operator")
      settings.op = value.str();
    else if (name == "--all")
      settings.sample = 0;
    else if (name == "--sample")
      isWrong = value.getAsInteger(10, settings.sample) || !settings.sample;
    else if (name == "--best")
      isWrong = value.getAsInteger(10, settings.best);
    else if (name == "--worst")
      isWrong = value.getAsInteger(10, settings.worst);
    else if (name == "--seed")
      isWrong = value.getAsInteger(10, settings.seed);
    else if (name == "--threads")
      isWrong = value.getAsInteger(10, settings.threads);
    else if (name == "--json")
      settings.json = value.str();
    else if (name == "--known")
      settings.known = value.str();
    else
      isWrong = true;
    if (isWrong)
      fail(llvm::Twine("unknown argument '") + argv[i] + "'");
  }
  if (settings.machines.empty())
    settings.machines = {"h100-sxm:gpu=8", "l4:gpu=8",
                         "h100-sxm:node=2,gpu=4,net=100Gbps-roce",
                         "l4:node=2,gpu=4,net=50Gbps-roce"};
  return settings;
}

int main(int argc, char **argv) {
  Settings settings = parseArguments(argc, argv);
  registerAllPasses();
  // Machines of one shape share their programs.
  std::vector<std::vector<Machine>> shapes;
  for (const std::string &text : settings.machines) {
    std::string error;
    std::optional<TopologyModel> topology = parseTopology(text, error);
    if (!topology)
      fail(error);
    Machine machine{text, *topology, {}, {}};
    auto same = llvm::find_if(shapes, [&](const std::vector<Machine> &group) {
      return shapeOf(group.front().topology) == shapeOf(machine.topology);
    });
    if (same == shapes.end())
      same = shapes.insert(same, std::vector<Machine>());
    same->push_back(std::move(machine));
  }
  Known known = readKnown(settings.known);
  llvm::outs() << "seed " << settings.seed << '\n';
  JsonLines json(settings.json.empty() ? "/dev/null" : settings.json);
  for (const OperatorProgram &op :
       {gemmProgram(16384, 8192, 8192, "bf16"),
        attentionProgram(4, 32, 32768, 128, "bf16")})
    for (const std::vector<Machine> &machines : shapes)
      if (settings.op.empty() || settings.op == op.name)
        compare(op, machines, known, settings, json);
}
