//===- LowerRotation.cpp - Rotations into loops with hops -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/CommunicationPlay.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mercury {
#define GEN_PASS_DEF_LOWERROTATIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

/// Lowers one rotation; inner ones are lowered already.
class RotationLowering {
public:
  /// `late`: hops start when they are waited for, since two communicators are
  /// in flight inside the body.
  RotationLowering(RotateOp op, int32_t &nextRequest, bool late, int64_t chunks)
      : op(op), b(op), loc(op.getLoc()), nextRequest(nextRequest), late(late),
        chunks(chunks), travels(op.getTravel().size()),
        carries(op.getCarry().size()), steps(op.getSteps()) {}

  void run();

private:
  /// Clones the body's ops with its rotate_tile ops replaced: those before the
  /// carries arrive, or those after.
  void inlineBody(bool afterArrival, Value step, ArrayRef<Value> tiles,
                  ArrayRef<Value> arrived);
  void startHop(ArrayRef<Value> sources, ArrayRef<Value> targets,
                ArrayRef<Attribute> hops, int32_t request);
  void wait(ArrayRef<Value> sources, ArrayRef<Value> targets, int32_t request);
  SmallVector<Value> pieces(Value tile);
  void onlyIf(Value condition, llvm::function_ref<void()> body);
  Value compare(arith::CmpIPredicate predicate, Value step, int64_t number);
  SmallVector<Attribute> hops(unsigned first, unsigned count);

  RotateOp op;
  OpBuilder b;
  IRMapping map;
  Location loc;
  int32_t &nextRequest;
  bool late;
  int64_t chunks;
  unsigned travels, carries;
  int64_t steps;
};

} // namespace

SmallVector<Attribute> RotationLowering::hops(unsigned first, unsigned count) {
  ArrayRef<Attribute> all = op.getHops().getValue();
  return llvm::to_vector(all.slice(first, count));
}

void RotationLowering::inlineBody(bool afterArrival, Value step,
                                  ArrayRef<Value> tiles,
                                  ArrayRef<Value> arrived) {
  map.map(op.getBody().getArgument(0), step);
  bool hasArrived = false;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (isa<RotateArriveOp>(inner)) {
      hasArrived = true;
      continue;
    }
    if (hasArrived != afterArrival)
      continue;
    if (auto tile = dyn_cast<RotateTileOp>(inner)) {
      if (!tile.getArrived())
        map.map(tile.getResult(), tiles[tile.getIndex()]);
      else if (afterArrival)
        map.map(tile.getResult(), arrived[tile.getIndex() - travels]);
      continue;
    }
    b.clone(inner, map);
  }
}

/// A tile in `chunks` contiguous pieces, the last ones one element shorter
/// where it does not divide.
SmallVector<Value> RotationLowering::pieces(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  int64_t count = type.getNumElements();
  int64_t parts = std::min(chunks, count);
  if (parts <= 1)
    return {tile};
  Value line = tile;
  if (type.getRank() != 1) {
    SmallVector<ReassociationIndices> all(1);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      all[0].push_back(dim);
    line = memref::CollapseShapeOp::create(b, loc, tile, all);
  }
  SmallVector<Value> result;
  for (int64_t i = 0, begin = 0; i < parts; ++i) {
    int64_t size = count / parts + (i < count % parts);
    result.push_back(memref::SubViewOp::create(
        b, loc, line, ArrayRef<OpFoldResult>{b.getIndexAttr(begin)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(size)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}));
    begin += size;
  }
  return result;
}

void RotationLowering::startHop(ArrayRef<Value> sources,
                                ArrayRef<Value> targets,
                                ArrayRef<Attribute> hops, int32_t request) {
  SmallVector<Value> from, to;
  SmallVector<Attribute> by;
  for (auto [source, target, hop] : llvm::zip(sources, targets, hops))
    for (auto [piece, place] : llvm::zip(pieces(source), pieces(target))) {
      from.push_back(piece);
      to.push_back(place);
      by.push_back(hop);
    }
  HopOp::create(b, loc, from, to, b.getArrayAttr(by),
                b.getI32IntegerAttr(request));
}

