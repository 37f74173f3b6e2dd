//===- PrintCommunication.cpp - Which tile, when, from whom ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/NestMovements.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {
#define GEN_PASS_DEF_PRINTCOMMUNICATIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

/// Prints one nest.
class NestPrinter {
public:
  NestPrinter(DistributedNest &nest, ArrayRef<Access> accesses,
              const PlacementAnalysis &placements,
              const TopologyModel &topology, raw_ostream &os)
      : nest(nest), accesses(accesses), placements(placements),
        topology(topology), os(os), steps(nest.steps()) {}

  void print(StringRef name);

private:
  void print(const Access &access);
  void printTable(ArrayRef<SmallVector<std::string>> cells);
  std::string placementOf(Value base, const PlacedShape &placed);
  std::string howItArrives(const Movement &movement, bool isWrite) const;
  std::string tile(const Access &access, size_t step, int64_t rank) const;
  std::string arrow(const Movement &movement, bool isWrite, size_t step,
                    int64_t rank) const;
  SmallVector<int64_t> indices(size_t step) const;

  DistributedNest &nest;
  ArrayRef<Access> accesses;
  const PlacementAnalysis &placements;
  const TopologyModel &topology;
  raw_ostream &os;
  SmallVector<int64_t> steps;
};

} // namespace

/// What a tensor is called: placement ops return their operand.
static std::string nameOf(Value value) {
  while (
      isa_and_present<ShardOp, ReplicateOp, ReshardOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return "argument " + std::to_string(argument.getArgNumber());
  return "result of '" + value.getDefiningOp()->getName().getStringRef().str() +
         "'";
}

/// Indices of the time loops at a step.
SmallVector<int64_t> NestPrinter::indices(size_t step) const {
  SmallVector<int64_t> result(steps.size());
  for (size_t loop = steps.size(); loop-- > 0;) {
    result[loop] = step % steps[loop];
    step /= steps[loop];
  }
  return result;
}

std::string NestPrinter::tile(const Access &access, size_t step,
                              int64_t rank) const {
  auto shape = cast<RankedTensorType>(access.base.getType()).getShape();
  std::string text = "[";
  for (auto [dim, size] : llvm::enumerate(access.sizes)) {
    int64_t at = access.offsets[step][rank][dim];
    text += dim == 0 ? "" : ", ";
    if (size == shape[dim])
      text += ":";
    else
      text += std::to_string(at) + ":" + std::to_string(at + size);
  }
  return text + "]";
}

std::string NestPrinter::howItArrives(const Movement &movement,
                                      bool isWrite) const {
  SmallVector<std::string> parts;
  if (movement.kind == Movement::Kind::Rotate) {
    std::string text = isWrite ? "partial results rotate" : "rotates";
    bool isFirst = true;
    for (auto [loop, hop] : llvm::enumerate(movement.hops))
      if (hop)
        text += (std::exchange(isFirst, false) ? " over " : ", over ") +
                mercury::print(hop->axes) + " by " +
                std::to_string(hop->stride) + " each step" +
                (steps.size() > 1 ? " of loop " + std::to_string(loop) : "");
    if (!movement.start.empty())
      text += isWrite ? ", then one hop home" : ", after one permutation";
    parts.push_back(text);
  } else if (movement.kind == Movement::Kind::Fetch) {
    parts.push_back("fetched from its owner over " +
                    mercury::print(movement.moving));
  } else if (movement.kind == Movement::Kind::Lists) {
    parts.push_back("sent by explicit lists over " +
                    mercury::print(movement.moving));
  }
  if (!movement.broadcast.empty())
    parts.push_back("broadcast over " + mercury::print(movement.broadcast));
  return parts.empty() ? "local" : llvm::join(parts, ", then ");
}

/// "<3": comes from rank 3 at this step; ">3": goes there after it.
std::string NestPrinter::arrow(const Movement &movement, bool isWrite,
                               size_t step, int64_t rank) const {
  auto from = [&](int64_t source) {
    return source == rank ? std::string() : "<" + std::to_string(source);
  };
  if (!movement.broadcast.empty()) {
    int64_t root =
        topology.coordinate(movement.source[step][rank], movement.broadcast);
    return from(topology.withCoordinate(rank, movement.broadcast, root));
  }
  if (movement.kind == Movement::Kind::Fetch ||
      movement.kind == Movement::Kind::Lists)
    return from(movement.source[step][rank]);
  if (movement.kind != Movement::Kind::Rotate)
    return "";
  if (step == 0)
    return isWrite || movement.start.empty() ? "" : from(movement.start[rank]);
  SmallVector<int64_t> now = indices(step), before = indices(step - 1);
  for (size_t loop = 0; loop < steps.size(); ++loop) {
    if (now[loop] == before[loop])
      continue;
    // The outermost loop that goes on decides; loops inside start again.
    const std::optional<Hop> &hop = movement.hops[loop];
    if (!hop)
      return "";
    int64_t size = topology.sizeOf(hop->axes);
    int64_t c = topology.coordinate(rank, hop->axes) + hop->stride;
    return from(
        topology.withCoordinate(rank, hop->axes, ((c % size) + size) % size));
  }
  return "";
}

/// The placement in which the tensor stands before the placement ops that lead
/// to the nest, where it differs.
std::string NestPrinter::placementOf(Value base, const PlacedShape &placed) {
  std::string text = mercury::print(placed.placement);
  while (isa_and_present<ShardOp, ReplicateOp, ReshardOp, ArrangeOp>(
      base.getDefiningOp())) {
    base = base.getDefiningOp()->getOperand(0);
    const PlacedShape *before = placements.lookup(base);
    if (before && mercury::print(before->placement) != text)
      return mercury::print(before->placement) + ", before the nest " + text;
  }
  return text;
}

/// One row per step; a single one when all are alike.
void NestPrinter::printTable(ArrayRef<SmallVector<std::string>> cells) {
  bool isFixed = llvm::all_equal(cells);
  size_t width = 0;
  for (const auto &line : isFixed ? cells.take_front() : cells)
    for (const std::string &cell : line)
      width = std::max(width, cell.size());
  auto row = [&](StringRef head, auto &&cell) {
    std::string line(4 + 5 - std::min<size_t>(5, head.size()), ' ');
    line += head;
    for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
      std::string text = cell(rank);
      text.resize(std::max(width, text.size()), ' ');
      line += "  " + text;
    }
    os << StringRef(line).rtrim() << "\n";
  };
  row("step", [](int64_t rank) { return "rank " + std::to_string(rank); });
  for (auto [step, line] : llvm::enumerate(cells)) {
    std::string head;
    for (int64_t index : indices(step))
      head += (head.empty() ? "" : ",") + std::to_string(index);
    row(isFixed ? "all" : head,
        [&, &line = line](int64_t rank) { return line[rank]; });
    if (isFixed)
      break;
  }
}

