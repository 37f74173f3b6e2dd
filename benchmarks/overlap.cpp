//===- overlap.cpp - Does communication hide behind compute? --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All-gather GEMM on ranks whose links are emulated and whose local work is a
// wait, so that neither depends on how many cores there are. Three runs of each
// form: compute alone (links take no time), communication alone (the local work
// takes none), and both. The link is as fast as makes communication the given
// part of compute.
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

/// Seconds that the kernel waits for each multiply-add.
static std::atomic<double> secondsPerMultiplyAdd{0};

/// Takes the place of the local matmul; the program finds it in this process.
extern "C" [[gnu::visibility("default")]] void
mercury_bench_wait(int64_t m, int64_t n, int64_t k, const float *, int64_t,
                   const float *, int64_t, float *, int64_t) {
  std::chrono::duration<double> time(secondsPerMultiplyAdd * m * n * k);
  if (time.count() > 0)
    std::this_thread::sleep_for(time);
}

namespace {
struct Setting {
  int64_t ranks, repeat;
  double step; ///< seconds of compute between two hops
  double part; ///< communication / compute, wanted
};

/// What one form needs, medians of seconds.
struct Times {
  double compute, communication, both;
};

constexpr int64_t extent = 256;

/// `hops`: tiles that a rank receives one after the other.
Times measure(mlir::MLIRContext &context, const char *schedule, int64_t hops,
              const Setting &setting) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      gemmText(extent, extent, extent, "{commir.patch = \"wait\"}"), &context);
  CompileOptions options;
  options.topology = "gpu=" + std::to_string(setting.ranks);
  options.schedule = schedule;
  options.local = "loops";
  CompiledProgram program = orFail(compileProgram(*module, options));
  std::vector<HostTensor> arguments = makeArguments(program.globalArguments(),
                                                    /*seed=*/0);
  double steps = setting.ranks;
  double hop = setting.part * setting.step * steps / hops;
  auto run = [&](bool compute, bool communicate) {
    secondsPerMultiplyAdd =
        compute ? setting.step * steps / program.multiplyAdds : 0;
    LaunchOptions launch;
    launch.repeat = setting.repeat;
    launch.poison = false;
    if (communicate) {
      launch.linkBandwidth = program.arguments[0].localBytes() / hop;
      launch.linkLatency = 0;
    }
    return median(orFail(runProgram(program, arguments, launch)).seconds);
  };
  return {run(true, false), run(false, true), run(true, true)};
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
  if (setting.ranks < 2 || extent % setting.ranks)
    fail("--ranks must be 2 or more and divide " + llvm::Twine(extent));
  mercury::Kernel kernel;
  kernel.name = "wait";
  kernel.type = "f32";
  kernel.symbol = "mercury_bench_wait";
  if (std::string why = mercury::registerKernel(kernel); !why.empty())
    fail(why);
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  JsonLines json(options.text("json"));

  llvm::outs() << "all-gather GEMM on " << setting.ranks
               << " ranks, emulated links, local work replaced by waits of "
               << llvm::format("%.1f", setting.step * 1e3)
               << " ms a step, medians of " << setting.repeat << "\n";
  // Fetched tiles come from their owner, the first one is the rank's own. Of
  // tiles that are broadcast the first one, too, has to come; it alone has
  // nothing to hide behind.
  struct Form {
    const char *name, *schedule;
    int64_t hops;
    const char *goal;
  };
  int64_t ranks = setting.ranks;
  for (const Form &form :
       {Form{"shifted", "all_gather_gemm_shifted", ranks - 1, "at most 1.15"},
        Form{"fetched",
             "loops [time {gpu} shift {gpu}, rank gpu, -] inputs [[{gpu}, {}] "
             "fetch {gpu}, [{}, {gpu}]] results [[{}, {gpu}]]",
             ranks - 1, "at most 1.15"},
        Form{"broadcast",
             "loops [time {gpu}, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]]"
             " results [[{}, {gpu}]]",
             ranks, "at most 1.35"},
        Form{"synchronous", "all_gather_gemm", ranks - 1, "at least 1.60"}}) {
    Times times = measure(context, form.schedule, form.hops, setting);
    double ratio = times.both / times.compute;
    double part = times.communication / times.compute;
    llvm::outs() << llvm::format(
        "  %-12s compute %7.2f ms  communication %7.2f ms (%.3f of compute)  "
        "both %7.2f ms  both / compute %.3f, goal %s\n",
        form.name, times.compute * 1e3, times.communication * 1e3, part,
        times.both * 1e3, ratio, form.goal);
    json.add(llvm::json::Object{{"benchmark", "overlap"},
                                {"schedule", form.schedule},
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
  return 0;
}
