//===- PlanRow.cpp - Operators of a plan as one row -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanRow.h"

#include <algorithm>

using namespace mercury;

/// `seconds`: of all operators; `own`: of the one that `traffic` is of.
static void addTraffic(std::vector<ReportRow::Traffic> &all,
                       const ReportRow::Traffic &traffic, double own,
                       double seconds) {
  auto isSame = [&](const auto &other) {
    return other.domain == traffic.domain;
  };
  auto it = std::find_if(all.begin(), all.end(), isSame);
  if (it == all.end())
    it = all.insert(it, {traffic.domain, 0, 0, 1});
  it->bytes += traffic.bytes;
  it->service = std::max(it->service, traffic.service);
  if (seconds > 0)
    it->slowdown += (traffic.slowdown - 1) * own / seconds;
}

ReportRow mercury::joinRows(const std::vector<ReportRow> &rows,
                            double seconds) {
  ReportRow joined;
  joined.seconds = seconds;
  double longest = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ReportRow &row = rows[i];
    joined.schedule += (i > 0 ? "\n" : "") + row.schedule;
    joined.words +=
        (i > 0 ? "; " : "") + std::to_string(i + 1) + ": " + row.words;
    if (seconds > 0)
      joined.interval += row.interval * row.seconds / seconds;
    for (const ReportRow::Traffic &traffic : row.traffic)
      addTraffic(joined.traffic, traffic, row.seconds, seconds);
    joined.slowestBytes += row.slowestBytes;
    joined.energy += row.energy;
    joined.memory = std::max(joined.memory, row.memory);
    if (row.seconds > longest) {
      longest = row.seconds;
      joined.bound = row.bound;
    }
  }
  return joined;
}
