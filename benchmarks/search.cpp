//===- search.cpp - How long the best schedule takes to find --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processor time throughout. The problems are those of the published
// implementation's counts: attention with batch 4, 32 heads and 32768 tokens,
// GEMM of 16384 x 8192 x 8192.
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Search.h"
#include "CandidateCost.h"
#include "Support.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace mercury;

namespace {
struct Problem {
  const char *name;
  CostProblem cost;
  EnumeratorOptions space;
};
} // namespace

static double processorSeconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

static Problem gemm() {
  return {"GEMM", gemmProblem(16384, 8192, 8192, "bf16", 2), {}};
}

static Problem attention(bool isCausal) {
  AttentionShape shape;
  shape.batch = 4;
  shape.kvHeads = 32;
  shape.queries = shape.keys = 32768;
  shape.headDim = shape.valueDim = 128;
  std::optional<Mask> mask;
  if (isCausal)
    mask = Mask{{MaskTerm{std::nullopt, 0, 0}}};
  Problem problem{isCausal ? "causal" : "attention",
                  attentionProblem(shape, mask, "bf16", 2),
                  {}};
  problem.space = spaceFor(problem.cost.op);
  return problem;
}

static TopologyModel machine(const std::string &text) {
  std::string error;
  std::optional<TopologyModel> topology = parseTopology(text, error);
  if (!topology) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    std::exit(1);
  }
  return *topology;
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

namespace {
struct Counts {
  int64_t all = 0;
  int64_t sequences = 0; ///< that divide no batch, and no heads
  int64_t rotating = 0;  ///< of those, where what travels in steps rotates
  double best = HUGE_VAL;
  double seconds = 0; ///< of processor
};
} // namespace

/// Of attention: whether batch and heads are whole.
static bool dividesSequences(const CostProblem &problem, const Candidate &c) {
  size_t loops = problem.op.loops.size();
  bool whole = problem.kind == LocalWork::Kind::Attention;
  for (size_t l = 0; whole && l + 2 < loops; ++l)
    whole &= c.ranks[l] == 0;
  return whole;
}

static bool rotatesOnly(const std::vector<const Choice *> &picked) {
  for (const Choice *choice : picked)
    for (const TensorChoice &c : choice->inputs)
      if (c.way != Way::Local && c.way != Way::Rotate)
        return false;
  return true;
}

