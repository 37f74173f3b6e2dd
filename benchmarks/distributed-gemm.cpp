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
#include "Race.h"
#include "handwritten/RingGemm.h"

#include "Mercury/InitAll.h"

#include "mlir/Parser/Parser.h"

using namespace mercury::bench;
using namespace mercury::run;

namespace {
/// A and B, and the product in f64 rounded to f32.
Problem makeProblem(GemmSize size) {
  auto [m, n, k] = size;
  Problem problem;
  problem.inputs = {makeArgument({ElementKind::F32, {m, k}}, /*seed=*/1, 0),
                    makeArgument({ElementKind::F32, {k, n}}, /*seed=*/1, 1)};
  problem.result = HostTensor({ElementKind::F32, {m, n}});
  problem.flops = 2.0 * m * n * k;
  std::vector<double> a = widen(problem.inputs[0]),
                      b = widen(problem.inputs[1]), c(m * n);
  cblas_dgemm(101, 111, 111, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(),
              n);
  for (size_t i = 0; i < c.size(); ++i)
    problem.result.set(i, c[i]);
  return problem;
}

/// A distributed GEMM: its schedules, and how it is written by hand.
struct Kernel {
  const char *name, *synchronous, *shifted;
  std::unique_ptr<Ring> (*write)(GemmSize, int64_t ranks);
};

template <typename T>
std::unique_ptr<Ring> write(GemmSize size, int64_t ranks) {
  return std::make_unique<T>(size, ranks);
}

constexpr Kernel kernels[] = {{"all-gather GEMM", "all_gather_gemm",
                               "all_gather_gemm_shifted", write<AllGatherGemm>},
                              {"GEMM reduce-scatter", "gemm_reduce_scatter",
                               "gemm_reduce_scatter_shifted",
                               write<GemmReduceScatter>}};

struct Bench {
  mlir::MLIRContext &context;
  GemmSize size;
  const Problem &problem;
  int64_t ranks, repeat;
  JsonLines &json;

  std::unique_ptr<Contestant> mercury(llvm::StringRef name,
                                      llvm::StringRef schedule, int64_t ranks,
                                      llvm::StringRef local) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        gemmText(size.m, size.n, size.k), &context);
    CompileOptions options;
    options.topology = "gpu=" + std::to_string(ranks);
    options.schedule = schedule.str();
    options.local = local.str();
    return makeMercury((name + ", " + local).str(), *module, options);
  }

  void run(const Kernel &kernel) {
    enum { OneBlas, OneCodegen, SyncBlas, SyncCodegen, Blas, Codegen, Hand };
    Contestants all;
    std::string count = std::to_string(ranks) + " ranks ";
    for (const char *local : {"blas", "codegen"})
      all.push_back(mercury("1 rank", "replicated", 1, local));
    for (const char *local : {"blas", "codegen"})
      all.push_back(
          mercury(count + "synchronous", kernel.synchronous, ranks, local));
    for (const char *local : {"blas", "codegen"})
      all.push_back(mercury(count + "shifted", kernel.shifted, ranks, local));
    all.push_back(makeHandwritten(count + "by hand, OpenBLAS", ranks,
                                  kernel.write(size, ranks)));
    auto [m, n, k] = size;
    llvm::outs() << kernel.name << ", f32, " << m << "x" << n << "x" << k
                 << ", medians and minima of " << repeat << "\n";
    Race race(llvm::json::Object{{"benchmark", "distributed-gemm"},
                                 {"kernel", kernel.name},
                                 {"m", m},
                                 {"n", n},
                                 {"k", k},
                                 {"openblas_core", openblas_get_corename()}},
              json);
    race.run(all, problem, repeat);
    double speedup = 0.85 * ranks;
    race.ratio("speedup, shifted", *all[OneBlas], *all[Blas], speedup);
    race.ratio("speedup, shifted", *all[OneCodegen], *all[Codegen], speedup);
    race.ratio("speedup, synchronous", *all[OneBlas], *all[SyncBlas]);
    race.ratio("speedup, synchronous", *all[OneCodegen], *all[SyncCodegen]);
    race.ratio("of hand-written", *all[Hand], *all[Blas], 0.95);
    race.ratio("of hand-written", *all[Hand], *all[Codegen]);
    race.ratio("of hand-written", *all[Hand], *all[SyncBlas]);
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
  GemmSize size{extent, extent, extent};
  Problem problem = makeProblem(size);
  Bench bench{context, size, problem, ranks, int64_t(options.number("repeat")),
              json};
  for (const Kernel &kernel : kernels)
    if (llvm::StringRef(kernel.name).contains(options.text("only")))
      bench.run(kernel);
  return 0;
}
