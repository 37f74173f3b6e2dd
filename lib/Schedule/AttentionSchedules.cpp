//===- AttentionSchedules.cpp - Known designs for attention ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Attention.h"
#include "Script.h"

#include <algorithm>
#include <numeric>

using namespace mercury;

using Model = OperatorModel;
using Topology = TopologyModel;

std::optional<Attention> mercury::matchAttention(const OperatorModel &op) {
  if (op.inputs.size() < 3 || op.coupled.size() != 1 ||
      op.coupled[0].size() != op.results.size())
    return std::nullopt;
  Attention roles;
  bool hasKey = false, hasQuery = false;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool q = op.inputs[0].dimOfLoop(l).has_value(),
         k = op.inputs[1].dimOfLoop(l).has_value(),
         v = op.inputs[2].dimOfLoop(l).has_value();
    if (op.loops[l].reduction) {
      if (hasKey || q || !k || !v)
        return std::nullopt;
      roles.key = l;
      hasKey = true;
    } else if (q && (k || v)) {
      roles.batch.push_back(l);
    } else if (q) {
      // The last of them is the query's own.
      if (hasQuery)
        roles.groups.push_back(roles.query);
      roles.query = l;
      hasQuery = true;
    } else {
      return std::nullopt;
    }
  }
  if (!hasKey || !hasQuery)
    return std::nullopt;
  return roles;
}

namespace {
/// A script on the loops of attention.
class AttentionScript : public Script {
public:
  using Operands = Attention::Operand;

  AttentionScript(Schedule &s, const Model &op, const Topology &topology)
      : Script(s, op, topology) {
    std::optional<Attention> found = matchAttention(op);
    if (found)
      roles = std::move(*found);
    else
      fail("'" + op.name + "' is no attention in its online form");
  }

  /// K and V enter sharded along the keys over `over`.
  void shardKeys(const AxisList &over) {
    for (size_t x : {Attention::Key, Attention::Value})
      shard(x, roles.key, over);
  }
  /// K and V travel.
  void rotateKeys(const std::vector<AxisList> &rings) {
    rotate({Attention::Key, Attention::Value}, roles.key, rings);
  }
  /// Heads over `over`; inputs and results enter and leave sharded along the
  /// sequences, so that an all-to-all lies between. KV heads that do not
  /// suffice are replicated: the query heads of each take what is left.
  void exchangeHeads(const AxisList &over, bool queryToo = true) {
    std::vector<size_t> heads = roles.batch;
    if (heads.empty() && roles.groups.empty()) {
      if (c.topology.sizeOf(over) > 1)
        fail("'" + c.op.name + "' has no loop of heads to parallelize over " +
             print(over));
      return;
    }
    AxisList given = over;
    if (heads.empty())
      left = over;
    else if (roles.groups.empty())
      taken = over;
    else
      given = splitHeads(over, c.op.loops[heads.back()].extent);
    if (!heads.empty())
      parallelize(heads.back(), taken);
    if (!roles.groups.empty())
      parallelize(roles.groups.back(), left);
    if (queryToo)
      shard(Attention::Query, roles.query, given);
    shardKeys(given);
    for (size_t x : {Attention::Key, Attention::Value})
      replicateUnused(x, given);
    shardExits(roles.query, given);
  }

  Attention roles;
  /// Axes of exchangeHeads that KV heads, and that their query heads take.
  AxisList taken, left;

private:
  /// Divides `over` into what the KV heads take and what is left; levels are
  /// cut into factors where needed. Heads take inner axes, so that K and V are
  /// exchanged first and replicated then. Returns `over` cut like this.
  AxisList splitHeads(const AxisList &over, int64_t heads) {
    // Enough KV heads for all: padding costs less than replicas.
    if (heads >= c.topology.sizeOf(over))
      return taken = over;
    AxisList cut;
    for (auto it = over.rbegin(); it != over.rend(); ++it) {
      const AxisRef &axis = *it;
      int64_t size = c.topology.sizeOf(axis);
      int64_t part = std::gcd(size, heads);
      heads /= part;
      if (part == size || part == 1) {
        (part == size ? taken : left).push_back(axis);
        cut.push_back(axis);
        continue;
      }
      int64_t pre = std::max<int64_t>(axis.pre, 1);
      AxisRef outer{axis.level, pre, size / part},
          inner{axis.level, pre * (size / part), part};
      taken.push_back(inner);
      left.push_back(outer);
      cut.push_back(inner);
      cut.push_back(outer);
    }
    for (AxisList *list : {&taken, &left, &cut})
      std::reverse(list->begin(), list->end());
    return cut;
  }
  /// Axes that parallelize no loop of input x are gathered before the loops.
  void replicateUnused(size_t x, const AxisList &over) {
    AxisList gathered;
    for (const AxisRef &axis : over)
      if (std::optional<size_t> dim = s.inputs[x].nest.dimOf(axis);
          dim && dim == c.op.inputs[x].dimOfLoop(roles.key))
        gathered.push_back(axis);
    replicate(x, gathered);
  }
};
} // namespace

