//===- Describe.h - Schedules in words --------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_DESCRIBE_H
#define MERCURY_SCHEDULE_DESCRIBE_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// What people call the loops and tensors of an operator.
struct OperatorNames {
  std::vector<std::string> loops, inputs, results;
};

/// From which loops index which tensors: of attention (several coupled results)
/// batch, heads, queries and keys, Q, K and V; of other contractions of two
/// inputs batch, rows, columns and reduction, A, B and C; else numbers.
OperatorNames namesOf(const OperatorModel &op);

/// What a legal schedule does, in one line: "heads over gpu:(1)2, queries over
/// node and gpu:(2)2, K/V ring over gpu:(2)2, K/V gathered over node, zigzag".
std::string describe(const Schedule &schedule, const OperatorModel &op,
                     const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_SCHEDULE_DESCRIBE_H
