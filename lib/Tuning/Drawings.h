//===- Drawings.h - Pictures of a report --------------------------*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_DRAWINGS_H
#define MERCURY_LIB_TUNING_DRAWINGS_H

#include "Mercury/Tuning/Report.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mercury {

/// As text of HTML.
std::string escaped(llvm::StringRef text);

/// Each an SVG element, drawn to the end of `os`.
/// Memory over time, both in logarithms: the Pareto set as a line, schedules
/// that were found and known designs as points.
void drawPareto(llvm::raw_ostream &os, const ReportOperator &op);
/// A line a stream, of the first ranks.
void drawTimeline(llvm::raw_ostream &os, llvm::ArrayRef<ReportSpan> spans);
/// Levels as boxes in boxes.
void drawMachine(llvm::raw_ostream &os, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_DRAWINGS_H
