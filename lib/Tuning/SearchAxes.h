//===- SearchAxes.h - Axes in the form that is searched --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SEARCHAXES_H
#define MERCURY_LIB_TUNING_SEARCHAXES_H

#include "Mercury/Schedule/TopologyModel.h"

namespace mercury {

/// An axis in full: whole levels have their size, too.
AxisRef spelled(const AxisRef &axis, const TopologyModel &topology);
/// The axes, factors of a level that stand side by side as one; sizes in full.
AxisList joined(const AxisList &axes, const TopologyModel &topology);
/// The axes in factors that none of `others`, factors of levels that have no
/// coordinate in common, cuts; sizes as axes are written.
AxisList cutLike(const AxisList &axes, const AxisList &others,
                 const TopologyModel &topology);
/// The topology's levels in prime factors, in every order; the levels
/// themselves without `subAxes`. Sizes in full, none is 1.
std::vector<AxisList> finestCuts(const TopologyModel &topology, bool subAxes);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SEARCHAXES_H
