//===- NamedSchedules.cpp - Known designs as points of the space ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/NamedSchedules.h"
#include "Attention.h"
#include "Contraction.h"
#include "Mercury/Schedule/Balance.h"
#include "Script.h"

#include <algorithm>
#include <numeric>

using namespace mercury;

namespace {
/// A script on the loops of a contraction.
class ContractionScript : public Script {
public:
  enum Operand { A = 0, B = 1 };
  enum Role { M, N, K };

  /// Fails where the operator is no contraction or lacks one of the loops.
  ContractionScript(Schedule &s, const OperatorModel &op,
                    const TopologyModel &topology,
                    std::initializer_list<Role> needed)
      : Script(s, op, topology) {
    std::optional<Contraction> found = matchContraction(op);
    if (!found) {
      fail("'" + op.name + "' is no contraction of two inputs into one result");
      return;
    }
    roles = std::move(*found);
    static const char *names[] = {"row", "column", "reduction"};
    for (Role role : needed)
      if (list(role).empty())
        fail("'" + op.name + "' has no " + names[role] +
             " loop, which this schedule parallelizes");
  }
  /// The largest loop of a role; any where there is none and the script fails.
  size_t operator[](Role role) const {
    return list(role).empty() ? 0 : list(role).front();
  }
  Contraction roles;

private:
  const std::vector<size_t> &list(Role role) const {
    return role == M ? roles.m : role == N ? roles.n : roles.k;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The schedules
//===----------------------------------------------------------------------===//

RowsAndColumns mercury::rowsAndColumns(const TopologyModel &topology) {
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

using C = ContractionScript;
using Model = OperatorModel;
using Topology = TopologyModel;

static Verdict replicatedSchedule(Schedule &s, const Model &op,
                                  const Topology &t) {
  s = Schedule::replicated(op);
  return verify(s, op, t);
}

static Verdict dataParallel(Schedule &s, const Model &op, const Topology &t) {
  C script(s, op, t, {});
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
  C script(s, op, t, {C::M, C::N});
  script.parallelize(script[C::N], script.axes);
  script.shard(C::A, script[C::M], script.axes);
  script.replicate(C::A, script.axes);
  return script.done();
}

static Verdict allGatherGemmShifted(Schedule &s, const Model &op,
                                    const Topology &t) {
  C script(s, op, t, {C::M, C::N});
  script.parallelize(script[C::N], script.axes);
  script.rotate({C::A}, script[C::M], script.levels());
  return script.done();
}

static Verdict weightGathered(Schedule &s, const Model &op, const Topology &t) {
  C script(s, op, t, {C::M, C::N});
  script.parallelize(script[C::M], script.axes);
  script.shard(C::B, script[C::N], script.axes);
  script.replicate(C::B, script.axes);
  return script.done();
}

static Verdict weightGatheredShifted(Schedule &s, const Model &op,
                                     const Topology &t) {
  C script(s, op, t, {C::M, C::N});
  script.parallelize(script[C::M], script.axes);
  script.rotate({C::B}, script[C::N], script.levels());
  return script.done();
}

static Verdict reduceScatter(Schedule &s, const Model &op, const Topology &t,
                             C::Role onto) {
  C script(s, op, t, {C::K, onto});
  script.parallelize(script[C::K], script.axes);
  script.shardResults(script[onto], script.axes);
  return script.done();
}

static Verdict reduceScatterShifted(Schedule &s, const Model &op,
                                    const Topology &t, C::Role onto,
                                    bool gather) {
  C script(s, op, t, {C::K, onto});
  script.parallelize(script[C::K], script.axes);
  script.accumulate(script[onto], script.levels());
  if (gather)
    script.replicateResults(script.axes);
  return script.done();
}

static Verdict gemmReduceScatter(Schedule &s, const Model &op,
                                 const Topology &t) {
  return reduceScatter(s, op, t, C::M);
}

static Verdict gemmReduceScatterShifted(Schedule &s, const Model &op,
                                        const Topology &t) {
  return reduceScatterShifted(s, op, t, C::M, /*gather=*/false);
}

static Verdict gemmReduceScatterColumns(Schedule &s, const Model &op,
                                        const Topology &t) {
  return reduceScatter(s, op, t, C::N);
}

static Verdict gemmReduceScatterColumnsShifted(Schedule &s, const Model &op,
                                               const Topology &t) {
  return reduceScatterShifted(s, op, t, C::N, /*gather=*/false);
}

static Verdict gemmAllReduce(Schedule &s, const Model &op, const Topology &t) {
  C script(s, op, t, {C::K});
  script.parallelize(script[C::K], script.axes);
  return script.done();
}

static Verdict gemmAllReduceShifted(Schedule &s, const Model &op,
                                    const Topology &t) {
  return reduceScatterShifted(s, op, t, C::M, /*gather=*/true);
}

static Verdict gemm2D(Schedule &s, const Model &op, const Topology &t) {
  C script(s, op, t, {C::M, C::N, C::K});
  auto [rows, columns] = rowsAndColumns(t);
  script.parallelize(script[C::M], rows);
  script.parallelize(script[C::N], columns);
  script.shard(C::A, script[C::K], columns);
  script.replicate(C::A, columns);
  script.shard(C::B, script[C::K], rows);
  script.replicate(C::B, rows);
  return script.done();
}

static Verdict gemm2DShifted(Schedule &s, const Model &op, const Topology &t) {
  C script(s, op, t, {C::M, C::N, C::K});
  auto [rows, columns] = rowsAndColumns(t);
  script.parallelize(script[C::M], rows);
  script.parallelize(script[C::N], columns);
  if (t.sizeOf(rows) == t.sizeOf(columns) || rows.empty()) {
    // Cannon: A travels along rows and B along columns, both a tile of k per
    // step.
    script.tile(script[C::K], rows.empty() ? columns : rows);
    script.shard(C::A, script[C::K], columns);
    script.shard(C::B, script[C::K], rows);
    script.shift(script[C::K], rows);
    script.shift(script[C::K], columns);
    return script.done();
  }
  // Elsewhere the tiles of k of A and of B differ in size. B travels by tiles
  // of n instead, and while each stays A goes around once.
  script.tile(script[C::N], rows);
  script.shard(C::B, script[C::N], rows);
  script.shift(script[C::N], rows);
  script.tile(script[C::K], columns);
  script.shard(C::A, script[C::K], columns);
  script.shift(script[C::K], columns);
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
       fillDefault, NamedSchedule::Scope::Any},
      {"replicated", "every rank computes everything", replicatedSchedule,
       NamedSchedule::Scope::Any},
      {"data_parallel", "batch or rows over all ranks, no communication",
       dataParallel, NamedSchedule::Scope::Contraction},
      {"all_gather_gemm",
       "columns over all ranks, the rows of A gathered before", allGatherGemm,
       NamedSchedule::Scope::Contraction},
      {"all_gather_gemm_shifted",
       "columns over all ranks, the rows of A rotate", allGatherGemmShifted,
       NamedSchedule::Scope::Contraction},
      {"weight_gathered",
       "rows over all ranks, the columns of B gathered before", weightGathered,
       NamedSchedule::Scope::Contraction},
      {"weight_gathered_shifted",
       "rows over all ranks, the columns of B rotate", weightGatheredShifted,
       NamedSchedule::Scope::Contraction},
      {"gemm_reduce_scatter", "K over all ranks, the sum scattered onto rows",
       gemmReduceScatter, NamedSchedule::Scope::Contraction},
      {"gemm_reduce_scatter_shifted",
       "K over all ranks, partial sums of rows travel to their owner",
       gemmReduceScatterShifted, NamedSchedule::Scope::Contraction},
      {"gemm_reduce_scatter_columns",
       "K over all ranks, the sum scattered onto columns",
       gemmReduceScatterColumns, NamedSchedule::Scope::Contraction},
      {"gemm_reduce_scatter_columns_shifted",
       "K over all ranks, partial sums of columns travel to their owner",
       gemmReduceScatterColumnsShifted, NamedSchedule::Scope::Contraction},
      {"gemm_all_reduce", "K over all ranks, the sum on every rank",
       gemmAllReduce, NamedSchedule::Scope::Contraction},
      {"gemm_all_reduce_shifted",
       "K over all ranks, partial sums travel, then the sum is gathered",
       gemmAllReduceShifted, NamedSchedule::Scope::Contraction},
      {"gemm_2d",
       "rows over the first level, columns over the others; A gathered along "
       "columns, B along rows",
       gemm2D, NamedSchedule::Scope::Contraction},
      {"gemm_2d_shifted",
       "rows over the first level, columns over the others; A and B travel",
       gemm2DShifted, NamedSchedule::Scope::Contraction},
      {"k_split", "the largest reduction over all ranks, all-reduce", kSplit,
       NamedSchedule::Scope::Any}};
  static const std::vector<NamedSchedule> all = [] {
    std::vector<NamedSchedule> list = schedules;
    const std::vector<NamedSchedule> &attention = attentionSchedules();
    list.insert(list.end(), attention.begin(), attention.end());
    return list;
  }();
  return all;
}

const NamedSchedule *mercury::findNamedSchedule(std::string_view name) {
  for (const NamedSchedule &schedule : namedSchedules())
    if (schedule.name == name)
      return &schedule;
  return nullptr;
}

bool mercury::concerns(const NamedSchedule &schedule, const OperatorModel &op) {
  bool isAttention = matchAttention(op).has_value();
  switch (schedule.scope) {
  case NamedSchedule::Scope::Any:
    return true;
  case NamedSchedule::Scope::Contraction:
    return !isAttention;
  case NamedSchedule::Scope::Attention:
    return isAttention;
  }
  return true;
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
    if (candidate.name == name) {
      if (Verdict v = candidate.fill(schedule, op, topology); !v)
        return v;
      balance(schedule, op, topology);
      directRings(schedule, op, topology);
      return Verdict::ok();
    }
    if (!nearest ||
        editDistance(name, candidate.name) < editDistance(name, nearest->name))
      nearest = &candidate;
  }
  std::string reason = "no schedule is called '" + std::string(name) + "'; ";
  if (editDistance(name, nearest->name) <= nearest->name.size() / 2)
    return Verdict::no(reason + "did you mean '" + std::string(nearest->name) +
                       "'?");
  std::string names;
  for (const NamedSchedule &candidate : namedSchedules())
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  return Verdict::no(reason + "known are " + names);
}
