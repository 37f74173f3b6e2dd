//===- ElementwiseKernel.cpp - Elementwise and reducing ops on GPUs -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwisePlan.h"
#include "KernelEmitter.h"
#include "OpBody.h"
#include "TeamReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mercury;

using Nest = ElementwisePlan::Nest;

/// With 256 threads in each, a thread has 64 registers.
static constexpr int32_t kBlocksPerMultiprocessor = 4;

namespace {
class Writer {
public:
  Writer(func::FuncOp kernel, gpu::GPUFuncOp function,
         const ElementwisePlan &plan)
      : plan(plan), function(function), loc(kernel.getLoc()),
        memory(kernel, function),
        b(OpBuilder::atBlockEnd(&function.getBody().front())) {}

  void write() {
    if (plan.kind == ElementwisePlan::Kind::Flat)
      writeFlat();
    else
      writeTeams();
    gpu::ReturnOp::create(b, loc);
    auto dims = [&](int64_t x) {
      return b.getDenseI32ArrayAttr({static_cast<int32_t>(x), 1, 1});
    };
    function.setKnownGridSizeAttr(dims(plan.blocks));
    function.setKnownBlockSizeAttr(dims(plan.kThreads));
    // Otherwise ptxas holds kernels to 32 registers for the sake of more
    // blocks, and spills.
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(kBlocksPerMultiprocessor));
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value isBelow(Value a, Value end) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, a, end);
  }

  /// Loops of `op` at a point of the common loops.
  LoopPoint pointOf(unsigned number, ArrayRef<Value> common) {
    LoopPoint point;
    point.indices.resize(plan.group.ops[number].extents.size());
    for (auto [loop, at] : llvm::zip_equal(plan.group.loops[number], common))
      point.indices[loop] = at;
    return point;
  }

  /// for (i = start; i < end; i += step)
  void forEach(Value start, Value end, int64_t step,
               function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, loc, start, end, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  using AccumulateFn =
      function_ref<SmallVector<Value>(Value, ValueRange accumulators)>;
  SmallVector<Value> reduceOver(Value start, Value end, int64_t step,
                                ValueRange init, AccumulateFn body) {
    auto loop = scf::ForOp::create(b, loc, start, end, index(step), init);
    OpBuilder::InsertionGuard guard(b);
    // A loop without results has its terminator already.
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> results =
        body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!init.empty())
      scf::YieldOp::create(b, loc, results);
    return loop.getResults();
  }
  void onlyIf(Value condition, function_ref<void()> body) {
    auto ifOp = scf::IfOp::create(b, loc, condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    body();
  }

  //===--------------------------------------------------------------------===//
  // Flat
  //===--------------------------------------------------------------------===//

  void writeFlat() {
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    int64_t chunk = plan.kThreads * plan.repeats;
    SmallVector<int64_t> extents = plan.flatExtents();
    Value units = index(llvm::product_of(extents));
    Value first = addProduct(b, loc, thread, block, chunk);
    Value end = addProduct(b, loc, index(chunk), block, chunk);
    end = arith::MinUIOp::create(b, loc, end, units);
    forEach(first, end, plan.kThreads, [&](Value unit) {
      SmallVector<Value> common = splitIndex(b, loc, unit, extents);
      if (plan.width == 1)
        return writeFlatPoint(common, /*isVector=*/false);
      Value start = common.back() =
          arith::MulIOp::create(b, loc, common.back(), index(plan.width));
      int64_t extent = plan.group.extents.back();
      if (extent % plan.width == 0)
        return writeFlatPoint(common, /*isVector=*/true);
      Value rest = arith::SubIOp::create(b, loc, index(extent), start);
      Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                            rest, index(plan.width));
      onlyIf(isWhole, [&] { writeFlatPoint(common, /*isVector=*/true); });
      // Nothing is left for the loop where the whole fits.
      Value from =
          arith::SelectOp::create(b, loc, isWhole, index(extent), start);
      forEach(from, index(extent), 1, [&](Value at) {
        common.back() = at;
        writeFlatPoint(common, /*isVector=*/false);
      });
    });
  }

  void writeFlatPoint(ArrayRef<Value> common, bool isVector) {
    HeldElements held;
    for (auto [number, op] : llvm::enumerate(plan.group.ops)) {
      LoopPoint point = pointOf(number, common);
      ArrayRef<unsigned> loops = plan.group.loops[number];
      if (isVector) {
        point.vectorLoop = loops.back();
        point.width = plan.width;
      }
      OpBody(memory, op).compute(b, point, held, loops);
    }
    held.storeAll(b, memory);
  }

  //===--------------------------------------------------------------------===//
  // Teams
  //===--------------------------------------------------------------------===//

  void writeTeams() {
    teams.lanes = plan.lanes;
    teams.points = plan.points;
    teams.lanesAreNeighbours = plan.kind == ElementwisePlan::Kind::Rows;
    teams.thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    Value fast = index(teams.lanesAreNeighbours ? plan.lanes : plan.points);
    teams.lane = arith::RemUIOp::create(b, loc, teams.thread, fast);
    teams.point = arith::DivUIOp::create(b, loc, teams.thread, fast);
    if (!teams.lanesAreNeighbours)
      std::swap(teams.lane, teams.point);
    Value at = addProduct(b, loc, teams.point, block, plan.points);
    isInside = isBelow(at, index(plan.group.points()));
    SmallVector<Value> common = splitIndex(b, loc, at, plan.group.extents);
    TeamReduction reduction(function, teams);
    for (auto [number, op] : llvm::enumerate(plan.group.ops)) {
      const Nest &nest = plan.nests[number];
      synchronize(op);
      LoopPoint point = pointOf(number, common);
      if (nest.reductions.empty())
        writeElementwise(op, nest, point);
      else if (nest.isShared)
        writeShared(op, nest, point, reduction);
      else
        writeSequential(op, nest, point);
    }
  }

  /// A barrier where the op meets what other lanes have done since the last
  /// one.
  void synchronize(const LocalOp &op) {
    bool meets = llvm::any_of(op.accesses, [&](const OpAccess &access) {
      return written.contains(access.buffer) ||
             (access.writes && read.contains(access.buffer));
    });
    if (meets && plan.lanes > 1)
      barrier();
    for (const OpAccess &access : op.accesses)
      (access.writes ? written : read).insert(access.buffer);
  }
  void barrier() {
    gpu::BarrierOp::create(b, loc);
    written.clear();
    read.clear();
  }

  /// `count` for a team with a point, 0 for one without.
  Value endFor(int64_t count) {
    if (plan.group.points() % plan.points == 0)
      return index(count);
    return arith::SelectOp::create(b, loc, isInside, index(count), index(0));
  }

  /// How often the nest's width goes into `loops`, the last of which may be the
  /// vector loop.
  SmallVector<int64_t> unitsOf(const LocalOp &op, const Nest &nest,
                               ArrayRef<unsigned> loops) {
    SmallVector<int64_t> extents;
    for (unsigned loop : loops)
      extents.push_back(nest.vectorLoop == loop
                            ? llvm::divideCeil(op.extents[loop], nest.width)
                            : op.extents[loop]);
    return extents;
  }

  void setLoops(LoopPoint &point, ArrayRef<unsigned> loops, Value unit,
                ArrayRef<int64_t> extents) {
    for (auto [loop, at] :
         llvm::zip_equal(loops, splitIndex(b, loc, unit, extents)))
      point.indices[loop] = at;
  }

  /// Calls `body` for the iterations of a unit along the vector loop: at once,
  /// or where the unit stands out at the end one by one.
  SmallVector<Value> forUnit(
      const LocalOp &op, const Nest &nest, LoopPoint point, ValueRange init,
      function_ref<SmallVector<Value>(const LoopPoint &, ValueRange)> body) {
    if (!nest.vectorLoop)
      return body(point, init);
    int64_t extent = op.extents[*nest.vectorLoop];
    Value &at = point.indices[*nest.vectorLoop];
    at = arith::MulIOp::create(b, loc, at, index(nest.width));
    point.vectorLoop = nest.vectorLoop;
    point.width = nest.width;
    if (extent % nest.width == 0)
      return body(point, init);
    Value rest = arith::SubIOp::create(b, loc, index(extent), at);
    Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                          rest, index(nest.width));
    auto ifOp = scf::IfOp::create(b, loc, init.getTypes(), isWhole,
                                  /*withElseRegion=*/true);
    auto writeBlock = [&](Block *block, auto &&values) {
      OpBuilder::InsertionGuard guard(b);
      // As above.
      b.setInsertionPointToStart(block);
      SmallVector<Value> results = values();
      if (!init.empty())
        scf::YieldOp::create(b, loc, results);
    };
    writeBlock(ifOp.thenBlock(), [&] { return body(point, init); });
    writeBlock(ifOp.elseBlock(), [&] {
      Value start = at;
      point.vectorLoop = std::nullopt;
      point.width = 1;
      return reduceOver(start, index(extent), 1, init,
                        [&](Value i, ValueRange values) {
                          at = i;
                          return body(point, values);
                        });
    });
    return ifOp.getResults();
  }

  void writeElementwise(const LocalOp &op, const Nest &nest, LoopPoint point) {
    SmallVector<int64_t> extents = unitsOf(op, nest, nest.parallel);
    forEach(teams.lane, endFor(llvm::product_of(extents)), plan.lanes,
            [&](Value unit) {
              setLoops(point, nest.parallel, unit, extents);
              forUnit(op, nest, point, {},
                      [&](const LoopPoint &at, ValueRange) {
                        OpBody(memory, op).compute(b, at);
                        return SmallVector<Value>();
                      });
            });
  }

  /// All lanes take part in each result.
  void writeShared(const LocalOp &op, const Nest &nest, LoopPoint point,
                   TeamReduction &reduction) {
    OpBody body(memory, op);
    SmallVector<Combiner> combiners = *findCombiners(op);
    SmallVector<int64_t> results = unitsOf(op, nest, nest.parallel);
    SmallVector<int64_t> extents = unitsOf(op, nest, nest.reductions);
    // The same number of results for all threads of the block: all come to the
    // barriers.
    forEach(index(0), index(llvm::product_of(results)), 1, [&](Value result) {
      setLoops(point, nest.parallel, result, results);
      SmallVector<Value> partials;
      for (const Combiner &combiner : combiners)
        partials.push_back(arith::ConstantOp::create(b, loc, combiner.neutral));
      partials = reduceOver(
          teams.lane, endFor(llvm::product_of(extents)), plan.lanes, partials,
          [&](Value unit, ValueRange values) {
            setLoops(point, nest.reductions, unit, extents);
            return forUnit(op, nest, point, values,
                           [&](const LoopPoint &at, ValueRange accumulators) {
                             return body.accumulate(b, at, accumulators);
                           });
          });
      reduction.exchange(b, combiners, partials);
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            teams.lane, index(0));
      onlyIf(arith::AndIOp::create(b, loc, isFirst, isInside), [&] {
        SmallVector<Value> values = body.loadOutputs(b, point);
        for (auto [value, combiner, reduced] :
             llvm::zip_equal(values, combiners, reduction.finish(b, combiners)))
          value = combine(b, combiner, value, reduced);
        body.storeOutputs(b, point, values);
      });
      if (reduction.usesSharedMemory())
        gpu::BarrierOp::create(b, loc);
    });
  }

  /// A thread walks the reduction of each of its results.
  void writeSequential(const LocalOp &op, const Nest &nest, LoopPoint point) {
    OpBody body(memory, op);
    SmallVector<int64_t> results = unitsOf(op, nest, nest.parallel);
    SmallVector<int64_t> extents = unitsOf(op, nest, nest.reductions);
    forEach(teams.lane, endFor(llvm::product_of(results)), plan.lanes,
            [&](Value result) {
              setLoops(point, nest.parallel, result, results);
              if (nest.writesEach) {
                forEach(index(0), index(llvm::product_of(extents)), 1,
                        [&](Value unit) {
                          setLoops(point, nest.reductions, unit, extents);
                          body.compute(b, point);
                        });
                return;
              }
              SmallVector<Value> values =
                  reduceOver(index(0), index(llvm::product_of(extents)), 1,
                             body.loadOutputs(b, point),
                             [&](Value unit, ValueRange accumulators) {
                               setLoops(point, nest.reductions, unit, extents);
                               return body.accumulate(b, point, accumulators);
                             });
              body.storeOutputs(b, point, values);
            });
  }

  const ElementwisePlan &plan;
  gpu::GPUFuncOp function;
  Location loc;
  KernelMemory memory;
  OpBuilder b;
  Teams teams;
  Value isInside;
  llvm::SmallPtrSet<Value, 8> written, read;
};

class ElementwiseEmitter : public KernelEmitter {
public:
  bool takes(func::FuncOp kernel, const Chip &) const override {
    return planElementwise(kernel).has_value();
  }
  void emit(func::FuncOp kernel, gpu::GPUFuncOp function,
            const Chip &) const override {
    ElementwisePlan plan = *planElementwise(kernel);
    Writer(kernel, function, plan).write();
  }
};
} // namespace

const KernelEmitter &mercury::elementwiseEmitter() {
  static const ElementwiseEmitter emitter;
  return emitter;
}
