//===- Race.h - Ways to compute the same, in turns --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of Mercury and versions written by hand run in one process, one
// round of each, then the next round of each; all results are verified.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_RACE_H
#define MERCURY_BENCHMARKS_RACE_H

#include "Compile.h"
#include "HostTensor.h"
#include "Support.h"
#include "handwritten/Ring.h"

#include <functional>

namespace mercury::bench {

/// Inputs and the expected result.
struct Problem {
  std::vector<run::HostTensor> inputs;
  run::HostTensor result;
  double flops = 0;
};

/// The elements of a tensor in f64.
std::vector<double> widen(const run::HostTensor &tensor);

/// One way to compute the result.
class Contestant {
public:
  Contestant(std::string name, int64_t ranks)
      : name(std::move(name)), ranks(ranks) {}
  virtual ~Contestant() = default;
  /// Runs `rounds` times; `between` is called between two rounds. Nobody else
  /// runs meanwhile.
  virtual void run(const Problem &problem, int64_t rounds,
                   const std::function<void()> &between) = 0;

  std::string name;
  int64_t ranks;
  /// Of each round but the first, by the clock and of all processors.
  std::vector<double> seconds, processor;
  double error = 0; ///< relative Frobenius norm

protected:
  void check(const run::HostTensor &result, const Problem &problem);
};

/// The function of `module`, distributed.
std::unique_ptr<Contestant> makeMercury(std::string name, mlir::ModuleOp module,
                                        const run::CompileOptions &options);
std::unique_ptr<Contestant> makeHandwritten(std::string name, int64_t ranks,
                                            std::unique_ptr<Ring> ring);

/// Contestants, in the order in which they run in each round.
using Contestants = std::vector<std::unique_ptr<Contestant>>;

/// What is printed of a race, as text and as JSON.
class Race {
public:
  /// `facts` stand in each line of JSON beside the figures.
  Race(llvm::json::Object facts, JsonLines &json)
      : facts(std::move(facts)), json(json) {}

  /// Runs all `repeat` times, and once more that does not count, and prints a
  /// line for each.
  void run(const Contestants &all, const Problem &problem, int64_t repeat);
  /// Prints time of `over` / time of `under`. A goal of 0 is none.
  void ratio(const char *what, const Contestant &over, const Contestant &under,
             double goal = 0);

private:
  void add(llvm::json::Object figures);
  llvm::json::Object facts;
  JsonLines &json;
};

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_RACE_H
