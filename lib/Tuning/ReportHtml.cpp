//===- ReportHtml.cpp - What was found, as a page -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pictures are SVG inside the page: it needs no script and no other file.
//
//===----------------------------------------------------------------------===//
#include "Drawings.h"
#include "Mercury/Tuning/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mercury;

static constexpr const char *kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem;
       padding: 0 1rem; color: #1c2733; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; vertical-align: top;
         border-bottom: 1px solid #dde3e9; }
td.number { text-align: right; white-space: nowrap; }
.words { color: #5a6875; } .over { color: #b3261e; }
details { margin: .4rem 0; } code { font-size: .85rem; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  body { color: #dbe2ea; background: #14191f; } .words { color: #93a1af; }
  th, td { border-color: #2c3640; } .over { color: #ff8a80; }
  svg { background: #f7f9fb; border-radius: 4px; }
})";

static void writeRow(llvm::raw_ostream &os, const ReportRow &row,
                     const std::string &label, double best) {
  os << "<tr><td>" << escaped(label) << "</td>";
  if (!row.reason.empty()) {
    os << "<td colspan=\"5\" class=\"words\">" << escaped(row.reason)
       << "</td></tr>\n";
    return;
  }
  os << "<td class=\"number\">" << timeText(row.seconds) << "<br>"
     << "&plusmn;" << percentText(row.interval);
  if (row.measured > 0)
    os << "<br>measured " << timeText(row.measured) << " &plusmn;"
       << percentText(row.measuredInterval);
  os << "</td><td class=\"number\">"
     << llvm::format("%.2f", best > 0 ? row.seconds / best : 1) << "</td><td>"
     << escaped(row.bound) << "</td><td class=\"number\">"
     << bytesText(row.memory);
  if (row.energy > 0)
    os << "<br>" << energyText(row.energy);
  os << "</td><td>";
  for (const ReportRow::Traffic &traffic : row.traffic) {
    os << escaped(traffic.domain) << " " << bytesText(traffic.bytes);
    if (std::isinf(traffic.service))
      os << ", cannot be hidden";
    else if (traffic.service > 0)
      os << ", needs " << rateText(traffic.service);
    os << llvm::format(", %.2f times as long at half its bandwidth",
                       traffic.slowdown);
    os << "<br>";
  }
  os << "<span class=\"words\">" << escaped(row.words) << "</span>";
  if (!row.overLimit.empty())
    os << "<br><span class=\"over\">out of memory: " << escaped(row.overLimit)
       << "</span>";
  os << "<details><summary>schedule</summary><code>" << escaped(row.schedule)
     << "</code></details></td></tr>\n";
}

static void writeOperator(llvm::raw_ostream &os, const ReportOperator &op) {
  os << "<h2>" << escaped(op.title) << "</h2>\n";
  os << "<h3>Time and memory</h3>\n";
  drawPareto(os, op);
  os << "<table><thead><tr><th>schedule</th><th>time</th><th>ratio</th>"
        "<th>bound</th><th>memory, energy</th><th>sent by a rank, and what it "
        "does</th></tr></thead><tbody>\n";
  double best = op.found.empty() ? 0 : op.found.front().seconds;
  for (auto [i, row] : llvm::enumerate(op.found))
    writeRow(os, row,
             "found " + std::to_string(i + 1) +
                 (row.name.empty() ? "" : " (" + row.name + ")") +
                 (row.isPareto ? " *" : ""),
             best);
  for (const ReportRow &row : op.designs)
    writeRow(os, row, row.name, best);
  os << "</tbody></table>\n";
  if (op.isSearched)
    os << "<p class=\"words\">" << escaped(searchText(op)) << "</p>\n";
  for (const std::string &remark : op.remarks)
    os << "<p class=\"words\">" << escaped(remark) << "</p>\n";
}

void mercury::writeHtml(llvm::raw_ostream &os, const Report &report) {
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << "Mercury: " << escaped(report.machine) << "</title><style>" << kStyle
     << "</style></head><body>\n<h1>Schedules for " << escaped(report.machine)
     << "</h1>\n<p>Predicted by the model";
  if (report.memoryLimit > 0)
    os << "; each rank may hold " << bytesText(report.memoryLimit);
  os << ". * marks the Pareto set of time and memory.</p>\n<h2>The "
        "machine</h2>\n";
  drawMachine(os, report.topology);
  for (const ReportOperator &op : report.operators)
    writeOperator(os, op);
  if (!report.plans.found.empty())
    writeOperator(os, report.plans);
  if (report.operators.size() > 1)
    os << "<p>" << escaped(functionText(report)) << "</p>\n";
  if (!report.timeline.empty()) {
    os << "<h2>Timeline of the schedules that were chosen</h2>\n";
    drawTimeline(os, report.timeline);
    os << "<p class=\"words\">Compiling it for devices took "
       << timeText(report.compileSeconds) << ".</p>\n";
  }
  os << "</body></html>\n";
}
