//===- NestAnalysis.cpp - What a distributed loop nest reads and writes ---===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/NestAnalysis.h"
#include "Mercury/Analysis/IndexEvaluation.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

SmallVector<int64_t> DistributedNest::steps() const {
  SmallVector<int64_t> result;
  for (scf::ForOp loop : timeLoops)
    result.push_back(*getConstantIntValue(loop.getUpperBound()));
  return result;
}

//===----------------------------------------------------------------------===//
// The form of a nest
//===----------------------------------------------------------------------===//

/// The only loop directly inside a time loop; what stands beside it computes
/// indices.
static FailureOr<Operation *> innerLoop(scf::ForOp loop) {
  Operation *inner = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<scf::ForOp, scf::ForallOp>(op)) {
      if (inner)
        return op.emitError("is a second loop inside a time loop; a nest has "
                            "one rank loop");
      inner = &op;
    } else if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>)) {
      return op.emitError()
             << "'" << op.getName()
             << "' computes a tensor between a time loop and its rank loop";
    }
  }
  if (!inner)
    return loop.emitError("is a time loop without a rank loop inside");
  for (auto [i, value] :
       llvm::enumerate(loop.getBody()->getTerminator()->getOperands()))
    if (i >= inner->getNumResults() || value != inner->getResult(i))
      return loop.emitError() << "yields as value " << i
                              << " something else than the inner loop's result";
  return inner;
}

static LogicalResult checkTimeLoop(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (lower != 0 || step != 1 || !upper || *upper < 1)
    return loop.emitError("is a time loop, whose bounds must be constant, from "
                          "0 by steps of 1");
  return success();
}

/// Mapped axes exist, are used once, and have the loop's extents.
static FailureOr<AxisList> rankLoopAxes(scf::ForallOp loop,
                                        const TopologyModel &topology) {
  AxisList axes;
  std::optional<ArrayAttr> mapping = loop.getMapping();
  if (!mapping || mapping->size() != loop.getInductionVars().size())
    return loop.emitError(
        "is a rank loop, which maps every dimension to a #commir.axis");
  for (auto [i, attr] : llvm::enumerate(*mapping)) {
    auto axis = dyn_cast<AxisAttr>(attr);
    if (!axis)
      return loop.emitError() << "maps dimension " << i << " to " << attr
                              << ", which is no #commir.axis";
    AxisRef ref = axis.getValue();
    if (Verdict verdict = topology.verify(ref); !verdict)
      return loop.emitError() << verdict.reason();
    for (const AxisRef &other : axes)
      if (topology.overlap(other, ref))
        return loop.emitError()
               << "maps axis '" << mercury::print(ref) << "' twice";
    int64_t extent = loop.getStaticUpperBound()[i];
    if (!loop.isNormalized() || extent != topology.sizeOf(ref))
      return loop.emitError()
             << "runs dimension " << i << " to "
             << (ShapedType::isDynamic(extent) ? std::string("a variable")
                                               : std::to_string(extent))
             << ", but axis '" << mercury::print(ref) << "' has size "
             << topology.sizeOf(ref);
    axes.push_back(ref);
  }
  return axes;
}

