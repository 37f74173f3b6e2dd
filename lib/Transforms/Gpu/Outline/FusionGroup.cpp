//===- FusionGroup.cpp - Local ops that one kernel runs -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionGroup.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mercury;

/// Iterations of one op at one point that a block does well without more blocks
/// beside it.
static constexpr int64_t kSmallPoint = 4096;
/// Points that keep enough of a GPU busy when each is a long row.
static constexpr int64_t kManyPoints = 32;
/// Loops of an op above which all ways to match them are too many; and how many
/// of the ways are tried.
static constexpr unsigned kMostLoops = 6;
static constexpr size_t kMostMatchings = 256;

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

int64_t FusionGroup::points() const { return llvm::product_of(extents); }

int64_t FusionGroup::sizeOfPoint() const {
  int64_t most = 0;
  for (const LocalOp &op : ops)
    most = std::max(most, op.size() / points());
  return most;
}

bool FusionGroup::isCommon(unsigned number, unsigned loop) const {
  return llvm::is_contained(loops[number], loop);
}

bool FusionGroup::hasReduction(unsigned number) const {
  const LocalOp &op = ops[number];
  for (auto [extent, isParallel] : llvm::zip_equal(op.extents, op.isParallel))
    if (extent > 1 && !isParallel)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

namespace {
/// All terms of one stride of the linear forms of two accesses, the second
/// shifted by `shift` strides.
struct Digit {
  int64_t stride = 0, shift = 0;
  int64_t extents[2] = {1, 1};
  unsigned terms[2] = {0, 0};
};

/// An access of one op, and its loops that are common.
struct Side {
  const LocalOp &op;
  const OpAccess &access;
  ArrayRef<unsigned> common;
};
} // namespace

static bool collectDigits(const Side (&sides)[2],
                          SmallVectorImpl<Digit> &digits) {
  for (unsigned side : {0, 1})
    for (auto [stride, extent] :
         llvm::zip_equal(sides[side].access.strides, sides[side].op.extents)) {
      if (stride == 0 || extent == 1)
        continue;
      if (stride < 0)
        return false;
      Digit *digit = llvm::find_if(
          digits, [s = stride](const Digit &d) { return d.stride == s; });
      if (digit == digits.end()) {
        digits.push_back({stride});
        digit = &digits.back();
      }
      digit->extents[side] += extent - 1;
      ++digit->terms[side];
    }
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.stride > b.stride;
  });
  return true;
}

/// Whether the two accesses may touch one element at different points of the
/// common loops. Addresses are numbers whose digits are the strides' factors:
/// where no digit can spill into the next, equal addresses have equal digits.
static bool meetAcrossPoints(const Side (&sides)[2], MayAlias mayAlias) {
  const OpAccess &a = sides[0].access, &b = sides[1].access;
  if (!a.writes && !b.writes)
    return false;
  if (a.buffer != b.buffer)
    return mayAlias(a.buffer, b.buffer);
  if (!a.isLinear || !b.isLinear)
    return true;
  SmallVector<Digit> digits;
  if (!collectDigits(sides, digits))
    return true;
  int64_t rest = b.offset - a.offset;
  for (Digit &digit : digits) {
    digit.shift = rest / digit.stride; // towards 0
    rest -= digit.shift * digit.stride;
  }
  // Without a digit that could make up for it.
  int64_t spill = std::abs(rest);
  for (const Digit &digit : llvm::reverse(digits)) {
    if (digit.stride <= spill)
      return true;
    int64_t most = std::max({digit.extents[0] - 1 - digit.shift,
                             digit.shift + digit.extents[1] - 1, int64_t(0)});
    spill += digit.stride * most;
  }
  if (rest != 0)
    return false;
  for (const Digit &digit : digits)
    if (digit.shift >= digit.extents[0] || digit.shift + digit.extents[1] <= 0)
      return false;
  for (auto [first, second] :
       llvm::zip_equal(sides[0].common, sides[1].common)) {
    int64_t stride = a.strides[first];
    if (stride == 0 || stride != b.strides[second])
      return true;
    const Digit *digit = llvm::find_if(
        digits, [&](const Digit &d) { return d.stride == stride; });
    if (digit->shift != 0 || digit->terms[0] != 1 || digit->terms[1] != 1)
      return true;
  }
  return false;
}

