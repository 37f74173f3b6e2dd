//===- distributed-gemm.cpp - GEMMs on ranks against one and by hand ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All-gather GEMM and GEMM reduce-scatter, each shifted and synchronous, with
// OpenBLAS and with generated code as the local work; the undistributed
// function through the same local work on one rank; and the same product
// written by hand (handwritten/). All run in this process, in turns, one after
// the other, and all are verified against one reference.
//
//   bench-distributed-gemm [--size=N] [--ranks=N] [--repeat=N] [--json=FILE]
//                          [--core=OPENBLAS_CORETYPE] [--only=KERNEL]
//
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"
#include "Support.h"
#include "handwritten/RingGemm.h"

#include "Mercury/InitAll.h"
#include "RankRunner.h"
#include "RunError.h"
#include "Verify.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

using namespace mercury::bench;
using namespace mercury::run;

namespace {
/// The inputs, and the product in f64 rounded to f32.
struct Problem {
  GemmSize size;
  HostTensor a, b, c;
};

Problem makeProblem(GemmSize size) {
  Problem problem;
  problem.size = size;
  auto [m, n, k] = size;
  problem.a = makeArgument({ElementKind::F32, {m, k}}, /*seed=*/1, 0);
  problem.b = makeArgument({ElementKind::F32, {k, n}}, /*seed=*/1, 1);
  problem.c = HostTensor({ElementKind::F32, {m, n}});
  auto widen = [](const HostTensor &tensor) {
    std::vector<double> values(tensor.spec.numElements());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = tensor.get(i);
    return values;
  };
  std::vector<double> a = widen(problem.a), b = widen(problem.b), c(m * n);
  cblas_dgemm(101, 111, 111, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(),
              n);
  for (size_t i = 0; i < c.size(); ++i)
    problem.c.set(i, c[i]);
  return problem;
}

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

/// One way to compute the product.
class Contestant {
public:
  explicit Contestant(std::string name) : name(std::move(name)) {}
  virtual ~Contestant() = default;
  /// Runs `rounds` times; `between` is called between two rounds. Nobody else
  /// runs meanwhile.
  virtual void run(const Problem &problem, int64_t rounds,
                   const std::function<void()> &between) = 0;

  std::string name;
  /// Of each round but the first, by the clock and of all processors.
  std::vector<double> seconds, processor;
  double error = 0; ///< relative Frobenius norm

protected:
  void check(const HostTensor &result, const Problem &problem) {
    Verification verification = verifyResults({result}, {problem.c});
    if (!verification.verified())
      fail(name + ": " + verification.failures.front());
    error = std::max(error, verification.error);
  }
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
  MercuryContestant(std::string name, mlir::ModuleOp module,
                    const CompileOptions &options)
      : Contestant(std::move(name)), program(compile(module, options)),
        original(program.packed) {
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
    RunResult result =
        orFail(runProgram(program, {problem.a, problem.b}, launch));
    seconds.assign(result.seconds.begin() + 1, result.seconds.end());
  }

private:
  static CompiledProgram compile(mlir::ModuleOp module,
                                 const CompileOptions &options) {
    return orFail(compileProgram(module, options));
  }
  CompiledProgram program;
  int (*original)(mercury_context *, void **);
};

class HandwrittenContestant : public Contestant {
public:
  HandwrittenContestant(std::string name, std::unique_ptr<RingGemm> ring)
      : Contestant(std::move(name)), ring(std::move(ring)) {}

  void run(const Problem &problem, int64_t rounds,
           const std::function<void()> &between) override {
    ring->setInputs(reinterpret_cast<const float *>(problem.a.data.data()),
                    reinterpret_cast<const float *>(problem.b.data.data()));
    HostTensor result(problem.c.spec);
    for (int64_t round = 0; round < rounds; ++round) {
      RingGemm::Times times = ring->run();
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
  std::unique_ptr<RingGemm> ring;
};

/// A distributed GEMM: its schedules, and how it is written by hand.
struct Kernel {
  const char *name, *synchronous, *shifted;
  std::unique_ptr<RingGemm> (*write)(GemmSize, int64_t ranks);
};

template <typename T>
std::unique_ptr<RingGemm> write(GemmSize size, int64_t ranks) {
  return std::make_unique<T>(size, ranks);
}

constexpr Kernel kernels[] = {{"all-gather GEMM", "all_gather_gemm",
                               "all_gather_gemm_shifted", write<AllGatherGemm>},
                              {"GEMM reduce-scatter", "gemm_reduce_scatter",
                               "gemm_reduce_scatter_shifted",
                               write<GemmReduceScatter>}};

void race(std::vector<std::unique_ptr<Contestant>> &contestants,
          const Problem &problem, int64_t rounds) {
  Turns turns(contestants.size());
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < contestants.size(); ++i)
    threads.emplace_back([&, i] {
      turns.begin(i);
      contestants[i]->run(problem, rounds, [&] {
        turns.end();
        turns.begin(i);
      });
      turns.end();
    });
}

struct Bench {
  mlir::MLIRContext &context;
  const Problem &problem;
  int64_t ranks, repeat;
  JsonLines &json;

