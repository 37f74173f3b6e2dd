//===- CandidateLegality.h - verify() for candidates ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_CANDIDATELEGALITY_H
#define MERCURY_LIB_SCHEDULE_CANDIDATELEGALITY_H

#include "CandidateMotion.h"

namespace mercury {

/// The checks of Verifier that a candidate can fail. Each part assumes what
/// the ones before it have checked.
class Candidates::Legality {
public:
  Legality(const OperatorModel &op, const TopologyModel &topology);

  bool isLegal(const Division &division, const Candidate &candidate);

private:
  /// Of a division what follows from its axes.
  void enter(const Division &division);
  bool checkPlacements() const;
  bool checkFactors() const;
  bool checkReductions() const;
  bool checkInput(size_t i);
  bool checkResult(size_t r);
  bool checkCoupled() const;
  bool checkShifts() const;
  bool checkPrimitives() const;

  /// Axes by which time factors of the loop are shifted.
  AxisMask shiftsOf(size_t loop) const { return shifts[loop]; }
  bool dependsOn(size_t loop, AxisMask axes, bool rankFactorsOnly) const {
    return axes & (c->ranks[loop] | (rankFactorsOnly ? 0 : shifts[loop]));
  }
  Arrival arrivalOf(size_t input, uint8_t axis) const;
  Ending endingOf(size_t result, uint8_t axis) const;
  bool allows(Primitive primitive, uint8_t axis) const {
    return allowed[axis] >> static_cast<size_t>(primitive) & 1;
  }

  const OperatorModel &op;
  const TopologyModel &topology;
  CandidateMotion motions;
  CandidateMotion::Parts parts;
  const Division *division = nullptr;
  AxisList axes; ///< for which the following holds
  uint32_t allowed[20] = {};
  bool allAllowed = true; ///< no level restricts its primitives
  const Candidate *c = nullptr;
  AxisMask shifts[maxLoops] = {}, travelling[maxLoops] = {};
  AxisMask partial = 0; ///< axes of the rank factors of reduction loops
};

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_CANDIDATELEGALITY_H
