//===- Prefetch.cpp - Communication one step ahead ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetch.h"
#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Analysis/CommunicationPlay.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

using Communicators = llvm::SmallSetVector<Attribute, 2>;

/// The sets of axes that `op` communicates over; none if it does not.
static Communicators communicatorsOf(Operation *op) {
  Communicators sets;
  if (auto communication = dyn_cast<CommunicationOpInterface>(op))
    sets.insert(communication.getCommunicationAxes());
  if (auto hopOp = dyn_cast<HopOp>(op))
    for (auto hop : hopOp.getHops().getAsRange<HopAttr>())
      sets.insert(ArrayAttr::get(op->getContext(),
                                 llvm::to_vector_of<Attribute>(hop.getAxes())));
  return sets;
}

/// Whether `ahead` may be in flight during all of the loop but `ignored`.
static bool mayBeInFlight(scf::ForOp loop, const Communicators &ahead,
                          const llvm::SmallPtrSetImpl<Operation *> &ignored) {
  llvm::MapVector<int64_t, Communicators> flights;
  WalkResult result =
      loop->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
        if (auto wait = dyn_cast<WaitOp>(op))
          flights.erase(wait.getRequest());
        Communicators all = communicatorsOf(op);
        if (all.empty() || ignored.contains(op))
          return WalkResult::advance();
        if (auto request = op->getAttrOfType<IntegerAttr>("request"))
          flights[request.getInt()] = all;
        if (!loop->isProperAncestor(op))
          return WalkResult::advance();
        all.insert_range(ahead);
        for (const auto &[request, sets] : flights)
          all.insert_range(sets);
        return all.size() > kMaxCommunicators ? WalkResult::interrupt()
                                              : WalkResult::advance();
      });
  return !result.wasInterrupted();
}

static bool isNonNegative(Value index) {
  // An element of a constant table.
  if (auto load = index.getDefiningOp<memref::LoadOp>())
    if (auto name = load.getMemRef().getDefiningOp<memref::GetGlobalOp>()) {
      auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          name, name.getNameAttr());
      auto table = global && global.getConstant()
                       ? dyn_cast_if_present<DenseIntElementsAttr>(
                             global.getInitialValueAttr())
                       : DenseIntElementsAttr();
      return table &&
             llvm::all_of(table.getValues<APInt>(),
                          [](const APInt &at) { return !at.isNegative(); });
    }
  Builder b(index.getContext());
  return ValueBoundsConstraintSet::compare(index, ValueBoundsConstraintSet::GE,
                                           OpFoldResult(b.getIndexAttr(0)));
}

/// Whether the op overwrites all of its output without reading it.
static bool overwrites(Operation *op, Value output) {
  // Nothing arrives from nobody.
  if (auto permute = dyn_cast<PermuteOp>(op))
    return isNonNegative(permute.getSource());
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffectsOnValue(output, effects);
  return llvm::none_of(effects, [](const MemoryEffects::EffectInstance &e) {
    return isa<MemoryEffects::Read>(e.getEffect());
  });
}

namespace {

/// A communication that can come a step ahead.
struct Ahead {
  Operation *op;
  memref::AllocOp buffer;
  /// The ops of the body that compute its operands, in order.
  SmallVector<Operation *> operands;
};

/// What stands at the start of a loop's body comes a step ahead.
class LoopPrefetch {
public:
  LoopPrefetch(scf::ForOp loop, int32_t &nextRequest)
      : loop(loop), nextRequest(nextRequest) {}

  /// Of `given`, those that stand in the body.
  unsigned run(const llvm::SmallPtrSetImpl<Operation *> &given);

private:
  std::optional<Ahead> match(Operation *op);
  bool isComputedFromStep(Value value,
                          llvm::SmallSetVector<Operation *, 8> &ops);
  bool isOnlyUsedAfter(memref::AllocOp buffer, Operation *op);
  Operation *cloneFor(OpBuilder &b, const Ahead &ahead, Value step);
  void rewrite(ArrayRef<Ahead> all);

  scf::ForOp loop;
  int32_t &nextRequest;
};

} // namespace