/// Enumerates and costs everything.
static Counts countAll(const Problem &problem, const TopologyModel &topology) {
  Counts counts;
  LinkTimes links(topology);
  double begin = processorSeconds();
  Candidates candidates(problem.cost.op, topology, problem.space);
  CandidateCost cost(problem.cost, links);
  for (const Division &division : divisions(topology, problem.space))
    candidates.forEach(division, [&](Candidate &candidate, const auto &picked) {
      if (!candidates.isLegal(division, candidate))
        return true;
      bool sequences = dividesSequences(problem.cost, candidate),
           rotates = rotatesOnly(picked);
      cost.enter(division, candidate);
      return candidates.forEachOrder(candidate, picked, [&] {
        for (bool isBalanced : {false, true}) {
          if (!cost.order(candidate, isBalanced))
            continue;
          counts.best = std::min(counts.best, cost.seconds(candidate, 1));
          ++counts.all;
          counts.sequences += sequences;
          counts.rotating += sequences && rotates;
        }
        return true;
      });
    });
  counts.seconds = processorSeconds() - begin;
  return counts;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static std::string goalText(double goal) {
  char text[32] = "";
  if (goal > 0)
    std::snprintf(text, sizeof text, " (goal %g)", goal);
  return text;
}

static SearchResult search(const Problem &problem,
                           const TopologyModel &topology, SearchOptions options,
                           const char *what, double goal) {
  MemoryProblem bytes = makeMemoryProblem(
      problem.cost.op, std::max<int64_t>(problem.cost.headDim, 1));
  CostModel cost(problem.cost, topology);
  MemoryModel memory(bytes, topology);
  options.space = problem.space;
  options.top = 1;
  double begin = processorSeconds();
  SearchResult result = findSchedules(cost, memory, topology, options);
  double seconds = processorSeconds() - begin;
  if (result.best.empty()) {
    std::printf("  %-10s %-34s nothing fits\n", problem.name, what);
    return result;
  }
  std::printf("  %-10s %-34s %7.3f s%s  %9lld looked at  best %.4g ms, "
              "%s%.1f%%\n",
              problem.name, what, seconds, goalText(goal).c_str(),
              static_cast<long long>(result.visited),
              result.best[0].seconds * 1e3,
              result.isProven ? "proven, gap " : "gap ", result.gap() * 100);
  return result;
}

/// Tensors cut along their rows (of attention, behind batch and heads, their
/// sequences) over all levels.
static std::vector<std::optional<Placement>>
rowsOf(const Problem &problem, const TopologyModel &topology,
       const std::vector<OperatorModel::Tensor> &tensors) {
  std::vector<std::optional<Placement>> placements;
  bool isAttention = problem.cost.kind == LocalWork::Kind::Attention;
  for (const OperatorModel::Tensor &tensor : tensors) {
    Placement placement = Placement::replicated(tensor.loopOfDim.size());
    for (const Level &level : topology.levels)
      placement.dims[isAttention ? 2 : 0].push_back({level.name});
    placements.emplace_back(std::move(placement));
  }
  return placements;
}

static void searchAll(const char *text, double goal, double budget) {
  TopologyModel topology = machine(text);
  std::printf("%s\n", text);
  for (const Problem &problem : {gemm(), attention(false), attention(true)}) {
    SearchOptions free, entries, limited;
    free.budget = entries.budget = limited.budget = budget;
    SearchResult best =
        search(problem, topology, free, "placements free", goal);
    // Half way from what the fastest takes to the least.
    SearchOptions least = free;
    least.objective.kind = Objective::Kind::Memory;
    SearchResult smallest = search(problem, topology, least, "least memory", 0);
    if (!best.best.empty() && !smallest.best.empty() &&
        smallest.best[0].bytes < best.best[0].bytes) {
      limited.memoryLimit = (best.best[0].bytes + smallest.best[0].bytes) / 2;
      search(problem, topology, limited, "half way to the least memory", goal);
    }
    const OperatorModel &op = problem.cost.op;
    entries.entries = rowsOf(problem, topology, op.inputs);
    search(problem, topology, entries, "inputs cut along rows", goal);
    entries.exits = rowsOf(problem, topology, op.results);
    search(problem, topology, entries, "inputs and results, too", goal);
  }
}

int main(int argc, char **argv) {
  mercury::bench::Options(argc, argv, {});
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("Everything, enumerated and costed (goal 200000 a second). "
              "Published: distinct\nprograms of the two sequence loops, of all "
              "loops of a GEMM; 670 and 1500 a second\n(SOSP 2025, DOI "
              "10.1145/3731569.3764798).\n");
  struct Published {
    const char *topology;
    long attention, gemm;
  };
  for (Published p :
       {Published{"h100-sxm:node=2,gpu=4,net=100Gbps-roce", 2254, 780},
        Published{"h100-sxm:node=4,gpu=4,net=100Gbps-roce", 15542, 4590}})
    for (const Problem &problem : {gemm(), attention(false), attention(true)}) {
      TopologyModel topology = machine(p.topology);
      Counts counts = countAll(problem, topology);
      std::printf("  %-10s %3lld ranks %9lld schedules %9.0f a second",
                  problem.name, static_cast<long long>(topology.numRanks()),
                  static_cast<long long>(counts.all),
                  double(counts.all) / counts.seconds);
      if (problem.cost.op.mask)
        std::printf("  in natural order and balanced");
      else if (problem.cost.kind == LocalWork::Kind::Attention)
        std::printf("  sequences alone %lld, rotating %lld (published %ld)",
                    static_cast<long long>(counts.sequences),
                    static_cast<long long>(counts.rotating), p.attention);
      else
        std::printf("  (published %ld)", p.gemm);
      SearchOptions options;
      options.space = problem.space;
      options.top = 1;
      CostModel cost(problem.cost, topology);
      MemoryModel memory(
          makeMemoryProblem(problem.cost.op,
                            std::max<int64_t>(problem.cost.headDim, 1)),
          topology);
      double found =
          findSchedules(cost, memory, topology, options).best[0].seconds;
      std::printf("\n  %-10s best of all %.6g ms, found %.6g ms\n", "",
                  counts.best * 1e3, found * 1e3);
    }
  std::printf("Until proven\n");
  searchAll("h100-sxm:node=2,gpu=4,net=100Gbps-roce", 0.5, 10);
  searchAll("h100-sxm:node=4,gpu=4,net=100Gbps-roce", 0.5, 10);
  std::printf("1024 ranks over three levels, 10 s (goal: gap 5%%)\n");
  searchAll("h100-sxm:pod=8,node=16,gpu=8,net=400Gbps-ib", 10, 10);
  return 0;
}
