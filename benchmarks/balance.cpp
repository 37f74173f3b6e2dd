//===- balance.cpp - Causal attention on ranks ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A causal ring with tokens in their own order and in zigzag order, twice.
// First it computes, against one rank: all in this process, in turns, all
// verified. Then on more ranks than there are cores: links are emulated, and
// the local work is a wait as long as the pairs of query and key that the mask
// leaves to it. The ideal is the wait for all pairs divided by the ranks.
//
//   bench-balance [--sequence=N] [--heads=N] [--features=N] [--ranks=N]
//                 [--repeat=N] [--emulated=RANKS] [--ideal=SECONDS]
//                 [--part=FRACTION] [--json=FILE] [--core=OPENBLAS_CORETYPE]
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "OpenBlas.h"
#include "Race.h"
#include "RankRunner.h"

#include "Mercury/InitAll.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mercury;
using namespace mercury::bench;
using namespace mercury::run;

/// Seconds that the kernel waits for each pair of query and key.
static std::atomic<double> secondsPerPair{0};

// It takes the place of the local work; the program finds it in this process.
extern "C" [[gnu::visibility("default")]] void mercury_bench_wait_masked(
    int64_t queries, int64_t keys, int64_t, int64_t, double, const float *,
    int64_t, const float *, int64_t, const float *, int64_t, float *, int64_t,
    float *, float *, const int32_t *begin, const int32_t *end) {
  int64_t pairs = 0;
  for (int64_t query = 0; query < queries; ++query)
    pairs += std::max(0, end[query] - begin[query]);
  std::chrono::duration<double> time(secondsPerPair * pairs);
  if (time.count() > 0)
    std::this_thread::sleep_for(time);
}

namespace {
struct Order {
  const char *name, *balance;
};
constexpr Order plain{"ring", "none"}, zigzag{"zigzag ring", "zigzag"};

constexpr const char *causal = "visible <right 0>";

CompileOptions ringOf(int64_t ranks, const Order &order) {
  CompileOptions compile;
  compile.topology = "gpu=" + std::to_string(ranks);
  compile.schedule = "ring";
  compile.balance = order.balance;
  return compile;
}

/// Against one rank, by the clock.
void race(mlir::MLIRContext &context, const Options &options, JsonLines &json) {
  int64_t sequence = options.number("sequence"),
          heads = options.number("heads"),
          features = options.number("features"),
          ranks = options.number("ranks"), repeat = options.number("repeat");
  if (ranks < 2 || sequence % (2 * ranks))
    fail("--ranks must be 2 or more and twice of it divide --sequence");
  Mask mask;
  mask.terms.emplace_back().right = 0;
  Problem problem = attentionProblem(heads, sequence, features, mask);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      attentionText(heads, sequence, features, "", causal), &context);
  CompileOptions alone;
  alone.topology = "gpu=1";
  alone.schedule = "replicated";
  std::string count = std::to_string(ranks) + " ranks ";
  Contestants all;
  all.push_back(makeMercury("1 rank", *module, alone));
  for (const Order &order : {plain, zigzag})
    all.push_back(
        makeMercury(count + order.name, *module, ringOf(ranks, order)));
  llvm::outs() << "causal attention, f32, " << heads << " heads, sequence "
               << sequence << ", " << features
               << " features, medians and minima of " << repeat << "\n";
  Race race(llvm::json::Object{{"benchmark", "balance"},
                               {"heads", heads},
                               {"sequence", sequence},
                               {"features", features}},
            json);
  race.run(all, problem, repeat);
  race.ratio("speedup, zigzag", *all[0], *all[2], 0.9 * ranks);
  race.ratio("speedup, plain", *all[0], *all[1]);
}

/// On emulated links, with waits for work.
void emulate(mlir::MLIRContext &context, const Options &options,
             JsonLines &json) {
  constexpr int64_t sequence = 256, features = 64;
  int64_t ranks = options.number("emulated"), repeat = options.number("repeat");
  double ideal = options.number("ideal"), part = options.number("part");
  if (ranks < 2 || sequence % (2 * ranks))
    fail("--emulated must be 2 or more and twice of it divide " +
         llvm::Twine(sequence));
  Kernel kernel;
  kernel.name = "wait";
  kernel.type = "f32";
  kernel.symbol = "mercury_bench_wait_masked";
  parseForm(Kernel::maskedAttention, kernel);
  if (std::string why = registerKernel(kernel); !why.empty())
    fail(why);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      attentionText(1, sequence, features, "{commir.patch = \"wait\"}", causal),
      &context);
  llvm::outs() << "causal attention on " << ranks
               << " ranks, emulated links whose hops take "
               << llvm::format("%.2f", part)
               << " of the ideal, local work replaced by waits, ideal "
               << llvm::format("%.1f", ideal * 1e3) << " ms, medians of "
               << repeat << "\n";
  secondsPerPair = ideal * ranks / (0.5 * sequence * (sequence + 1));
  for (auto [order, goal] :
       {std::pair(plain, "at most 0.54"), std::pair(zigzag, "at least 0.90")}) {
    CompileOptions compile = ringOf(ranks, order);
    compile.local = "loops";
    CompiledProgram program = orFail(compileProgram(*module, compile));
    double block = 0; // of K and V
    for (size_t argument : {1, 2})
      block += program.arguments[argument].localBytes();
    LaunchOptions launch;
    launch.repeat = repeat;
    launch.poison = false;
    launch.linkBandwidth = block * (ranks - 1) / (part * ideal);
    launch.linkLatency = 0;
    std::vector<HostTensor> arguments =
        makeArguments(program.globalArguments(), /*seed=*/0);
    double seconds =
        median(orFail(runProgram(program, arguments, launch)).seconds);
    double ratio = ideal / seconds;
    llvm::outs() << llvm::format("  %-12s %7.2f ms  of ideal %.3f, goal %s\n",
                                 order.name, seconds * 1e3, ratio, goal);
    json.add(llvm::json::Object{{"benchmark", "balance-emulated"},
                                {"order", order.name},
                                {"ranks", ranks},
                                {"repeat", repeat},
                                {"ideal_seconds", ideal},
                                {"communication_of_ideal", part},
                                {"seconds", seconds},
                                {"of_ideal", ratio},
                                {"goal", goal}});
  }
}
} // namespace

int main(int argc, char **argv) {
  selectOpenBlasCore(argc, argv);
  Options options(argc, argv,
                  {{"sequence", "8192"},
                   {"heads", "4"},
                   {"features", "64"},
                   {"ranks", "2"},
                   {"repeat", "9"},
                   {"emulated", "8"},
                   {"ideal", "0.2"},
                   {"part", "0.8"},
                   {"json", ""},
                   {"core", ""}});
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  JsonLines json(options.text("json"));
  race(context, options, json);
  emulate(context, options, json);
  return 0;
}
