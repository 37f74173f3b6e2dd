//===- AxisUtils.h - Lists of axes as sets ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_AXISUTILS_H
#define MERCURY_LIB_SCHEDULE_AXISUTILS_H

#include "Mercury/Schedule/TopologyModel.h"

#include <algorithm>

namespace mercury {

inline std::string str(int64_t value) { return std::to_string(value); }

inline std::string quote(const AxisRef &axis) {
  return "'" + print(axis) + "'";
}

inline bool contains(const AxisList &axes, const AxisRef &axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

inline bool containsAll(const AxisList &axes, const AxisList &some) {
  return std::all_of(some.begin(), some.end(),
                     [&](const AxisRef &a) { return contains(axes, a); });
}

inline bool containsAny(const AxisList &axes, const AxisList &some) {
  return std::any_of(some.begin(), some.end(),
                     [&](const AxisRef &a) { return contains(axes, a); });
}

inline void append(AxisList &axes, const AxisList &more) {
  axes.insert(axes.end(), more.begin(), more.end());
}

inline void remove(AxisList &axes, const AxisList &some) {
  std::erase_if(axes, [&](const AxisRef &a) { return contains(some, a); });
}

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_AXISUTILS_H
