//===- Drawings.cpp - Pictures of a report --------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Drawings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace mercury;

std::string mercury::escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

static constexpr const char *kFoundColor = "#1f6feb", *kDesignColor = "#d1570a";

/// A coordinate of a picture.
static auto at(double value) { return llvm::format("%.1f", value); }

static void drawText(llvm::raw_ostream &os, double x, double y,
                     const std::string &text, const char *anchor = "start") {
  os << "<text x=\"" << at(x) << "\" y=\"" << at(y) << "\" text-anchor=\""
     << anchor << "\">" << escaped(text) << "</text>";
}

static void drawLine(llvm::raw_ostream &os, double x0, double y0, double x1,
                     double y1, const char *color) {
  os << "<line x1=\"" << at(x0) << "\" y1=\"" << at(y0) << "\" x2=\"" << at(x1)
     << "\" y2=\"" << at(y1) << "\" stroke=\"" << color << "\"/>";
}

static void begin(llvm::raw_ostream &os, const char *what, double width,
                  double height) {
  os << "<svg class=\"" << what << "\" viewBox=\"0 0 " << at(width) << " "
     << at(height) << "\" width=\"" << at(width) << "\" role=\"img\">";
}

//===----------------------------------------------------------------------===//
// Pareto plot
//===----------------------------------------------------------------------===//

namespace {
/// One axis of a plot, in logarithms.
struct LogScale {
  double low = 0, high = 0, from = 0, to = 0;

  LogScale(llvm::ArrayRef<double> values, double from, double to)
      : from(from), to(to) {
    double least = *llvm::min_element(values),
           most = *llvm::max_element(values);
    low = std::log(least / 1.15);
    high = std::log(most * 1.15);
  }
  double operator()(double value) const {
    return from + (std::log(value) - low) / (high - low) * (to - from);
  }
  /// Round values: a power of `base` times `unit`, doubled again and again, or,
  /// where that gives less than three, even steps of 1, 2 or 5 times a power of
  /// ten of it.
  std::vector<double> ticks(double unit, double base) const {
    constexpr size_t most = 7;
    double least = std::exp(low), greatest = std::exp(high);
    // The power of the base below what is shown: its multiples are read well.
    double power =
        unit *
        std::pow(base, std::floor(std::log(least / unit) / std::log(base)));
    std::vector<double> doubled;
    for (double p = power; p <= greatest; p *= base)
      for (double step = 1; step < base; step *= 2)
        if (p * step >= least && p * step <= greatest)
          doubled.push_back(p * step);
    if (doubled.size() > 2) {
      std::vector<double> some;
      for (size_t i = 0; i < doubled.size(); i += doubled.size() / most + 1)
        some.push_back(doubled[i]);
      return some;
    }
    double closest = (greatest - least) / most,
           decimal =
               power * std::pow(10, std::floor(std::log10(closest / power))),
           step = 10 * decimal;
    for (double factor : {5, 2, 1})
      if (factor * decimal >= closest)
        step = factor * decimal;
    std::vector<double> even;
    for (double value = std::ceil(least / step) * step; value <= greatest;
         value += step)
      even.push_back(value);
    return even;
  }
};
} // namespace

/// What the marks mean, from (x, y) downwards.
static void drawLegend(llvm::raw_ostream &os, double x, double y) {
  const char *marks[][3] = {
      {kFoundColor, kFoundColor, "found (line: Pareto set)"},
      {kDesignColor, kDesignColor, "known design"},
      {"none", "#6e7781", "out of memory"}};
  for (auto [fill, stroke, what] : marks) {
    os << "<circle cx=\"" << at(x + 5) << "\" cy=\"" << at(y)
       << "\" r=\"5\" fill=\"" << fill << "\" stroke=\"" << stroke << "\"/>";
    drawText(os, x + 16, y + 4, what);
    y += 16;
  }
}

