//===- PlanRow.h - Operators of a plan as one row ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_PLANROW_H
#define MERCURY_LIB_TUNING_PLANROW_H

#include "Mercury/Tuning/Report.h"

namespace mercury {

/// What operators that run one after the other take together: `seconds`, with
/// what runs between them; what they send in all; the memory of the one that
/// needs most; the bound of the longest. The schedule has a line for each.
ReportRow joinRows(const std::vector<ReportRow> &rows, double seconds);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_PLANROW_H
