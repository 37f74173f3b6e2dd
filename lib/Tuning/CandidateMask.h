//===- CandidateMask.h - What a mask leaves of candidates -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_CANDIDATEMASK_H
#define MERCURY_LIB_TUNING_CANDIDATEMASK_H

#include "Mercury/Schedule/Candidates.h"
#include "StepTable.h"

#include <optional>
#include <unordered_map>

namespace mercury {

/// Step tables of candidates, which depend on how the mask's two loops are
/// divided, and are kept for all that divide them alike.
class CandidateMask {
public:
  CandidateMask(const OperatorModel &op, const TopologyModel &topology)
      : op(op), topology(topology) {}

  /// As balanceParts().
  int64_t balanceParts(const Division &division, const Candidate &c) const;
  /// Whether ranks have a part of the loop, or hold a part of what runs over
  /// it, at any time or while loops run.
  bool isDivided(const Candidate &c, size_t loop, bool whileLoopsRun) const;
  /// The table by the present order of time loops. `padded` are the loops'
  /// padded extents, and `parts` those of the zigzag order of the mask's loops,
  /// 1 where they keep the natural one. Null where that order does not lessen
  /// the work of the rank that has most.
  const StepTable *of(const Division &division, const Candidate &c,
                      const int64_t *padded, int64_t parts);

private:
  struct Hash {
    size_t operator()(const std::vector<uint64_t> &key) const;
  };
  void readKey(const Division &division, const Candidate &c,
               const int64_t *padded, int64_t parts);
  template <typename Visitor>
  void forEachDim(const Candidate &c, size_t loop, Visitor visit) const;
  std::optional<StepTable> make(const Division &division, const Candidate &c,
                                int64_t parts) const;

  const OperatorModel &op;
  const TopologyModel &topology;
  std::vector<uint64_t> key;
  std::unordered_map<std::vector<uint64_t>, std::optional<StepTable>, Hash>
      known;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_CANDIDATEMASK_H