/// Collects the ops of the body that `value` is computed by, from the step and
/// from what does not change in the loop.
bool LoopPrefetch::isComputedFromStep(
    Value value, llvm::SmallSetVector<Operation *, 8> &ops) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0)
    return false;
  // It may read what the loop does not write: tables.
  SmallVector<Value> reads;
  if (!isMemoryEffectFree(op)) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || !effects.onlyHasEffect<MemoryEffects::Read>())
      return false;
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()))
        reads.push_back(operand);
    if (mayConflict(loop, reads, {}))
      return false;
  }
  if (!llvm::all_of(op->getOperands(), [&](Value operand) {
        return isComputedFromStep(operand, ops);
      }))
    return false;
  ops.insert(op);
  return true;
}

/// Whether nothing but the loop touches the buffer, and of its body nothing in
/// front of `op`.
bool LoopPrefetch::isOnlyUsedAfter(memref::AllocOp buffer, Operation *op) {
  for (Operation *user : buffer->getUsers()) {
    if (isa<memref::DeallocOp>(user) && !loop->isAncestor(user))
      continue;
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
    if (!inBody || inBody->isBeforeInBlock(op))
      return false;
  }
  return llvm::none_of(loop.getYieldedValues(), [&](Value yielded) {
    return isa<BaseMemRefType>(yielded.getType()) &&
           rootsOf(yielded).contains(buffer);
  });
}

std::optional<Ahead> LoopPrefetch::match(Operation *op) {
  auto dps = dyn_cast<DestinationStyleOpInterface>(op);
  if (!dps || !isa<CommunicationOpInterface>(op) || op->hasAttr("request") ||
      dps.getNumDpsInits() != 1)
    return std::nullopt;
  Value output = dps.getDpsInits()[0];
  auto buffer = output.getDefiningOp<memref::AllocOp>();
  if (!buffer || !loop.isDefinedOutsideOfLoop(output) ||
      !overwrites(op, output) || !isOnlyUsedAfter(buffer, op))
    return std::nullopt;
  SmallVector<Value> sources;
  llvm::SmallSetVector<Operation *, 8> operands;
  for (Value operand : op->getOperands()) {
    if (operand == output)
      continue;
    if (!isComputedFromStep(operand, operands))
      return std::nullopt;
    if (isa<BaseMemRefType>(operand.getType()))
      sources.push_back(operand);
  }
  bool areOutside = llvm::all_of(sources, [&](Value source) {
    return llvm::all_of(rootsOf(source), [&](Value root) {
      return loop.isDefinedOutsideOfLoop(root);
    });
  });
  if (sources.empty() || !areOutside || mayConflict(loop, sources, {}))
    return std::nullopt;
  Ahead ahead{op, buffer, operands.takeVector()};
  return ahead;
}

/// The communication of a step, with what computes its operands.
Operation *LoopPrefetch::cloneFor(OpBuilder &b, const Ahead &ahead,
                                  Value step) {
  IRMapping map;
  map.map(loop.getInductionVar(), step);
  for (Operation *op : ahead.operands)
    b.clone(*op, map);
  return b.clone(*ahead.op, map);
}

