//===- paper.cpp - The published experiments, on the model ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support.h"
#include "paper/Experiments.h"

using namespace mercury;

int main(int argc, char **argv) {
  paper::Settings settings;
  bench::Options options(
      argc, argv, {{"experiment", "all"}, {"budget", "1"}, {"ranks", "32"}});
  settings.budget = options.number("budget");
  settings.maxRanks = int64_t(options.number("ranks"));
  if (settings.maxRanks < paper::fewestRanks)
    bench::fail("--ranks=" + options.text("ranks") +
                " leaves no machine: the smallest has " +
                llvm::Twine(paper::fewestRanks) + " ranks");
  llvm::outs().SetUnbuffered();
  bool isKnown = false;
  for (const paper::Experiment *experiment : paper::experiments()) {
    const std::string &asked = options.text("experiment");
    if (asked != "all" && asked != experiment->name)
      continue;
    isKnown = true;
    std::string error;
    if (!paper::print(llvm::outs(), *experiment, settings, error))
      bench::fail(error);
    llvm::outs() << "\n";
  }
  if (!isKnown)
    bench::fail("--experiment=" + options.text("experiment") +
                " is none of a, b, c, d, all");
  return 0;
}
