//===- Balance.cpp - Work under masks, and its balance --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Balance.h"
#include "AxisUtils.h"
#include "PrimitiveChecks.h"
#include "VisiblePairs.h"

#include <map>
#include <numeric>

using namespace mercury;

//===----------------------------------------------------------------------===//
// What a rank works on
//===----------------------------------------------------------------------===//

int64_t mercury::nestExtent(const Schedule &s, const OperatorModel &op,
                            size_t loop, const TopologyModel &topology) {
  return s.orderOf(loop).isNatural()
             ? paddedExtent(op.loops[loop].extent, s.loops[loop], topology)
             : paddedExtent(s, op, loop, topology);
}

namespace {
/// A step of one of a loop's factors.
struct FactorStep {
  size_t factor = 0;
  int64_t step = 0;
};

/// What ranks execute of a loop. A step of a time factor has one index, and
/// over all of its steps every index, so that which iterations a rank has
/// follows factor by factor.
class LoopParts {
public:
  LoopParts(const Schedule &s, const OperatorModel &op,
            const TopologyModel &topology, size_t loop)
      : plan(s.loops[loop]), topology(topology), order(s.orderOf(loop)),
        extent(op.loops[loop].extent),
        padded(nestExtent(s, op, loop, topology)) {}

  /// Over all steps, or at one step of one factor.
  Runs indices(int64_t rank, std::optional<FactorStep> at = {}) const {
    int64_t size = padded;
    for (const Factor &factor : plan)
      size /= factor.count(topology);
    Runs runs = {{0, size}};
    for (size_t f = plan.size(); f-- > 0;) {
      const Factor &factor = plan[f];
      int64_t count = factor.count(topology);
      Runs outer;
      auto add = [&](int64_t index, const Runs &inner) {
        for (const Run &run : inner)
          outer.push_back({run.begin + index * size, run.end + index * size});
      };
      if (at && at->factor == f && factor.bidirectional) {
        // The last factor: its halves are those of a whole tile.
        Factor other = factor;
        other.backwards = true;
        add(factorIndex(factor, at->step, rank, topology), {{0, size / 2}});
        add(factorIndex(other, at->step, rank, topology), {{size / 2, size}});
      } else if (factor.kind == Factor::Kind::Rank || (at && at->factor == f)) {
        add(factorIndex(factor, at ? at->step : 0, rank, topology), runs);
      } else if (runs == Runs{{0, size}}) {
        outer = {{0, size * count}};
      } else {
        for (int64_t index = 0; index < count; ++index)
          add(index, runs);
      }
      runs = normalized(std::move(outer));
      size *= count;
    }
    return runs;
  }

  /// Those of the indices that are no padding, chunk by chunk.
  Runs chunks(const Runs &indices) const {
    int64_t chunk = order.chunkExtent(padded);
    Runs runs;
    for (const Run &run : indices)
      for (int64_t begin = run.begin, end; begin < run.end; begin = end) {
        end = std::min(run.end, (begin / chunk + 1) * chunk);
        int64_t position = order.position(begin, padded);
        runs.push_back({position, std::min(position + end - begin, extent)});
      }
    return runs;
  }

  /// Many ranks have the same, of an order with many chunks.
  const Runs &positions(int64_t rank, std::optional<FactorStep> at = {}) const {
    Runs own = indices(rank, at);
    std::vector<std::pair<int64_t, int64_t>> key;
    for (const Run &run : own)
      key.push_back({run.begin, run.end});
    auto [it, isNew] = known.try_emplace(std::move(key));
    if (isNew)
      it->second = normalized(chunks(own));
    return it->second;
  }

  /// The parts of what a rank has that lie in one chunk and one tile.
  Runs chunksOfTiles(int64_t rank) const {
    int64_t tile = padded / numTiles(plan, topology);
    Runs tiles;
    for (const Run &run : indices(rank))
      for (int64_t begin = run.begin; begin < run.end; begin += tile)
        tiles.push_back({begin, begin + tile});
    return chunks(tiles);
  }

private:
  const LoopPlan &plan;
  const TopologyModel &topology;
  TokenOrder order;
  int64_t extent, padded;
  mutable std::map<std::vector<std::pair<int64_t, int64_t>>, Runs> known;
};
} // namespace

static Runs shifted(Runs runs, int64_t by) {
  for (Run &run : runs)
    run = {run.begin + by, run.end + by};
  return runs;
}

/// Of positions in the two loops.
static int64_t countPairs(const LoopMask &mask, const Runs &queries,
                          const Runs &keys) {
  return countVisible(shifted(queries, mask.queryStart),
                      shifted(keys, mask.keyStart), mask.mask);
}

