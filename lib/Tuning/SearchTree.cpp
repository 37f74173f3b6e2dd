//===- SearchTree.cpp - Candidates as a tree ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SearchTree.h"
#include "SearchAxes.h"

#include <algorithm>
#include <bit>

using namespace mercury;

bool IsLater::operator()(const Node &a, const Node &b) const {
  if (a.goal != b.goal)
    return a.goal > b.goal;
  if (a.seconds != b.seconds)
    return a.seconds > b.seconds;
  if (a.depth() != b.depth())
    return a.depth() < b.depth();
  auto less = [](const auto &x, const auto &y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  if (!(a.shape == b.shape))
    return less(b.shape, a.shape);
  if (!(a.unitOf == b.unitOf))
    return less(b.unitOf, a.unitOf);
  return less(b.choices, a.choices);
}

SearchTree::SearchTree(const OperatorModel &op, const TopologyModel &topology,
                       const SearchOptions &options)
    : op(op), topology(topology), options(options),
      placements(op, topology, options), all(op, topology, options.space) {}

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

SearchTree::Place SearchTree::placeOf(const Placement &placement,
                                      size_t axis) const {
  AxisRef here = spelled(axes[axis], topology);
  for (size_t d = 0; d < placement.dims.size(); ++d) {
    size_t position = 0;
    for (const AxisRef &other : joined(placement.dims[d], topology)) {
      if (other.level == here.level && here.pre % other.pre == 0 &&
          here.pre < other.pre * other.size)
        return {int(d), position + size_t(here.pre / other.pre)};
      position += size_t(other.size);
    }
  }
  return {};
}

/// In a dimension of an input, axes that its loop is divided over stand outside
/// those of time loops, and these outside those that are moved before.
static int classOf(Way way) {
  return way == Way::Local                            ? 0
         : way == Way::Gather || way == Way::AllToAll ? 2
                                                      : 1;
}

/// The tensors that ask for a time loop over this loop.
static uint32_t timedOver(const OperatorModel &op, const Choice &choice,
                          int loop) {
  uint32_t tensors = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (const TensorChoice &c = choice.inputs[i];
        needsTime(c.way) && op.inputs[i].loopOfDim[c.dim] == loop)
      tensors |= 1u << i;
  for (size_t r = 0; r < op.results.size(); ++r)
    if (const TensorChoice &c = choice.results[r];
        needsTime(c.way) && op.results[r].loopOfDim[c.dim] == loop)
      tensors |= 1u << (op.inputs.size() + r);
  return tensors;
}

bool SearchTree::mayNestBehind(size_t input, int dim, const Choice &first,
                               const Choice &second) const {
  int loop = op.inputs[input].loopOfDim[dim];
  uint32_t outer = timedOver(op, first, loop),
           inner = timedOver(op, second, loop);
  // Those that serve more tensors stand outside, and two that share none may
  // become one that serves more.
  if (std::popcount(inner) > std::popcount(outer))
    return true;
  for (size_t c = 0; c < all.choices().size(); ++c)
    if (uint32_t tensors = timedOver(op, all.choices()[c], loop);
        isUsed[c] && tensors != 0 && !(tensors & inner))
      return true;
  return false;
}

bool SearchTree::isInOrder(const Node &node, size_t axis, size_t unit,
                           const Choice &choice) const {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].empty() || entries[i][axis].dim < 0)
      continue;
    const Place &here = entries[i][axis];
    int own = classOf(choice.inputs[i].way);
    for (size_t b = 0; b < axis; ++b) {
      const Place &there = entries[i][b];
      if (there.dim != here.dim || node.unitOf[b] == isIdle)
        continue;
      size_t u = node.unitOf[b];
      int other = classOf(all.choices()[node.choices[u]].inputs[i].way);
      bool isBefore = there.position < here.position;
      if (own != other) {
        if (isBefore != (other < own))
          return false;
        continue;
      }
      // Alike, they stand in the order of the topology, in which b comes first,
      // those of time loops unit by unit.
      bool swaps = own == 1 && u > unit;
      const Choice &theirs = all.choices()[node.choices[u]];
      if (isBefore == swaps &&
          !(own == 1 && u != unit &&
            (swaps ? mayNestBehind(i, here.dim, choice, theirs)
                   : mayNestBehind(i, here.dim, theirs, choice))))
        return false;
    }
  }
  return true;
}

bool SearchTree::mayBeInOrder(const Node &node) const {
  size_t loops = op.loops.size(), levels = topology.levels.size();
  size_t last = node.shape.size() - 1;
  if (node.shape[last] == isIdle)
    return true;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].empty())
      continue;
    auto classesOf = [&](size_t slot) {
      return classes[(i * levels + slots[slot].level) * loops +
                     node.shape[slot]];
    };
    for (size_t s = 0; s < last; ++s) {
      if (slots[s].level == slots[last].level || node.shape[s] == isIdle)
        continue;
      // Only where all axes of a level are on one side of the other's.
      bool isBefore = true, isBehind = true;
      for (size_t a = 0; a < axes.size(); ++a)
        for (size_t b = 0; b < axes.size(); ++b)
          if (kinds[a].level == slots[s].level &&
              kinds[b].level == slots[last].level) {
            bool same = entries[i][a].dim >= 0 &&
                        entries[i][a].dim == entries[i][b].dim;
            bool before = entries[i][a].position < entries[i][b].position;
            isBefore &= same && before;
            isBehind &= same && !before;
          }
      if ((isBefore && classesOf(s).first > classesOf(last).second) ||
          (isBehind && classesOf(last).first > classesOf(s).second))
        return false;
    }
  }
  return true;
}

