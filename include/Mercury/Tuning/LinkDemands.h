//===- LinkDemands.h - What communication asks of ports ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_LINKDEMANDS_H
#define MERCURY_TUNING_LINKDEMANDS_H

#include "Mercury/Tuning/LinkTimes.h"
#include "Mercury/Tuning/SharedProgress.h"

namespace mercury {

/// What a communication takes that is alone on the machine, and of which ports,
/// so that those that are not share them. LinkTimes prices the case that all
/// groups communicate at once; alone, each has the ports that they share to
/// itself. A port belongs to a congestion domain and to the ranks that share
/// it; it has a sending and a receiving side, which are one where the level is
/// not full duplex.
class LinkDemands {
public:
  explicit LinkDemands(const TopologyModel &topology);

  /// A message between two ranks; of no time where they are one.
  Demand message(int64_t from, int64_t to, double bytes) const;
  /// A collective of `ranks`, in order of their numbers; `bytes` as LinkTimes
  /// takes them.
  Demand collective(Primitive primitive, const std::vector<int64_t> &ranks,
                    double bytes) const;

  /// Names of the congestion domains, outermost first; a level that names none
  /// is one by itself.
  const std::vector<std::string> &domains() const { return names; }
  /// Adds the bytes that all ranks send, by domain.
  void addMessage(int64_t from, int64_t to, double bytes,
                  std::vector<double> &byDomain) const;
  void addCollective(Primitive primitive, const std::vector<int64_t> &ranks,
                     double bytes, std::vector<double> &byDomain) const;

private:
  void usePort(size_t level, int64_t port, bool receives, double load,
               Demand &demand) const;

  LinkTimes times;
  std::vector<std::string> names;
  std::vector<size_t> domainNumber; ///< index into `names`, by level
};

} // namespace mercury

#endif // MERCURY_TUNING_LINKDEMANDS_H
