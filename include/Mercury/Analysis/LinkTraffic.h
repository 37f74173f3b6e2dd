//===- LinkTraffic.h - Bytes on the links of each level ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_LINKTRAFFIC_H
#define MERCURY_ANALYSIS_LINKTRAFFIC_H

#include "Mercury/Schedule/TopologyModel.h"

#include <set>

namespace mercury {

/// What one step of a communication puts on the links of each congestion
/// domain. What a rank sends takes the link of the outermost level on which
/// sender and receiver differ. A level without a named domain is one by itself.
/// A domain's ports are each shared by `sharedBy` consecutive ranks. Where a
/// level is not full duplex, what the receiver's port takes in counts, too.
class LinkTraffic {
public:
  explicit LinkTraffic(const TopologyModel &topology) : topology(topology) {}

  /// `bytes` go from one rank to another.
  void send(int64_t from, int64_t to, int64_t bytes);
  /// Every rank sends `bytes` to the one `stride` behind it on `axes`, as the
  /// algorithms of rings and rotations do.
  void shift(const AxisList &axes, int64_t stride, int64_t bytes);
  /// Every rank sends `bytes` to each other rank of its group.
  void exchange(const AxisList &axes, int64_t bytes);
  /// Every rank sends `bytes` to a rank of its group, which is not known: each
  /// level that the axes cross may carry all of them.
  void sendSomewhere(const AxisList &axes, int64_t bytes);

  struct Domain {
    std::string name; ///< of the domain, or of the level that is one by itself
    std::vector<std::string> levels; ///< that are crossed, outermost first
    int64_t bytes = 0;               ///< most that one of its links carries
  };
  /// Those that carry something, outermost first.
  std::vector<Domain> domains() const;

private:
  /// The outermost level on which two ranks differ; nothing if they are one.
  std::optional<size_t> levelBetween(int64_t from, int64_t to) const;
  /// What a domain's links are counted under: its outermost level.
  size_t domainOf(size_t level) const;
  void add(size_t level, int64_t rank, int64_t bytes);

  const TopologyModel &topology;
  /// Bytes by domain (its outermost level) and link (the ranks that share it).
  std::map<std::pair<size_t, int64_t>, int64_t> links;
  std::set<size_t> crossed;
};

} // namespace mercury

#endif // MERCURY_ANALYSIS_LINKTRAFFIC_H