/// The dimension of a result that lies over axes which do this.
static std::optional<size_t> dimOf(const OperatorModel::Tensor &result,
                                   const Choice &choice, size_t r) {
  const TensorChoice &c = choice.results[r];
  if (c.way != Way::Local)
    return c.dim;
  return result.mapped ? result.dimOfLoop(choice.loop) : std::nullopt;
}

void SearchTree::enter(const AxisList &cut, bool mayIdle,
                       const std::vector<SearchBound *> &bounds) {
  axes = cut;
  kinds.clear();
  divisions.clear();
  for (const AxisRef &axis : axes)
    kinds.push_back({size_t(topology.find(axis.level) - topology.levels.data()),
                     topology.sizeOf(axis)});
  slots = kinds;
  std::sort(slots.begin(), slots.end(), [](const Slot &a, const Slot &b) {
    return std::pair(a.level, a.size) < std::pair(b.level, b.size);
  });
  const std::vector<Choice> &choices = all.choices();
  size_t loops = op.loops.size(), levels = topology.levels.size();
  fitting.assign(axes.size(), std::vector<bool>(choices.size(), false));
  isUsed.assign(choices.size(), false);
  taking.assign(axes.size(), std::vector<bool>(loops + 1, false));
  moves.assign(op.results.size() * levels * loops, -1);
  wanted.assign(op.results.size() * axes.size(), notAsked);
  for (size_t r = 0; r < op.results.size() && r < options.exits.size(); ++r)
    for (size_t a = 0; options.exits[r] && a < axes.size(); ++a)
      wanted[r * axes.size() + a] = placeOf(*options.exits[r], a).dim;
  entries.assign(op.inputs.size(), {});
  for (size_t i = 0; i < op.inputs.size() && i < options.entries.size(); ++i)
    for (size_t a = 0;
         options.entries[i] && !options.anyOrder && a < axes.size(); ++a)
      entries[i].push_back(placeOf(*options.entries[i], a));
  classes.assign(op.inputs.size() * levels * loops, {2, 0});
  for (SearchBound *bound : bounds)
    bound->forbidAll();
  for (size_t a = 0; a < axes.size(); ++a) {
    taking[a][loops] = mayIdle && placements.mayIdle(axes[a]);
    for (size_t c = 0; c < choices.size(); ++c) {
      if (!all.isListed({&choices[c]}) ||
          !placements.allow(choices[c], axes[a]))
        continue;
      isUsed[c] = true;
      fitting[a][c] = taking[a][choices[c].loop] = true;
      for (SearchBound *bound : bounds)
        bound->allow(kinds[a].level, choices[c]);
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        auto &[least, most] =
            classes[(i * levels + kinds[a].level) * loops + choices[c].loop];
        int here = classOf(choices[c].inputs[i].way);
        least = std::min(least, here);
        most = std::max(most, here);
      }
    }
    // Only what holds for all axes of the level is known of the rest.
    for (size_t r = 0; r < op.results.size(); ++r)
      for (size_t l = 0; l < loops; ++l) {
        int &known = moves[(r * levels + kinds[a].level) * loops + l];
        int move = moveOf(
            r, op.results[r].mapped ? op.results[r].dimOfLoop(l) : std::nullopt,
            a);
        known = known == -1 || known == move ? move : 0;
      }
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void SearchTree::expand(const Node &node, std::vector<Node> &nodes) {
  size_t loops = op.loops.size();
  if (node.shape.size() < axes.size()) {
    size_t slot = node.shape.size();
    uint8_t first =
        slot > 0 && slots[slot - 1] == slots[slot] ? node.shape[slot - 1] : 0;
    for (size_t l = first == isIdle ? loops : first; l <= loops; ++l) {
      bool takes = false;
      for (size_t a = 0; a < axes.size(); ++a)
        takes |= kinds[a] == slots[slot] && taking[a][l];
      if (!takes)
        continue;
      nodes.push_back(node);
      nodes.back().shape.push_back(l == loops ? isIdle : uint8_t(l));
      if (!mayBeInOrder(nodes.back()))
        nodes.pop_back();
    }
    return;
  }
  size_t axis = node.unitOf.size();
  const std::vector<Choice> &choices = all.choices();
  // How many axes like this one are still to take each loop, or to idle.
  std::vector<int64_t> &open = left;
  open.assign(loops + 1, 0);
  auto at = [&](uint8_t loop) -> int64_t & {
    return open[loop == isIdle ? loops : loop];
  };
  for (size_t s = 0; s < slots.size(); ++s)
    at(node.shape[s]) += slots[s] == kinds[axis];
  for (size_t a = 0; a < axis; ++a)
    if (kinds[a] == kinds[axis])
      --at(node.unitOf[a] == isIdle
               ? isIdle
               : uint8_t(choices[node.choices[node.unitOf[a]]].loop));
  if (open[loops] > 0 && taking[axis][loops]) {
    nodes.push_back(node);
    nodes.back().unitOf.push_back(isIdle);
  }
  for (size_t u = 0; u < node.choices.size(); ++u)
    if (fitting[axis][node.choices[u]] &&
        open[choices[node.choices[u]].loop] > 0 &&
        isInOrder(node, axis, u, choices[node.choices[u]])) {
      nodes.push_back(node);
      nodes.back().unitOf.push_back(u);
    }
  picked.clear();
  for (uint16_t choice : node.choices)
    picked.push_back(&choices[choice]);
  picked.push_back(nullptr);
  for (size_t c = 0; c < choices.size(); ++c) {
    picked.back() = &choices[c];
    if (!fitting[axis][c] || open[choices[c].loop] == 0 ||
        !isInOrder(node, axis, node.choices.size(), choices[c]) ||
        !all.isListed(picked))
      continue;
    nodes.push_back(node);
    nodes.back().unitOf.push_back(node.choices.size());
    nodes.back().choices.push_back(c);
  }
}

void SearchTree::read(const Node &node, PartialCandidate &part) const {
  const std::vector<Choice> &choices = all.choices();
  size_t loops = op.loops.size(), levels = topology.levels.size();
  part.units.clear();
  part.rest.clear();
  part.idle = part.free = 1;
  for (size_t r = 0; r < op.results.size(); ++r) {
    part.exchanged[r].fill(1);
    part.gathered[r].fill(1);
  }
  auto move = [&](size_t r, int move, size_t level, int64_t size) {
    if (move > 0)
      (move == 1 ? part.exchanged : part.gathered)[r][level] *= size;
  };
  for (uint16_t choice : node.choices) {
    PartialUnit unit;
    unit.levels.fill(1);
    unit.choice = &choices[choice];
    part.units.push_back(unit);
  }
  left.assign(levels * loops, 1);
  for (size_t s = 0; s < axes.size(); ++s) {
    if (s >= node.shape.size())
      part.free *= slots[s].size;
    else if (node.shape[s] == isIdle)
      part.idle *= slots[s].size;
    else
      left[slots[s].level * loops + node.shape[s]] *= slots[s].size;
  }
  for (size_t a = 0; a < node.unitOf.size(); ++a) {
    if (node.unitOf[a] == isIdle)
      continue;
    PartialUnit &unit = part.units[node.unitOf[a]];
    unit.size *= kinds[a].size;
    unit.levels[kinds[a].level] *= kinds[a].size;
    left[kinds[a].level * loops + unit.choice->loop] /= kinds[a].size;
    for (size_t r = 0; r < op.results.size(); ++r)
      move(r, moveOf(r, ::dimOf(op.results[r], *unit.choice, r), a),
           kinds[a].level, kinds[a].size);
  }
  for (size_t level = 0; level < levels; ++level)
    for (size_t l = 0; l < loops; ++l)
      if (int64_t size = left[level * loops + l]; size > 1) {
        part.rest.push_back({level, l, size});
        for (size_t r = 0; r < op.results.size(); ++r)
          move(r, moves[(r * levels + level) * loops + l], level, size);
      }
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

const std::vector<const Choice *> &SearchTree::choicesOf(const Node &node) {
  picked.clear();
  for (uint16_t choice : node.choices)
    picked.push_back(&all.choices()[choice]);
  return picked;
}

size_t SearchTree::numOrders(const Node &node) const {
  size_t orders = 1, loops = 0;
  for (uint16_t choice : node.choices)
    for (size_t l = 0; l < op.loops.size(); ++l)
      if (timedOver(op, all.choices()[choice], int(l)))
        orders *= ++loops;
  return orders;
}

const Division &SearchTree::divisionOf(const Node &node) {
  std::vector<uint8_t> key(node.unitOf.begin(), node.unitOf.end());
  auto [it, isNew] = divisions.try_emplace(std::move(key));
  Division &division = it->second;
  if (!isNew)
    return division;
  // Factors that follow each other in one unit are one axis.
  uint8_t last = isIdle;
  for (size_t a = 0; a < axes.size(); ++a) {
    uint8_t u = node.unitOf[a];
    bool follows =
        a > 0 && u != isIdle && u == last && axes[a - 1].level == axes[a].level;
    last = u;
    if (u == isIdle)
      continue;
    if (follows) {
      division.axes.back().size *= kinds[a].size;
      division.sizes.back() *= kinds[a].size;
      continue;
    }
    division.units.resize(std::max<size_t>(division.units.size(), u + 1));
    division.units[u] |= AxisMask(1) << division.axes.size();
    division.axes.push_back(spelled(axes[a], topology));
    division.sizes.push_back(kinds[a].size);
  }
  for (AxisRef &axis : division.axes)
    if (axis.size == topology.find(axis.level)->size)
      axis = AxisRef{axis.level};
  return division;
}
