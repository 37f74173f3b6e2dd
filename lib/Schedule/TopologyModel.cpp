//===- TopologyModel.cpp - Levels, axes and ranks -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/TopologyModel.h"

using namespace mercury;

static constexpr std::pair<Primitive, std::string_view> primitiveNames[] = {
    {Primitive::SendRecv, "send_recv"},
    {Primitive::AllGather, "all_gather"},
    {Primitive::ReduceScatter, "reduce_scatter"},
    {Primitive::AllReduce, "all_reduce"},
    {Primitive::AllToAll, "all_to_all"},
    {Primitive::Broadcast, "broadcast"}};

std::string_view mercury::stringify(Primitive primitive) {
  for (auto &[value, name] : primitiveNames)
    if (value == primitive)
      return name;
  return "";
}

std::optional<Primitive> mercury::symbolizePrimitive(std::string_view text) {
  for (auto &[value, name] : primitiveNames)
    if (name == text)
      return value;
  return std::nullopt;
}

int64_t TopologyModel::numRanks() const {
  int64_t ranks = 1;
  for (const Level &level : levels)
    ranks *= level.size;
  return ranks;
}

const Level *TopologyModel::find(std::string_view level) const {
  for (const Level &candidate : levels)
    if (candidate.name == level)
      return &candidate;
  return nullptr;
}

Verdict TopologyModel::verify(const AxisRef &axis) const {
  const Level *level = find(axis.level);
  if (!level) {
    std::string known;
    for (const Level &candidate : levels)
      known += (known.empty() ? "'" : ", '") + candidate.name + "'";
    return Verdict::no("axis '" + print(axis) +
                       "' is not in the topology, which has " +
                       (known.empty() ? "no level" : known));
  }
  if (axis.size == 0 && axis.pre == 1)
    return Verdict::ok();
  std::string of =
      ", level '" + level->name + "' has size " + std::to_string(level->size);
  if (axis.pre < 1 || axis.size < 2 || axis.size > level->size ||
      axis.pre > level->size || level->size % (axis.pre * axis.size) != 0)
    return Verdict::no("axis '" + print(axis) +
                       "' is not a factor of its level" + of);
  if (axis.size == level->size)
    return Verdict::no("axis '" + print(axis) +
                       "' is the whole level and is written '" + level->name +
                       "'" + of);
  return Verdict::ok();
}

namespace {
/// Where the coordinate of an axis stands in a rank's number:
/// coordinate = rank / stride mod size.
struct Digit {
  int64_t stride = 1, size = 1;
};
} // namespace

static Digit digitOf(const TopologyModel &topology, const AxisRef &axis) {
  int64_t inner = 1;
  for (size_t i = topology.levels.size(); i-- > 0;) {
    const Level &level = topology.levels[i];
    if (level.name != axis.level) {
      inner *= level.size;
      continue;
    }
    if (axis.size == 0)
      return {inner, level.size};
    int64_t product = axis.pre * axis.size;
    return {inner * (product > 0 ? level.size / product : 1), axis.size};
  }
  return {};
}

int64_t TopologyModel::sizeOf(const AxisRef &axis) const {
  // Models ask this most.
  for (const Level &level : levels)
    if (level.name == axis.level)
      return axis.size == 0 ? level.size : axis.size;
  return Digit().size;
}

int64_t TopologyModel::sizeOf(const AxisList &axes) const {
  int64_t size = 1;
  for (const AxisRef &axis : axes)
    size *= sizeOf(axis);
  return size;
}

int64_t TopologyModel::coordinate(int64_t rank, const AxisRef &axis) const {
  Digit digit = digitOf(*this, axis);
  return rank / digit.stride % digit.size;
}

int64_t TopologyModel::coordinate(int64_t rank, const AxisList &axes) const {
  int64_t joint = 0;
  for (const AxisRef &axis : axes) {
    Digit digit = digitOf(*this, axis);
    joint = joint * digit.size + rank / digit.stride % digit.size;
  }
  return joint;
}

int64_t TopologyModel::withCoordinate(int64_t rank, const AxisList &axes,
                                      int64_t coordinate) const {
  int64_t result = rank;
  for (size_t i = axes.size(); i-- > 0;) {
    Digit digit = digitOf(*this, axes[i]);
    int64_t own = rank / digit.stride % digit.size;
    result += (coordinate % digit.size - own) * digit.stride;
    coordinate /= digit.size;
  }
  return result;
}

std::vector<int64_t> TopologyModel::group(int64_t rank,
                                          const AxisList &axes) const {
  std::vector<int64_t> ranks;
  for (int64_t i = 0, e = sizeOf(axes); i < e; ++i)
    ranks.push_back(withCoordinate(rank, axes, i));
  return ranks;
}

bool TopologyModel::overlap(const AxisRef &a, const AxisRef &b) const {
  if (a.level != b.level)
    return false;
  // A level of size 1 still overlaps with itself.
  if (a == b)
    return true;
  int64_t sizeA = sizeOf(a), sizeB = sizeOf(b);
  // Disjoint when one lies wholly outside the other: gpu:(1)2 and gpu:(2)2.
  // Of a level of size 6 gpu:(1)2 and gpu:(3)2 are not: 2 does not divide 3.
  return b.pre % (a.pre * sizeA) != 0 && a.pre % (b.pre * sizeB) != 0;
}