std::vector<int64_t> mercury::workOfRanks(const Schedule &s,
                                          const OperatorModel &op,
                                          const TopologyModel &topology) {
  std::vector<LoopParts> parts;
  for (size_t l = 0; l < op.loops.size(); ++l)
    parts.emplace_back(s, op, topology, l);
  std::vector<int64_t> work;
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
    int64_t product = 1;
    for (size_t l = 0; l < parts.size(); ++l)
      if (!op.mask || (l != op.mask->query && l != op.mask->key))
        product *= sizeOf(parts[l].positions(rank));
    if (op.mask)
      product *= countPairs(*op.mask, parts[op.mask->query].positions(rank),
                            parts[op.mask->key].positions(rank));
    work.push_back(product);
  }
  return work;
}

int64_t mercury::slowestWork(const Schedule &s, const OperatorModel &op,
                             const TopologyModel &topology) {
  std::vector<int64_t> work = workOfRanks(s, op, topology);
  return work.empty() ? 0 : *std::max_element(work.begin(), work.end());
}

ChunkCount mercury::countChunks(const Schedule &s, const OperatorModel &op,
                                const TopologyModel &topology, int64_t rank) {
  ChunkCount count;
  if (!op.mask)
    return count;
  Runs queries = LoopParts(s, op, topology, op.mask->query).chunksOfTiles(rank),
       keys = LoopParts(s, op, topology, op.mask->key).chunksOfTiles(rank);
  for (const Run &query : queries)
    for (const Run &key : keys) {
      int64_t seen = countPairs(*op.mask, {query}, {key});
      if (seen == 0)
        ++count.excluded;
      else if (seen == sizeOf({query}) * sizeOf({key}))
        ++count.whole;
      else
        ++count.cut;
    }
  return count;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The complement of the longest row of steps that nobody needs.
static Steps fewestSteps(const std::vector<bool> &needed) {
  int64_t count = needed.size();
  Steps best{0, count};
  for (int64_t first = 0; first < count; ++first) {
    if (!needed[first] && first != 0)
      continue;
    int64_t last = first + count - 1;
    while (last > first && !needed[last % count])
      --last;
    if (int64_t taken = last - first + 1; taken < best.taken)
      best = {first, taken};
  }
  return best;
}

Steps mercury::neededSteps(const Schedule &s, const OperatorModel &op,
                           const TopologyModel &topology, size_t loop,
                           size_t factor) {
  int64_t count = s.loops[loop][factor].count(topology);
  if (!op.mask || (loop != op.mask->query && loop != op.mask->key))
    return {0, count};
  size_t other = loop == op.mask->query ? op.mask->key : op.mask->query;
  LoopParts parts(s, op, topology, loop), others(s, op, topology, other);
  std::vector<bool> needed(count, false);
  for (int64_t step = 0; step < count; ++step)
    // The last ranks have the longest rows of a causal mask.
    for (int64_t rank = topology.numRanks(); rank-- > 0 && !needed[step];) {
      const Runs &here = parts.positions(rank, FactorStep{factor, step}),
                 &fixed = others.positions(rank);
      needed[step] = loop == op.mask->query ? countPairs(*op.mask, here, fixed)
                                            : countPairs(*op.mask, fixed, here);
    }
  return fewestSteps(needed);
}

/// Results travel at the steps of a shifted factor.
static bool movesResults(const Schedule &s, const OperatorModel &op,
                         size_t loop, const Factor &factor) {
  AxisList reduced = reductionAxes(s, op);
  for (size_t r = 0; r < s.results.size(); ++r)
    if (std::optional<size_t> dim = op.results[r].dimOfLoop(loop))
      for (const Shift &shift : factor.shifts)
        for (const AxisRef &axis : shift.axes)
          if (contains(reduced, axis) &&
              contains(s.results[r].nest.dims[*dim], axis))
            return true;
  return false;
}

void mercury::directRings(Schedule &s, const OperatorModel &op,
                          const TopologyModel &topology) {
  if (!op.mask)
    return;
  for (size_t l : {op.mask->query, op.mask->key})
    for (size_t f = 0; f < s.loops[l].size(); ++f) {
      if (s.loops[l][f].shifts.empty() || s.loops[l][f].bidirectional)
        continue;
      bool moves = movesResults(s, op, l, s.loops[l][f]);
      auto isGood = [&](const Schedule &s) {
        Steps steps = neededSteps(s, op, topology, l, f);
        return moves
                   ? steps.first + steps.taken == s.loops[l][f].count(topology)
                   : steps.first == 0;
      };
      if (isGood(s))
        continue;
      // Mirrored about the step at which a rank has its own tile.
      Schedule mirrored = s;
      Factor &factor = mirrored.loops[l][f];
      factor.backwards = !factor.backwards;
      for (Shift &shift : factor.shifts)
        shift.offset = -shift.offset;
      if (isGood(mirrored) && verify(mirrored, op, topology))
        s = std::move(mirrored);
    }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Calls `visit` with all placements' dimensions that run over the loop:
/// (axes, whether that is while loops run).
template <typename Visitor>
static void forEachDim(const Schedule &s, const OperatorModel &op, size_t loop,
                       Visitor visit) {
  auto both = [&](const OperatorModel::Tensor &tensor, const Placement &nest,
                  const Placement &outside) {
    if (std::optional<size_t> dim = tensor.dimOfLoop(loop)) {
      visit(nest.dims[*dim], true);
      visit(outside.dims[*dim], false);
    }
  };
  for (size_t i = 0; i < s.inputs.size(); ++i)
    both(op.inputs[i], s.inputs[i].nest, s.inputs[i].entry);
  for (size_t r = 0; r < s.results.size(); ++r)
    both(op.results[r], s.results[r].nest, s.results[r].exit);
}

static AxisList rankAxesOf(const LoopPlan &plan) {
  AxisList axes;
  for (const Factor &factor : plan)
    if (factor.kind == Factor::Kind::Rank)
      append(axes, factor.axes);
  return axes;
}

int64_t mercury::balanceParts(const Schedule &s, const OperatorModel &op,
                              const TopologyModel &topology) {
  int64_t parts = 1;
  if (!op.mask)
    return parts;
  for (size_t l : {op.mask->query, op.mask->key}) {
    parts = std::lcm(parts, topology.sizeOf(rankAxesOf(s.loops[l])));
    forEachDim(s, op, l, [&](const AxisList &axes, bool) {
      parts = std::lcm(parts, topology.sizeOf(axes));
    });
  }
  return parts;
}

Verdict mercury::placeOrder(Schedule &s, const OperatorModel &op,
                            const TokenOrder &order) {
  if (!op.mask)
    return Verdict::ok();
  for (size_t l : {op.mask->query, op.mask->key})
    if (Verdict v = canHaveOrder(op, l, order); !v)
      return v;
  for (size_t l : {op.mask->query, op.mask->key}) {
    bool divided = order.isNatural() || !rankAxesOf(s.loops[l]).empty();
    forEachDim(s, op, l, [&](const AxisList &axes, bool whileLoopsRun) {
      divided |= whileLoopsRun && !axes.empty();
    });
    setLoopOrder(s, op, l, order, divided);
  }
  return Verdict::ok();
}

Verdict mercury::setOrder(Schedule &s, const OperatorModel &op,
                          const TopologyModel &topology,
                          const TokenOrder &order) {
  if (!op.mask)
    return Verdict::ok();
  Schedule edited = s;
  if (Verdict v = placeOrder(edited, op, order); !v)
    return v;
  if (Verdict v = verify(edited, op, topology); !v)
    return v;
  s = std::move(edited);
  return Verdict::ok();
}

void mercury::balance(Schedule &s, const OperatorModel &op,
                      const TopologyModel &topology) {
  int64_t parts = balanceParts(s, op, topology);
  Schedule zigzag = s;
  if (parts > 1 && setOrder(zigzag, op, topology, TokenOrder::zigzag(parts)) &&
      slowestWork(zigzag, op, topology) < slowestWork(s, op, topology))
    s = std::move(zigzag);
}

std::optional<TokenOrder> mercury::parseBalance(std::string_view text,
                                                int64_t parts,
                                                std::string &error) {
  std::string quoted = "balance '" + std::string(text) + "'";
  size_t colon = text.find(':');
  std::string_view kind = text.substr(0, colon);
  bool hasList = colon != std::string_view::npos;
  std::vector<int64_t> list;
  if (hasList) {
    TextCursor cursor(text.substr(colon + 1));
    do {
      std::optional<int64_t> value = cursor.integer();
      if (!value) {
        cursor.fail(error, "an integer");
        error = quoted + ": " + error;
        return std::nullopt;
      }
      list.push_back(*value);
    } while (cursor.eat(","));
    if (!cursor.atEnd()) {
      cursor.fail(error, "',' or the end");
      error = quoted + ": " + error;
      return std::nullopt;
    }
  }
  TokenOrder order;
  if (kind == "zigzag" && !hasList)
    order = TokenOrder::zigzag(parts);
  else if (kind == "striped" && list.size() <= 1)
    order = TokenOrder::striped(parts, hasList ? list[0] : 1);
  else if (kind == "table" && hasList)
    order = {TokenOrder::Kind::Table, 1, 1, std::move(list)};
  else if (kind != "none" || hasList) {
    error = quoted + " is none of 'none', 'zigzag', 'striped', "
                     "'striped:EXTENT' and 'table:CHUNK,CHUNK,...'";
    return std::nullopt;
  }
  if (Verdict v = verify(order); !v) {
    // The number of stripes is not what was asked for.
    bool isStripe = order.kind == TokenOrder::Kind::Striped;
    error = quoted + ": " +
            (isStripe ? "a stripe has 1 to " + std::to_string(mostInOrder) +
                            " tokens, not " + std::to_string(order.block)
                      : v.reason());
    return std::nullopt;
  }
  return order;
}