/// Whether what `first` does at one point of the common loops depends on what
/// `second` does at another.
static bool meetAcrossPoints(const LocalOp &first, ArrayRef<unsigned> ofFirst,
                             const LocalOp &second, ArrayRef<unsigned> ofSecond,
                             MayAlias mayAlias) {
  for (const OpAccess &a : first.accesses)
    for (const OpAccess &b : second.accesses)
      if (meetAcrossPoints({{first, a, ofFirst}, {second, b, ofSecond}},
                           mayAlias))
        return true;
  return false;
}

Value mercury::findOwnConflict(const LocalOp &op) {
  SmallVector<unsigned> loops = op.parallelLoops();
  for (const OpAccess &written : op.accesses) {
    if (!written.writes)
      continue;
    for (const OpAccess &other : op.accesses) {
      bool isSame = written.buffer == other.buffer && written.isLinear &&
                    other.isLinear && written.offset == other.offset &&
                    written.strides == other.strides;
      if (!isSame &&
          meetAcrossPoints({{op, written, loops}, {op, other, loops}},
                           [](Value, Value) { return false; }))
        return written.value;
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Extension
//===----------------------------------------------------------------------===//

namespace {
/// For each common loop so far the new op's loop, or none: it is dropped.
using Matching = SmallVector<std::optional<unsigned>>;

/// All ways to match common loops with loops of a new op.
class Matchings {
public:
  Matchings(const FusionGroup &group, const LocalOp &op)
      : group(group), op(op), free(op.parallelLoops()) {}

  /// Those with the most points first, then those that read shared buffers in
  /// the same way.
  SmallVector<Matching> all() {
    descend();
    llvm::sort(found, std::greater<>());
    if (found.size() > kMostMatchings)
      found.truncate(kMostMatchings);
    SmallVector<Matching> matchings;
    for (auto &[score, number, matching] : found)
      matchings.push_back(matching);
    return matchings;
  }

private:
  void descend() {
    if (current.size() == group.extents.size()) {
      found.push_back({score(), -int64_t(found.size()), current});
      return;
    }
    int64_t extent = group.extents[current.size()];
    for (unsigned loop : free) {
      if (op.extents[loop] != extent || llvm::is_contained(current, loop))
        continue;
      current.push_back(loop);
      descend();
      current.pop_back();
    }
    current.push_back(std::nullopt);
    descend();
    current.pop_back();
  }

  std::pair<int64_t, int64_t> score() const {
    int64_t points = 1, shared = 0;
    for (auto [i, loop] : llvm::enumerate(current)) {
      if (!loop)
        continue;
      points *= group.extents[i];
      for (auto [other, loops] : llvm::zip_equal(group.ops, group.loops))
        for (const OpAccess &a : other.accesses)
          for (const OpAccess &b : op.accesses)
            shared += a.buffer == b.buffer && a.isLinear && b.isLinear &&
                      a.strides[loops[i]] == b.strides[*loop];
    }
    return {points, shared};
  }

  const FusionGroup &group;
  const LocalOp &op;
  SmallVector<unsigned> free;
  Matching current;
  /// With their scores; the number keeps the order of equals.
  SmallVector<std::tuple<std::pair<int64_t, int64_t>, int64_t, Matching>, 1>
      found;
};
} // namespace

/// The group with `op`, without regard to conflicts.
static FusionGroup extended(const FusionGroup &group, const LocalOp &op,
                            const Matching &matching) {
  FusionGroup result;
  result.ops = group.ops;
  result.ops.push_back(op);
  result.loops.resize(result.ops.size());
  for (auto [i, loop] : llvm::enumerate(matching)) {
    if (!loop)
      continue;
    result.extents.push_back(group.extents[i]);
    for (auto [number, loops] : llvm::enumerate(group.loops))
      result.loops[number].push_back(loops[i]);
    result.loops.back().push_back(*loop);
  }
  return result;
}

/// Whether no op depends on another one at another point. Of a group that is
/// known to be independent only the last op is looked at, unless it has fewer
/// common loops than before.
static bool isIndependent(const FusionGroup &group, bool isShrunk,
                          MayAlias mayAlias) {
  for (unsigned i = 0, e = group.ops.size(); i < e; ++i)
    for (unsigned j = isShrunk ? i + 1 : e - 1; j < e; ++j)
      if (i != j && meetAcrossPoints(group.ops[i], group.loops[i], group.ops[j],
                                     group.loops[j], mayAlias))
        return false;
  return true;
}

bool mercury::extendGroup(FusionGroup &group, LocalOp op, MayAlias mayAlias) {
  SmallVector<unsigned> loops = op.parallelLoops();
  int64_t alone = op.size();
  for (unsigned loop : loops)
    alone /= op.extents[loop];
  if (group.ops.empty()) {
    for (unsigned loop : loops)
      group.extents.push_back(op.extents[loop]);
    group.loops.push_back(loops);
    group.ops.push_back(std::move(op));
    return true;
  }
  if (loops.size() > kMostLoops)
    return false;
  int64_t before = group.sizeOfPoint();
  for (const Matching &matching : Matchings(group, op).all()) {
    FusionGroup next = extended(group, op, matching);
    int64_t size = next.sizeOfPoint();
    // A long row is no loss where the group has such rows already, or where
    // the new op has them by itself and there are enough of them.
    if (size > kSmallPoint && size > before &&
        (size > alone || next.points() < kManyPoints))
      continue;
    bool isShrunk = next.extents.size() < group.extents.size();
    if (!isIndependent(next, isShrunk, mayAlias))
      continue;
    group = std::move(next);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Whether `outer` and `inner` of the op run over memory as one loop.
static bool canMerge(const LocalOp &op, unsigned outer, unsigned inner) {
  return !op.needsIndices &&
         llvm::all_of(op.accesses, [&](const OpAccess &access) {
           return access.strides[outer] ==
                  access.strides[inner] * op.extents[inner];
         });
}

static void merge(LocalOp &op, unsigned outer, unsigned inner) {
  op.extents[inner] *= op.extents[outer];
  op.extents[outer] = 1;
  for (OpAccess &access : op.accesses)
    access.strides[outer] = 0;
}

static void mergeCommon(FusionGroup &group) {
  for (unsigned i = 0; i < group.extents.size();) {
    unsigned outer = 0, end = group.extents.size();
    for (; outer < end; ++outer)
      if (outer != i &&
          llvm::all_of(llvm::zip_equal(group.ops, group.loops), [&](auto pair) {
            auto &[op, loops] = pair;
            return canMerge(op, loops[outer], loops[i]);
          }))
        break;
    if (outer == end) {
      ++i;
      continue;
    }
    for (auto [op, loops] : llvm::zip_equal(group.ops, group.loops)) {
      merge(op, loops[outer], loops[i]);
      loops.erase(loops.begin() + outer);
    }
    group.extents[i] *= group.extents[outer];
    group.extents.erase(group.extents.begin() + outer);
    i = 0;
  }
}

/// Neighbours of one kind, so that reductions keep their order.
static void mergeOthers(FusionGroup &group, unsigned number) {
  LocalOp &op = group.ops[number];
  std::optional<unsigned> inner[2];
  for (unsigned loop = op.extents.size(); loop-- > 0;) {
    if (op.extents[loop] == 1 || group.isCommon(number, loop))
      continue;
    std::optional<unsigned> &next = inner[op.isParallel[loop]];
    if (next && canMerge(op, loop, *next))
      merge(op, loop, *next);
    else
      next = loop;
  }
}

void mercury::mergeLoops(FusionGroup &group) {
  mergeCommon(group);
  for (unsigned number = 0; number < group.ops.size(); ++number)
    mergeOthers(group, number);
}
