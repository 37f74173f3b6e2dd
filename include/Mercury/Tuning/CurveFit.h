//===- CurveFit.h - Curves from measurements --------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_CURVEFIT_H
#define MERCURY_TUNING_CURVEFIT_H

#include "Mercury/Schedule/Curve.h"

namespace mercury {

/// A curve through (size, figure) pairs that were measured, positive both: of
/// those whose sizes differ by at most 5% the geometric mean.
Curve fitCurve(std::vector<std::pair<double, double>> points);

} // namespace mercury

#endif // MERCURY_TUNING_CURVEFIT_H
