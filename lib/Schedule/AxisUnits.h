//===- AxisUnits.h - Ways to divide the axes among loops --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_AXISUNITS_H
#define MERCURY_LIB_SCHEDULE_AXISUNITS_H

#include "Mercury/Schedule/Enumerator.h"

namespace mercury {

/// Axes that do everything together: one flat ring, one collective.
using Unit = AxisList;

/// Every way to cut the levels into axes and to group those that are used into
/// units. Axes stand in the order of the topology, units in the order of their
/// first axes. Levels of size 1 are left out, and so are groupings that a
/// coarser cut covers.
std::vector<std::vector<Unit>> axisUnits(const TopologyModel &topology,
                                         const EnumeratorOptions &options);

/// Sorts axes as the topology has them.
void sortByTopology(AxisList &axes, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_AXISUNITS_H
