//===- TuneOptions.h - What is asked of the tuner ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_TUNEOPTIONS_H
#define MERCURY_TUNING_TUNEOPTIONS_H

#include "Mercury/Tuning/Search.h"

#include <optional>
#include <string>
#include <vector>

namespace mercury {

struct TuneOptions {
  Objective objective;
  /// Bytes that a rank may hold; 0: what the device can reserve.
  int64_t memoryLimit = 0;
  size_t top = 5; ///< schedules that are reported
  /// Of a function with several operators: plans for all of them together that
  /// are reported.
  size_t plans = 0;
  /// Known designs that are reported beside them: names, or `all`.
  std::vector<std::string> against;
  double budget = 30; ///< seconds for each operator; 0: no limit
  /// Where inputs enter, and results leave, whose rank a placement has; all
  /// others, and all where nothing is said, as each schedule wants them. Of
  /// several operators inputs that no other one makes, and results of those
  /// that no other one follows.
  std::optional<Placement> inputs, results;
  LocalKernel local = LocalKernel::Generated;
  /// Registered kernels that a schedule may patch in where achieved rates of
  /// the device say that it is faster so.
  std::vector<std::string> kernels;
  std::string database; ///< file; "": none
  /// Loops by name, or `all`, for whose extents the database's entry is to be
  /// good in a range.
  std::vector<std::string> validFor;
  /// Called every so often during a search; false ends it with the best so far.
  std::function<bool(const SearchProgress &)> progress;
};

/// The same as people write it, with the defaults of mercury-tune and
/// mercury-autotune.
struct TuneTexts {
  std::string objective = "time", inputs, results, memoryLimit, budget = "30s",
              local = "codegen", database;
  std::vector<std::string> against, kernels, validFor;
  uint64_t top = 5;
};

/// Nothing where a text is none, and `error` says which, as an option that is
/// written behind `dashes`.
std::optional<TuneOptions> parseTuneOptions(const TuneTexts &texts,
                                            std::string_view dashes,
                                            std::string &error);

/// "80GiB", "76e9", "512MB": bytes. Nothing where it is none.
std::optional<int64_t> parseBytes(std::string_view text);
/// "30s", "2min", "500ms", "30": seconds. Nothing where it is none.
std::optional<double> parseSeconds(std::string_view text);

} // namespace mercury

#endif // MERCURY_TUNING_TUNEOPTIONS_H
