//===- ElementwisePlan.cpp - Threads for elementwise and reducing ops -----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwisePlan.h"
#include "KernelConstants.h"
#include "OpBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mercury;

using Kind = ElementwisePlan::Kind;
using Nest = ElementwisePlan::Nest;

/// Blocks above which a thread rather takes more elements.
static constexpr int64_t kManyBlocks = 512;
static constexpr int64_t kMostRepeats = 8;
/// Threads that access a line of memory together.
static constexpr int64_t kNeighbours = 32;

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

static std::optional<FusionGroup> groupOf(func::FuncOp kernel) {
  FusionGroup group;
  for (Operation &op : kernel.front().without_terminator()) {
    if (isKernelConstant(&op) || isa<memref::ReinterpretCastOp>(op))
      continue;
    std::string reason;
    std::optional<LocalOp> local = describeLocalOp(&op, reason);
    // Arguments are different buffers, or only read.
    if (!local || local->size() == 0 || findOwnConflict(*local) ||
        !extendGroup(group, *local, [](Value, Value) { return false; }))
      return std::nullopt;
  }
  if (group.ops.empty())
    return std::nullopt;
  return group;
}

/// How many elements the op accesses that are contiguous along the loop; those
/// it writes count twice.
static int64_t contiguousAlong(const LocalOp &op, unsigned loop) {
  int64_t weight = 0;
  for (const OpAccess &access : op.accesses) {
    if (op.extents[loop] == 1 || !access.isLinear || access.strides[loop] != 1)
      continue;
    int64_t elements = 1;
    for (auto [extent, stride] : llvm::zip_equal(op.extents, access.strides))
      elements *= stride ? extent : 1;
    weight += elements * (1 + access.writes);
  }
  return weight;
}

