//===- CommunicationRules.cpp - How tiles reach their readers -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/CommunicationRules.h"
#include <algorithm>
#include <numeric>

using namespace mercury;

namespace {

/// The table of one tensor with what is asked of it.
struct Rules {
  const OwnerTable &owners;
  const AxisList &axes;
  const std::vector<int64_t> &steps;
  const TopologyModel &topology;
  int64_t numSteps() const { return static_cast<int64_t>(owners.size()); }
  int64_t numRanks() const { return topology.numRanks(); }

  int64_t ownerOn(int64_t step, int64_t rank, size_t axis) const {
    return owners[step][rank][axis];
  }
  bool isLocal(size_t axis) const {
    for (int64_t t = 0; t < numSteps(); ++t)
      for (int64_t r = 0; r < numRanks(); ++r)
        if (ownerOn(t, r, axis) != topology.coordinate(r, axes[axis]))
          return false;
    return true;
  }
  /// All ranks that differ in the axis alone read the same block of it.
  bool isSame(size_t axis) const {
    for (int64_t t = 0; t < numSteps(); ++t)
      for (int64_t r = 0; r < numRanks(); ++r)
        if (owners[t][r] !=
            owners[t][topology.withCoordinate(r, {axes[axis]}, 0)])
          return false;
    return true;
  }
  /// The rank with the owner's coordinates on `on` and otherwise those of
  /// `rank`.
  int64_t sourceOf(int64_t step, int64_t rank,
                   const std::vector<size_t> &on) const {
    int64_t source = rank;
    for (size_t axis : on)
      source = topology.withCoordinate(source, {axes[axis]},
                                       ownerOn(step, rank, axis));
    return source;
  }
  AxisList list(const std::vector<size_t> &on) const {
    AxisList result;
    for (size_t axis : on)
      result.push_back(axes[axis]);
    return result;
  }
  /// The hop over the axes `on` that takes `from`[r] = what r held to what it
  /// needs, when it is the same for all given pairs (receiver, holder).
  std::optional<Hop>
  uniformHop(const std::vector<std::pair<int64_t, int64_t>> &pairs,
             const std::vector<size_t> &on) const {
    auto stride = [&](const AxisList &group) -> std::optional<int64_t> {
      int64_t size = topology.sizeOf(group);
      std::optional<int64_t> common;
      for (auto [receiver, holder] : pairs) {
        int64_t d = topology.coordinate(holder, group) -
                    topology.coordinate(receiver, group);
        d = ((d % size) + size) % size;
        if (common && *common != d)
          return std::nullopt;
        common = d;
      }
      return common;
    };
    Hop hop;
    AxisList changed;
    for (size_t axis : on) {
      std::optional<int64_t> d = stride({axes[axis]});
      if (!d || *d != 0)
        changed.push_back(axes[axis]);
    }
    if (changed.empty())
      return hop;
    std::optional<int64_t> d = stride(changed);
    if (!d)
      return std::nullopt;
    int64_t size = topology.sizeOf(changed);
    hop.axes = changed;
    hop.stride = *d > size / 2 ? *d - size : *d; // the shorter way round
    return hop;
  }
  /// Fills in hops per time loop; `inner` is the step at which loops inside the
  /// one looked at stand (first or last). False when they are not uniform.
  bool rotation(const std::vector<size_t> &on, bool last,
                std::vector<std::optional<Hop>> &hops) const;
};

} // namespace

bool Rules::rotation(const std::vector<size_t> &on, bool last,
                     std::vector<std::optional<Hop>> &hops) const {
  hops.assign(steps.size(), std::nullopt);
  AxisList group = list(on);
  int64_t inner = numSteps();
  for (size_t loop = 0; loop < steps.size(); ++loop) {
    int64_t outer = inner; // steps of one iteration of the loops outside
    inner /= steps[loop];
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t base = 0; base < numSteps(); base += outer)
      for (int64_t i = 0; i + 1 < steps[loop]; ++i) {
        int64_t t = base + i * inner + (last ? inner - 1 : 0);
        int64_t next = t + inner;
        for (int64_t r = 0; r < numRanks(); ++r) {
          int64_t holder = -1;
          for (int64_t q : topology.group(r, group)) {
            bool holds = std::all_of(on.begin(), on.end(), [&](size_t axis) {
              return ownerOn(t, q, axis) == ownerOn(next, r, axis);
            });
            if (!holds)
              continue;
            if (holder >= 0)
              return false; // two ranks hold it: no permutation
            holder = q;
          }
          if (holder < 0)
            return false;
          pairs.push_back({r, holder});
        }
      }
    if (pairs.empty())
      continue;
    std::optional<Hop> hop = uniformHop(pairs, on);
    if (!hop)
      return false;
    if (!hop->axes.empty())
      hops[loop] = hop;
  }
  // The hops must account for every step: replay them.
  std::vector<int64_t> index(steps.size(), 0);
  for (int64_t t = 0; t < numSteps(); ++t) {
    int64_t rest = t;
    for (size_t loop = steps.size(); loop-- > 0;) {
      index[loop] = rest % steps[loop];
      rest /= steps[loop];
    }
    for (int64_t r = 0; r < numRanks(); ++r) {
      // Where the tile that r has now was at the reference step.
      int64_t q = r;
      for (size_t loop = 0; loop < steps.size(); ++loop) {
        int64_t taken = last ? index[loop] - (steps[loop] - 1) : index[loop];
        if (!hops[loop])
          continue;
        int64_t size = topology.sizeOf(hops[loop]->axes);
        int64_t c = topology.coordinate(q, hops[loop]->axes) +
                    hops[loop]->stride * taken;
        q = topology.withCoordinate(q, hops[loop]->axes,
                                    ((c % size) + size) % size);
      }
      int64_t reference = last ? numSteps() - 1 : 0;
      for (size_t axis : on)
        if (ownerOn(t, r, axis) != ownerOn(reference, q, axis))
          return false;
    }
  }
  return true;
}

