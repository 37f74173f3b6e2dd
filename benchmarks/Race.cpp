//===- Race.cpp - Ways to compute the same, in turns ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Race.h"
#include "RankRunner.h"
#include "Verify.h"

#include "llvm/Support/Format.h"

#include <condition_variable>
#include <mutex>
#include <thread>

using namespace mercury::bench;
using namespace mercury::run;

std::vector<double> mercury::bench::widen(const HostTensor &tensor) {
  std::vector<double> values(tensor.spec.numElements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = tensor.get(i);
  return values;
}

void Contestant::check(const HostTensor &result, const Problem &problem) {
  Verification verification = verifyResults({result}, {problem.result});
  if (!verification.verified())
    fail(name + ": " + verification.failures.front());
  error = std::max(error, verification.error);
}

namespace {
/// Who runs when: contestants run in turns, each on threads of its own that
/// sleep while the others run.
class Turns {
public:
  explicit Turns(size_t contestants) : contestants(contestants) {}
  void begin(size_t contestant) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return turn % contestants == contestant; });
  }
  void end() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++turn;
    }
    changed.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  size_t contestants, turn = 0;
};

/// Stands before a program and takes its processor time.
struct Meter {
  int (*program)(mercury_context *, void **) = nullptr;
  std::mutex mutex;
  double start = 0, end = 0;

  static int run(mercury_context *ctx, void **values);
  /// Of the round that has ended; the next begins.
  double take() {
    double seconds = end - start;
    start = end = 0;
    return seconds;
  }
} meter;

int Meter::run(mercury_context *ctx, void **values) {
  double now = processSeconds();
  {
    std::lock_guard<std::mutex> lock(meter.mutex);
    meter.start = meter.start ? std::min(meter.start, now) : now;
  }
  int status = meter.program(ctx, values);
  now = processSeconds();
  std::lock_guard<std::mutex> lock(meter.mutex);
  meter.end = std::max(meter.end, now);
  return status;
}

class MercuryContestant : public Contestant {
public:
  MercuryContestant(std::string name, CompiledProgram compiled)
      : Contestant(std::move(name), compiled.topology.numRanks()),
        program(std::move(compiled)), original(program.packed) {
    program.packed = Meter::run;
  }

  void run(const Problem &problem, int64_t rounds,
           const std::function<void()> &between) override {
    LaunchOptions launch;
    launch.repeat = rounds;
    launch.poison = false;
    launch.watchdogSeconds = 0;
    auto enter = [&] { meter.program = original; };
    auto leave = [&](int64_t round) {
      double time = meter.take();
      if (round > 0)
        processor.push_back(time);
    };
    enter();
    launch.onRepetition = [&](int64_t round,
                              const std::vector<HostTensor> &results,
                              const std::vector<std::string> &) {
      leave(round);
      if (round == 0 || round + 1 == rounds)
        check(results.front(), problem);
      if (round + 1 < rounds) {
        between();
        enter();
      }
    };
    RunResult result = orFail(runProgram(program, problem.inputs, launch));
    seconds.assign(result.seconds.begin() + 1, result.seconds.end());
  }

private:
  CompiledProgram program;
  int (*original)(mercury_context *, void **);
};

class HandwrittenContestant : public Contestant {
public:
  HandwrittenContestant(std::string name, int64_t ranks,
                        std::unique_ptr<Ring> ring)
      : Contestant(std::move(name), ranks), ring(std::move(ring)) {}

  void run(const Problem &problem, int64_t rounds,
           const std::function<void()> &between) override {
    std::vector<const float *> inputs;
    for (const HostTensor &input : problem.inputs)
      inputs.push_back(reinterpret_cast<const float *>(input.data.data()));
    ring->setInputs(inputs);
    HostTensor result(problem.result.spec);
    for (int64_t round = 0; round < rounds; ++round) {
      Ring::Times times = ring->run();
      // The others put their results together each time, too.
      ring->getResult(reinterpret_cast<float *>(result.data.data()));
      if (round == 0 || round + 1 == rounds)
        check(result, problem);
      if (round > 0) {
        seconds.push_back(times.wall);
        processor.push_back(times.processor);
      }
      if (round + 1 < rounds)
        between();
    }
  }

private:
  std::unique_ptr<Ring> ring;
};
} // namespace

std::unique_ptr<Contestant>
mercury::bench::makeMercury(std::string name, mlir::ModuleOp module,
                            const CompileOptions &options) {
  return std::make_unique<MercuryContestant>(
      std::move(name), orFail(compileProgram(module, options)));
}

std::unique_ptr<Contestant>
mercury::bench::makeHandwritten(std::string name, int64_t ranks,
                                std::unique_ptr<Ring> ring) {
  return std::make_unique<HandwrittenContestant>(std::move(name), ranks,
                                                 std::move(ring));
}

void Race::add(llvm::json::Object figures) {
  for (const auto &[name, value] : facts)
    figures[name] = value;
  json.add(std::move(figures));
}

void Race::run(const Contestants &all, const Problem &problem, int64_t repeat) {
  {
    Turns turns(all.size());
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < all.size(); ++i)
      threads.emplace_back([&, i] {
        turns.begin(i);
        all[i]->run(problem, repeat + 1, [&] {
          turns.end();
          turns.begin(i);
        });
        turns.end();
      });
  }
  for (const auto &one : all) {
    double time = median(one->seconds), best = minimum(one->seconds);
    double cpu = minimum(one->processor);
    llvm::outs() << llvm::format(
        "  %-30s %8.2f ms (min %8.2f ms, processors min %8.2f ms) %6.1f GF  "
        "error %.1e\n",
        one->name.c_str(), time * 1e3, best * 1e3, cpu * 1e3,
        1e-9 * problem.flops / time, one->error);
    add(llvm::json::Object{{"variant", one->name},
                           {"ranks", one->ranks},
                           {"repeat", repeat},
                           {"seconds", time},
                           {"minimum_seconds", best},
                           {"minimum_processor_seconds", cpu},
                           {"relative_error", one->error}});
  }
}

void Race::ratio(const char *what, const Contestant &over,
                 const Contestant &under, double goal) {
  double ofMedians = median(over.seconds) / median(under.seconds);
  double ofMinima = minimum(over.seconds) / minimum(under.seconds);
  // As if each rank had a processor that is never idle; the least, because
  // what else the machine does only adds to it.
  auto share = [](const Contestant &one) {
    return minimum(one.processor) / one.ranks;
  };
  double ofProcessor = share(over) / share(under);
  std::string text = over.name + " / " + under.name;
  llvm::outs() << llvm::format("  %-21s %6.3f (minima %6.3f, processors %6.3f)",
                               what, ofMedians, ofMinima, ofProcessor);
  if (goal > 0)
    llvm::outs() << llvm::format(", goal %.2f", goal);
  llvm::outs() << ": " << text << '\n';
  llvm::outs().flush();
  add(llvm::json::Object{
      {"ratio", what},
      {"of", text},
      {"ranks", under.ranks},
      {"value", ofMedians},
      {"of_minima", ofMinima},
      {"of_processor_time", ofProcessor},
      {"goal", goal > 0 ? llvm::json::Value(goal) : nullptr}});
}
