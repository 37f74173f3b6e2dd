//===- Rows.h - Published figures ------------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PREDICT_ROWS_H
#define MERCURY_BENCHMARKS_PREDICT_ROWS_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mercury::predict {

/// A published figure and the configuration that it was measured in.
struct Row {
  size_t line = 0; ///< in the file
  std::map<std::string, std::string> cells;
  /// "" for a column that the file lacks.
  const std::string &operator[](const std::string &column) const;
  std::optional<double> number(const std::string &column) const;
  int64_t integer(const std::string &column, int64_t otherwise) const;
  /// Bytes of "8192 B" and "4.0 GB"; of "large" 8 GiB.
  std::optional<double> bytes() const;
};

/// Rows of a file of comma-separated values with a header; lines that begin
/// with # are left out. On failure nothing, and `error` says why.
std::optional<std::vector<Row>> readRows(const std::string &path,
                                         std::string &error);

/// The device's generation and peak, by the name that the row gives.
struct Device {
  std::string generation; ///< "" where it is not known
  std::string machine;    ///< as parseTopology reads it; "" for none
  double peak = 0;        ///< dense operations/s of 16-bit types
};
Device deviceOf(const Row &row);

/// Middle value, and the value below which 9 of 10 are.
double median(std::vector<double> values);
double ninetieth(std::vector<double> values);

} // namespace mercury::predict

#endif // MERCURY_BENCHMARKS_PREDICT_ROWS_H