Movement mercury::movementOfRead(const OwnerTable &owners, const AxisList &axes,
                                 const AxisList &fetch,
                                 const std::vector<int64_t> &steps,
                                 const TopologyModel &topology) {
  Rules rules{owners, axes, steps, topology};
  Movement movement;
  std::vector<size_t> same, moving, all;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (rules.isLocal(axis))
      continue;
    (rules.isSame(axis) && topology.sizeOf(axes[axis]) > 1 ? same : moving)
        .push_back(axis);
    all.push_back(axis);
  }
  movement.broadcast = rules.list(same);
  movement.moving = rules.list(moving);
  movement.source.assign(rules.numSteps(),
                         std::vector<int64_t>(rules.numRanks()));
  for (int64_t t = 0; t < rules.numSteps(); ++t)
    for (int64_t r = 0; r < rules.numRanks(); ++r)
      movement.source[t][r] = rules.sourceOf(t, r, all);
  if (moving.empty())
    return movement;

  std::vector<size_t> fetched, rotating;
  for (size_t axis : moving)
    (std::find(fetch.begin(), fetch.end(), axes[axis]) != fetch.end()
         ? fetched
         : rotating)
        .push_back(axis);
  bool rotates = !rotating.empty() &&
                 rules.rotation(rotating, /*last=*/false, movement.hops) &&
                 std::any_of(movement.hops.begin(), movement.hops.end(),
                             [](const std::optional<Hop> &hop) {
                               return hop.has_value();
                             });
  if (rotates) {
    movement.kind = Movement::Kind::Rotate;
    bool starts = true;
    std::vector<int64_t> start(rules.numRanks());
    for (int64_t r = 0; r < rules.numRanks(); ++r) {
      start[r] = rules.sourceOf(0, r, rotating);
      starts &= start[r] == r;
    }
    if (!starts)
      movement.start = start;
  } else {
    movement.kind = Movement::Kind::Fetch;
    movement.hops.clear();
    rotating.clear();
    fetched = moving;
  }
  movement.fetched = rules.list(fetched);
  // Each step's fetch is a permutation of tiles that rotate alike.
  bool permutes = true;
  for (int64_t t = 0; t < rules.numSteps() && permutes; ++t) {
    std::vector<int64_t> readers(rules.numRanks(), 0);
    for (int64_t r = 0; r < rules.numRanks() && permutes; ++r) {
      int64_t holder = rules.sourceOf(t, r, fetched);
      permutes = ++readers[holder] == 1;
      for (size_t axis : rotating)
        permutes &= rules.ownerOn(t, holder, axis) == rules.ownerOn(t, r, axis);
    }
  }
  if (permutes)
    return movement;
  // Lists serve every reader alone.
  movement.kind = Movement::Kind::Lists;
  movement.hops.clear();
  movement.start.clear();
  movement.fetched.clear();
  movement.moving.insert(movement.moving.end(), movement.broadcast.begin(),
                         movement.broadcast.end());
  movement.broadcast.clear();
  return movement;
}

Verdict mercury::movementOfWrite(const OwnerTable &owners, const AxisList &axes,
                                 const std::vector<int64_t> &steps,
                                 const TopologyModel &topology,
                                 Movement &movement) {
  Rules rules{owners, axes, steps, topology};
  movement = Movement();
  std::vector<size_t> moving;
  for (size_t axis = 0; axis < axes.size(); ++axis)
    if (!rules.isLocal(axis))
      moving.push_back(axis);
  movement.moving = rules.list(moving);
  if (moving.empty())
    return Verdict::ok();
  if (!rules.rotation(moving, /*last=*/true, movement.hops))
    return Verdict::no("tiles of the output are written by ranks other than "
                       "their owners over " +
                       print(movement.moving) +
                       " in an order that is no rotation");
  movement.kind = Movement::Kind::Rotate;
  bool ends = true;
  std::vector<int64_t> end(rules.numRanks(), -1);
  for (int64_t r = 0; r < rules.numRanks(); ++r) {
    int64_t owner = rules.sourceOf(rules.numSteps() - 1, r, moving);
    end[owner] = r;
    ends &= owner == r;
  }
  if (!ends)
    movement.start = end;
  return Verdict::ok();
}
