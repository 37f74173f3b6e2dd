//===- TopologyModel.h - The machine, as plain data -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Levels, axes and placements: the vocabulary that schedules are written in.
// No IR here; the commir dialect prints and parses these values.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_TOPOLOGYMODEL_H
#define MERCURY_SCHEDULE_TOPOLOGYMODEL_H

#include "Mercury/Schedule/Machine.h"
#include "Mercury/Schedule/TokenOrder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mercury {

/// Success, or the reason why something is illegal (lowercase, no period, both
/// values, as a diagnostic prints it).
class [[nodiscard]] Verdict {
public:
  static Verdict ok() { return Verdict(); }
  static Verdict no(std::string reason) {
    Verdict v;
    v.text = std::move(reason);
    return v;
  }
  explicit operator bool() const { return !text; }
  /// The reason; "" when legal.
  std::string reason() const { return text.value_or(""); }

private:
  std::optional<std::string> text;
};

/// A level, or a factor of one: `gpu`, `gpu:(1)2` is the outer factor 2 of
/// gpu, `gpu:(2)2` the factor 2 inside an outer factor of 2 (the notation of
/// openxla/shardy: level:(product of the factors before)size).
struct AxisRef {
  std::string level;
  int64_t pre = 1;
  int64_t size = 0; ///< 0: the whole level
  bool operator==(const AxisRef &) const = default;
  bool operator<(const AxisRef &o) const {
    return std::tie(level, pre, size) < std::tie(o.level, o.pre, o.size);
  }
};
using AxisList = std::vector<AxisRef>;
std::string print(const AxisRef &axis);
std::string print(const AxisList &axes); ///< `{node, gpu}`

/// The levels, outermost first, and the device. Ranks count row-major.
struct TopologyModel {
  std::vector<Level> levels;
  DeviceModel device;
  bool operator==(const TopologyModel &) const = default;

  /// Product of all sizes.
  int64_t numRanks() const;
  const Level *find(std::string_view level) const;
  /// Legal: names are unique identifiers, sizes positive with at most 2^20
  /// ranks, figures finite and not negative, fractions at most 1, reservable at
  /// most memory; `sharedBy` divides the ranks of its level, and levels of one
  /// domain agree on it; curves are of primitives that the level allows,
  /// achieved rates of types with a peak, each said once.
  Verdict verify() const;
  /// Legal: the level exists, `pre * size` divides the level's size; a factor
  /// is smaller than its level (the whole level is written by its name).
  Verdict verify(const AxisRef &axis) const;
  /// Number of coordinates of a legal axis, or of several together.
  int64_t sizeOf(const AxisRef &axis) const;
  int64_t sizeOf(const AxisList &axes) const;
  /// Coordinate of `rank` on a legal axis, 0 <= coordinate < sizeOf(axis).
  int64_t coordinate(int64_t rank, const AxisRef &axis) const;
  /// Row-major coordinate over several axes, the first is the major one.
  int64_t coordinate(int64_t rank, const AxisList &axes) const;
  /// The rank that differs from `rank` only in its coordinate on `axes`.
  int64_t withCoordinate(int64_t rank, const AxisList &axes,
                         int64_t coordinate) const;
  /// Ranks that agree with `rank` outside `axes`, ordered by coordinate.
  std::vector<int64_t> group(int64_t rank, const AxisList &axes) const;
  /// True when the two axes share a coordinate (the same factor, in part).
  bool overlap(const AxisRef &a, const AxisRef &b) const;
};

/// Parses `node=2,gpu=4`, which has no figures, or a machine known by name, as
/// in `h100-sxm:node=2,gpu=4,net=100Gbps-roce` (Machines.h). On failure returns
/// nothing and fills `error`.
std::optional<TopologyModel> parseTopology(std::string_view text,
                                           std::string &error);

/// Per dimension of a tensor the axes it is sharded over (first = major); every
/// axis that is not named holds a replica. A dimension may be stored in another
/// order than that of the tensor: its blocks are then blocks of that order.
struct Placement {
  std::vector<AxisList> dims;
  /// Per dimension; shorter than `dims` where the rest is natural, and never
  /// ends with a natural one.
  std::vector<TokenOrder> orders;
  bool operator==(const Placement &) const = default;

  static Placement replicated(size_t rank) {
    return {std::vector<AxisList>(rank), {}};
  }
  bool isReplicated() const;
  /// All axes that shard some dimension, in order of dimensions.
  AxisList axes() const;
  /// The dimension that `axis` shards, or nothing.
  std::optional<size_t> dimOf(const AxisRef &axis) const;
  TokenOrder orderOf(size_t dim) const;
  void setOrder(size_t dim, TokenOrder order);
  bool isNatural() const { return orders.empty(); }
};
/// `[{gpu}, {}]`, `[{gpu} zigzag 4, {}]`
std::string print(const Placement &placement);
/// Legal: rank agrees, axes and orders are legal, no axis is used twice.
/// Divisibility is not asked for (extents are padded).
Verdict verify(const Placement &placement, const TopologyModel &topology,
               size_t rank);
/// What the extent of dimension `dim` is padded to a multiple of: the axes'
/// size and the order's granularity.
int64_t granularity(const Placement &placement, size_t dim,
                    const TopologyModel &topology);
/// Local extents: the padded extent over the axes' size per dimension.
std::vector<int64_t> localShape(const std::vector<int64_t> &shape,
                                const Placement &placement,
                                const TopologyModel &topology);
/// Index of the block of dimension `dim` that `rank` holds.
int64_t blockOf(const Placement &placement, size_t dim, int64_t rank,
                const TopologyModel &topology);

/// A cursor over the text of a schedule or placement.
class TextCursor {
public:
  explicit TextCursor(std::string_view text) : text(text) {}
  /// Consumes `token` (a word or one punctuation) when it is next.
  bool eat(std::string_view token);
  bool atEnd();
  std::optional<std::string> word();
  std::optional<int64_t> integer();
  /// A string in double quotes, in which a backslash takes the next character
  /// as it is.
  std::optional<std::string> quoted();
  std::string_view rest() const { return text; }
  /// Fills `error` with what was expected and what stands there; false.
  bool fail(std::string &error, std::string_view expected);

private:
  void skipSpace();
  std::string_view text;
};
bool parse(TextCursor &cursor, AxisRef &axis, std::string &error);
bool parse(TextCursor &cursor, AxisList &axes,
           std::string &error); ///< `{a, b}`
bool parse(TextCursor &cursor, Placement &placement,
           std::string &error); ///< `[{a}, {}]`

} // namespace mercury

#endif // MERCURY_SCHEDULE_TOPOLOGYMODEL_H
