//===- cost-model.cpp - How long the cost of a schedule takes -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Microseconds of processor time per schedule, of the first of each space; in
// the first round tables are built that later rounds find.
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Tuning/CostModel.h"
#include "Support.h"

#include <cstdio>
#include <ctime>

using namespace mercury;

static constexpr size_t maxSchedules = 2000;
static constexpr int rounds = 10;

static double secondsOfProcessor() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

static void measure(const char *name, const CostProblem &problem,
                    const char *text) {
  std::string error;
  std::optional<TopologyModel> topology = parseTopology(text, error);
  if (!topology) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return;
  }
  EnumeratorOptions options;
  options.relays = Relays::Together;
  std::vector<Schedule> schedules;
  enumerateSchedules(problem.op, *topology, options, [&](const Schedule &s) {
    schedules.push_back(s);
    return schedules.size() < maxSchedules;
  });
  CostModel model(problem, *topology);
  double first = 0, best = 0, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    double begin = secondsOfProcessor();
    for (const Schedule &s : schedules)
      sum += model.seconds(s);
    double each =
        (secondsOfProcessor() - begin) / double(schedules.size()) * 1e6;
    if (round == 0)
      first = each;
    if (round == 1 || (round > 1 && each < best))
      best = each;
  }
  double begin = secondsOfProcessor();
  for (const Schedule &s : schedules)
    sum += model.estimate(s).seconds;
  double all = (secondsOfProcessor() - begin) / double(schedules.size()) * 1e6;
  std::printf("%-18s %-22s %6zu %12.2f %12.2f %12.2f   (goal 5)\n", name, text,
              schedules.size(), first, best, all);
  if (sum <= 0)
    std::printf("no time at all\n");
}

int main(int argc, char **argv) {
  mercury::bench::Options(argc, argv, {});
  std::printf("%-18s %-22s %6s %12s %12s %12s\n", "us per schedule", "topology",
              "number", "first round", "best round", "with details");
  AttentionShape shape;
  shape.batch = 4;
  shape.kvHeads = 32;
  shape.queries = shape.keys = 32768;
  shape.headDim = shape.valueDim = 128;
  Mask causal{{MaskTerm{std::nullopt, 0, 0}}};
  for (const char *text : {"h100-sxm:gpu=8", "h100-sxm:node=2,gpu=4"}) {
    measure("GEMM", gemmProblem(16384, 8192, 8192, "bf16", 2), text);
    measure("attention", attentionProblem(shape, {}, "bf16", 2), text);
    measure("causal attention", attentionProblem(shape, causal, "bf16", 2),
            text);
  }
  return 0;
}