  std::unique_ptr<Contestant> mercury(llvm::StringRef name,
                                      llvm::StringRef schedule, int64_t ranks,
                                      llvm::StringRef local) {
    auto [m, n, k] = problem.size;
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(gemmText(m, n, k), &context);
    CompileOptions options;
    options.topology = "gpu=" + std::to_string(ranks);
    options.schedule = schedule.str();
    options.local = local.str();
    return std::make_unique<MercuryContestant>((name + ", " + local).str(),
                                               *module, options);
  }

  void run(const Kernel &kernel) {
    enum { OneBlas, OneCodegen, SyncBlas, SyncCodegen, Blas, Codegen, Hand };
    std::vector<std::unique_ptr<Contestant>> all;
    std::string count = std::to_string(ranks) + " ranks ";
    for (const char *local : {"blas", "codegen"})
      all.push_back(mercury("1 rank", "replicated", 1, local));
    for (const char *local : {"blas", "codegen"})
      all.push_back(
          mercury(count + "synchronous", kernel.synchronous, ranks, local));
    for (const char *local : {"blas", "codegen"})
      all.push_back(mercury(count + "shifted", kernel.shifted, ranks, local));
    all.push_back(std::make_unique<HandwrittenContestant>(
        count + "by hand, OpenBLAS", kernel.write(problem.size, ranks)));
    race(all, problem, repeat + 1);

    auto [m, n, k] = problem.size;
    llvm::outs() << kernel.name << ", f32, " << m << "x" << n << "x" << k
                 << ", medians and minima of " << repeat << "\n";
    for (const auto &one : all) {
      double time = median(one->seconds), best = minimum(one->seconds);
      double cpu = minimum(one->processor);
      llvm::outs() << llvm::format(
          "  %-30s %8.2f ms (min %8.2f ms, processors min %8.2f ms) %6.1f GF  "
          "error %.1e\n",
          one->name.c_str(), time * 1e3, best * 1e3, cpu * 1e3,
          2e-9 * m * n * k / time, one->error);
      json.add(llvm::json::Object{{"benchmark", "distributed-gemm"},
                                  {"kernel", kernel.name},
                                  {"variant", one->name},
                                  {"m", m},
                                  {"n", n},
                                  {"k", k},
                                  {"ranks", ranks},
                                  {"repeat", repeat},
                                  {"openblas_core", openblas_get_corename()},
                                  {"seconds", time},
                                  {"minimum_seconds", best},
                                  {"minimum_processor_seconds", cpu},
                                  {"relative_error", one->error}});
    }
    auto ratio = [&](const char *what, int numerator, int denominator,
                     double goal) {
      const Contestant &over = *all[numerator], &under = *all[denominator];
      double ofMedians = median(over.seconds) / median(under.seconds);
      double ofMinima = minimum(over.seconds) / minimum(under.seconds);
      // As if each rank had a processor that is never idle; the least, because
      // what else the machine does only adds to it.
      auto share = [&](const Contestant &one, int index) {
        return minimum(one.processor) / (index <= OneCodegen ? 1 : ranks);
      };
      double ofProcessor = share(over, numerator) / share(under, denominator);
      std::string text = over.name + " / " + under.name;
      llvm::outs() << llvm::format(
          "  %-21s %6.3f (minima %6.3f, processors %6.3f)", what, ofMedians,
          ofMinima, ofProcessor);
      if (goal > 0)
        llvm::outs() << llvm::format(", goal %.2f", goal);
      llvm::outs() << ": " << text << '\n';
      json.add(llvm::json::Object{
          {"benchmark", "distributed-gemm"},
          {"kernel", kernel.name},
          {"ratio", what},
          {"of", text},
          {"ranks", ranks},
          {"value", ofMedians},
          {"of_minima", ofMinima},
          {"of_processor_time", ofProcessor},
          {"goal", goal > 0 ? llvm::json::Value(goal) : nullptr}});
    };
    double speedup = 0.85 * ranks;
    ratio("speedup, shifted", OneBlas, Blas, speedup);
    ratio("speedup, shifted", OneCodegen, Codegen, speedup);
    ratio("speedup, synchronous", OneBlas, SyncBlas, 0);
    ratio("speedup, synchronous", OneCodegen, SyncCodegen, 0);
    ratio("of hand-written", Hand, Blas, 0.95);
    ratio("of hand-written", Hand, Codegen, 0);
    ratio("of hand-written", Hand, SyncBlas, 0);
    llvm::outs().flush();
  }
};
} // namespace

int main(int argc, char **argv) {
  selectOpenBlasCore(argc, argv);
  Options options(argc, argv,
                  {{"size", "2048"},
                   {"ranks", "2"},
                   {"repeat", "9"},
                   {"json", ""},
                   {"core", ""},
                   {"only", ""}});
  int64_t extent = options.number("size"), ranks = options.number("ranks");
  if (extent % ranks)
    fail("--ranks must divide --size");
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  JsonLines json(options.text("json"));
  llvm::outs() << describeOpenBlas() << '\n';
  Problem problem = makeProblem({extent, extent, extent});
  Bench bench{context, problem, ranks, int64_t(options.number("repeat")), json};
  for (const Kernel &kernel : kernels)
    if (llvm::StringRef(kernel.name).contains(options.text("only")))
      bench.run(kernel);
  return 0;
}
