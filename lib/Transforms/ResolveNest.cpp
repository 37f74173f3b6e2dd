//===- ResolveNest.cpp - One distributed nest onto ranks ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResolveNest.h"
#include "ShiftArithmetic.h"
#include "TileArrival.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

class NestResolver {
public:
  NestResolver(OpBuilder &b, DistributedNest &nest, ArrayRef<Access> accesses,
               llvm::DenseMap<Value, LocalValue> locals,
               ArrayRef<LocalValue> inits, ArrayRef<bool> neutral,
               const IRMapping &scalars, const TopologyModel &topology)
      : b(b), nest(nest), accesses(accesses), locals(std::move(locals)),
        inits(inits), neutral(neutral), scalars(scalars), topology(topology),
        resharder(b, topology), loc(nest.rankLoop.getLoc()),
        steps(nest.steps()), arrival(b, loc, topology, steps) {}

  FailureOr<SmallVector<LocalValue>> run();

private:
  /// What is held at some depth of the loops.
  struct State {
    SmallVector<Value> tiles; ///< per source
    SmallVector<Value> outputs;
    SmallVector<bool> fresh; ///< the output holds neutral elements so far
    SmallVector<Value> times;
  };

  FailureOr<State> emit(size_t loop, State state);
  FailureOr<State> emitRotation(size_t loop, State state);
  FailureOr<State> emitPlainLoop(size_t loop, State state);
  FailureOr<State> emitBody(State state);
  void arrive(size_t depth, State &state);
  Value neutralLike(Output &output, Value like);
  void merge(ArrayRef<size_t> numbers, MutableArrayRef<Value> into,
             ArrayRef<Value> others);
  HopAttr hopAttr(const Hop &hop);
  bool movesAt(size_t loop) const;
  SmallVector<OpFoldResult> localOffsets(const Access &access,
                                         const PlacedShape &placed, Value tile,
                                         ArrayRef<Value> times);

  OpBuilder &b;
  DistributedNest &nest;
  ArrayRef<Access> accesses;
  llvm::DenseMap<Value, LocalValue> locals;
  ArrayRef<LocalValue> inits;
  ArrayRef<bool> neutral;
  const IRMapping &scalars;
  const TopologyModel &topology;
  Resharder resharder;
  Location loc;
  SmallVector<int64_t> steps;
  TileArrival arrival;
  NestPlan plan;
};

} // namespace