/// Common loops in the order of the strides of what the largest op writes, but
/// last the one along which most is contiguous.
static void orderCommonLoops(FusionGroup &group) {
  unsigned count = group.extents.size(), largest = 0;
  for (unsigned i = 0; i < group.ops.size(); ++i)
    if (group.ops[i].size() > group.ops[largest].size())
      largest = i;
  const OpAccess *written =
      llvm::find_if(group.ops[largest].accesses,
                    [](const OpAccess &access) { return access.writes; });
  SmallVector<std::tuple<int64_t, int64_t, unsigned>> keys;
  for (unsigned i = 0; i < count; ++i) {
    int64_t weight = 0;
    for (auto [op, loops] : llvm::zip_equal(group.ops, group.loops))
      weight += contiguousAlong(op, loops[i]);
    keys.push_back({weight, -written->strides[group.loops[largest][i]], i});
  }
  llvm::sort(keys);
  // Of several with some weight only the heaviest is taken out of order.
  if (count > 1)
    std::sort(keys.begin(), keys.end() - 1, [](const auto &a, const auto &b) {
      return std::get<1>(a) < std::get<1>(b);
    });
  FusionGroup ordered;
  ordered.ops = group.ops;
  ordered.loops.resize(group.ops.size());
  for (auto [weight, stride, i] : keys) {
    ordered.extents.push_back(group.extents[i]);
    for (auto [to, from] : llvm::zip_equal(ordered.loops, group.loops))
      to.push_back(from[i]);
  }
  group = std::move(ordered);
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

static int64_t extentOf(const LocalOp &op, ArrayRef<unsigned> loops) {
  int64_t extent = 1;
  for (unsigned loop : loops)
    extent *= op.extents[loop];
  return extent;
}

/// Moves the loop along which most is contiguous to the end, and takes elements
/// along it together.
static void chooseVectorLoop(const LocalOp &op, SmallVector<unsigned> &loops,
                             bool mayVectorize, Nest &nest) {
  if (loops.empty())
    return;
  auto *best = loops.end() - 1;
  for (auto *loop = best; loop-- != loops.begin();)
    if (contiguousAlong(op, *loop) > contiguousAlong(op, *best))
      best = loop;
  std::rotate(best, best + 1, loops.end());
  if (!mayVectorize)
    return;
  nest.width = vectorWidth(&op, std::optional<unsigned>(loops.back()));
  if (nest.width > 1)
    nest.vectorLoop = loops.back();
}

/// Whether each iteration of a reduction writes an element of its own, as that
/// of a prefix sum does.
static bool writesAlong(const LocalOp &op, ArrayRef<unsigned> reductions) {
  return llvm::any_of(op.accesses, [&](const OpAccess &access) {
    return access.writes &&
           (!access.isLinear || llvm::any_of(reductions, [&](unsigned loop) {
             return access.strides[loop] != 0;
           }));
  });
}

static Nest planNest(const FusionGroup &group, unsigned number,
                     bool mayVectorize) {
  const LocalOp &op = group.ops[number];
  Nest nest;
  for (unsigned loop = 0; loop < op.extents.size(); ++loop)
    if (op.extents[loop] > 1 && !group.isCommon(number, loop))
      (op.isParallel[loop] ? nest.parallel : nest.reductions).push_back(loop);
  if (nest.reductions.empty()) {
    chooseVectorLoop(op, nest.parallel, mayVectorize, nest);
    return nest;
  }
  nest.writesEach = writesAlong(op, nest.reductions);
  // With enough results at a point each thread reduces some by itself.
  nest.isShared = !nest.writesEach && findCombiners(op).has_value() &&
                  extentOf(op, nest.parallel) < kNeighbours;
  if (nest.isShared)
    chooseVectorLoop(op, nest.reductions, mayVectorize, nest);
  return nest;
}

/// How many threads find something to do at a point.
static int64_t lanesOf(const LocalOp &op, const Nest &nest) {
  bool isSplit = nest.isShared || nest.reductions.empty();
  int64_t size = extentOf(op, nest.isShared ? nest.reductions : nest.parallel);
  return isSplit ? llvm::divideCeil(size, nest.width) : size;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ElementwisePlan::flatExtents() const {
  SmallVector<int64_t> extents = group.extents;
  if (!extents.empty())
    extents.back() = llvm::divideCeil(extents.back(), width);
  return extents;
}

static void planFlat(ElementwisePlan &plan) {
  SmallVector<const LocalOp *> ops;
  SmallVector<std::optional<unsigned>> last;
  for (auto [op, loops] : llvm::zip_equal(plan.group.ops, plan.group.loops)) {
    ops.push_back(&op);
    last.push_back(loops.empty() ? std::nullopt
                                 : std::optional<unsigned>(loops.back()));
  }
  plan.width = vectorWidth(ops, last);
  int64_t units = llvm::product_of(plan.flatExtents());
  plan.repeats = std::clamp<int64_t>(units / (plan.kThreads * kManyBlocks), 1,
                                     kMostRepeats);
  plan.blocks = llvm::divideCeil(units, plan.kThreads * plan.repeats);
}

static void planTeams(ElementwisePlan &plan) {
  const FusionGroup &group = plan.group;
  int64_t common = 0, others = 0;
  for (auto [number, op] : llvm::enumerate(group.ops))
    for (unsigned loop = 0; loop < op.extents.size(); ++loop)
      (group.isCommon(number, loop) ? common : others) +=
          contiguousAlong(op, loop);
  plan.kind = common > others ? Kind::Columns : Kind::Rows;
  int64_t lanes = 1;
  for (auto [number, op] : llvm::enumerate(group.ops)) {
    plan.nests.push_back(planNest(group, number, plan.kind == Kind::Rows));
    lanes = std::max(lanes, lanesOf(op, plan.nests.back()));
  }
  lanes = llvm::bit_ceil(uint64_t(std::min(lanes, plan.kThreads)));
  if (plan.kind == Kind::Columns) {
    // Few columns are spread over more blocks.
    int64_t least = group.points() < kNeighbours * kNeighbours ? kNeighbours / 4
                                                               : kNeighbours;
    lanes = std::min(lanes, plan.kThreads / least);
  }
  plan.lanes = lanes;
  plan.points = plan.kThreads / lanes;
  plan.blocks = llvm::divideCeil(group.points(), plan.points);
}

std::optional<ElementwisePlan> mercury::planElementwise(func::FuncOp kernel) {
  std::optional<FusionGroup> group = groupOf(kernel);
  if (!group)
    return std::nullopt;
  mergeLoops(*group);
  orderCommonLoops(*group);
  ElementwisePlan plan;
  plan.group = std::move(*group);
  bool isFlat = plan.group.sizeOfPoint() == 1;
  if (isFlat)
    planFlat(plan);
  else
    planTeams(plan);
  if (plan.blocks > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return plan;
}