FailureOr<DistributedNest> mercury::matchNest(Operation *op,
                                              const TopologyModel &topology) {
  DistributedNest nest;
  Operation *current = op;
  while (auto loop = dyn_cast<scf::ForOp>(current)) {
    FailureOr<Operation *> inner = innerLoop(loop);
    if (failed(inner) || failed(checkTimeLoop(loop)))
      return failure();
    ValueRange inits =
        isa<scf::ForOp>(*inner)
            ? ValueRange(cast<scf::ForOp>(*inner).getInitArgs())
            : ValueRange(cast<scf::ForallOp>(*inner).getOutputs());
    if (inits != ValueRange(loop.getRegionIterArgs()))
      return (*inner)->emitError(
          "starts from other values than those that the time loop carries");
    nest.timeLoops.push_back(loop);
    current = *inner;
  }
  nest.rankLoop = cast<scf::ForallOp>(current);
  FailureOr<AxisList> axes = rankLoopAxes(nest.rankLoop, topology);
  if (failed(axes))
    return failure();
  nest.axes = *axes;
  ValueRange inits = nest.timeLoops.empty()
                         ? ValueRange(nest.rankLoop.getOutputs())
                         : ValueRange(nest.timeLoops.front().getInitArgs());
  nest.inits.assign(inits.begin(), inits.end());
  return nest;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static FailureOr<Access> makeAccess(Operation *op, Value base,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<int64_t> sizes,
                                    DistributedNest &nest,
                                    const TopologyModel &topology) {
  Access access;
  access.op = op;
  access.base = base;
  access.sizes.assign(sizes.begin(), sizes.end());
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return op->emitError("has a dynamic size; tiles are static");
  SmallVector<int64_t> steps = nest.steps();
  int64_t numSteps = 1;
  for (int64_t n : steps)
    numSteps *= n;
  access.offsets.resize(numSteps);
  for (int64_t t = 0; t < numSteps; ++t) {
    access.offsets[t].resize(topology.numRanks());
    for (int64_t r = 0; r < topology.numRanks(); ++r) {
      llvm::DenseMap<Value, int64_t> known;
      int64_t rest = t;
      for (size_t loop = steps.size(); loop-- > 0;) {
        known[nest.timeLoops[loop].getInductionVar()] = rest % steps[loop];
        rest /= steps[loop];
      }
      for (auto [iv, axis] :
           llvm::zip(nest.rankLoop.getInductionVars(), nest.axes))
        known[iv] = topology.coordinate(r, axis);
      for (OpFoldResult offset : offsets) {
        std::optional<int64_t> value = getConstantIntValue(offset);
        if (!value)
          value = evaluateIndex(cast<Value>(offset), known);
        if (!value)
          return op->emitError("has an offset that cannot be evaluated from "
                               "the steps and ranks of its loops");
        access.offsets[t][r].push_back(*value);
      }
    }
  }
  auto shape = cast<RankedTensorType>(base.getType()).getShape();
  for (auto &ranks : access.offsets)
    for (auto &at : ranks)
      for (auto [dim, offset] : llvm::enumerate(at))
        if (offset < 0 || offset + sizes[dim] > shape[dim])
          return op->emitError() << "touches elements " << offset << " to "
                                 << offset + sizes[dim] << " of dimension "
                                 << dim << " of size " << shape[dim];
  return access;
}

FailureOr<std::vector<Access>>
mercury::collectAccesses(DistributedNest &nest, const TopologyModel &topology) {
  std::vector<Access> accesses;
  Operation *outermost = nest.outermost();
  auto add = [&](Operation *op, Value base, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<int64_t> sizes, bool isWrite) -> LogicalResult {
    std::optional<unsigned> output;
    if (auto argument = dyn_cast<BlockArgument>(base);
        argument && argument.getOwner() == nest.rankLoop.getBody()) {
      output = argument.getArgNumber() - nest.rankLoop.getRank();
      base = nest.inits[*output];
    }
    FailureOr<Access> access =
        makeAccess(op, base, offsets, sizes, nest, topology);
    if (failed(access))
      return failure();
    access->output = output;
    access->isWrite = isWrite;
    accesses.push_back(std::move(*access));
    return success();
  };
  auto isOutside = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (argument.getOwner() == nest.rankLoop.getBody())
        return true;
    Operation *parent = value.getParentBlock()->getParentOp();
    return parent != outermost && !outermost->isProperAncestor(parent);
  };
  WalkResult result = nest.rankLoop.getBody()->walk([&](Operation *op) {
    if (op == nest.rankLoop.getTerminator())
      return WalkResult::advance();
    if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op)) {
      if (failed(add(op, insert.getDest(), insert.getMixedOffsets(),
                     insert.getStaticSizes(), true)))
        return WalkResult::interrupt();
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !isOutside(value))
        continue;
      if (isa<tensor::ParallelInsertSliceOp>(op) &&
          operand.getOperandNumber() == 1)
        continue;
      if (isa<tensor::DimOp>(op))
        continue;
      LogicalResult added = success();
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
        added = add(op, value, slice.getMixedOffsets(), slice.getStaticSizes(),
                    false);
      } else {
        // A tensor used whole: an identity slice folds away.
        SmallVector<OpFoldResult> zero(
            type.getRank(), Builder(op->getContext()).getIndexAttr(0));
        added = add(op, value, zero, type.getShape(), false);
      }
      if (failed(added))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return accesses;
}