static Verdict contextParallel(Schedule &s, const Model &op,
                               const Topology &t) {
  AttentionScript script(s, op, t);
  script.parallelize(script.roles.query, script.axes);
  script.shardKeys(script.axes);
  for (size_t x : {Attention::Key, Attention::Value})
    script.replicate(x, script.axes);
  return script.done();
}

static Verdict ring(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  script.parallelize(script.roles.query, script.axes);
  if (!script.axes.empty())
    script.rotateKeys({script.axes});
  return script.done();
}

static Verdict ringBothWays(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  script.parallelize(script.roles.query, script.axes);
  if (!script.axes.empty()) {
    script.rotateKeys({script.axes});
    script.bothWays(script.roles.key);
  }
  return script.done();
}

static Verdict doubleRing(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  std::vector<AxisList> rings = script.levels();
  if (rings.size() == 1) {
    auto [outer, inner] = rowsAndColumns(t);
    rings = {outer, inner};
  }
  AxisList all;
  for (const AxisList &ring : rings)
    all.insert(all.end(), ring.begin(), ring.end());
  script.parallelize(script.roles.query, all);
  script.rotateKeys(rings);
  return script.done();
}

static Verdict ringOfQueries(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  script.parallelize(script.roles.key, script.axes);
  if (!script.axes.empty()) {
    script.tile(script.roles.query, script.axes);
    script.shard(Attention::Query, script.roles.query, script.axes);
    script.shardResults(script.roles.query, script.axes);
    script.shift(script.roles.query, script.axes, /*offset=*/1);
  }
  return script.done();
}

static Verdict ulysses(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  script.exchangeHeads(script.axes);
  return script.done();
}

static Verdict ulyssesStaged(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  script.exchangeHeads(script.axes, /*queryToo=*/false);
  // Chunks over the axes of each loop of heads by themselves, outer ones first.
  for (const AxisList &chunks : {script.left, script.taken}) {
    script.tile(script.roles.query, chunks);
    script.shard(Attention::Query, script.roles.query, chunks);
    script.fetch(Attention::Query, chunks);
    script.shift(script.roles.query, chunks);
  }
  return script.done();
}

/// Rings over `rings`, inside each rank of which heads are exchanged over
/// `heads`.
static Verdict unified(Schedule &s, const Model &op, const Topology &t,
                       bool ringOutside) {
  AttentionScript script(s, op, t);
  auto [outer, inner] = rowsAndColumns(t);
  const AxisList &rings = ringOutside ? outer : inner;
  const AxisList &heads = ringOutside ? inner : outer;
  script.parallelize(script.roles.query, rings);
  if (!rings.empty())
    script.rotateKeys({rings});
  if (!heads.empty())
    script.exchangeHeads(heads);
  return script.done();
}

static Verdict usp(Schedule &s, const Model &op, const Topology &t) {
  return unified(s, op, t, /*ringOutside=*/true);
}

static Verdict uspRingInside(Schedule &s, const Model &op, const Topology &t) {
  return unified(s, op, t, /*ringOutside=*/false);
}

static Verdict tree(Schedule &s, const Model &op, const Topology &t) {
  AttentionScript script(s, op, t);
  script.parallelize(script.roles.key, script.axes);
  return script.done();
}

const std::vector<NamedSchedule> &mercury::attentionSchedules() {
  static const std::vector<NamedSchedule> schedules = {
      {"context_parallel", "queries over all ranks, K and V gathered before",
       contextParallel, NamedSchedule::Scope::Attention},
      {"ring", "queries over all ranks, K and V travel around all of them",
       ring, NamedSchedule::Scope::Attention},
      {"ring_bidirectional",
       "queries over all ranks, half of each K and V tile travels each way",
       ringBothWays, NamedSchedule::Scope::Attention},
      {"double_ring",
       "queries over all ranks, K and V travel in a ring per level", doubleRing,
       NamedSchedule::Scope::Attention},
      {"ring_of_queries", "keys over all ranks, Q and its softmax state travel",
       ringOfQueries, NamedSchedule::Scope::Attention},
      {"ulysses", "heads over all ranks, all-to-all of Q, K, V and O", ulysses,
       NamedSchedule::Scope::Attention},
      {"ulysses_staged",
       "heads over all ranks, query chunks fetched step by step", ulyssesStaged,
       NamedSchedule::Scope::Attention},
      {"usp", "a ring over the first level, heads over the others", usp,
       NamedSchedule::Scope::Attention},
      {"usp_ring_inside", "heads over the first level, a ring over the others",
       uspRingInside, NamedSchedule::Scope::Attention},
      {"tree", "keys over all ranks, states combined by all-reduce", tree,
       NamedSchedule::Scope::Attention}};
  return schedules;
}
