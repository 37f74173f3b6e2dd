//===- Database.h - Schedules that were found before ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_DATABASE_H
#define MERCURY_TUNING_DATABASE_H

#include "Mercury/Tuning/CostProblem.h"
#include "Mercury/Tuning/KeptFile.h"

#include <map>
#include <string>
#include <vector>

namespace mercury {

/// What a schedule was found for. Two are the same problem where all texts are.
struct TuningKey {
  std::string op;       ///< see describeProblem
  std::string topology; ///< see fingerprint
  std::string goal;     ///< objective and memory limit
  auto operator<=>(const TuningKey &) const = default;
};

/// The levels, figures and device of a machine as 16 hexadecimal digits, the
/// same in every process: a hash of all of its figures.
std::string fingerprint(const TopologyModel &topology);

/// Per loop the least and the largest extent.
using ExtentRanges = std::vector<std::pair<int64_t, int64_t>>;

/// "commir.online_attention 8 x 4096 x +4096 | 0 1 -128 : 2 | ... | right 0":
/// extents (a plus marks reductions), what each tensor runs over (a minus marks
/// extents without a loop) and the bytes of its elements, and the mask. Of
/// `ranges` those with two ends stand in the place of extents: `1024..8192`.
std::string describeProblem(const CostProblem &problem,
                            const ExtentRanges &ranges = {});
/// Whether `text` is `pattern` where each range of the latter stands for one of
/// its extents.
bool isWithin(std::string_view pattern, std::string_view text);

struct TuningEntry {
  std::string machine;  ///< as it was given, for readers
  std::string schedule; ///< print(Schedule)
  double seconds = 0;   ///< predicted
  double measured = 0;  ///< 0: not measured
  /// Problems that the schedule is also good for, as describeProblem() writes
  /// them with ranges, and how much slower than the best it may be, relative;
  /// "": none.
  std::string validFor;
  double gap = 0;
};

/// What a database has for a problem.
struct TuningHit {
  Schedule schedule;
  TuningEntry entry;
  bool isExact = true; ///< else the problem is in the entry's range
};

/// A file of entries: JSON that people can read and merge.
class TuningDatabase {
public:
  TuningDatabase();

  /// Reads `path`; one that does not exist is empty. A file that is none of
  /// ours is moved aside, `remark` says why, and the database starts empty. Not
  /// ok where the file can neither be read nor moved.
  Verdict open(std::string path, std::string &remark);

  /// The schedule that was found for the problem, or, where none was, for a
  /// range that it is in, if it is legal for it; else nothing, and `reason`
  /// says why an entry is not used ("" where none is).
  std::optional<TuningHit> find(const TuningKey &key, const OperatorModel &op,
                                const TopologyModel &topology,
                                std::string &reason) const;
  void set(const TuningKey &key, TuningEntry entry);
  size_t size() const { return entries.size(); }

  /// Writes all entries, sorted, in the place of the file at once. Entries that
  /// others have added meanwhile stay; who saves at the same time waits.
  Verdict save();

private:
  Verdict read(std::map<TuningKey, TuningEntry> &into, bool &isOurs) const;

  KeptFile file;
  std::map<TuningKey, TuningEntry> entries;
  std::map<TuningKey, TuningEntry> added;
};

} // namespace mercury

#endif // MERCURY_TUNING_DATABASE_H