//===----------------------------------------------------------------------===//
// Races, blocks, owners
//===----------------------------------------------------------------------===//

/// Coordinates of a rank on the axes of the rank loop.
static std::vector<int64_t> iteration(const DistributedNest &nest, int64_t rank,
                                      const TopologyModel &topology) {
  std::vector<int64_t> at;
  for (const AxisRef &axis : nest.axes)
    at.push_back(topology.coordinate(rank, axis));
  return at;
}

LogicalResult mercury::verifyNoRace(DistributedNest &nest,
                                    ArrayRef<Access> accesses,
                                    const TopologyModel &topology) {
  std::vector<std::vector<int64_t>> iterations;
  for (int64_t r = 0; r < topology.numRanks(); ++r)
    iterations.push_back(iteration(nest, r, topology));
  for (const Access &write : accesses) {
    if (!write.isWrite)
      continue;
    for (const auto &[t, ranks] : llvm::enumerate(write.offsets)) {
      auto meet = [&, &ranks = ranks](int64_t r, int64_t q) {
        for (auto [dim, size] : llvm::enumerate(write.sizes))
          if (std::abs(ranks[r][dim] - ranks[q][dim]) >= size)
            return false;
        return true;
      };
      for (int64_t r = 0; r < topology.numRanks(); ++r)
        for (int64_t q = 0; q < r; ++q)
          if (meet(r, q) && iterations[r] != iterations[q])
            return write.op->emitError()
                   << "race: at step " << t << " ranks " << q << " and " << r
                   << " write overlapping tiles of output " << *write.output;
    }
    for (const Access &read : accesses)
      if (!read.isWrite && read.output == write.output &&
          (read.offsets != write.offsets || read.sizes != write.sizes))
        return read.op->emitError()
               << "reads of output " << *read.output
               << " another tile than the rank writes at that step";
  }
  return success();
}

Placement mercury::gatherFor(ArrayRef<const Access *> accesses,
                             const PlacedShape &placed,
                             const TopologyModel &topology) {
  Placement placement = placed.placement;
  for (const Access *access : accesses)
    for (size_t dim = 0; dim < placement.dims.size(); ++dim) {
      AxisList &axes = placement.dims[dim];
      auto spans = [&]() {
        int64_t block = placed.padded[dim] / topology.sizeOf(axes);
        for (const auto &ranks : access->offsets)
          for (const auto &at : ranks)
            if (at[dim] / block != (at[dim] + access->sizes[dim] - 1) / block)
              return true;
        return false;
      };
      while (!axes.empty() && spans())
        axes.pop_back();
    }
  return placement;
}

OwnerTable mercury::ownersOf(const Access &access, const PlacedShape &placed,
                             const TopologyModel &topology) {
  OwnerTable owners(access.offsets.size());
  for (auto [t, ranks] : llvm::enumerate(access.offsets))
    for (const auto &at : ranks) {
      std::vector<int64_t> owner;
      for (auto [dim, axes] : llvm::enumerate(placed.placement.dims)) {
        int64_t parts = topology.sizeOf(axes);
        int64_t block = at[dim] / (placed.padded[dim] / parts);
        for (const AxisRef &axis : axes) {
          parts /= topology.sizeOf(axis);
          owner.push_back((block / parts) % topology.sizeOf(axis));
        }
      }
      owners[t].push_back(owner);
    }
  return owners;
}
