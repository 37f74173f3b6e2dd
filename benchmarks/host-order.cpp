//===- host-order.cpp - The cost model's order on this machine ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every schedule of two ranks, one a core, of GEMMs and of attention at
// sizes at which communication takes a fifth of the predicted time or more, and
// compares the order of times with that of the cost model, on figures that
// `mercury-tune --calibrate --ranks=2` has measured here. All run in turns; the
// low quartile of a schedule's runs stands for it, so that what else the
// machine does counts little.
//
//   bench-host-order --topology=host.mlir [--rounds=N] [--least=PART]
//                    [--operator=gemm|attention] [--json=FILE]
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/InitAll.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Tuning/CostModel.h"
#include "OperatorProgram.h"
#include "RankRunner.h"
#include "Support.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"

#include <numeric>

using namespace mercury;
using namespace mercury::bench;
using namespace mercury::run;

namespace {
struct Row {
  std::string schedule;
  double predicted = 0, communication = 0; ///< seconds; part of it
  CompiledProgram program;
  std::vector<double> runs;
  double measured = 0;
  double interval = 0; ///< half of it, seconds
};
} // namespace

static double quantile(std::vector<double> values, double part) {
  llvm::sort(values);
  return values[size_t(part * double(values.size() - 1))];
}

/// Ranks from 0, of equal values their mean.
static std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    double below = 0, equal = 0;
    for (double other : values) {
      below += other < values[i];
      equal += other == values[i];
    }
    ranks[i] = below + (equal - 1) / 2;
  }
  return ranks;
}

/// Spearman's coefficient as the sum over pairs of products of differences of
/// ranks (Daniels 1944), of the pairs that `counts` lets through; of all it is
/// the usual one.
static double spearman(const std::vector<double> &x,
                       const std::vector<double> &y,
                       llvm::function_ref<bool(size_t, size_t)> counts) {
  std::vector<double> a = ranksOf(x), b = ranksOf(y);
  double both = 0, first = 0, second = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!counts(i, j))
        continue;
      both += (a[i] - a[j]) * (b[i] - b[j]);
      first += (a[i] - a[j]) * (a[i] - a[j]);
      second += (b[i] - b[j]) * (b[i] - b[j]);
    }
  return first > 0 && second > 0 ? both / std::sqrt(first * second) : 0;
}

static void compare(mlir::MLIRContext &context, const OperatorProgram &op,
                    const Options &options, JsonLines &json) {
  mlir::OwningOpRef<mlir::ModuleOp> module = op.parse(context);
  context.loadDialect<commir::CommIRDialect>();
  if (mlir::failed(setModuleTopology(*module, options.text("topology"))))
    fail("no topology; --topology names a file of mercury-tune --calibrate");
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  TopologyModel topology = commir::lookupTopology(function).getModel();
  if (topology.numRanks() != 2)
    fail("expected 2 ranks, got " + llvm::Twine(topology.numRanks()));
  CostProblem problem = op.problem(context);
  CostModel model(problem, topology);
  std::vector<Row> rows;
  for (const Schedule &schedule : allSchedules(problem.op, topology)) {
    Cost cost = model.estimate(schedule);
    double communication = 0;
    for (const Cost::Traffic &traffic : cost.traffic)
      communication += traffic.seconds / cost.seconds;
    if (communication < options.number("least"))
      continue;
    CompileOptions compile;
    compile.topology = options.text("topology");
    compile.schedule = print(schedule);
    rows.push_back({compile.schedule,
                    cost.seconds,
                    communication,
                    orFail(compileProgram(*module, compile)),
                    {}});
  }
  if (rows.size() < 3) {
    llvm::outs() << op.name << ": " << rows.size() << " schedules\n";
    return;
  }
  std::vector<HostTensor> arguments =
      makeArguments(rows.front().program.globalArguments(), /*seed=*/0);
  for (int round = 0; round < int(options.number("rounds")); ++round)
    for (Row &row : rows) {
      LaunchOptions launch;
      launch.poison = false;
      launch.results = false;
      // The first one touches each page of its buffers for the first time.
      launch.repeat = 5;
      RunResult result = orFail(runProgram(row.program, arguments, launch));
      row.runs.insert(row.runs.end(), result.seconds.begin() + 1,
                      result.seconds.end());
    }
  std::vector<double> predicted, measured;
  for (Row &row : rows) {
    row.measured = quantile(row.runs, 0.25);
    row.interval = (quantile(row.runs, 0.4) - quantile(row.runs, 0.1)) / 2;
    predicted.push_back(row.predicted);
    measured.push_back(row.measured);
  }
  size_t close = 0;
  double all =
             spearman(predicted, measured, [](size_t, size_t) { return true; }),
         apart = spearman(predicted, measured, [&](size_t i, size_t j) {
           bool differ = std::abs(measured[i] - measured[j]) >
                         rows[i].interval + rows[j].interval;
           close += !differ;
           return differ;
         });
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t i, size_t j) {
    return std::pair(measured[i], i) < std::pair(measured[j], j);
  });
  size_t winner =
      std::min_element(predicted.begin(), predicted.end()) - predicted.begin();
  llvm::outs() << llvm::format(
      "%s: %zu schedules, Spearman %.3f (goal 0.8); of all pairs %.3f, %zu of "
      "%zu closer than their intervals; the predicted best is %.0f%% above the "
      "measured best\n",
      op.name.c_str(), rows.size(), apart, all, close,
      rows.size() * (rows.size() - 1) / 2,
      (measured[winner] / measured[order.front()] - 1) * 100);
  for (size_t i : order) {
    const Row &row = rows[i];
    llvm::outs() << llvm::format("  %8.3f ms +-%.3f  predicted %8.3f, %3.0f%% "
                                 "communication  ",
                                 row.measured * 1e3, row.interval * 1e3,
                                 row.predicted * 1e3, row.communication * 100)
                 << row.schedule << '\n';
    json.add(llvm::json::Object{{"operator", op.name},
                                {"schedule", row.schedule},
                                {"predicted_seconds", row.predicted},
                                {"measured_seconds", row.measured},
                                {"interval_seconds", row.interval}});
  }
  llvm::outs().flush();
}

int main(int argc, char **argv) {
  Options options(argc, argv,
                  {{"topology", ""},
                   {"rounds", "25"},
                   {"least", "0.2"},
                   {"operator", ""},
                   {"json", "/dev/null"}});
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  JsonLines json(options.text("json"));
  std::vector<OperatorProgram> operators;
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{2048, 2048, 64}, {4096, 1024, 32}}) {
    operators.push_back(gemmProgram(m, n, k, "f32"));
    operators.back().name += llvm::formatv(" {0}x{1}x{2}", m, n, k);
  }
  for (auto [heads, tokens] :
       {std::pair<int64_t, int64_t>{256, 48}, {512, 32}}) {
    operators.push_back(attentionProgram(0, heads, tokens, 64, "f32"));
    operators.back().name +=
        llvm::formatv(" of {0} heads, {1} tokens", heads, tokens);
  }
  for (const OperatorProgram &op : operators)
    if (llvm::StringRef(op.name).starts_with(options.text("operator")))
      compare(context, op, options, json);
}
