//===- Rows.cpp - Published figures ---------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

using namespace mercury::predict;

const std::string &Row::operator[](const std::string &column) const {
  static const std::string none;
  auto it = cells.find(column);
  return it == cells.end() ? none : it->second;
}

std::optional<double> Row::number(const std::string &column) const {
  const std::string &text = (*this)[column];
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0)
    return std::nullopt;
  return value;
}

int64_t Row::integer(const std::string &column, int64_t otherwise) const {
  std::optional<double> value = number(column);
  return value ? int64_t(*value) : otherwise;
}

std::optional<double> Row::bytes() const {
  const std::string &text = (*this)["seqlen_or_MNK"];
  if (text == "large")
    return double(int64_t(8) << 30);
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  if (unit == " B")
    return value;
  if (unit == " GB")
    return value * 1e9;
  return std::nullopt;
}

/// Cells of a line; quoted ones may hold commas.
static std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        cells.back() += line[++i];
      else
        quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::optional<std::vector<Row>>
mercury::predict::readRows(const std::string &path, std::string &error) {
  std::ifstream file(path);
  if (!file) {
    error = "cannot read '" + path + "'";
    return std::nullopt;
  }
  std::vector<Row> rows;
  std::vector<std::string> header;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#')
      continue;
    std::vector<std::string> cells = cellsOf(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    if (cells.size() != header.size()) {
      error = "'" + path + "', line " + std::to_string(number) + ": " +
              std::to_string(cells.size()) + " cells under a header of " +
              std::to_string(header.size());
      return std::nullopt;
    }
    Row row;
    row.line = number;
    for (size_t c = 0; c < cells.size(); ++c)
      row.cells[header[c]] = cells[c];
    rows.push_back(std::move(row));
  }
  return rows;
}

Device mercury::predict::deviceOf(const Row &row) {
  const std::string &gpu = row["gpu"];
  auto begins = [&](const char *text) { return gpu.rfind(text, 0) == 0; };
  // Dense peaks as the built-in machines have them; H800 is an H100 with fewer
  // links, GH200 one with another memory.
  if (begins("A100-40"))
    return {"Ampere", "a100-40", 312e12};
  if (begins("A100"))
    return {"Ampere", "a100-80", 312e12};
  if (gpu == "H100 PCIe")
    return {"Hopper", "h100-pcie", 756e12};
  if (begins("H200"))
    return {"Hopper", "h200", 989e12};
  if (begins("H100") || begins("H800") || begins("GH200"))
    return {"Hopper", "h100-sxm", 989e12};
  if (begins("B200"))
    return {"Blackwell", "b200", 2250e12};
  if (gpu == "L4")
    return {"Ada", "l4", 121e12};
  return {};
}

double mercury::predict::median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double mercury::predict::ninetieth(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         size_t(std::ceil(0.9 * double(values.size()))) - 1)];
}
