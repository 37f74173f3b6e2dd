//===- VisiblePairs.cpp - Pairs that a mask lets through ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VisiblePairs.h"

#include <algorithm>

using namespace mercury;

Runs mercury::normalized(Runs runs) {
  std::erase_if(runs, [](const Run &run) { return run.begin >= run.end; });
  std::sort(runs.begin(), runs.end(),
            [](const Run &a, const Run &b) { return a.begin < b.begin; });
  Runs joined;
  for (const Run &run : runs)
    if (!joined.empty() && joined.back().end == run.begin)
      joined.back().end = run.end;
    else
      joined.push_back(run);
  return joined;
}

int64_t mercury::sizeOf(const Runs &runs) {
  int64_t size = 0;
  for (const Run &run : runs)
    size += run.end - run.begin;
  return size;
}

namespace {
/// How many keys stand before a position.
class KeyCounts {
public:
  explicit KeyCounts(const Runs &runs) {
    int64_t keys = 0, sum = 0, end = 0;
    for (const Run &run : runs) {
      sum += keys * (run.begin - end);
      starts.push_back({run, keys, sum});
      int64_t size = run.end - run.begin;
      sum += keys * size + size * (size - 1) / 2;
      keys += size;
      end = run.end;
    }
  }

  int64_t before(int64_t position) const {
    const Start *start = find(position);
    if (!start)
      return 0;
    return start->keys + std::min(position, start->run.end) - start->run.begin;
  }

  /// The sum of before() of all positions in [begin, end).
  int64_t sum(int64_t begin, int64_t end) const {
    return sumBelow(end) - sumBelow(begin);
  }

private:
  struct Start {
    Run run;
    int64_t keys; ///< before the run
    int64_t sum;  ///< of before() of all positions before the run
  };

  /// The last run that begins at the position or before.
  const Start *find(int64_t position) const {
    auto it = std::upper_bound(
        starts.begin(), starts.end(), position,
        [](int64_t p, const Start &start) { return p < start.run.begin; });
    return it == starts.begin() ? nullptr : &*std::prev(it);
  }

  int64_t sumBelow(int64_t position) const {
    const Start *start = find(position);
    if (!start)
      return 0;
    int64_t inside = std::min(position, start->run.end) - start->run.begin;
    int64_t behind = position - start->run.begin - inside;
    return start->sum + start->keys * inside + inside * (inside - 1) / 2 +
           (start->keys + inside) * behind;
  }

  std::vector<Start> starts;
};
} // namespace

/// Query positions at which an end of the range begins to move or stops, or at
/// which the range opens or closes. Between two of them both ends move evenly.
static std::vector<int64_t> turningPoints(const Mask &mask) {
  std::vector<int64_t> points;
  for (const MaskTerm &term : mask.terms) {
    if (term.left)
      points.push_back(*term.left);
    if (term.right)
      points.push_back(-*term.right - 1);
    for (const MaskTerm &other : mask.terms) {
      if (term.right)
        points.push_back(other.prefix - *term.right - 1);
      if (term.left)
        points.push_back(other.prefix + *term.left);
    }
  }
  std::sort(points.begin(), points.end());
  return points;
}

int64_t mercury::countVisible(const Runs &queries, const Runs &keys,
                              const Mask &mask) {
  KeyCounts counts(keys);
  std::vector<int64_t> points = turningPoints(mask);
  // Keys before one end of the range, summed over `size` queries.
  auto sum = [&](int64_t first, int64_t last, int64_t size) {
    return first == last ? counts.before(first) * size
                         : counts.sum(first, first + size);
  };
  int64_t pairs = 0;
  for (const Run &run : queries) {
    auto point = std::upper_bound(points.begin(), points.end(), run.begin);
    for (int64_t begin = run.begin, end; begin < run.end; begin = end) {
      while (point != points.end() && *point <= begin)
        ++point;
      end = point == points.end() ? run.end : std::min(run.end, *point);
      Mask::Range first = mask.at(begin), last = mask.at(end - 1);
      if (first.begin >= first.end && last.begin >= last.end)
        continue;
      pairs += sum(first.end, last.end, end - begin) -
               sum(first.begin, last.begin, end - begin);
    }
  }
  return pairs;
}