void LoopPrefetch::rewrite(ArrayRef<Ahead> all) {
  IRRewriter b(loop.getContext());
  Location loc = loop.getLoc();
  int64_t first = *getConstantIntValue(loop.getLowerBound());
  int64_t step = *getConstantIntValue(loop.getStep());
  int64_t last = first + (loop.getStaticTripCount()->getSExtValue() - 1) * step;
  b.setInsertionPoint(loop);
  Type indexType = loop.getInductionVar().getType();
  Value lastStep =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(indexType, last));
  SmallVector<Value> inits;
  for (const Ahead &ahead : all) {
    b.setInsertionPoint(loop);
    cloneFor(b, ahead, loop.getLowerBound());
    memref::AllocOp buffer = ahead.buffer;
    buffer->setAttr(kMemoryClassAttrName, b.getStringAttr("travelling"));
    b.setInsertionPoint(buffer);
    auto other = cast<memref::AllocOp>(b.clone(*buffer));
    for (Operation *user : llvm::to_vector(buffer->getUsers()))
      if (isa<memref::DeallocOp>(user)) {
        b.setInsertionPointAfter(user);
        memref::DeallocOp::create(b, user->getLoc(), other);
      }
    inits.append({buffer, other});
  }
  // The two buffers take turns.
  auto swap = [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    SmallVector<Value> yielded;
    for (size_t i = 0; i < added.size(); i += 2)
      yielded.append({added[i + 1], added[i]});
    return yielded;
  };
  loop = cast<scf::ForOp>(**loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/true, swap));

  Value iv = loop.getInductionVar();
  b.setInsertionPointToStart(loop.getBody());
  Value isNotLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, iv, lastStep);
  auto start = scf::IfOp::create(b, loc, isNotLast, /*withElseRegion=*/false);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  auto end = scf::IfOp::create(b, loc, isNotLast, /*withElseRegion=*/false);
  b.setInsertionPointToStart(start.thenBlock());
  Value next = arith::AddIOp::create(b, loc, iv, loop.getStep());
  ArrayRef<BlockArgument> buffers =
      loop.getRegionIterArgs().take_back(inits.size());
  for (auto [i, ahead] : llvm::enumerate(all)) {
    b.setInsertionPoint(start.thenBlock()->getTerminator());
    auto started = cast<DestinationStyleOpInterface>(cloneFor(b, ahead, next));
    started.setDpsInitOperand(0, buffers[2 * i + 1]);
    started->setAttr("request", b.getI32IntegerAttr(nextRequest));
    // A view that is made for the start is not there at the wait, which names
    // what it is a view of.
    SmallVector<Value> inFlight;
    for (Value operand : started->getOperands())
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      else if (operand.getParentBlock() == start.thenBlock())
        llvm::append_range(inFlight, rootsOf(operand));
      else
        inFlight.push_back(operand);
    b.setInsertionPoint(end.thenBlock()->getTerminator());
    WaitOp::create(b, ahead.op->getLoc(), nextRequest++, inFlight);
  }
  // What only computed operands is not needed any more; they may be shared.
  llvm::SmallSetVector<Operation *, 8> operands;
  for (const Ahead &ahead : all) {
    b.eraseOp(ahead.op);
    operands.insert_range(ahead.operands);
  }
  SmallVector<Operation *> inOrder = operands.takeVector();
  llvm::sort(inOrder,
             [](Operation *x, Operation *y) { return y->isBeforeInBlock(x); });
  for (Operation *op : inOrder)
    if (isOpTriviallyDead(op))
      b.eraseOp(op);
}

unsigned LoopPrefetch::run(const llvm::SmallPtrSetImpl<Operation *> &given) {
  std::optional<APInt> count = loop.getStaticTripCount();
  if (!count || count->ult(2) || !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(loop.getStep()))
    return 0;
  SmallVector<Ahead> all;
  Communicators communicators;
  llvm::SmallPtrSet<Operation *, 4> ignored;
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<Ahead> ahead =
        given.contains(&op) ? match(&op) : std::nullopt;
    if (!ahead)
      continue;
    Communicators together = communicators;
    together.insert_range(communicatorsOf(&op));
    ignored.insert(&op); // in flight, and nothing that blocks
    if (together.size() > kMaxCommunicators ||
        !mayBeInFlight(loop, together, ignored)) {
      ignored.erase(&op);
      continue;
    }
    communicators = together;
    all.push_back(*ahead);
  }
  if (!all.empty())
    rewrite(all);
  return all.size();
}

unsigned mercury::prefetchTiles(func::FuncOp function, int32_t &nextRequest) {
  // What comes before a loop in this way does not come ahead in the loop around
  // it as well, which would need a third buffer.
  llvm::SmallPtrSet<Operation *, 8> given;
  SmallVector<scf::ForOp> loops; // inner ones first: their steps are shorter
  function.walk([&](Operation *op) {
    if (isa<CommunicationOpInterface>(op))
      given.insert(op);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
  });
  unsigned count = 0;
  for (scf::ForOp loop : loops)
    count += LoopPrefetch(loop, nextRequest).run(given);
  return count;
}
