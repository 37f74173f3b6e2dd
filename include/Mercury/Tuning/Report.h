//===- Report.h - What was found, for people and programs -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The answer of the tuner as plain data, and its forms: a table, JSON, and one
// HTML file that needs nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_REPORT_H
#define MERCURY_TUNING_REPORT_H

#include "Mercury/Schedule/TopologyModel.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mercury {

/// One schedule and what it costs.
struct ReportRow {
  std::string name;     ///< of a known design; "" for one that was found
  std::string words;    ///< what it does, in one line
  std::string schedule; ///< its text; "" where `reason` says there is none
  std::string reason;   ///< why the design does not fit; "" if it does
  double seconds = 0;
  double interval = 0; ///< half of it, relative
  std::string bound;   ///< what the time is spent on: compute, a link, memory
  struct Traffic {
    std::string domain;
    double bytes = 0;   ///< sent by a rank (through a port that is shared)
    double service = 0; ///< bytes/s below which it is no longer hidden; 0: not
    /// Seconds where this level has half its bandwidth, over those as it is.
    double slowdown = 1;
  };
  std::vector<Traffic> traffic; ///< outermost first
  double slowestBytes = 0;      ///< sent by a rank over the slowest level
  double energy = 0;            ///< joules of all devices; 0: not known
  int64_t memory = 0;           ///< bytes of a rank
  std::string overLimit;        ///< why it is out of memory; "" where it fits
  bool isPareto = false;        ///< no other is faster and smaller
  double measured = 0;          ///< seconds, median; 0: not measured
  double measuredInterval = 0;  ///< half of it, relative
};

/// A piece of work of a stream, in seconds.
struct ReportSpan {
  int64_t rank = 0;
  std::string stream, name;
  double begin = 0, end = 0;
};

/// One operator.
struct ReportOperator {
  std::string title;              ///< name, extents, types, where it stands
  std::vector<ReportRow> found;   ///< best first; the first one is chosen
  std::vector<ReportRow> designs; ///< that have names
  /// (seconds, bytes) of the Pareto set of time and memory, fastest first.
  std::vector<std::pair<double, int64_t>> pareto;
  bool isSearched = true; ///< false: known before; a remark says from where
  int64_t visited = 0, pruned = 0, overLimit = 0;
  double lowerBound = 0; ///< seconds that no schedule of the space can beat; 0:
                         ///< another objective, or none is known
  double gap = 0;        ///< of the best to it, relative
  bool isProven = false; ///< the best of the model's space
  std::vector<std::string> remarks; ///< figures that were assumed, and the like
  double tuningSeconds = 0;
};

struct Report {
  std::string machine; ///< as it was given
  TopologyModel topology;
  int64_t memoryLimit = 0; ///< bytes of a rank; 0: none
  std::vector<ReportOperator> operators;
  /// Of several operators what is found for all of them together, best first,
  /// as many as are asked for: rows whose schedule has a line for each
  /// operator, and whose memory is that of the one that needs most.
  ReportOperator plans;
  /// Of all operators one after the other, those that follow included; and
  /// where contractions follow the default rule, too (0: that does not fit, or
  /// placements are asked for).
  double seconds = 0, defaultSeconds = 0;
  std::vector<ReportSpan> timeline; ///< of the function as it was chosen
  double compileSeconds = 0; ///< of the program that it shows; 0: there is none
  bool showsSensitivity = false; ///< the table says how times depend on levels
};

/// "all operators of the function: 1.20 ms; under the default rule 1.50 ms".
std::string functionText(const Report &report);
/// What a search looked at, and what is known of what it did not.
std::string searchText(const ReportOperator &op);
void writeTable(llvm::raw_ostream &os, const Report &report);
void writeJson(llvm::raw_ostream &os, const Report &report);
/// Pareto plot with the named designs marked, timeline of the chosen schedule
/// per rank and stream, and the machine.
void writeHtml(llvm::raw_ostream &os, const Report &report);
/// Chrome's trace event format, which Perfetto reads.
void writeTrace(llvm::raw_ostream &os, const std::vector<ReportSpan> &timeline);

/// "1.23 ms", "45.6 us": three digits.
std::string timeText(double seconds);
/// "12%", and below 1% "0.3%".
std::string percentText(double part);
/// "1.50 kJ", "12.0 mJ".
std::string energyText(double joules);
/// "1.50 GiB", "12.0 KiB".
std::string bytesText(double bytes);
/// "45.0 GB/s".
std::string rateText(double bytesPerSecond);

} // namespace mercury

#endif // MERCURY_TUNING_REPORT_H
