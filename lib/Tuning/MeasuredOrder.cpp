//===- MeasuredOrder.cpp - What runs say of a prediction ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/MeasuredOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mercury;

/// "1, 2 and 4", of numbers from 0 on.
static std::string listText(const std::vector<size_t> &places) {
  std::string text;
  for (size_t i = 0; i < places.size(); ++i)
    text += (i == 0                   ? ""
             : i + 1 == places.size() ? " and "
                                      : ", ") +
            llvm::utostr(places[i] + 1);
  return text;
}

void mercury::addMeasured(ReportOperator &op,
                          const std::vector<Median> &measured) {
  size_t count = measured.size();
  if (count == 0)
    return;
  // Numbers of rows, as predicted.
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(measured[a].value, a) < std::pair(measured[b].value, b);
  });
  const Median &fastest = measured[order.front()];
  size_t chosen = 0;
  while (fastest.isBelow(measured[chosen]))
    ++chosen;
  auto place = llvm::find(order, chosen);
  std::rotate(order.begin(), place, place + 1);

  std::vector<ReportRow> rows;
  for (size_t row : order) {
    op.found[row].measured = measured[row].value;
    op.found[row].measuredInterval = measured[row].interval();
    rows.push_back(op.found[row]);
  }
  std::move(rows.begin(), rows.end(), op.found.begin());
  if (count == 1)
    return;

  size_t runs = measured[0].runs;
  std::vector<size_t> together = {0};
  for (size_t i = 1; i < count; ++i) {
    runs = std::min(runs, measured[order[i]].runs);
    if (!measured[order[0]].isBelow(measured[order[i]]))
      together.push_back(i);
  }
  op.remarks.push_back(together.size() == 1
                           ? "measured: 1 is the fastest of the " +
                                 llvm::utostr(count) + " that ran"
                           : "measured: " + listText(together) +
                                 " are not told apart (" + llvm::utostr(runs) +
                                 (runs == 1 ? " run" : " runs") +
                                 " each); the model's choice is first");

  // The worst of the pairs that the runs order the other way around.
  size_t pairs = 0, fast = 0, slow = 0;
  double worst = 0;
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j) {
      const ReportRow &a = op.found[i], &b = op.found[j];
      if (a.seconds <= b.seconds ||
          !measured[order[i]].isBelow(measured[order[j]]))
        continue;
      ++pairs;
      double wrong = a.seconds / b.seconds * b.measured / a.measured;
      if (wrong > worst) {
        worst = wrong;
        fast = i;
        slow = j;
      }
    }
  if (pairs == 0)
    return;
  const ReportRow &a = op.found[fast], &b = op.found[slow];
  op.remarks.push_back(
      llvm::formatv("the runs contradict the model: {0} was predicted to take "
                    "{1:F2} of the time of {2}, and takes {3:F2}{4}",
                    fast + 1, a.seconds / b.seconds, slow + 1,
                    a.measured / b.measured,
                    pairs > 1 ? "; " + llvm::utostr(pairs) +
                                    " pairs are the other way around"
                              : std::string())
          .str());
}
