//===- NestPlan.cpp - What each tensor of a nest needs --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestPlan.h"
#include "Mercury/Analysis/NestMovements.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

using Table = std::vector<std::vector<int64_t>>;

namespace {
struct Planner {
  DistributedNest &nest;
  ArrayRef<Access> accesses;
  const llvm::DenseMap<Value, LocalValue> &locals;
  ArrayRef<LocalValue> inits;
  const TopologyModel &topology;
  SmallVector<int64_t> steps;
  NestPlan plan;

  void planSources();
  FailureOr<Output> planOutput(unsigned number);
  LogicalResult joinGroups();
};
} // namespace

/// The innermost time loop that the table depends on, counted from 1.
static size_t depthOf(const Table &table, ArrayRef<int64_t> steps) {
  size_t depth = 0;
  int64_t total = static_cast<int64_t>(table.size()), stride = total;
  for (size_t loop = 0; loop < steps.size(); ++loop) {
    stride /= steps[loop];
    for (int64_t t = 0; t < total; ++t)
      if ((t / stride) % steps[loop] != 0 && table[t] != table[t - stride])
        depth = loop + 1;
  }
  return depth;
}

/// Nothing of the blocks stays behind.
static void takeWhole(Source &source, size_t rank) {
  source.from.clear();
  source.extents.clear();
  source.parts.assign(rank, 1);
  for (auto &row : source.part)
    row.assign(row.size(), 0);
}

/// Sets what of its block travels of a tile that does: in each dimension where
/// every step and rank reads the same slice, that slice; and of a tile that
/// comes to its reader alone the part that it reads, where parts do not
/// overlap.
static void trim(Source &source, const Access &access,
                 const PlacedShape &placed, ArrayRef<int64_t> steps,
                 const TopologyModel &topology) {
  const Movement &m = source.movement;
  SmallVector<int64_t> local = placed.local(topology);
  source.part.assign(access.offsets.size(),
                     std::vector<int64_t>(topology.numRanks(), 0));
  takeWhole(source, local.size());
  if (m.moving.empty() && m.broadcast.empty())
    return;
  bool comesAlone = m.kind == Movement::Kind::Lists || !m.fetched.empty() ||
                    !m.broadcast.empty();
  std::vector<int64_t> from(local.size(), 0);
  std::vector<int64_t> extents(local.begin(), local.end());
  for (auto [dim, size] : llvm::enumerate(access.sizes)) {
    if (size == local[dim])
      continue;
    Table at(access.offsets.size());
    bool isSame = true, isAligned = local[dim] % size == 0;
    for (auto [t, ranks] : llvm::enumerate(access.offsets))
      for (const auto &offsets : ranks) {
        at[t].push_back(offsets[dim] % local[dim]);
        isSame &= at[t].back() == at[0][0];
        isAligned &= at[t].back() % size == 0;
      }
    if (isSame) {
      from[dim] = at[0][0];
      extents[dim] = size;
    } else if (comesAlone && isAligned && depthOf(at, steps) <= source.depth) {
      source.parts[dim] = local[dim] / size;
      for (auto [part, offsets] : llvm::zip(source.part, at))
        for (auto [number, offset] : llvm::zip(part, offsets))
          number = number * source.parts[dim] + offset / size;
    }
  }
  // All ranks that a broadcast reaches receive the same.
  for (const auto &part : source.part)
    for (int64_t r = 0; r < topology.numRanks(); ++r)
      if (part[r] != part[topology.withCoordinate(r, m.broadcast, 0)])
        return takeWhole(source, local.size());
  if (ArrayRef<int64_t>(extents) == ArrayRef<int64_t>(local))
    return;
  source.from = from;
  source.extents = extents;
}

void Planner::planSources() {
  for (const Access &access : accesses) {
    if (access.output)
      continue;
    const PlacedShape &placed = locals.find(access.base)->second.shape;
    Source source{access.base, movementOf(access, placed, steps, topology)};
    source.depth = depthOf(source.movement.source, steps);
    trim(source, access, placed, steps, topology);
    auto isAlike = [&](const Source &other) {
      return other.from == source.from && other.extents == source.extents &&
             other.parts == source.parts && other.part == source.part;
    };
    // Accesses of one tensor that move alike share its tiles.
    bool rotates = source.movement.kind == Movement::Kind::Rotate;
    size_t index = 0;
    for (; index < plan.sources.size(); ++index)
      if (plan.sources[index].base == source.base &&
          plan.sources[index].movement.source == source.movement.source &&
          (!rotates || isAlike(plan.sources[index])))
        break;
    if (index == plan.sources.size())
      plan.sources.push_back(source);
    else if (!isAlike(plan.sources[index]))
      takeWhole(plan.sources[index], access.sizes.size());
    plan.sourceOfAccess[&access] = index;
  }
}

static unsigned groupOf(DistributableOpInterface op, OpResult result) {
  for (auto [group, members] : llvm::enumerate(op.getGroups()))
    if (llvm::is_contained(members, result.getResultNumber()))
      return group;
  return 0;
}

