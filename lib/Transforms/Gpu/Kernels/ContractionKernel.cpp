//===- ContractionKernel.cpp - Contractions for every GPU -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block of threads for a tile of C, and all of K in it: tiles of A and B
// are loaded into registers while the tiles before them are multiplied, then
// put into the other stage of shared memory, one barrier for each step. Tiles
// are staged as f32 (f64 for an f64 output): each element is converted once,
// and not by each of the threads that read it.
//
// A block of m x n over k steps reads (m + n) k elements, reads and writes m n,
// and does 2 m n k flops: with 128 x 128 and f32, 32 flops for a byte. Memory
// keeps up with that where a chip does less than 32 flops of f32 in the time of
// a byte (an A100 does 10, an H100 20); others need what blocks share in cache.
//
//===----------------------------------------------------------------------===//

#include "ContractionRegisters.h"
#include "KernelConstants.h"
#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mercury;

using Role = Contraction::Role;

/// Blocks are numbered along the columns, then the rows, then the batch: those
/// that run together share rows of A.
static BlockPosition createPosition(ImplicitLocOpBuilder &b,
                                    const StridedContraction &shape,
                                    const ContractionTiling &tiling) {
  BlockPosition position;
  position.thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value blocksN = createIndex(b, tiling.blocksN(shape)),
        blocksM = createIndex(b, tiling.blocksM(shape));
  Value row = arith::DivUIOp::create(b, block, blocksN);
  position.firstColumn = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, block, blocksN), createIndex(b, tiling.n));
  position.firstRow = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, row, blocksM), createIndex(b, tiling.m));
  position.batch = arith::DivUIOp::create(b, row, blocksM);
  return position;
}

static void createBody(ImplicitLocOpBuilder &b, gpu::GPUFuncOp function,
                       const StridedContraction &shape,
                       const ContractionTiling &tiling) {
  BlockPosition position = createPosition(b, shape, tiling);
  StagedOperand lhs(b, function, shape, StridedContraction::A, tiling, position,
                    shape.accumulator);
  StagedOperand rhs(b, function, shape, StridedContraction::B, tiling, position,
                    shape.accumulator);
  RegisterTile registers(b, tiling, position, shape.accumulator);
  Value zero = createIndex(b, 0), one = createIndex(b, 1), stage = zero;
  SmallVector<Value> sums = registers.zeros(b);

  lhs.store(b, zero, lhs.load(b, zero));
  rhs.store(b, zero, rhs.load(b, zero));
  gpu::BarrierOp::create(b);
  if (int64_t steps = tiling.steps(shape); steps > 1) {
    // A step multiplies one stage and fills the other, which all threads have
    // left by the barrier of the step before.
    Value last = createIndex(b, steps - 1), two = createIndex(b, 2);
    stage = createIndex(b, (steps - 1) % 2);
    auto loop = scf::ForOp::create(b, zero, last, one, sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    Value next = arith::AddIOp::create(b, step, one);
    Value firstK = arith::MulIOp::create(b, next, createIndex(b, tiling.k));
    SmallVector<Value> nextLhs = lhs.load(b, firstK),
                       nextRhs = rhs.load(b, firstK);
    SmallVector<Value> partial =
        registers.multiply(b, lhs, rhs, arith::RemUIOp::create(b, step, two),
                           loop.getRegionIterArgs());
    Value other = arith::RemUIOp::create(b, next, two);
    lhs.store(b, other, nextLhs);
    rhs.store(b, other, nextRhs);
    gpu::BarrierOp::create(b);
    scf::YieldOp::create(b, partial);
    sums.assign(loop.result_begin(), loop.result_end());
  }
  sums = registers.multiply(b, lhs, rhs, stage, sums);
  registers.addTo(b, OutputTile(b, shape, tiling, position), sums);
}

namespace {
class ContractionKernel final : public KernelEmitter {
public:
  bool takes(func::FuncOp kernel, const Chip &) const override {
    FailureOr<StridedContraction> shape = matchStridedContraction(kernel);
    return succeeded(shape) && chooseTiling(*shape).blocks(*shape) <=
                                   std::numeric_limits<int32_t>::max();
  }

  void emit(func::FuncOp kernel, gpu::GPUFuncOp function,
            const Chip &) const override {
    StridedContraction shape = *matchStridedContraction(kernel);
    ContractionTiling tiling = chooseTiling(shape);
    ImplicitLocOpBuilder b(kernel.getLoc(),
                           OpBuilder::atBlockEnd(&function.getBody().front()));
    IRMapping values = mapKernelValues(b, kernel, function);
    for (StridedContraction::Buffer &buffer : shape.buffers)
      buffer.value = values.lookup(buffer.value);
    int32_t blocks = 1;
    if (!shape.isEmpty()) {
      blocks = tiling.blocks(shape);
      createBody(b, function, shape, tiling);
    }
    gpu::ReturnOp::create(b);
    function.setKnownGridSize(ArrayRef<int32_t>{blocks, 1, 1});
    // Without a bound on blocks for a processor, ptxas spills to fit more.
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(1));
    function.setKnownBlockSize(
        ArrayRef<int32_t>{int32_t(tiling.threads()), 1, 1});
  }
};
} // namespace

const KernelEmitter &mercury::contractionEmitter() {
  static const ContractionKernel emitter;
  return emitter;
}
