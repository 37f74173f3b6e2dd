//===- NamedSchedules.cpp - Known designs as points of the space ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/NamedSchedules.h"
#include "Contraction.h"
#include "Mercury/Schedule/Primitives.h"

#include <algorithm>
#include <numeric>

using namespace mercury;

namespace {
/// A schedule in the making: the primitives on one operator's contraction,
/// which do nothing once one of them has failed.
class Script {
public:
  enum Operand { A = 0, B = 1 };
  enum Role { M, N, K };

  /// Starts from the replicated schedule; fails where the operator is no
  /// contraction or lacks one of the loops.
  Script(Schedule &s, const OperatorModel &op, const TopologyModel &topology,
         std::initializer_list<Role> needed)
      : s(s), c{op, topology}, axes(allAxes(topology)) {
    s = Schedule::replicated(op);
    std::optional<Contraction> found = matchContraction(op);
    if (!found) {
      verdict = Verdict::no("'" + op.name +
                            "' is no contraction of two inputs "
                            "into one result");
      return;
    }
    roles = std::move(*found);
    static const char *names[] = {"row", "column", "reduction"};
    for (Role role : needed)
      if (list(role).empty())
        verdict = Verdict::no("'" + op.name + "' has no " + names[role] +
                              " loop, which this schedule parallelizes");
  }

  void parallelize(Role role, const AxisList &over) {
    if (go(over))
      verdict = mercury::parallelize(s, c, loop(role), over);
  }
  void shard(Operand x, Role role, const AxisList &over) {
    if (go(over))
      verdict = mercury::shard(s, c, x, dim(x, role), over);
  }
  void replicate(Operand x, const AxisList &over) {
    if (go(over))
      verdict = mercury::replicate(s, c, x, over);
  }
  void shardResult(Role role, const AxisList &over) {
    if (go(over))
      verdict = mercury::shardResult(
          s, c, 0, *c.op.results[0].dimOfLoop(loop(role)), over);
  }
  void replicateResult(const AxisList &over) {
    if (go(over))
      verdict = mercury::replicateResult(s, c, 0, over);
  }
  /// Cuts the loop into as many steps as `over` has ranks.
  void tile(Role role, const AxisList &over) {
    if (go(over))
      verdict = mercury::tile(s, c, loop(role), over);
  }
  /// Staggers the innermost factor of the loop.
  void shift(Role role, const AxisList &over, int64_t offset = 0) {
    if (go(over))
      verdict = mercury::shift(s, c, loop(role), s.loops[loop(role)].size() - 1,
                               over, 1, offset);
  }
  /// X's shards along the loop travel over all axes: a ring per level, the
  /// outer level's around the inner level's.
  void rotate(Operand x, Role role) {
    for (const AxisRef &axis : axes) {
      tile(role, {axis});
      shard(x, role, {axis});
      shift(role, {axis});
    }
  }
  /// The same for the partial result, which ends where it belongs: at the last
  /// step, N - 1, with offset 1, rank r works on tile r.
  void accumulate(Role role) {
    for (const AxisRef &axis : axes) {
      tile(role, {axis});
      shardResult(role, {axis});
      shift(role, {axis}, /*offset=*/1);
    }
  }
  Verdict done() const {
    return verdict ? verify(s, c.op, c.topology) : verdict;
  }

  Schedule &s;
  ScheduleContext c;
  AxisList axes;
  Contraction roles;

private:
  bool go(const AxisList &over) const { return verdict && !over.empty(); }
  const std::vector<size_t> &list(Role role) const {
    return role == M ? roles.m : role == N ? roles.n : roles.k;
  }
  size_t loop(Role role) const { return list(role).front(); }
  size_t dim(Operand x, Role role) const {
    return *c.op.inputs[x].dimOfLoop(loop(role));
  }
  Verdict verdict = Verdict::ok();
};

/// The axes of a 2-D schedule: the first level and the others, or a single
/// level cut into factors as near to a square as its size allows.
struct RowsAndColumns {
  AxisList rows, columns;
};
} // namespace

static RowsAndColumns rowsAndColumns(const TopologyModel &topology) {
  AxisList axes = allAxes(topology);
  if (axes.size() > 1)
    return {{axes.front()}, {axes.begin() + 1, axes.end()}};
  if (axes.empty())
    return {};
  const Level &level = topology.levels.front();
  int64_t rows = 1;
  for (int64_t i = 2; i * i <= level.size; ++i)
    if (level.size % i == 0)
      rows = i;
  if (rows == 1)
    return {{}, axes};
  return {{{level.name, 1, rows}}, {{level.name, rows, level.size / rows}}};
}