FailureOr<Output> Planner::planOutput(unsigned number) {
  Output output;
  const Access *write = nullptr;
  for (const Access &access : accesses)
    if (access.isWrite && access.output == number) {
      if (write)
        return access.op->emitError()
               << "writes output " << number << " a second time";
      write = &access;
    }
  if (!write)
    return nest.rankLoop.emitError() << "does not write its output " << number;
  const PlacedShape &placed = inits[number].shape;
  for (const AxisRef &axis : nest.axes)
    if (!placed.placement.dimOf(axis) && topology.sizeOf(axis) > 1)
      return write->op->emitError()
             << "ranks of axis '" << print(axis)
             << "' write different tiles of an output that is placed "
             << print(placed.placement) << ", which holds replicas on it";
  for (const AxisRef &axis : placed.placement.axes())
    if (!llvm::is_contained(nest.axes, axis) && topology.sizeOf(axis) > 1)
      return write->op->emitError()
             << "output " << number << " is sharded over axis '" << print(axis)
             << "', which the rank loop does not map";
  Verdict verdict =
      movementOf(*write, placed, steps, topology, output.movement);
  if (!verdict)
    return write->op->emitError() << verdict.reason();
  if (!output.moves())
    return output;
  // The merge of partial results comes from the op that computes the tile.
  Value tile = cast<tensor::ParallelInsertSliceOp>(write->op).getSource();
  output.combiner = tile.getDefiningOp<DistributableOpInterface>();
  if (output.combiner) {
    output.result = cast<OpResult>(tile).getResultNumber();
    output.group = groupOf(output.combiner, cast<OpResult>(tile));
  }
  if (!output.combiner || !output.combiner.hasCombiner(output.group))
    return write->op->emitError()
           << "output " << number << " moves over "
           << print(output.movement.moving)
           << ", but the operator that computes its tiles has no combiner";
  // Contributions are added up on their way only if each step does no more than
  // add to the tile that it finds.
  auto combinesAlike = [&](DistributableOpInterface op, unsigned result) {
    unsigned group = groupOf(op, op->getResult(result));
    return op.hasCombiner(group) &&
           op.getPivot(group) == output.combiner.getPivot(output.group) &&
           op.getCollectiveKind(result) ==
               output.combiner.getCollectiveKind(output.result);
  };
  auto slices = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == nest.rankLoop.getBody() &&
             argument.getArgNumber() == nest.rankLoop.getRank() + number;
    return llvm::any_of(accesses, [&](const Access &access) {
      return access.op == value.getDefiningOp() && access.output == number &&
             !access.isWrite;
    });
  };
  while (!slices(tile)) {
    auto op = tile.getDefiningOp<DistributableOpInterface>();
    if (!op || !tile.hasOneUse() ||
        !combinesAlike(op, cast<OpResult>(tile).getResultNumber()))
      return write->op->emitError()
             << "output " << number << " moves over "
             << print(output.movement.moving)
             << ", but its tiles are not what arrived with something added";
    tile = cast<DestinationStyleOpInterface>(op.getOperation())
               .getDpsInitOperand(cast<OpResult>(tile).getResultNumber())
               ->get();
  }
  unsigned uses = 0;
  for (const Access &access : accesses)
    if (access.output == number && !access.isWrite)
      uses += isa<tensor::ExtractSliceOp>(access.op)
                  ? llvm::range_size(access.op->getUses())
                  : 1;
  if (uses != 1)
    return write->op->emitError()
           << "output " << number << " moves over "
           << print(output.movement.moving) << ", but its tiles are read "
           << uses << " times";
  return output;
}

/// Results that are coupled travel together, or cannot be merged.
LogicalResult Planner::joinGroups() {
  for (auto [number, output] : llvm::enumerate(plan.outputs)) {
    if (!output.moves())
      continue;
    for (unsigned member : output.combiner.getGroups()[output.group]) {
      unsigned other = 0;
      while (other < plan.outputs.size() &&
             (plan.outputs[other].combiner != output.combiner ||
              plan.outputs[other].result != member))
        ++other;
      if (other == plan.outputs.size() ||
          plan.outputs[other].movement.hops != output.movement.hops ||
          plan.outputs[other].movement.start != output.movement.start)
        return output.combiner->emitError()
               << "results " << output.result << " and " << member
               << " are reduced together, but move differently";
      output.members.push_back(other);
    }
  }
  return success();
}

FailureOr<NestPlan>
mercury::planNest(DistributedNest &nest, ArrayRef<Access> accesses,
                  const llvm::DenseMap<Value, LocalValue> &locals,
                  ArrayRef<LocalValue> inits, const TopologyModel &topology) {
  Planner planner{nest,     accesses,     locals,    inits,
                  topology, nest.steps(), NestPlan()};
  planner.planSources();
  for (unsigned i = 0; i < nest.inits.size(); ++i) {
    FailureOr<Output> output = planner.planOutput(i);
    if (failed(output))
      return failure();
    planner.plan.outputs.push_back(*output);
  }
  if (failed(planner.joinGroups()))
    return failure();
  return std::move(planner.plan);
}
