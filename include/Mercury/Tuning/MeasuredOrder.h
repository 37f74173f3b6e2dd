//===- MeasuredOrder.h - What runs say of a prediction ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_MEASUREDORDER_H
#define MERCURY_TUNING_MEASUREDORDER_H

#include "Mercury/Tuning/Median.h"
#include "Mercury/Tuning/Report.h"

namespace mercury {

/// Adds what was measured of the first schedules of `op` to their rows and puts
/// these in its order. The first becomes the one that the model likes best of
/// those that the runs do not tell apart from the fastest. Remarks say whether
/// there is a winner, and where the runs contradict the model.
void addMeasured(ReportOperator &op, const std::vector<Median> &measured);

} // namespace mercury

#endif // MERCURY_TUNING_MEASUREDORDER_H
