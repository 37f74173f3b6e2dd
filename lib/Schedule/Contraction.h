//===- Contraction.h - The loops of a contraction by role -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_CONTRACTION_H
#define MERCURY_LIB_SCHEDULE_CONTRACTION_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// The loops of `C(batch, m, n) += A(batch, m, k) * B(batch, k, n)`, found by
/// which operands index them, each list by falling extent. A is input 0, B is
/// input 1, C the only result.
struct Contraction {
  std::vector<size_t> batch, m, n, k;
};

/// The roles of the loops of a contraction, or nothing for another operator.
std::optional<Contraction> matchContraction(const OperatorModel &op);

/// All levels, outermost first.
AxisList allAxes(const TopologyModel &topology);

/// The schedule called `default`.
Verdict fillDefault(Schedule &s, const OperatorModel &op,
                    const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_CONTRACTION_H
