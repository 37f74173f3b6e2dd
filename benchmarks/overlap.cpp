//===- overlap.cpp - Does communication hide behind compute? --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All-gather GEMM and attention on ranks whose links are emulated and whose
// local work is a wait, so that neither depends on how many cores there are.
// Three runs of each form: compute alone (links take no time), communication
// alone (the local work takes none), and both. A link is as fast as makes the
// hops of a plain ring take the given part of compute.
//
//   bench-overlap [--ranks=N] [--step=SECONDS] [--part=FRACTION] [--repeat=N]
//                 [--json=FILE]
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Mercury/InitAll.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "RankRunner.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mercury::bench;
using namespace mercury::run;

/// Seconds that the kernels wait for each multiply-add.
static std::atomic<double> secondsPerMultiplyAdd{0};

static void waitFor(int64_t multiplyAdds) {
  std::chrono::duration<double> time(secondsPerMultiplyAdd * multiplyAdds);
  if (time.count() > 0)
    std::this_thread::sleep_for(time);
}

// They take the place of the local work; the program finds them in this
// process.
extern "C" {
[[gnu::visibility("default")]] void
mercury_bench_wait_gemm(int64_t m, int64_t n, int64_t k, const float *, int64_t,
                        const float *, int64_t, float *, int64_t) {
  waitFor(m * n * k);
}
[[gnu::visibility("default")]] void
mercury_bench_wait_attention(int64_t queries, int64_t keys, int64_t d,
                             int64_t e, double, const float *, int64_t,
                             const float *, int64_t, const float *, int64_t,
                             float *, int64_t, float *, float *) {
  waitFor(queries * keys * (d + e));
}
}

namespace {
struct Setting {
  int64_t ranks, repeat;
  double step; ///< seconds of compute between two hops
  double part; ///< communication / compute, wanted
};

/// A function, its operator patched, and what of its arguments moves.
struct Workload {
  const char *name;
  std::string text;
  std::vector<size_t> moved;
};

/// A schedule. `hops`: tiles that a rank receives one after the other.
struct Form {
  const char *name;
  std::string schedule, topology;
  int64_t hops;
  const char *goal;
};

/// What one form needs, medians of seconds.
struct Times {
  double compute, communication, both;
};

constexpr int64_t extent = 256, features = 64;

Times measure(mlir::MLIRContext &context, const Workload &workload,
              const Form &form, const Setting &setting) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(workload.text, &context);
  CompileOptions options;
  options.topology = form.topology;
  options.schedule = form.schedule;
  options.local = "loops";
  CompiledProgram program = orFail(compileProgram(*module, options));
  std::vector<HostTensor> arguments = makeArguments(program.globalArguments(),
                                                    /*seed=*/0);
  double steps = setting.ranks;
  double hop = setting.part * setting.step * steps / form.hops;
  double tile = 0;
  for (size_t argument : workload.moved)
    tile += program.arguments[argument].localBytes();
  auto run = [&](bool compute, bool communicate) {
    secondsPerMultiplyAdd =
        compute ? setting.step * steps / program.multiplyAdds : 0;
    LaunchOptions launch;
    launch.repeat = setting.repeat;
    launch.poison = false;
    if (communicate) {
      launch.linkBandwidth = tile / hop;
      launch.linkLatency = 0;
    }
    return median(orFail(runProgram(program, arguments, launch)).seconds);
  };
  return {run(true, false), run(false, true), run(true, true)};
}

void run(mlir::MLIRContext &context, const Workload &workload,
         const std::vector<Form> &forms, const Setting &setting,
         JsonLines &json) {
  llvm::outs() << workload.name << " on " << setting.ranks
               << " ranks, emulated links, local work replaced by waits of "
               << llvm::format("%.1f", setting.step * 1e3)
               << " ms a step, medians of " << setting.repeat << "\n";
  for (const Form &form : forms) {
    Times times = measure(context, workload, form, setting);
    double ratio = times.both / times.compute;
    double part = times.communication / times.compute;
    llvm::outs() << llvm::format(
        "  %-12s compute %7.2f ms  communication %7.2f ms (%.3f of compute)  "
        "both %7.2f ms  both / compute %.3f, goal %s\n",
        form.name, times.compute * 1e3, times.communication * 1e3, part,
        times.both * 1e3, ratio, form.goal);
    llvm::outs().flush();
    json.add(llvm::json::Object{{"benchmark", "overlap"},
                                {"workload", workload.name},
                                {"schedule", form.schedule},
                                {"topology", form.topology},
                                {"ranks", setting.ranks},
                                {"repeat", setting.repeat},
                                {"step_seconds", setting.step},
                                {"compute_seconds", times.compute},
                                {"communication_seconds", times.communication},
                                {"both_seconds", times.both},
                                {"communication_of_compute", part},
                                {"both_of_compute", ratio},
                                {"goal", form.goal}});
  }
}

void registerWait(const char *form, const char *symbol) {
  mercury::Kernel kernel;
  kernel.name = "wait";
  kernel.type = "f32";
  kernel.symbol = symbol;
  mercury::parseForm(form, kernel);
  if (std::string why = mercury::registerKernel(kernel); !why.empty())
    fail(why);
}
} // namespace

int main(int argc, char **argv) {
  Options options(argc, argv,
                  {{"ranks", "4"},
                   {"step", "0.02"},
                   {"part", "0.8"},
                   {"repeat", "11"},
                   {"json", ""}});
  Setting setting{int64_t(options.number("ranks")),
                  int64_t(options.number("repeat")), options.number("step"),
                  options.number("part")};
  int64_t ranks = setting.ranks;
  if (ranks < 2 || extent % ranks)
    fail("--ranks must be 2 or more and divide " + llvm::Twine(extent));
  registerWait("nn", "mercury_bench_wait_gemm");
  registerWait("attention", "mercury_bench_wait_attention");
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  JsonLines json(options.text("json"));

  const char *patch = "{commir.patch = \"wait\"}";
  const char *hidden = "at most 1.15", *exposed = "at least 1.60";
  std::string flat = "gpu=" + std::to_string(ranks),
              twoLevels = "node=2,gpu=" + std::to_string(ranks / 2);
  // Fetched tiles come from their owner, the first one is the rank's own. Of
  // tiles that are broadcast the first one, too, has to come; it alone has
  // nothing to hide behind.
  run(context,
      {"all-gather GEMM", gemmText(extent, extent, extent, patch), {0}},
      {{"shifted", "all_gather_gemm_shifted", flat, ranks - 1, hidden},
       {"fetched",
        "loops [time {gpu} shift {gpu}, rank gpu, -] inputs [[{gpu}, {}] "
        "fetch {gpu}, [{}, {gpu}]] results [[{}, {gpu}]]",
        flat, ranks - 1, hidden},
       {"broadcast",
        "loops [time {gpu}, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] "
        "results [[{}, {gpu}]]",
        flat, ranks, "at most 1.35"},
       {"synchronous", "all_gather_gemm", flat, ranks - 1, exposed}},
      setting, json);
  // Both directions share a rank's port. The two levels of the double ring have
  // ports of their own, so that its communication alone takes less.
  run(context, {"attention", attentionText(1, extent, features, patch), {1, 2}},
      {{"ring", "ring", flat, ranks - 1, hidden},
       {"both ways", "ring_bidirectional", flat, ranks - 1, hidden},
       {"double ring", "double_ring", twoLevels, ranks - 1, hidden},
       {"synchronous", "context_parallel", flat, ranks - 1, exposed}},
      setting, json);
  return 0;
}