void mercury::drawPareto(llvm::raw_ostream &os, const ReportOperator &op) {
  std::vector<double> times, sizes;
  auto add = [&](double seconds, double bytes) {
    if (seconds > 0 && bytes > 0) {
      times.push_back(seconds);
      sizes.push_back(bytes);
    }
  };
  for (auto [seconds, bytes] : op.pareto)
    add(seconds, bytes);
  for (auto *rows : {&op.found, &op.designs})
    for (const ReportRow &row : *rows)
      if (row.reason.empty())
        add(row.seconds, row.memory);
  if (times.empty())
    return;
  constexpr double width = 860, height = 420, left = 80, right = 690, top = 20,
                   bottom = 370;
  LogScale x(times, left, right), y(sizes, bottom, top);
  begin(os, "pareto", width, height);
  for (double tick : x.ticks(1e-9, 10)) {
    drawLine(os, x(tick), top, x(tick), bottom, "#e3e8ed");
    drawText(os, x(tick), bottom + 18, timeText(tick), "middle");
  }
  for (double tick : y.ticks(1, 1024)) {
    drawLine(os, left, y(tick), right, y(tick), "#e3e8ed");
    drawText(os, left - 8, y(tick) + 4, bytesText(tick), "end");
  }
  drawText(os, (left + right) / 2, height - 10, "predicted time", "middle");
  drawText(os, 4, 12, "memory of a rank");
  drawLegend(os, right + 12, bottom + 6);
  if (!op.pareto.empty()) {
    os << "<polyline class=\"front\" fill=\"none\" stroke=\"" << kFoundColor
       << "\" points=\"";
    for (auto [i, point] : llvm::enumerate(op.pareto)) {
      // Between two points the slower one needs as much as the faster one.
      if (i)
        os << at(x(point.first)) << "," << at(y(op.pareto[i - 1].second))
           << " ";
      os << at(x(point.first)) << "," << at(y(point.second)) << " ";
    }
    os << "\"/>";
    for (auto [seconds, bytes] : op.pareto)
      os << "<circle cx=\"" << at(x(seconds)) << "\" cy=\"" << at(y(bytes))
         << "\" r=\"3\" fill=\"" << kFoundColor << "\"/>";
  }
  auto point = [&](const ReportRow &row, const std::string &label,
                   const char *color) {
    os << "<circle class=\"point\" cx=\"" << at(x(row.seconds)) << "\" cy=\""
       << at(y(row.memory)) << "\" r=\"5\" fill=\""
       << (row.overLimit.empty() ? color : "none") << "\" stroke=\"" << color
       << "\"><title>"
       << escaped(label + ": " + timeText(row.seconds) + ", " +
                  bytesText(row.memory) + ". " + row.words)
       << "</title></circle>";
  };
  for (auto [i, row] : llvm::enumerate(op.found))
    point(row, "found " + std::to_string(i + 1), kFoundColor);
  // Labels of designs stand beside the plot, from top to bottom as the points.
  std::vector<const ReportRow *> designs;
  for (const ReportRow &row : op.designs)
    if (row.reason.empty())
      designs.push_back(&row);
  llvm::sort(designs, [](const ReportRow *a, const ReportRow *b) {
    return std::pair(-a->memory, a->name) < std::pair(-b->memory, b->name);
  });
  double next = top + 8;
  for (const ReportRow *row : designs) {
    point(*row, row->name, kDesignColor);
    double label = std::max(next, std::min(y(row->memory), bottom));
    next = label + 15;
    drawLine(os, x(row->seconds), y(row->memory), right + 8, label - 4,
             "#f0c7a8");
    drawText(os, right + 12, label, row->name);
  }
  os << "</svg>\n";
}

//===----------------------------------------------------------------------===//
// Timeline
//===----------------------------------------------------------------------===//