//===----------------------------------------------------------------------===//
// The schedules
//===----------------------------------------------------------------------===//

using Model = OperatorModel;
using Topology = TopologyModel;

static Verdict replicatedSchedule(Schedule &s, const Model &op,
                                  const Topology &t) {
  s = Schedule::replicated(op);
  return verify(s, op, t);
}

static Verdict dataParallel(Schedule &s, const Model &op, const Topology &t) {
  Script script(s, op, t, {});
  std::vector<size_t> loops = script.roles.batch;
  loops.insert(loops.end(), script.roles.m.begin(), script.roles.m.end());
  if (Verdict v = script.done(); !v)
    return v;
  if (loops.empty())
    return Verdict::no("'" + op.name +
                       "' has no batch and no row loop, which "
                       "this schedule parallelizes");
  size_t best = loops.front();
  for (size_t l : loops)
    if (op.loops[l].extent > op.loops[best].extent)
      best = l;
  if (!script.axes.empty())
    if (Verdict v = parallelize(s, script.c, best, script.axes); !v)
      return v;
  return verify(s, op, t);
}

static Verdict allGatherGemm(Schedule &s, const Model &op, const Topology &t) {
  Script script(s, op, t, {Script::M, Script::N});
  script.parallelize(Script::N, script.axes);
  script.shard(Script::A, Script::M, script.axes);
  script.replicate(Script::A, script.axes);
  return script.done();
}

static Verdict allGatherGemmShifted(Schedule &s, const Model &op,
                                    const Topology &t) {
  Script script(s, op, t, {Script::M, Script::N});
  script.parallelize(Script::N, script.axes);
  script.rotate(Script::A, Script::M);
  return script.done();
}

static Verdict weightGathered(Schedule &s, const Model &op, const Topology &t) {
  Script script(s, op, t, {Script::M, Script::N});
  script.parallelize(Script::M, script.axes);
  script.shard(Script::B, Script::N, script.axes);
  script.replicate(Script::B, script.axes);
  return script.done();
}

static Verdict weightGatheredShifted(Schedule &s, const Model &op,
                                     const Topology &t) {
  Script script(s, op, t, {Script::M, Script::N});
  script.parallelize(Script::M, script.axes);
  script.rotate(Script::B, Script::N);
  return script.done();
}

static Verdict reduceScatter(Schedule &s, const Model &op, const Topology &t,
                             Script::Role onto) {
  Script script(s, op, t, {Script::K, onto});
  script.parallelize(Script::K, script.axes);
  script.shardResult(onto, script.axes);
  return script.done();
}

static Verdict reduceScatterShifted(Schedule &s, const Model &op,
                                    const Topology &t, Script::Role onto,
                                    bool gather) {
  Script script(s, op, t, {Script::K, onto});
  script.parallelize(Script::K, script.axes);
  script.accumulate(onto);
  if (gather)
    script.replicateResult(script.axes);
  return script.done();
}

static Verdict gemmReduceScatter(Schedule &s, const Model &op,
                                 const Topology &t) {
  return reduceScatter(s, op, t, Script::M);
}

static Verdict gemmReduceScatterShifted(Schedule &s, const Model &op,
                                        const Topology &t) {
  return reduceScatterShifted(s, op, t, Script::M, /*gather=*/false);
}

static Verdict gemmReduceScatterColumns(Schedule &s, const Model &op,
                                        const Topology &t) {
  return reduceScatter(s, op, t, Script::N);
}

static Verdict gemmReduceScatterColumnsShifted(Schedule &s, const Model &op,
                                               const Topology &t) {
  return reduceScatterShifted(s, op, t, Script::N, /*gather=*/false);
}

static Verdict gemmAllReduce(Schedule &s, const Model &op, const Topology &t) {
  Script script(s, op, t, {Script::K});
  script.parallelize(Script::K, script.axes);
  return script.done();
}

static Verdict gemmAllReduceShifted(Schedule &s, const Model &op,
                                    const Topology &t) {
  return reduceScatterShifted(s, op, t, Script::M, /*gather=*/true);
}

static Verdict gemm2D(Schedule &s, const Model &op, const Topology &t) {
  Script script(s, op, t, {Script::M, Script::N, Script::K});
  auto [rows, columns] = rowsAndColumns(t);
  script.parallelize(Script::M, rows);
  script.parallelize(Script::N, columns);
  script.shard(Script::A, Script::K, columns);
  script.replicate(Script::A, columns);
  script.shard(Script::B, Script::K, rows);
  script.replicate(Script::B, rows);
  return script.done();
}

