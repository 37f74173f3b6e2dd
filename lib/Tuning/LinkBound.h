//===- LinkBound.h - Least seconds of communication -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_LINKBOUND_H
#define MERCURY_LIB_TUNING_LINKBOUND_H

#include "Mercury/Tuning/LinkTimes.h"

#include <array>
#include <unordered_map>

namespace mercury {

/// Coordinates that take part, per level; 1 where none does.
using LevelSizes = std::array<int64_t, 20>;

/// What one level's part in a communication takes at least, when the bytes are
/// at least those that are said and other levels may take part, too. What has
/// been asked is kept.
class LinkBound {
public:
  explicit LinkBound(const LinkTimes &links);

  /// A collective of which the level carries `bytes` for each rank of a port:
  /// of the whole tensor (all-to-all: of what a rank sends). `grows`: more of
  /// the level's ranks may join.
  double collective(Primitive primitive, size_t level, int64_t ranks,
                    double bytes, bool grows);
  /// An all-to-all in which each rank sends `bytes`; others may join on levels
  /// behind the last one of `sizes` and on this.
  double allToAll(const LevelSizes &sizes, double bytes);
  struct Step {
    double fixed = 0, streamed = 0;
  };
  /// A step in which each rank sends `bytes` and a port of the level carries so
  /// many of these messages.
  const Step &hop(size_t level, double messages, double bytes);
  /// The same, of one broadcast.
  const Step &broadcast(size_t level, int64_t ranks, double bytes);
  /// Part of what arrives from owners that crosses the level, where it is the
  /// outermost one of the unit and has at least `ranks` of its coordinates.
  double fetched(size_t level, int64_t ranks);
  /// Bytes/s that a port of the level never beats.
  double rate(size_t level) const { return rates[level]; }

private:
  struct Key {
    int kind;
    uint64_t where;
    double bytes;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  template <typename Time>
  double least(size_t level, Primitive primitive, double bytes, Time time);

  const LinkTimes &links;
  const LinkTimes
      bare; ///< without curves: rings around several levels have none
  std::vector<double> rates;
  std::unordered_map<Key, Step, Hash> known;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_LINKBOUND_H
