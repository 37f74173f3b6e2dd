//===- Workloads.cpp - Operators, placements, known designs ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Workloads.h"
#include "../ContextParallel.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Schedule/Primitives.h"

using namespace mercury;
using namespace mercury::paper;

static AxisList allAxes(const TopologyModel &topology) {
  AxisList axes;
  for (const Level &level : topology.levels)
    if (level.size > 1)
      axes.push_back({level.name});
  return axes;
}

/// The outermost axes that have so many ranks together, and those inside of
/// them; nothing where levels do not divide like that.
static std::optional<std::pair<AxisList, AxisList>>
cutRanks(const TopologyModel &topology, int64_t outer) {
  AxisList outside, inside;
  for (const AxisRef &axis : allAxes(topology)) {
    int64_t size = topology.sizeOf(axis);
    if (outer % size == 0) {
      outside.push_back(axis);
      outer /= size;
    } else if (outer == 1) {
      inside.push_back(axis);
    } else if (size % outer == 0) {
      outside.push_back({axis.level, 1, outer});
      inside.push_back({axis.level, outer, size / outer});
      outer = 1;
    } else {
      return std::nullopt;
    }
  }
  if (outer != 1)
    return std::nullopt;
  return std::pair(outside, inside);
}

/// Dimension `dim` over all ranks.
static Placement cut(const OperatorModel::Tensor &tensor, size_t dim,
                     const TopologyModel &topology) {
  Placement placement = Placement::replicated(tensor.loopOfDim.size());
  placement.dims[dim] = allAxes(topology);
  return placement;
}

static void addNamed(Workload &w, const char *family, const char *name,
                     const TopologyModel &topology) {
  Schedule schedule;
  if (makeNamedSchedule(name, schedule, w.cost.op, topology))
    w.designs.push_back({family, name, std::move(schedule)});
}

Workload mercury::paper::attention(const AttentionShape &shape,
                                   const TopologyModel &topology) {
  Workload w;
  w.cost = attentionProblem(shape, {}, "bf16", 2);
  w.cost.library = "FA2";
  w.cost.isForeign = true;
  w.memory = makeMemoryProblem(w.cost.op, shape.headDim);
  w.cost.finishedBytes = w.memory.finishedBytes;
  const OperatorModel &op = w.cost.op;
  size_t key = op.loops.size() - 1, query = key - 1;
  for (const OperatorModel::Tensor &input : op.inputs)
    w.entries.push_back(
        cut(input, *input.dimOfLoop(&input == &op.inputs[0] ? query : key),
            topology));
  for (const OperatorModel::Tensor &result : op.results)
    w.exits.push_back(cut(result, *result.dimOfLoop(query), topology));
  addNamed(w, "ring", "ring", topology);
  if (allAxes(topology).size() > 1)
    addNamed(w, "double ring", "double_ring", topology);
  addNamed(w, "Ulysses", "ulysses", topology);
  for (int64_t n = 2; n < topology.numRanks(); ++n)
    if (auto axes = cutRanks(topology, n))
      for (bool headsInside : {true, false}) {
        const AxisList &heads = headsInside ? axes->second : axes->first,
                       &ring = headsInside ? axes->first : axes->second;
        Schedule schedule;
        if (bench::contextParallel(schedule, op, topology, ring, heads))
          w.designs.push_back(
              {"USP", "USP, heads over " + print(heads), std::move(schedule)});
      }
  return w;
}

/// Asynchronous tensor parallelism: the ranks in two halves, at two steps each;
/// what a half has of the other is under way while it works on its own. The
/// rows travel, of A or of C; `parallel` is the loop that all ranks take.
static void addHalves(Workload &w, size_t parallel, bool gathers,
                      const AxisList &halves, const AxisList &others,
                      const TopologyModel &topology) {
  AxisList all = halves;
  all.insert(all.end(), others.begin(), others.end());
  Schedule s = Schedule::replicated(w.cost.op);
  ScheduleContext c{w.cost.op, topology};
  constexpr size_t rows = 0;
  auto build = [&] {
    if (Verdict v = parallelize(s, c, parallel, all); !v)
      return v;
    if (Verdict v = tile(s, c, rows, halves); !v)
      return v;
    if (gathers) {
      if (Verdict v = shard(s, c, 0, 0, all); !v)
        return v;
      if (!others.empty())
        if (Verdict v = replicate(s, c, 0, others); !v)
          return v;
    } else if (Verdict v = shardResult(s, c, 0, 0, all); !v) {
      return v;
    }
    // Of partial sums the own half comes last.
    if (Verdict v = shift(s, c, rows, 0, halves, 1, gathers ? 0 : 1); !v)
      return v;
    return verify(s, w.cost.op, topology);
  };
  if (build())
    w.designs.push_back(
        {"async TP", "two halves over " + print(halves), std::move(s)});
}

static Workload gemm(int64_t m, int64_t n, int64_t k, bool gathers,
                     const TopologyModel &topology) {
  Workload w;
  w.cost = gemmProblem(m, n, k, "bf16", 2);
  w.cost.library = "cuBLAS";
  w.cost.isForeign = true;
  w.memory = makeMemoryProblem(w.cost.op);
  const OperatorModel &op = w.cost.op;
  w.entries = {cut(op.inputs[0], gathers ? 0 : 1, topology),
               cut(op.inputs[1], gathers ? 1 : 0, topology)};
  w.exits = {cut(op.results[0], gathers ? 1 : 0, topology)};
  const char *name = gathers ? "all_gather_gemm" : "gemm_reduce_scatter";
  addNamed(w, "synchronous", name, topology);
  addNamed(w, "shifted", (std::string(name) + "_shifted").c_str(), topology);
  size_t parallel = gathers ? 1 : 2;
  if (auto axes = cutRanks(topology, 2))
    addHalves(w, parallel, gathers, axes->first, axes->second, topology);
  // The halves are neighbours.
  if (int64_t ranks = topology.numRanks(); ranks > 2 && ranks % 2 == 0)
    if (auto axes = cutRanks(topology, ranks / 2))
      addHalves(w, parallel, gathers, axes->second, axes->first, topology);
  return w;
}

Workload mercury::paper::allGatherGemm(int64_t m, int64_t n, int64_t k,
                                       const TopologyModel &topology) {
  return gemm(m, n, k, /*gathers=*/true, topology);
}

Workload mercury::paper::gemmReduceScatter(int64_t m, int64_t n, int64_t k,
                                           const TopologyModel &topology) {
  return gemm(m, n, k, /*gathers=*/false, topology);
}
