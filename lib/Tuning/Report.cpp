//===- Report.cpp - What was found, as text and JSON ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mercury;

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

/// Three digits of `value` in the largest unit of which there is one.
static std::string scaledText(double value, double base,
                              llvm::ArrayRef<const char *> units) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= base) {
    value /= base;
    ++unit;
  }
  int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text + " " + units[unit];
}

std::string mercury::timeText(double seconds) {
  if (seconds >= 1)
    return scaledText(seconds, 1000, {"s"});
  return scaledText(seconds * 1e9, 1000, {"ns", "us", "ms"});
}

std::string mercury::bytesText(double bytes) {
  return bytes < 1024 ? llvm::utostr(std::llround(bytes)) + " B"
                      : scaledText(bytes / 1024, 1024,
                                   {"KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string mercury::energyText(double joules) {
  return scaledText(joules * 1e6, 1000, {"uJ", "mJ", "J", "kJ", "MJ", "GJ"});
}

std::string mercury::rateText(double bytesPerSecond) {
  return scaledText(bytesPerSecond, 1000,
                    {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
}

std::string mercury::percentText(double part) {
  int digits = part > 0 && part < 0.0095 ? 1 : 0;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f%%", digits, part * 100);
  return text;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static std::string slowdownText(double slowdown) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f", slowdown);
  return text + " times as long at half its bandwidth";
}

static std::string trafficText(const ReportRow &row) {
  std::string text;
  for (const ReportRow::Traffic &traffic : row.traffic) {
    text += (text.empty() ? "" : ", ") + traffic.domain + " " +
            bytesText(traffic.bytes);
    if (std::isinf(traffic.service))
      text += " (cannot be hidden)";
    else if (traffic.service > 0)
      text += " (needs " + rateText(traffic.service) + ")";
  }
  return text.empty() ? "nothing" : text;
}

static std::string left(std::string text, size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

/// A figure in a column: its last digit stands at the end.
static std::string right(const std::string &text, size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') +
         text + "  ";
}

/// Width of times with their interval, "9.99 ms +-10%", and of bytes.
static constexpr size_t kTimeWidth = 14, kBytesWidth = 9;

static std::string intervalText(double seconds, double interval) {
  std::string part = "+-" + percentText(interval);
  return right(timeText(seconds) + " " + left(part, 5), kTimeWidth);
}

std::string mercury::functionText(const Report &report) {
  std::string text =
      "all operators of the function: " + timeText(report.seconds);
  if (report.defaultSeconds > 0)
    text += "; under the default rule " + timeText(report.defaultSeconds);
  return text;
}

/// What the time depends on, and what it costs beside time and memory.
static std::string sensitivityText(const ReportRow &row) {
  std::string text;
  auto add = [&](const std::string &more) {
    text += (text.empty() ? "" : "; ") + more;
  };
  for (const ReportRow::Traffic &traffic : row.traffic)
    add(traffic.domain + ": " + slowdownText(traffic.slowdown));
  if (row.slowestBytes > 0)
    add(bytesText(row.slowestBytes) + " over the slowest level");
  if (row.energy > 0)
    add(energyText(row.energy));
  return text;
}

static void writeRow(llvm::raw_ostream &os, const ReportRow &row,
                     std::string label, double best, bool hasMeasured,
                     bool showsSensitivity) {
  os << "  " << left(std::move(label), 28);
  if (!row.reason.empty()) {
    os << row.reason << "\n";
    return;
  }
  std::string ratio;
  if (best > 0)
    llvm::raw_string_ostream(ratio) << llvm::format("%.2f", row.seconds / best);
  os << intervalText(row.seconds, row.interval) << right(ratio, 5);
  if (hasMeasured)
    os << (row.measured > 0 ? intervalText(row.measured, row.measuredInterval)
                            : right("-", kTimeWidth));
  os << left(row.bound, 13) << right(bytesText(row.memory), kBytesWidth)
     << trafficText(row) << "\n";
  os << "      " << row.words << "\n";
  if (std::string text = sensitivityText(row);
      showsSensitivity && !text.empty())
    os << "      " << text << "\n";
  if (!row.overLimit.empty())
    os << "      OOM: " << row.overLimit << "\n";
}

std::string mercury::searchText(const ReportOperator &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.visited << " schedules looked at, " << op.pruned
     << " left out by bounds, " << op.overLimit << " over the memory limit; ";
  if (op.isProven)
    os << "the first is the best of the model's space";
  else
    os << "the first is within " << percentText(op.gap)
       << " of the best that the space may have"
       << (op.lowerBound > 0 ? " (bound " + timeText(op.lowerBound) + ")" : "")
       << ", not proven to be it";
  os << " (" << timeText(op.tuningSeconds) << ")";
  return text;
}

static void writeOperator(llvm::raw_ostream &os, const ReportOperator &op,
                          bool showsSensitivity) {
  os << op.title << "\n";
  auto isMeasured = [](const ReportRow &row) { return row.measured > 0; };
  bool hasMeasured = llvm::any_of(op.found, isMeasured) ||
                     llvm::any_of(op.designs, isMeasured);
  double best = op.found.empty() ? 0 : op.found.front().seconds;
  os << "\n  " << left("schedule", 28) << right("time", kTimeWidth)
     << right("ratio", 5);
  if (hasMeasured)
    os << right("measured", kTimeWidth);
  os << left("bound", 13) << right("memory", kBytesWidth) << "sent by a rank\n";
  for (auto [i, row] : llvm::enumerate(op.found))
    writeRow(os, row,
             llvm::utostr(i + 1) +
                 (row.name.empty() ? "" : " (" + row.name + ")") +
                 (row.isPareto ? " *" : ""),
             best, hasMeasured, showsSensitivity);
  if (!op.designs.empty())
    os << "  known designs\n";
  for (const ReportRow &row : op.designs)
    writeRow(os, row, row.name, best, hasMeasured, showsSensitivity);
  if (op.isSearched)
    os << "\n  " << searchText(op) << "\n";
  for (const std::string &remark : op.remarks)
    os << "  remark: " << remark << "\n";
}

void mercury::writeTable(llvm::raw_ostream &os, const Report &report) {
  os << report.machine << ": " << report.topology.numRanks() << " ranks";
  if (report.memoryLimit > 0)
    os << ", " << bytesText(report.memoryLimit) << " each";
  os << ". Times are predicted; * marks the Pareto set of time and memory.\n";
  for (const ReportOperator &op : report.operators) {
    os << "\n";
    writeOperator(os, op, report.showsSensitivity);
  }
  if (!report.plans.found.empty()) {
    os << "\n";
    writeOperator(os, report.plans, report.showsSensitivity);
  }
  if (report.operators.size() > 1)
    os << "\n" << functionText(report) << "\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJson(const ReportRow &row) {
  llvm::json::Object object;
  if (!row.name.empty())
    object["name"] = row.name;
  if (!row.reason.empty()) {
    object["reason"] = row.reason;
    return object;
  }
  object["words"] = row.words;
  object["schedule"] = row.schedule;
  object["seconds"] = row.seconds;
  object["interval"] = row.interval;
  object["bound"] = row.bound;
  object["memory_bytes"] = row.memory;
  object["pareto"] = row.isPareto;
  object["slowest_level_bytes"] = row.slowestBytes;
  if (row.energy > 0)
    object["energy_joules"] = row.energy;
  if (!row.overLimit.empty())
    object["over_limit"] = row.overLimit;
  if (row.measured > 0) {
    object["measured_seconds"] = row.measured;
    object["measured_interval"] = row.measuredInterval;
  }
  llvm::json::Array traffic;
  for (const ReportRow::Traffic &domain : row.traffic)
    traffic.push_back(llvm::json::Object{
        {"domain", domain.domain},
        {"bytes", domain.bytes},
        // JSON has no infinity.
        {"service_bytes_per_second", std::min(domain.service, 1e300)},
        {"slowdown_at_half_bandwidth", domain.slowdown}});
  object["traffic"] = std::move(traffic);
  return object;
}

static llvm::json::Array toJson(const std::vector<ReportRow> &rows) {
  llvm::json::Array array;
  for (const ReportRow &row : rows)
    array.push_back(toJson(row));
  return array;
}

static llvm::json::Object toJson(const ReportOperator &op) {
  llvm::json::Array pareto, remarks;
  for (auto [seconds, bytes] : op.pareto)
    pareto.push_back(
        llvm::json::Object{{"seconds", seconds}, {"memory_bytes", bytes}});
  for (const std::string &remark : op.remarks)
    remarks.push_back(remark);
  return llvm::json::Object{{"operator", op.title},
                            {"searched", op.isSearched},
                            {"found", toJson(op.found)},
                            {"designs", toJson(op.designs)},
                            {"pareto", std::move(pareto)},
                            {"visited", op.visited},
                            {"pruned", op.pruned},
                            {"over_limit", op.overLimit},
                            {"lower_bound_seconds", op.lowerBound},
                            {"gap", op.gap},
                            {"proven", op.isProven},
                            {"tuning_seconds", op.tuningSeconds},
                            {"remarks", std::move(remarks)}};
}

void mercury::writeJson(llvm::raw_ostream &os, const Report &report) {
  llvm::json::Array operators;
  for (const ReportOperator &op : report.operators)
    operators.push_back(toJson(op));
  llvm::json::Object root{{"machine", report.machine},
                          {"ranks", report.topology.numRanks()},
                          {"seconds", report.seconds},
                          {"operators", std::move(operators)}};
  if (!report.plans.found.empty())
    root["plans"] = llvm::json::Object{{"found", toJson(report.plans.found)},
                                       {"remarks", report.plans.remarks}};
  if (report.compileSeconds > 0)
    root["compile_seconds"] = report.compileSeconds;
  if (report.defaultSeconds > 0)
    root["default_rule_seconds"] = report.defaultSeconds;
  if (report.memoryLimit > 0)
    root["memory_limit_bytes"] = report.memoryLimit;
  os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
}

void mercury::writeTrace(llvm::raw_ostream &os,
                         const std::vector<ReportSpan> &timeline) {
  // Streams of a rank in the order of their first work.
  std::map<int64_t, std::vector<std::string>> streams;
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      auto metadata = [&](const char *what, int64_t rank, int64_t stream,
                          const std::string &name) {
        json.object([&] {
          json.attribute("ph", "M");
          json.attribute("name", what);
          json.attribute("pid", rank);
          json.attribute("tid", stream);
          json.attributeObject("args", [&] { json.attribute("name", name); });
        });
      };
      for (const ReportSpan &span : timeline) {
        std::vector<std::string> &known = streams[span.rank];
        if (known.empty())
          metadata("process_name", span.rank, 0,
                   "rank " + std::to_string(span.rank));
        size_t stream = llvm::find(known, span.stream) - known.begin();
        if (stream == known.size()) {
          known.push_back(span.stream);
          metadata("thread_name", span.rank, stream, span.stream);
        }
        json.object([&] {
          json.attribute("ph", "X");
          json.attribute("name", span.name);
          json.attribute("pid", span.rank);
          json.attribute("tid", static_cast<int64_t>(stream));
          json.attribute("ts", span.begin * 1e6); // microseconds
          json.attribute("dur", (span.end - span.begin) * 1e6);
        });
      }
    });
  });
  os << "\n";
}
