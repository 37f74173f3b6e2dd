//===- masked-attention.cpp - What a mask saves ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One head of attention on one thread, without a mask and with one, in turns:
// causal, a window that ends at the query, and a mask that lets everything
// through, of which every tile runs the code of no mask. Some rows are compared
// with values computed here in f64.
//
//   bench-masked-attention [--sequence=N] [--window=N] [--long-sequence=N]
//                          [--features=N] [--repeat=N] [--json=FILE]
//
//===----------------------------------------------------------------------===//

#include "CompiledTile.h"

#include "Mercury/InitAll.h"

#include "llvm/Support/Format.h"

#include <random>

using namespace mercury::bench;

namespace {

double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// A tile as long as it is wide, with and without ranges.
class Case {
public:
  Case(mlir::MLIRContext &context, int64_t n, int64_t d)
      : n(n), d(d), plainEngine(compileTile(context, {1, n, n, d})),
        rangedEngine(compileTile(context, {1, n, n, d, true})),
        plain(functionOf(*plainEngine)),
        ranged(functionOf<CompiledRangedTile>(*rangedEngine)), begin(n, 0),
        end(n, n), q(n * d), k(n * d), v(n * d), out(n * d), max(n), sum(n) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (std::vector<float> *values : {&q, &k, &v})
      for (float &value : *values)
        value = normal(random);
  }

  /// The query at m sees keys [m - left, m + right].
  void setWindow(int64_t left, int64_t right) {
    for (int64_t row = 0; row < n; ++row) {
      begin[row] = std::max<int64_t>(row - left, 0);
      end[row] = std::min(row + right + 1, n);
    }
  }

  double timePlain() {
    clear();
    double start = threadSeconds();
    plain(q.data(), k.data(), v.data(), out.data(), max.data(), sum.data());
    return threadSeconds() - start;
  }
  double timeMasked() {
    clear();
    double start = threadSeconds();
    ranged(q.data(), k.data(), v.data(), begin.data(), end.data(), out.data(),
           max.data(), sum.data());
    return threadSeconds() - start;
  }

  /// Largest difference in some rows of what timeMasked() has left, relative
  /// to the largest element of the row.
  double error() const {
    double worst = 0;
    for (int64_t row = 0; row < n; row += std::max<int64_t>(n / 61, 1)) {
      std::vector<double> weights, expected(d);
      double total = 0, largest = 0;
      for (int64_t key = begin[row]; key < end[row]; ++key) {
        double score = 0;
        for (int64_t i = 0; i < d; ++i)
          score += double(q[row * d + i]) * k[key * d + i];
        weights.push_back(std::exp(score / std::sqrt(double(d))));
        total += weights.back();
        for (int64_t i = 0; i < d; ++i)
          expected[i] += weights.back() * v[key * d + i];
      }
      for (int64_t i = 0; i < d; ++i)
        largest = std::max(largest, std::fabs(expected[i] / total));
      for (int64_t i = 0; i < d; ++i)
        worst = std::max(worst, std::fabs(out[row * d + i] / sum[row] -
                                          expected[i] / total) /
                                    largest);
    }
    return worst;
  }

private:
  void clear() {
    std::fill(out.begin(), out.end(), 0.0f);
    std::fill(max.begin(), max.end(), -INFINITY);
    std::fill(sum.begin(), sum.end(), 0.0f);
  }

  int64_t n, d;
  std::unique_ptr<mlir::ExecutionEngine> plainEngine, rangedEngine;
  CompiledTile plain;
  CompiledRangedTile ranged;
  std::vector<int32_t> begin, end;
  std::vector<float> q, k, v, out, max, sum;
};

} // namespace

int main(int argc, char **argv) {
  Options options(argc, argv,
                  {{"sequence", "8192"},
                   {"window", "1024"},
                   {"long-sequence", "32768"},
                   {"features", "64"},
                   {"repeat", "7"},
                   {"json", ""}});
  int64_t sequence = options.number("sequence"),
          window = options.number("window"),
          longer = options.number("long-sequence"),
          features = options.number("features"),
          repeat = options.number("repeat");
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::outs() << "attention with a mask / without, f32, one head, one thread, "
               << features << " features, medians of " << repeat << "\n";
  JsonLines json(options.text("json"));

  auto measure = [&](Case &problem, const std::string &mask, int64_t n,
                     double goal) {
    std::vector<double> masked, plain;
    for (int64_t i = 0; i <= repeat; ++i) {
      double time = problem.timePlain(), ours = problem.timeMasked();
      if (i == 0) // New pages; and what it computes is checked.
        continue;
      plain.push_back(time);
      masked.push_back(ours);
    }
    double error = problem.error();
    if (!(error <= 1e-4))
      fail(mask + " differs by " + std::to_string(error));
    double ratio = median(masked) / median(plain),
           best = minimum(masked) / minimum(plain);
    llvm::outs() << llvm::format(
        "  N %6ld  %-14s %9.2f ms of %9.2f ms: ratio %.3f (of minima %.3f), "
        "goal at most %.2f\n",
        n, mask.c_str(), median(masked) * 1e3, median(plain) * 1e3, ratio, best,
        goal);
    json.add(llvm::json::Object{{"benchmark", "masked-attention"},
                                {"mask", mask},
                                {"sequence", n},
                                {"features", features},
                                {"masked_seconds", median(masked)},
                                {"masked_seconds_minimum", minimum(masked)},
                                {"unmasked_seconds", median(plain)},
                                {"unmasked_seconds_minimum", minimum(plain)},
                                {"ratio", ratio},
                                {"ratio_of_minima", best},
                                {"relative_difference", error}});
  };
  {
    Case problem(context, sequence, features);
    measure(problem, "everything", sequence, 1.03);
    problem.setWindow(sequence, 0);
    measure(problem, "causal", sequence, 0.56);
  }
  Case problem(context, longer, features);
  problem.setWindow(window - 1, 0);
  measure(problem, "window " + std::to_string(window), longer, 0.08);
  return 0;
}
