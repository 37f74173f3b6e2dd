//===- AxisSpelling.h - One way to write equal axes -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_AXISSPELLING_H
#define MERCURY_SCHEDULE_AXISSPELLING_H

#include "Mercury/Schedule/TopologyModel.h"

namespace mercury {

/// Cuts axes into the factors that all of the placements have in common, so
/// that equal blocks are written alike: `{gpu}` beside `{gpu:(1)2, gpu:(2)2}`
/// becomes the latter. Axes of a level whose factors are not factors of each
/// other stay.
void spellAlike(const std::vector<Placement *> &placements,
                const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_SCHEDULE_AXISSPELLING_H