void RotationLowering::wait(ArrayRef<Value> sources, ArrayRef<Value> targets,
                            int32_t request) {
  SmallVector<Value> all(sources);
  llvm::append_range(all, targets);
  WaitOp::create(b, loc, request, all);
}

void RotationLowering::onlyIf(Value condition,
                              llvm::function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

Value RotationLowering::compare(arith::CmpIPredicate predicate, Value step,
                                int64_t number) {
  Value constant = arith::ConstantIndexOp::create(b, loc, number);
  return arith::CmpIOp::create(b, loc, predicate, step, constant);
}

void RotationLowering::run() {
  // Scratch: per travelling tile the buffers it is received into, per carry the
  // one it is received into and the one of its contribution.
  int64_t numHops = steps - 1;
  SmallVector<Value> scratch(op.getScratch());
  size_t next = 0;
  SmallVector<Value> inits, contributions(carries);
  for (Value tile : op.getTravel()) {
    inits.push_back(tile);
    if (numHops == 0)
      continue;
    inits.push_back(scratch[next++]);
    inits.push_back(numHops > 1 ? scratch[next++] : inits.back());
  }
  for (auto [i, tile] : llvm::enumerate(op.getCarry())) {
    inits.push_back(tile);
    if (numHops > 0) {
      inits.push_back(scratch[next++]);
      // Contributions start where the last hop ends in the carry's own buffer.
      if (op.hasCombine() && numHops % 2)
        std::swap(inits[inits.size() - 2], inits.back());
    }
    if (op.hasCombine())
      contributions[i] = scratch[next++];
  }

  if (numHops == 0) {
    // The only contribution is the result.
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    inlineBody(false, zero, inits, {});
    op.erase();
    return;
  }

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = arith::ConstantIndexOp::create(b, loc, steps);
  auto loop = scf::ForOp::create(b, loc, zero, end, one, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    ValueRange held = loop.getRegionIterArgs();
    SmallVector<Value> now, coming, spare;
    for (unsigned i = 0; i < travels; ++i) {
      now.push_back(held[3 * i]);
      coming.push_back(held[3 * i + 1]);
      spare.push_back(held[3 * i + 2]);
    }
    SmallVector<Value> partial, other;
    for (unsigned i = 0; i < carries; ++i) {
      partial.push_back(held[3 * travels + 2 * i]);
      other.push_back(held[3 * travels + 2 * i + 1]);
    }
    // The hop of this step's tiles overlaps the body; so does the hop of the
    // partial results of the step before.
    Value isNotLast = compare(arith::CmpIPredicate::ult, step, numHops);
    int32_t travelRequest = 0, carryRequest = 0;
    auto startTravel = [&] {
      startHop(now, coming, hops(0, travels), travelRequest);
    };
    auto endTravel = [&] {
      if (late)
        startTravel();
      wait(now, coming, travelRequest);
    };
    auto startCarry = [&] {
      startHop(partial, other, hops(travels, carries), carryRequest);
    };
    if (travels) {
      travelRequest = nextRequest++;
      if (!late)
        onlyIf(isNotLast, startTravel);
    }
    Value isNotFirst;
    if (op.hasCombine()) {
      carryRequest = nextRequest++;
      isNotFirst = compare(arith::CmpIPredicate::ne, step, 0);
      if (!late)
        onlyIf(isNotFirst, startCarry);
    }
    // The first contribution is the first partial result.
    SmallVector<Value> tiles(now);
    for (auto [i, here] : llvm::enumerate(partial))
      tiles.push_back(op.hasCombine()
                          ? arith::SelectOp::create(b, loc, isNotFirst,
                                                    contributions[i], here)
                                .getResult()
                          : here);
    inlineBody(false, step, tiles, {});
    SmallVector<Value> yields;
    if (op.hasCombine()) {
      onlyIf(isNotFirst, [&] {
        if (late)
          startCarry();
        wait(partial, other, carryRequest);
        inlineBody(true, step, tiles, other);
      });
      if (travels)
        onlyIf(isNotLast, endTravel);
      for (auto [to, back] : llvm::zip(coming, spare))
        yields.append({to, back, to});
      for (auto [here, there] : llvm::zip(partial, other))
        yields.append(
            {arith::SelectOp::create(b, loc, isNotFirst, there, here),
             arith::SelectOp::create(b, loc, isNotFirst, here, there)});
    } else {
      if (travels)
        onlyIf(isNotLast, endTravel);
      for (auto [to, back] : llvm::zip(coming, spare))
        yields.append({to, back, to});
      if (carries) {
        // Each step needs the tile that the step before has written.
        int32_t request = nextRequest++;
        onlyIf(isNotLast, [&] {
          startHop(partial, other, hops(travels, carries), request);
          wait(partial, other, request);
        });
        for (auto [here, there] : llvm::zip(partial, other))
          yields.append(
              {arith::SelectOp::create(b, loc, isNotLast, there, here),
               arith::SelectOp::create(b, loc, isNotLast, here, there)});
      }
    }
    scf::YieldOp::create(b, loc, yields);
  }
  // After an odd number of hops a carry that is rewritten on its way sits in
  // its scratch buffer.
  if (numHops % 2 && !op.hasCombine())
    for (auto [i, tile] : llvm::enumerate(op.getCarry()))
      memref::CopyOp::create(b, loc, loop.getResult(3 * travels + 2 * i), tile);
  op.erase();
}

/// Sets of axes, each of which is a communicator.
using Communicators = llvm::SmallSetVector<Attribute, 2>;

namespace {
struct LowerRotationPass
    : public mercury::impl::LowerRotationPassBase<LowerRotationPass> {
  using LowerRotationPassBase::LowerRotationPassBase;

  void runOnOperation() override {
    int32_t nextRequest = 0;
    SmallVector<RotateOp> rotations; // inner ones first
    getOperation().walk([&](Operation *op) {
      if (auto rotate = dyn_cast<RotateOp>(op))
        rotations.push_back(rotate);
      if (auto request = op->getAttrOfType<IntegerAttr>("request"))
        nextRequest = std::max<int32_t>(nextRequest, request.getInt() + 1);
    });
    for (RotateOp rotate : rotations)
      if (!rotate.hasBufferSemantics()) {
        rotate.emitOpError("is on tensors; only rotations on buffers become "
                           "loops");
        return signalPassFailure();
      }
    // What is in flight together at some time inside.
    llvm::DenseMap<Operation *, SmallVector<Communicators>> inFlight;
    SmallVector<bool> late;
    for (RotateOp rotate : rotations) {
      Communicators own;
      for (auto hop : rotate.getHops().getAsRange<HopAttr>())
        own.insert(ArrayAttr::get(
            &getContext(), llvm::to_vector_of<Attribute>(hop.getAxes())));
      SmallVector<Communicators> inside;
      rotate.getBody().walk([&](Operation *op) {
        if (isa<RotateOp>(op))
          llvm::append_range(inside, inFlight[op]);
        else if (auto other = dyn_cast<CommunicationOpInterface>(op))
          inside.emplace_back().insert(other.getCommunicationAxes());
      });
      auto exceeds = [&](Communicators sets) {
        sets.insert_range(own);
        return sets.size() > kMaxCommunicators;
      };
      late.push_back(llvm::any_of(inside, exceeds));
      if (!late.back())
        for (Communicators &sets : inside)
          sets.insert_range(own);
      inside.push_back(own);
      inFlight[rotate] = inside;
    }
    for (auto [rotate, isLate] : llvm::zip(rotations, late)) {
      auto given = rotate->getAttrOfType<IntegerAttr>(kChunksAttrName);
      RotationLowering(rotate, nextRequest, isLate,
                       given ? given.getInt() : int64_t(chunks))
          .run();
    }
  }
};
} // namespace