void NestPrinter::print(const Access &access) {
  PlacedShape placed;
  auto shape = cast<RankedTensorType>(access.base.getType()).getShape();
  if (const PlacedShape *found = placements.lookup(access.base))
    placed = *found;
  else
    placed = placedShape(shape, Placement::replicated(shape.size()), topology);
  PlacedShape held = shapeInNest(access.base, accesses, placed, topology);
  Movement movement;
  std::string how;
  if (access.isWrite) {
    Verdict verdict = movementOf(access, held, steps, topology, movement);
    how = verdict ? howItArrives(movement, true) : verdict.reason();
  } else {
    movement = movementOf(access, held, steps, topology);
    how = howItArrives(movement, false);
  }
  AxisList gathered;
  for (const AxisRef &axis : placed.placement.axes())
    if (!held.placement.dimOf(axis))
      gathered.push_back(axis);
  if (!gathered.empty())
    how = "gathered over " + mercury::print(gathered) +
          " before the loops, then " + how;
  os << "  ";
  if (access.isWrite)
    os << "writes output " << *access.output;
  else
    os << "reads " << nameOf(access.base);
  os << ", " << access.base.getType() << " placed "
     << placementOf(access.base, placed) << ": " << how << "\n";

  SmallVector<SmallVector<std::string>> cells(access.offsets.size());
  for (auto [step, line] : llvm::enumerate(cells))
    for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
      line.push_back(tile(access, step, rank) +
                     arrow(movement, access.isWrite, step, rank));
      if (access.isWrite && step + 1 == cells.size())
        for (auto [owner, holder] : llvm::enumerate(movement.start))
          if (holder == rank && static_cast<int64_t>(owner) != rank)
            line.back() += ">" + std::to_string(owner);
    }
  printTable(cells);
}

void NestPrinter::print(StringRef name) {
  os << "nest in @" << name << ": ranks " << mercury::print(nest.axes) << ", ";
  if (steps.empty())
    os << "1 step\n";
  else
    os << llvm::join(llvm::map_range(
                         steps, [](int64_t n) { return std::to_string(n); }),
                     " x ")
       << " steps\n";
  // A read of an output is of the tile that is written.
  for (const Access &access : accesses)
    if (access.isWrite || !access.output)
      print(access);
}

namespace {
struct PrintCommunicationPass
    : public mercury::impl::PrintCommunicationPassBase<PrintCommunicationPass> {
  using PrintCommunicationPassBase::PrintCommunicationPassBase;

  LogicalResult print(func::FuncOp function, raw_ostream &os) {
    SmallVector<Operation *> nests;
    for (Operation &op : function.front())
      if (isa<scf::ForOp, scf::ForallOp>(op))
        nests.push_back(&op);
    if (nests.empty())
      return success();
    TopologyOp topologyOp = lookupTopology(function);
    if (!topologyOp)
      return function.emitError("has rank loops, but no topology resolves");
    TopologyModel topology = topologyOp.getModel();
    PlacementAnalysis placements(function, topology);
    for (Operation *op : nests) {
      FailureOr<DistributedNest> nest = matchNest(op, topology);
      if (failed(nest))
        return failure();
      FailureOr<std::vector<Access>> accesses =
          collectAccesses(*nest, topology);
      if (failed(accesses))
        return failure();
      NestPrinter(*nest, *accesses, placements, topology, os)
          .print(function.getName());
    }
    return success();
  }

  void runOnOperation() override {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(print(function, os)))
        signalPassFailure();
    llvm::outs() << text;
  }
};
} // namespace