bool NestResolver::movesAt(size_t loop) const {
  for (const Source &source : plan.sources)
    if (source.movement.kind == Movement::Kind::Rotate &&
        source.movement.hops[loop])
      return true;
  return llvm::any_of(plan.outputs,
                      [&](const Output &out) { return out.movesAt(loop); });
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

HopAttr NestResolver::hopAttr(const Hop &hop) {
  SmallVector<AxisAttr> axes;
  for (const AxisRef &axis : hop.axes)
    axes.push_back(AxisAttr::get(b.getContext(), axis));
  return HopAttr::get(b.getContext(), axes, hop.stride);
}

Value NestResolver::neutralLike(Output &output, Value like) {
  return output.combiner.createNeutral(b, loc, output.result, like);
}

/// Merges outputs `numbers`, which are whole groups, into `into`.
void NestResolver::merge(ArrayRef<size_t> numbers, MutableArrayRef<Value> into,
                         ArrayRef<Value> others) {
  auto position = [&](unsigned output) {
    return llvm::find(numbers, output) - numbers.begin();
  };
  for (size_t number : numbers) {
    Output &output = plan.outputs[number];
    if (output.members.front() != number)
      continue;
    SmallVector<Value> mine, theirs;
    for (unsigned member : output.members) {
      mine.push_back(into[position(member)]);
      theirs.push_back(others[position(member)]);
    }
    SmallVector<Value> merged =
        output.combiner.createMerge(b, loc, output.group, mine, theirs);
    for (auto [member, value] : llvm::zip(output.members, merged))
      into[position(member)] = value;
  }
}

static AxisList without(AxisList axes, const AxisList &removed) {
  llvm::erase_if(axes, [&](const AxisRef &axis) {
    return llvm::is_contained(removed, axis);
  });
  return axes;
}

/// Whether the slice is all of the tile, in order, dimensions of extent 1
/// aside.
static bool isWholeTile(RankedTensorType slice, RankedTensorType tile) {
  auto larger = [](RankedTensorType type) {
    SmallVector<int64_t> extents;
    for (int64_t extent : type.getShape())
      if (extent != 1)
        extents.push_back(extent);
    return extents;
  };
  return larger(slice) == larger(tile);
}

/// Tiles that come by broadcast, fetch or lists at this depth of the loops.
void NestResolver::arrive(size_t depth, State &state) {
  SmallVector<Value> times = state.times;
  for (auto [source, tile] : llvm::zip(plan.sources, state.tiles)) {
    if (source.depth != depth)
      continue;
    // Tables do not depend on the loops inside.
    if (times.size() < steps.size())
      times.resize(steps.size(), arith::ConstantIndexOp::create(b, loc, 0));
    tile = arrival.arrive(source, tile, times);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<NestResolver::State> NestResolver::emit(size_t loop, State state) {
  arrive(loop, state);
  if (loop == steps.size())
    return emitBody(std::move(state));
  if (steps[loop] == 1) {
    state.times.push_back(arith::ConstantIndexOp::create(b, loc, 0));
    FailureOr<State> inner = emit(loop + 1, state);
    if (succeeded(inner))
      inner->times.pop_back();
    return inner;
  }
  return movesAt(loop) ? emitRotation(loop, std::move(state))
                       : emitPlainLoop(loop, std::move(state));
}

FailureOr<NestResolver::State> NestResolver::emitPlainLoop(size_t loop,
                                                           State state) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = arith::ConstantIndexOp::create(b, loc, steps[loop]);
  auto forOp = scf::ForOp::create(b, loc, zero, end, one, state.outputs);
  State inner = state;
  inner.outputs.assign(forOp.getRegionIterArgs().begin(),
                       forOp.getRegionIterArgs().end());
  inner.fresh.assign(plan.outputs.size(), false);
  inner.times.push_back(forOp.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    FailureOr<State> done = emit(loop + 1, inner);
    if (failed(done))
      return failure();
    b.setInsertionPointToEnd(forOp.getBody());
    scf::YieldOp::create(b, loc, done->outputs);
  }
  state.outputs.assign(forOp.getResults().begin(), forOp.getResults().end());
  state.fresh.assign(plan.outputs.size(), false);
  return state;
}

FailureOr<NestResolver::State> NestResolver::emitRotation(size_t loop,
                                                          State state) {
  SmallVector<Value> travel, carry, kept;
  SmallVector<size_t> travelOf, carryOf, keptOf;
  SmallVector<Attribute> hops;
  for (auto [i, source] : llvm::enumerate(plan.sources))
    if (source.movement.kind == Movement::Kind::Rotate &&
        source.movement.hops[loop]) {
      travelOf.push_back(i);
      travel.push_back(state.tiles[i]);
      hops.push_back(hopAttr(*source.movement.hops[loop]));
    }
  SmallVector<Value> waiting; // per carry, what is merged in afterwards
  bool merges = false;
  for (auto [i, output] : llvm::enumerate(plan.outputs)) {
    if (!output.movesAt(loop)) {
      keptOf.push_back(i);
      kept.push_back(state.outputs[i]);
      continue;
    }
    // The first contribution is the first partial result; what is there
    // already is merged in once, by its owner.
    carryOf.push_back(i);
    waiting.push_back(state.outputs[i]);
    merges |= !state.fresh[i];
    hops.push_back(hopAttr(*output.movement.hops[loop]));
  }
  for (Value start : waiting) {
    auto type = cast<RankedTensorType>(start.getType());
    auto fill = start.getDefiningOp<linalg::FillOp>();
    if (merges)
      start = resharder.empty(loc, type.getShape(), type.getElementType());
    else if (fill)
      start = fill.getDpsInits()[0]; // it is not read
    carry.push_back(start);
  }
  SmallVector<Type> arguments{b.getIndexType()};
  for (ArrayRef<Value> values :
       {ArrayRef(travel), ArrayRef(carry), ArrayRef(kept)})
    llvm::append_range(arguments, ValueRange(values).getTypes());
  auto rotate = RotateOp::create(b, loc, steps[loop], b.getArrayAttr(hops),
                                 travel, carry, kept, ValueRange(),
                                 /*combineCount=*/carry.empty() ? 0 : 1);
  nest.rankLoop.walk([&](Operation *op) {
    if (Attribute chunks = op->getAttr(kChunksAttrName))
      rotate->setAttr(kChunksAttrName, chunks);
  });
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&rotate.getBody(), {}, arguments,
                              SmallVector<Location>(arguments.size(), loc));
  State inner = state;
  inner.times.push_back(body->getArgument(0));
  unsigned next = 1;
  for (size_t i : travelOf)
    inner.tiles[i] = body->getArgument(next++);
  for (size_t i : carryOf) {
    inner.outputs[i] = neutralLike(plan.outputs[i], body->getArgument(next++));
    inner.fresh[i] = true;
  }
  for (size_t i : keptOf) {
    inner.outputs[i] = body->getArgument(next++);
    inner.fresh[i] = false;
  }
  FailureOr<State> done = emit(loop + 1, inner);
  if (failed(done))
    return failure();
  SmallVector<Value> yielded;
  for (size_t i : carryOf)
    yielded.push_back(done->outputs[i]);
  for (size_t i : keptOf)
    yielded.push_back(done->outputs[i]);
  b.setInsertionPointToEnd(body);
  RotateYieldOp::create(b, loc, yielded);
  if (!carry.empty()) {
    SmallVector<Type> pairs;
    for (Value value : carry)
      pairs.append(2, value.getType());
    Block *combine = b.createBlock(&rotate.getCombine().front(), {}, pairs,
                                   SmallVector<Location>(pairs.size(), loc));
    SmallVector<Value> arrived, contributions;
    for (size_t n = 0; n < carry.size(); ++n) {
      arrived.push_back(combine->getArgument(2 * n));
      contributions.push_back(combine->getArgument(2 * n + 1));
    }
    merge(carryOf, arrived, contributions);
    RotateYieldOp::create(b, loc, arrived);
  }
  b.setInsertionPointAfter(rotate);
  SmallVector<Value> carried(rotate.getResults().take_front(carry.size()));
  if (merges) {
    merge(carryOf, waiting, carried);
    carried = waiting;
  }
  for (auto [i, value] : llvm::zip(carryOf, carried)) {
    state.outputs[i] = value;
    state.fresh[i] = false;
  }
  for (auto [n, i] : llvm::enumerate(keptOf)) {
    state.outputs[i] = rotate.getResult(carryOf.size() + n);
    state.fresh[i] = false;
  }
  return state;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Offsets of an access inside `tile`, what is there of the block that it
/// touches.
SmallVector<OpFoldResult> NestResolver::localOffsets(const Access &access,
                                                     const PlacedShape &placed,
                                                     Value tile,
                                                     ArrayRef<Value> times) {
  SmallVector<OpFoldResult> result;
  SmallVector<int64_t> local = placed.local(topology);
  for (size_t dim = 0; dim < access.sizes.size(); ++dim) {
    if (cast<RankedTensorType>(tile.getType()).getDimSize(dim) ==
        access.sizes[dim]) {
      result.push_back(b.getIndexAttr(0));
      continue;
    }
    RankTable table(access.offsets.size());
    for (auto [t, ranks] : llvm::enumerate(access.offsets))
      for (const auto &at : ranks)
        table[t].push_back(placed.placement.dims[dim].empty()
                               ? at[dim]
                               : at[dim] % local[dim]);
    result.push_back(
        buildFromTable(b, loc, table, TableContext{steps, times, topology}));
  }
  return result;
}

FailureOr<NestResolver::State> NestResolver::emitBody(State state) {
  IRMapping map(scalars);
  for (auto [loop, time] : llvm::zip(nest.timeLoops, state.times))
    map.map(loop.getInductionVar(), time);
  for (auto [iv, axis] : llvm::zip(nest.rankLoop.getInductionVars(), nest.axes))
    map.map(iv, resharder.coordinate(loc, {axis}));
  // Ranks have coordinates where the loops had iterations.
  SmallVector<ShiftOp> shifts;
  auto copy = [&](Operation &op) {
    if (auto shift = dyn_cast<ShiftOp>(b.clone(op, map)))
      shifts.push_back(shift);
  };
  // Index arithmetic between the loops.
  for (scf::ForOp loop : nest.timeLoops)
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<scf::ForOp, scf::ForallOp>(op))
        copy(op);

  llvm::DenseMap<Operation *, const Access *> accessOf;
  for (const Access &access : accesses)
    accessOf[access.op] = &access;

  auto shapeOfAccess = [&](const Access &access) -> const PlacedShape & {
    return access.output ? inits[*access.output].shape
                         : locals.find(access.base)->second.shape;
  };
  auto tileOf = [&](const Access &access) {
    return access.output ? state.outputs[*access.output]
                         : state.tiles[plan.sourceOfAccess.lookup(&access)];
  };
  // A slice of the block that is held; all of it is the block itself.
  auto sliceTile = [&](const Access &access, RankedTensorType type) -> Value {
    Value tile = tileOf(access);
    if (tile.getType() == type)
      return tile;
    if (isWholeTile(type, cast<RankedTensorType>(tile.getType())))
      return resharder.reshape(loc, tile, type.getShape());
    SmallVector<OpFoldResult> sizes,
        unit(access.sizes.size(), b.getIndexAttr(1));
    for (int64_t size : access.sizes)
      sizes.push_back(b.getIndexAttr(size));
    return tensor::ExtractSliceOp::create(
        b, loc, type, tile,
        localOffsets(access, shapeOfAccess(access), tile, state.times), sizes,
        unit);
  };
  for (Operation &op : nest.rankLoop.getBody()->without_terminator()) {
    const Access *access = accessOf.lookup(&op);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op); slice && access) {
      map.map(slice.getResult(), sliceTile(*access, slice.getType()));
      continue;
    }
    // Whole tensors, also inside regions.
    WalkResult walked = op.walk([&](Operation *inner) {
      const Access *use = accessOf.lookup(inner);
      if (!use)
        return WalkResult::advance();
      if (inner != &op && isa<tensor::ExtractSliceOp>(inner)) {
        inner->emitError("slices a distributed tensor inside a region of the "
                         "rank loop's body");
        return WalkResult::interrupt();
      }
      for (const Access &each : accesses) {
        if (each.op != inner || each.output)
          continue;
        auto type = cast<RankedTensorType>(each.base.getType());
        map.map(each.base, sliceTile(each, type));
      }
      for (const Access &each : accesses)
        if (each.op == inner && each.output)
          map.map(nest.rankLoop.getRegionIterArgs()[*each.output],
                  sliceTile(each, cast<RankedTensorType>(each.base.getType())));
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
    copy(op);
  }
  for (auto insert :
       nest.rankLoop.getTerminator().getOps<tensor::ParallelInsertSliceOp>()) {
    const Access *write = nullptr;
    Value value = map.lookupOrDefault(insert.getSource());
    for (const Access &each : accesses) {
      if (each.op != insert)
        continue;
      if (each.isWrite)
        write = &each;
      else // One rank: a tensor from outside is the whole tile.
        value = sliceTile(each, insert.getSourceType());
    }
    const Access &access = *write;
    Value &tile = state.outputs[*access.output];
    auto type = cast<RankedTensorType>(tile.getType());
    bool isRead = llvm::any_of(accesses, [&](const Access &other) {
      return other.output == access.output && !other.isWrite;
    });
    if (value.getType() == type && !isRead && !steps.empty()) {
      // Loops update what they carry in place.
      tile = linalg::CopyOp::create(b, loc, value, tile).getResult(0);
      continue;
    }
    if (value.getType() == type) {
      tile = value;
      continue;
    }
    if (isWholeTile(cast<RankedTensorType>(value.getType()), type)) {
      tile = resharder.reshape(loc, value, type.getShape());
      continue;
    }
    SmallVector<OpFoldResult> sizes,
        unit(access.sizes.size(), b.getIndexAttr(1));
    for (int64_t size : access.sizes)
      sizes.push_back(b.getIndexAttr(size));
    tile = tensor::InsertSliceOp::create(
        b, loc, value, tile,
        localOffsets(access, shapeOfAccess(access), tile, state.times), sizes,
        unit);
  }
  llvm::for_each(shifts, lowerShift);
  return state;
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<LocalValue>> NestResolver::run() {
  FailureOr<NestPlan> planned =
      planNest(nest, accesses, locals, inits, topology);
  if (failed(planned))
    return failure();
  plan = std::move(*planned);
  State state;
  for (Source &source : plan.sources) {
    Value tile = locals.find(source.base)->second.value;
    const Movement &m = source.movement;
    if (!source.from.empty())
      tile = tensor::ExtractSliceOp::create(
          b, loc, tile, getAsIndexOpFoldResult(b.getContext(), source.from),
          getAsIndexOpFoldResult(b.getContext(), source.extents),
          SmallVector<OpFoldResult>(source.from.size(), b.getIndexAttr(1)));
    if (source.isCut())
      tile = resharder.cut(loc, tile, source.parts);
    if (m.kind == Movement::Kind::Rotate && !m.start.empty())
      tile = arrival.permuteOnce(tile, without(m.moving, m.fetched), m.start);
    state.tiles.push_back(tile);
  }
  SmallVector<size_t> moving;
  SmallVector<Value> entered;
  for (size_t i = 0; i < nest.inits.size(); ++i) {
    Value tile = inits[i].value;
    bool fresh = neutral[i];
    // Partial results travel; what was there before is merged by its owner.
    for (unsigned member : plan.outputs[i].members)
      fresh &= neutral[member];
    if (plan.outputs[i].moves() && !fresh) {
      moving.push_back(i);
      entered.push_back(tile);
      auto type = cast<RankedTensorType>(tile.getType());
      tile =
          neutralLike(plan.outputs[i], resharder.empty(loc, type.getShape(),
                                                       type.getElementType()));
      fresh = true;
    }
    state.outputs.push_back(tile);
    state.fresh.push_back(fresh);
  }
  FailureOr<State> done = emit(0, state);
  if (failed(done))
    return failure();
  SmallVector<LocalValue> results;
  for (size_t i = 0; i < nest.inits.size(); ++i) {
    LocalValue result = inits[i];
    result.shape.fetch.clear();
    result.value = done->outputs[i];
    const Movement &m = plan.outputs[i].movement;
    if (plan.outputs[i].moves() && !m.start.empty()) // the last hop home
      result.value = arrival.permuteOnce(result.value, m.moving, m.start);
    results.push_back(result);
  }
  SmallVector<Value> travelled;
  for (size_t i : moving)
    travelled.push_back(results[i].value);
  merge(moving, entered, travelled);
  for (auto [i, value] : llvm::zip(moving, entered))
    results[i].value = value;
  return results;
}

FailureOr<SmallVector<LocalValue>>
mercury::resolveNest(OpBuilder &builder, DistributedNest &nest,
                     ArrayRef<Access> accesses,
                     llvm::DenseMap<Value, LocalValue> locals,
                     ArrayRef<LocalValue> inits, ArrayRef<bool> neutral,
                     const IRMapping &scalars, const TopologyModel &topology) {
  return NestResolver(builder, nest, accesses, std::move(locals), inits,
                      neutral, scalars, topology)
      .run();
}
