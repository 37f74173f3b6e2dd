//===- NvidiaSmi.cpp - Matrices that nvidia-smi prints --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A paste survives tabs that became spaces, lost underlining, lost headers and
// rows, cells that ran together, and pages around it. Rows count by their names
// and cells, not by columns.
//
//===----------------------------------------------------------------------===//
#include "Mercury/Target/Topology/NodeDescription.h"

#include <algorithm>
#include <array>
#include <map>

using namespace mercury;

std::string_view mercury::stringify(PathKind kind) {
  static constexpr std::array<std::string_view, 7> names = {
      "NV", "C2C", "PIX", "PXB", "PHB", "NODE", "SYS"};
  return names[size_t(kind)];
}

static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static void skipSpace(std::string_view &text) {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
}

static std::string_view takeWord(std::string_view &text) {
  skipSpace(text);
  size_t length = 0;
  while (length < text.size() && !isSpace(text[length]))
    ++length;
  std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// Without underlining; its escape character is often lost.
static std::string withoutColors(std::string_view line) {
  std::string plain;
  for (size_t i = 0; i < line.size(); ++i) {
    size_t at = i + (line[i] == '\x1b');
    size_t end = at + 1;
    while (at < line.size() && line[at] == '[' && end < line.size() &&
           (isDigit(line[end]) || line[end] == ';'))
      ++end;
    if (at < line.size() && line[at] == '[' && end > at + 1 &&
        end < line.size() && line[end] == 'm')
      i = end;
    else
      plain += line[i];
  }
  return plain;
}

/// GPU0, NIC12, mlx5_3, mlx5_bond_0
static bool isDeviceName(std::string_view word) {
  size_t letters = 0;
  while (letters < word.size() && !isDigit(word[letters]))
    ++letters;
  std::string_view prefix = word.substr(0, letters);
  if (word.empty() || !isDigit(word.back()))
    return false;
  if (prefix == "GPU" || prefix == "NIC")
    return std::all_of(word.begin() + letters, word.end(), isDigit);
  return word.substr(0, 3) == "mlx";
}
static bool isGpu(std::string_view name) { return name.substr(0, 3) == "GPU"; }

/// Takes one cell off the front of `text`, which the next may touch: "PXBNODE".
static std::optional<std::string> takeCell(std::string_view &text) {
  skipSpace(text);
  // Longer names first. The last eight are those of `topo -p2p`.
  static constexpr std::string_view names[] = {
      "NODE", "C2C", "PIX", "PXB", "PHB", "SYS", "X",
      "CNS",  "GNS", "TNS", "DR",  "OK",  "NS",  "U"};
  if (text.substr(0, 2) == "NV" && text.size() > 2 && isDigit(text[2])) {
    size_t length = 2;
    while (length < text.size() && isDigit(text[length]))
      ++length;
    std::string cell(text.substr(0, length));
    text.remove_prefix(length);
    return cell;
  }
  for (std::string_view name : names)
    if (text.substr(0, name.size()) == name) {
      text.remove_prefix(name.size());
      return std::string(name);
    }
  return std::nullopt;
}

namespace {
struct Row {
  int64_t line;
  std::string name;
  std::vector<std::string> cells;
};
/// A header and the rows below it.
struct Matrix {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

class Reader {
public:
  Reader(FileFault &fault) : fault(fault) {}

  std::optional<NodeDescription> read(std::string_view text) {
    if (!split(text))
      return std::nullopt;
    if (matrices.empty() || matrices[0].rows.empty()) {
      fault = {0, "no row of a matrix of nvidia-smi was found: one begins with "
                  "a name as GPU0 and goes on with X, NV#, PIX, PXB, PHB, NODE "
                  "or SYS"};
      return std::nullopt;
    }
    Matrix &matrix = matrices[0];
    if (!nameColumns(matrix) || !fillDescription(matrix))
      return std::nullopt;
    for (size_t i = 1; i < matrices.size(); ++i)
      for (const Row &row : matrices[i].rows)
        for (const std::string &cell : row.cells)
          result.deniesPeerAccess |= cell == "NS" || cell == "CNS" ||
                                     cell == "GNS" || cell == "TNS" ||
                                     cell == "DR";
    return std::move(result);
  }

private:
  bool fail(int64_t line, std::string reason) {
    fault = {line, std::move(reason)};
    return false;
  }

  /// Finds headers and rows among the lines.
  bool split(std::string_view text) {
    for (int64_t number = 1; !text.empty(); ++number) {
      size_t end = text.find('\n');
      std::string line = withoutColors(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (!readLine(number, line))
        return false;
    }
    return true;
  }

  bool readLine(int64_t number, std::string_view line) {
    std::string_view rest = line;
    std::string_view name = takeWord(rest);
    if (!isDeviceName(name)) {
      // What stands around a matrix may name the product: nvidia-smi -L.
      if (line.find("NVIDIA") != std::string_view::npos)
        result.product += std::string(line) + "\n";
      return true;
    }
    std::string_view after = rest;
    std::string_view second = takeWord(after);
    if (second == "..." || second == "\u2026")
      return fail(number, "'" + std::string(second) + "' stands for what " +
                              std::string(name) +
                              " goes on with: the matrix is not complete");
    // A header goes on with names, or with that of the first other column.
    if (isGpu(name) &&
        (isDeviceName(second) || second == "CPU" || second == "NUMA")) {
      std::string_view words = line;
      Matrix &matrix = matrices.emplace_back();
      for (std::string_view word = takeWord(words); isDeviceName(word);
           word = takeWord(words)) {
        if (std::count(matrix.columns.begin(), matrix.columns.end(), word))
          return fail(number,
                      "the header names " + std::string(word) + " twice");
        matrix.columns.emplace_back(word);
      }
      if (line.find("...") != std::string_view::npos)
        return fail(number, "'...' stands for columns: the matrix is not "
                            "complete");
      return true;
    }
    Row row{number, std::string(name), {}};
    // No more than the columns: what follows may look like a cell.
    size_t limit = matrices.empty() || matrices.back().columns.empty()
                       ? size_t(-1)
                       : matrices.back().columns.size();
    while (row.cells.size() < limit) {
      std::optional<std::string> cell = takeCell(rest);
      if (!cell)
        break;
      row.cells.push_back(std::move(*cell));
    }
    if (row.cells.empty())
      return true; // "GPU0: NVIDIA H100", "NIC0: mlx5_0" of a legend
    skipSpace(rest);
    if (rest.substr(0, 3) == "...")
      return fail(number, "'...' stands for cells of " + row.name +
                              ": the matrix is not complete");
    if (matrices.empty())
      matrices.emplace_back();
    for (const Row &other : matrices.back().rows)
      if (other.name == row.name)
        return fail(number, row.name + " has a row in line " +
                                std::to_string(other.line) + ", too");
    matrices.back().rows.push_back(std::move(row));
    return true;
  }

  /// A lost header is made from the rows: their names, then cards.
  bool nameColumns(Matrix &matrix) {
    if (matrix.columns.empty()) {
      for (const Row &row : matrix.rows)
        matrix.columns.push_back(row.name);
      size_t cells = matrix.rows[0].cells.size();
      for (size_t i = 0; matrix.columns.size() < cells; ++i)
        matrix.columns.push_back("NIC" + std::to_string(i));
      result.remarks.push_back("the header is lost: columns are taken for " +
                               matrix.columns.front() + " to " +
                               matrix.columns.back());
    }
    for (const Row &row : matrix.rows) {
      if (row.cells.size() != matrix.columns.size())
        return fail(row.line, "row " + row.name + " has " +
                                  std::to_string(row.cells.size()) +
                                  " cells, but there are " +
                                  std::to_string(matrix.columns.size()) +
                                  " columns");
      if (!std::count(matrix.columns.begin(), matrix.columns.end(), row.name))
        return fail(row.line, "row " + row.name + " has no column");
    }
    return true;
  }

  /// What joins two of the columns, from the row of either.
  struct Cell {
    std::string text;
    int64_t line = 0;
  };

  bool fillCells(const Matrix &matrix) {
    std::map<std::string, const Row *> rows;
    for (const Row &row : matrix.rows)
      rows[row.name] = &row;
    size_t count = matrix.columns.size();
    cells.assign(count, std::vector<Cell>(count));
    bool isFilled = false;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j) {
        auto own = rows.find(matrix.columns[i]);
        auto other = rows.find(matrix.columns[j]);
        Cell &cell = cells[i][j];
        if (own != rows.end())
          cell = {own->second->cells[j], own->second->line};
        else if (other != rows.end())
          cell = {other->second->cells[i], other->second->line};
        isFilled |= own == rows.end();
        if (own == rows.end() || other == rows.end())
          continue;
        const std::string &back = other->second->cells[i];
        if (cell.text != back)
          return fail(std::max(own->second->line, other->second->line),
                      "the matrix is not symmetric: " + matrix.columns[i] +
                          " to " + matrix.columns[j] + " is " + cell.text +
                          ", back it is " + back);
      }
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j) {
        const Cell &cell = cells[i][j];
        if (!cell.text.empty() && (cell.text == "X") != (i == j))
          return fail(cell.line, matrix.columns[i] + " to " +
                                     matrix.columns[j] + " is '" + cell.text +
                                     "': X is what a device is to itself");
      }
    if (isFilled)
      result.remarks.push_back(
          "rows are missing: their cells are those of the columns");
    return true;
  }

  static std::optional<Path> pathOf(const std::string &cell) {
    if (cell.size() > 2 && cell.substr(0, 2) == "NV") {
      if (cell.size() > 4) // no device has a hundred links
        return std::nullopt;
      int64_t links = std::stoll(cell.substr(2));
      return links > 0 ? std::optional(Path{PathKind::NVLink, links, 0})
                       : std::nullopt;
    }
    for (PathKind kind : {PathKind::C2C, PathKind::PIX, PathKind::PXB,
                          PathKind::PHB, PathKind::NODE, PathKind::SYS})
      if (cell == stringify(kind))
        return Path{kind, 0, 0};
    return std::nullopt;
  }

  bool fillDescription(const Matrix &matrix) {
    if (!fillCells(matrix))
      return false;
    std::vector<size_t> gpus, cards;
    for (size_t i = 0; i < matrix.columns.size(); ++i)
      (isGpu(matrix.columns[i]) ? gpus : cards).push_back(i);
    result.paths.assign(gpus.size(), std::vector<Path>(gpus.size()));
    for (size_t i = 0; i < gpus.size(); ++i) {
      result.gpus.push_back(matrix.columns[gpus[i]]);
      for (size_t j = 0; j < gpus.size(); ++j) {
        const Cell &cell = cells[gpus[i]][gpus[j]];
        if (i == j)
          continue;
        std::string pair =
            matrix.columns[gpus[i]] + " to " + matrix.columns[gpus[j]];
        if (cell.text.empty())
          return fail(0, "no row says what joins " + pair);
        std::optional<Path> path = pathOf(cell.text);
        if (!path)
          return fail(cell.line, pair + " is '" + cell.text +
                                     "', expected NV#, C2C, PIX, PXB, PHB, "
                                     "NODE or SYS");
        result.paths[i][j] = *path;
      }
    }
    for (size_t card : cards) {
      NodeDescription::Card described;
      described.name = matrix.columns[card];
      for (size_t gpu : gpus) {
        const Cell &cell = cells[gpu][card];
        std::optional<Path> path = pathOf(cell.text);
        if (!path)
          return fail(cell.line, matrix.columns[gpu] + " to " + described.name +
                                     " is '" + cell.text +
                                     "', expected C2C, PIX, PXB, PHB, NODE or "
                                     "SYS");
        described.toGpu.push_back(path->kind);
      }
      result.cards.push_back(std::move(described));
    }
    decideSwitched();
    return true;
  }

  /// The figure of an NVSwitch is the device's own number of links: all that a
  /// device may have (18), or more for all pairs together.
  void decideSwitched() {
    for (const std::vector<Path> &row : result.paths) {
      int64_t links = 0;
      for (const Path &path : row) {
        links += path.links;
        result.isSwitched |= path.links >= 18;
      }
      result.isSwitched |= links > 18;
    }
  }

  FileFault &fault;
  std::vector<Matrix> matrices;
  std::vector<std::vector<Cell>> cells;
  NodeDescription result;
};
} // namespace

std::optional<NodeDescription> mercury::readNvidiaSmi(std::string_view text,
                                                      FileFault &fault) {
  return Reader(fault).read(text);
}
