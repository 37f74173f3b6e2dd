//===- Verifier.h - One check of a schedule ---------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_VERIFIER_H
#define MERCURY_LIB_SCHEDULE_VERIFIER_H

#include "AxisUtils.h"
#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// One check of a schedule. The parts follow each other: each may assume what
/// the ones before it have checked.
class Verifier {
public:
  Verifier(const Schedule &s, const OperatorModel &op,
           const TopologyModel &topology)
      : s(s), op(op), topology(topology) {}

  Verdict run() {
    for (auto part :
         {&Verifier::checkShape, &Verifier::checkOptions, &Verifier::checkAxes,
          &Verifier::checkOrders, &Verifier::checkFactors,
          &Verifier::checkReductions, &Verifier::checkInputs,
          &Verifier::checkResults, &Verifier::checkShifts,
          &Verifier::checkPrimitives, &Verifier::checkTile})
      if (Verdict v = (this->*part)(); !v)
        return v;
    return Verdict::ok();
  }

private:
  Verdict checkShape();
  Verdict checkOptions();
  Verdict checkAxes();
  Verdict checkOrders();
  Verdict checkFactors();
  Verdict checkReductions();
  Verdict checkInputs();
  Verdict checkResults();
  Verdict checkShifts();
  Verdict checkPrimitives();
  Verdict checkTile();

  Verdict checkInput(size_t i);
  Verdict checkResult(size_t r);
  Verdict checkCoupled();
  Verdict checkReshard(const std::string &what, const Placement &from,
                       const Placement &to);
  Verdict needsForOrders(const std::string &what, const Placement &from,
                         const Placement &to);
  Verdict needs(Primitive primitive, const AxisRef &axis,
                const std::string &what);
  std::string loopName(size_t l) const {
    return "loop " + str(l) + " of '" + op.name + "'";
  }

  const Schedule &s;
  const OperatorModel &op;
  const TopologyModel &topology;
  AxisList rankAxes, partialAxes;
  /// Per loop the axes over which some tile travels because of a shift.
  std::vector<AxisList> travelling;
};

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_VERIFIER_H
