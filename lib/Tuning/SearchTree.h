//===- SearchTree.h - Candidates as a tree ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The axes of a cut are given out twice: first each takes a loop, where axes of
// a level that are alike stand in one order (the shape); then each joins a
// unit or begins one that does something over this loop.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SEARCHTREE_H
#define MERCURY_LIB_TUNING_SEARCHTREE_H

#include "SearchBound.h"
#include "SearchPlacements.h"

#include <map>

namespace mercury {

constexpr uint8_t isIdle = 255;

struct Node {
  /// Bounds: of the objective, of seconds, and of bytes.
  double goal = 0, seconds = 0, bytes = 0;
  FixedList<uint8_t, 20> shape;    ///< per slot a loop, or isIdle
  FixedList<uint8_t, 20> unitOf;   ///< per axis, or isIdle
  FixedList<uint16_t, 20> choices; ///< per unit
  size_t depth() const { return shape.size() + unitOf.size(); }
};

/// The one with the least bound first, of equal ones the most complete, then
/// in order of what is given out.
struct IsLater {
  bool operator()(const Node &a, const Node &b) const;
};

class SearchTree {
public:
  SearchTree(const OperatorModel &op, const TopologyModel &topology,
             const SearchOptions &options);

  /// Begins with the axes of a cut; tells `bound` what they may do.
  void enter(const AxisList &cut, bool mayIdle,
             const std::vector<SearchBound *> &bounds);
  size_t numAxes() const { return axes.size(); }
  bool isShape(const Node &node) const {
    return node.shape.size() == axes.size() && node.unitOf.empty();
  }
  bool isWhole(const Node &node) const {
    return node.depth() == 2 * axes.size();
  }
  /// In how many orders the time loops of its units may stand.
  size_t numOrders(const Node &node) const;
  /// Appends all nodes in which one more is given out.
  void expand(const Node &node, std::vector<Node> &nodes);
  void read(const Node &node, PartialCandidate &part) const;
  const Division &divisionOf(const Node &node);
  const std::vector<const Choice *> &choicesOf(const Node &node);
  Candidates &candidates() { return all; }

private:
  /// Axes of one level and size, for which nothing tells them apart.
  struct Slot {
    size_t level = 0;
    int64_t size = 1;
    bool operator==(const Slot &) const = default;
  };
  /// Where an axis stands in a placement that is asked for.
  struct Place {
    int dim = -1; ///< -1: it cuts none
    size_t position = 0;
    bool operator==(const Place &) const = default;
  };
  Place placeOf(const Placement &placement, size_t axis) const;
  /// Whether blocks of inputs lie in the order that is asked for when this axis
  /// goes to the unit, or to a new one with the choice.
  bool isInOrder(const Node &node, size_t axis, size_t unit,
                 const Choice &choice) const;
  /// Whether the time loops that serve the input along the dimension in two
  /// units, of which `first` is the earlier one, may be nested the other way.
  bool mayNestBehind(size_t input, int dim, const Choice &first,
                     const Choice &second) const;
  /// Whether they can, by loops alone.
  bool mayBeInOrder(const Node &node) const;
  /// Where results are over an axis of a unit, and where they are to be: 0 the
  /// same, or not asked; 1 along another dimension, 2 everywhere.
  int moveOf(size_t result, std::optional<size_t> has, size_t axis) const {
    int dim = wanted[result * axes.size() + axis];
    if (!has || dim == notAsked)
      return 0;
    return dim < 0 ? 2 : size_t(dim) != *has ? 1 : 0;
  }
  static constexpr int notAsked = -2;

  const OperatorModel &op;
  const TopologyModel &topology;
  const SearchOptions &options;
  SearchPlacements placements;
  Candidates all;

  // Of the cut.
  AxisList axes;
  std::vector<Slot> kinds;                ///< of axes
  std::vector<Slot> slots;                ///< the same in order
  std::vector<std::vector<bool>> fitting; ///< [axis][choice]
  std::vector<bool> isUsed;               ///< by choice: some axis fits
  std::vector<std::vector<bool>> taking;  ///< [axis][loop], then idle
  /// [input][axis], none: free, or in any order.
  std::vector<std::vector<Place>> entries;
  /// Least and most of the classes that choices of a loop have (classOf()):
  /// [(input * levels + level) * loops + loop].
  std::vector<std::pair<int, int>> classes;
  std::vector<int> wanted; ///< [result * axes + axis]: see moveOf()
  std::vector<int> moves;  ///< [(result * levels + level) * loops + loop]
  std::map<std::vector<uint8_t>, Division> divisions;
  std::vector<const Choice *> picked;
  /// Of a loop, ranks that take it: scratch of read().
  mutable std::vector<int64_t> left;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SEARCHTREE_H
