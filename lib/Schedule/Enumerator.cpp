//===- Enumerator.cpp - All schedules of an operator ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates of every division of the axes; of those that are legal the
// schedules are built.
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Schedule/Candidates.h"

using namespace mercury;

void mercury::enumerateSchedules(
    const OperatorModel &op, const TopologyModel &topology,
    const EnumeratorOptions &options,
    const std::function<bool(const Schedule &)> &visit) {
  // Beside a schedule the balanced one where a mask gains by it.
  auto offer = [&](const Schedule &s) {
    if (!visit(s))
      return false;
    if (!op.mask)
      return true;
    Schedule balanced = s;
    balance(balanced, op, topology);
    return balanced == s || visit(balanced);
  };
  Schedule whole = Schedule::replicated(op);
  if (verify(whole, op, topology) && !offer(whole))
    return;
  Candidates candidates(op, topology, options);
  for (const Division &division : divisions(topology, options))
    if (!candidates.forEach(
            division, [&](Candidate &candidate, const auto &picked) {
              // The order of time loops has no part in legality.
              return !candidates.isLegal(division, candidate) ||
                     candidates.forEachOrder(candidate, picked, [&] {
                       return offer(candidates.build(division, candidate));
                     });
            }))
      return;
}