void mercury::drawTimeline(llvm::raw_ostream &os,
                           llvm::ArrayRef<ReportSpan> spans) {
  // A person compares few ranks; the trace has all of them.
  constexpr int64_t maxRanks = 16;
  constexpr size_t maxSpans = 4000;
  std::vector<std::pair<int64_t, std::string>> lines;
  double end = 0;
  for (const ReportSpan &span : spans) {
    end = std::max(end, span.end);
    if (span.rank < maxRanks)
      lines.emplace_back(span.rank, span.stream);
  }
  llvm::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.empty() || end <= 0)
    return;
  constexpr double width = 1080, left = 150, row = 16, top = 24;
  double bottom = top + row * lines.size();
  begin(os, "timeline", width, bottom + 6);
  auto x = [&](double seconds) {
    return left + seconds / end * (width - left - 10);
  };
  for (int tick = 0; tick <= 5; ++tick) {
    double seconds = end * tick / 5;
    drawLine(os, x(seconds), top, x(seconds), bottom, "#e3e8ed");
    drawText(os, x(seconds), 14, timeText(seconds),
             tick == 5 ? "end" : "middle");
  }
  for (auto [i, line] : llvm::enumerate(lines))
    drawText(os, 4, top + row * i + 12,
             "rank " + std::to_string(line.first) + " " + line.second);
  size_t drawn = 0;
  for (const ReportSpan &span : spans) {
    auto it = llvm::find(lines, std::pair(span.rank, span.stream));
    if (it == lines.end() || ++drawn > maxSpans)
      continue;
    double y = top + row * (it - lines.begin());
    os << "<rect x=\"" << at(x(span.begin)) << "\" y=\"" << at(y + 2)
       << "\" width=\"" << at(std::max(x(span.end) - x(span.begin), 0.5))
       << "\" height=\"" << at(row - 4) << "\" fill=\""
       << (span.stream == "compute" ? "#2da44e" : "#1f6feb") << "\"><title>"
       << escaped(span.name + ": " + timeText(span.begin) + " to " +
                  timeText(span.end))
       << "</title></rect>";
  }
  os << "</svg>\n";
  if (drawn > maxSpans)
    os << "<p class=\"words\">The first " << maxSpans << " of " << drawn
       << " pieces of work are drawn.</p>\n";
}

//===----------------------------------------------------------------------===//
// Machine
//===----------------------------------------------------------------------===//

void mercury::drawMachine(llvm::raw_ostream &os,
                          const TopologyModel &topology) {
  const std::vector<Level> &levels = topology.levels;
  if (levels.empty())
    return;
  // Boxes in boxes: those of the innermost level stand side by side, those of
  // the others below each other; of many the first ones and the last.
  constexpr double device = 74, pad = 10, head = 20;
  constexpr int64_t most = 8;
  auto shown = [&](const Level &level) { return std::min(level.size, most); };
  std::vector<double> widths(levels.size() + 1), heights(levels.size() + 1);
  widths.back() = device;
  heights.back() = 34;
  for (size_t l = levels.size(); l-- > 0;) {
    bool inner = l + 1 == levels.size();
    double count = shown(levels[l]);
    widths[l] = (inner ? count : 1) * (widths[l + 1] + pad) + pad;
    heights[l] = (inner ? 1 : count) * (heights[l + 1] + pad) + head;
    // The caption has to fit, too.
    widths[l] = std::max(widths[l], 420.0);
  }
  begin(os, "machine", widths[0] + 2, heights[0] + 2);
  std::function<void(size_t, double, double, const std::string &)> draw =
      [&](size_t l, double x, double y, const std::string &name) {
        bool leaf = l == levels.size();
        os << "<rect x=\"" << at(x) << "\" y=\"" << at(y) << "\" width=\""
           << at(leaf ? device : widths[l]) << "\" height=\"" << at(heights[l])
           << "\" rx=\"4\" fill=\""
           << (leaf    ? "#dafbe1"
               : l % 2 ? "#eef4fb"
                       : "#f7f9fb")
           << "\" stroke=\"#8796a5\"/>";
        if (leaf) {
          drawText(os, x + device / 2, y + 15, name, "middle");
          if (topology.device.memory > 0)
            drawText(os, x + device / 2, y + 29,
                     bytesText(topology.device.memory), "middle");
          return;
        }
        const Level &level = levels[l];
        std::string caption = (name.empty() ? "" : name + ": ") +
                              std::to_string(level.size) + " x " + level.name;
        if (level.bandwidth > 0)
          caption += ", " + rateText(level.bandwidth) +
                     (level.sharedBy > 1
                          ? " shared by " + std::to_string(level.sharedBy)
                          : " each");
        if (level.latency > 0)
          caption += ", " + timeText(level.latency);
        drawText(os, x + pad, y + 15, caption);
        for (int64_t i = 0; i < shown(level); ++i) {
          bool inner = l + 1 == levels.size();
          bool isLast = i + 1 == shown(level) && level.size > most;
          std::string child =
              level.name + " " + std::to_string(isLast ? level.size - 1 : i);
          draw(l + 1, x + pad + (inner ? i * (widths[l + 1] + pad) : 0),
               y + head + (inner ? 0 : i * (heights[l + 1] + pad)),
               (isLast ? "... " : "") + child);
        }
      };
  draw(0, 1, 1, "");
  os << "</svg>\n";
}
