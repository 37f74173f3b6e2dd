//===- CandidateMotion.h - How shards of candidates move --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_CANDIDATEMOTION_H
#define MERCURY_LIB_SCHEDULE_CANDIDATEMOTION_H

#include "Mercury/Schedule/Candidates.h"
#include "Motion.h"

#include <string>
#include <unordered_map>

namespace mercury {

/// evaluateMotion() for candidates. Where a dimension's axes are those of the
/// loop's factors one after the other, the answer is known; anything else is
/// evaluated once, on a topology of the axes that take part.
class CandidateMotion {
public:
  struct Part {
    AxisMask axes = 0;
    Motion motion = Motion::Local;
  };
  using Parts = FixedList<Part, 20>;

  /// Motions of a dimension over `axes` whose loop is `loop`; false when
  /// illegal.
  bool evaluate(const Division &division, const Candidate &candidate,
                size_t loop, const AxisSequence &axes, Parts &parts);

private:
  struct Answer {
    bool isLegal = false;
    /// Of each part how many axes it has.
    std::vector<std::pair<size_t, Motion>> parts;
  };
  const Answer &evaluated(const Division &division, const Candidate &candidate,
                          size_t loop, const AxisSequence &axes);

  std::unordered_map<std::string, Answer> answers;
};

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_CANDIDATEMOTION_H