static Verdict gemm2DShifted(Schedule &s, const Model &op, const Topology &t) {
  Script script(s, op, t, {Script::M, Script::N, Script::K});
  auto [rows, columns] = rowsAndColumns(t);
  script.parallelize(Script::M, rows);
  script.parallelize(Script::N, columns);
  if (t.sizeOf(rows) == t.sizeOf(columns) || rows.empty()) {
    // Cannon: A travels along rows and B along columns, both a tile of k per
    // step.
    script.tile(Script::K, rows.empty() ? columns : rows);
    script.shard(Script::A, Script::K, columns);
    script.shard(Script::B, Script::K, rows);
    script.shift(Script::K, rows);
    script.shift(Script::K, columns);
    return script.done();
  }
  // Elsewhere the tiles of k of A and of B differ in size. B travels by tiles
  // of n instead, and while each stays A goes around once.
  script.tile(Script::N, rows);
  script.shard(Script::B, Script::N, rows);
  script.shift(Script::N, rows);
  script.tile(Script::K, columns);
  script.shard(Script::A, Script::K, columns);
  script.shift(Script::K, columns);
  return script.done();
}

static Verdict kSplit(Schedule &s, const Model &op, const Topology &t) {
  s = Schedule::replicated(op);
  std::optional<size_t> k;
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (op.loops[l].reduction &&
        (!k || op.loops[l].extent > op.loops[*k].extent))
      k = l;
  if (!k)
    return Verdict::no("'" + op.name +
                       "' has no reduction loop, which this "
                       "schedule parallelizes");
  if (AxisList axes = allAxes(t); !axes.empty())
    if (Verdict v = parallelize(s, {op, t}, *k, axes); !v)
      return v;
  return verify(s, op, t);
}

const std::vector<NamedSchedule> &mercury::namedSchedules() {
  static const std::vector<NamedSchedule> schedules = {
      {"default",
       "a plain rule: batch or heads, then rows, then columns, then whatever "
       "is large enough, then K",
       fillDefault},
      {"replicated", "every rank computes everything", replicatedSchedule},
      {"data_parallel", "batch or rows over all ranks, no communication",
       dataParallel},
      {"all_gather_gemm",
       "columns over all ranks, the rows of A gathered before", allGatherGemm},
      {"all_gather_gemm_shifted",
       "columns over all ranks, the rows of A rotate", allGatherGemmShifted},
      {"weight_gathered",
       "rows over all ranks, the columns of B gathered before", weightGathered},
      {"weight_gathered_shifted",
       "rows over all ranks, the columns of B rotate", weightGatheredShifted},
      {"gemm_reduce_scatter", "K over all ranks, the sum scattered onto rows",
       gemmReduceScatter},
      {"gemm_reduce_scatter_shifted",
       "K over all ranks, partial sums of rows travel to their owner",
       gemmReduceScatterShifted},
      {"gemm_reduce_scatter_columns",
       "K over all ranks, the sum scattered onto columns",
       gemmReduceScatterColumns},
      {"gemm_reduce_scatter_columns_shifted",
       "K over all ranks, partial sums of columns travel to their owner",
       gemmReduceScatterColumnsShifted},
      {"gemm_all_reduce", "K over all ranks, the sum on every rank",
       gemmAllReduce},
      {"gemm_all_reduce_shifted",
       "K over all ranks, partial sums travel, then the sum is gathered",
       gemmAllReduceShifted},
      {"gemm_2d",
       "rows over the first level, columns over the others; A gathered along "
       "columns, B along rows",
       gemm2D},
      {"gemm_2d_shifted",
       "rows over the first level, columns over the others; A and B travel",
       gemm2DShifted},
      {"k_split", "the largest reduction over all ranks, all-reduce", kSplit}};
  return schedules;
}

/// Number of letters to insert, delete or replace.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

Verdict mercury::makeNamedSchedule(std::string_view name, Schedule &schedule,
                                   const OperatorModel &op,
                                   const TopologyModel &topology) {
  const NamedSchedule *nearest = nullptr;
  for (const NamedSchedule &candidate : namedSchedules()) {
    if (candidate.name == name)
      return candidate.fill(schedule, op, topology);
    if (!nearest ||
        editDistance(name, candidate.name) < editDistance(name, nearest->name))
      nearest = &candidate;
  }
  return Verdict::no("no schedule is called '" + std::string(name) +
                     "'; did you mean '" + std::string(nearest->name) + "'?");
}
