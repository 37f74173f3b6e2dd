//===- ContractionRegisters.cpp - Inner products in registers -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionRegisters.h"
#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

/// Rows or columns that a thread has side by side.
static constexpr int64_t kGroup = 4;
/// Steps of k that are written out in a row: enough for reads of shared memory
/// to go ahead of the multiply-adds that use them.
static constexpr int64_t kUnroll = 4;

/// The first element of each group of a thread that is the `thread`-th of
/// `threads`, which has `elements` of them in groups of `group`.
static SmallVector<Value> createGroups(ImplicitLocOpBuilder &b, Value thread,
                                       int64_t threads, int64_t elements,
                                       int64_t group) {
  Value first = b.createOrFold<arith::MulIOp>(thread, createIndex(b, group));
  SmallVector<Value> groups;
  for (int64_t i = 0; i != elements / group; ++i)
    groups.push_back(b.createOrFold<arith::AddIOp>(
        first, createIndex(b, i * threads * group)));
  return groups;
}

RegisterTile::RegisterTile(ImplicitLocOpBuilder &b,
                           const ContractionTiling &tiling,
                           const BlockPosition &position, FloatType accumulator)
    : tiling(tiling) {
  rowsOfGroup = std::min(tiling.threadM, kGroup);
  int64_t columns = std::min(tiling.threadN, kGroup);
  columnsType = VectorType::get({columns}, accumulator);
  Value threadsN = createIndex(b, tiling.threadsN());
  rowGroups =
      createGroups(b, arith::DivUIOp::create(b, position.thread, threadsN),
                   tiling.threadsM(), tiling.threadM, rowsOfGroup);
  columnGroups =
      createGroups(b, arith::RemUIOp::create(b, position.thread, threadsN),
                   tiling.threadsN(), tiling.threadN, columns);
}

SmallVector<Value> RegisterTile::zeros(ImplicitLocOpBuilder &b) const {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(columnsType));
  return SmallVector<Value>(tiling.threadM * columnGroups.size(), zero);
}

/// Loads a vector for each group of row `k` of a staged tile.
static SmallVector<Value> createLoads(ImplicitLocOpBuilder &b,
                                      const StagedOperand &operand, Value stage,
                                      Value k, ArrayRef<Value> groups,
                                      VectorType type) {
  llvm::Align alignment(std::min<int64_t>(
      type.getNumElements() * type.getElementTypeBitWidth() / 8, 16));
  SmallVector<Value> loads;
  for (Value group : groups)
    loads.push_back(vector::LoadOp::create(b, type, operand.tile(),
                                           ValueRange{stage, k, group},
                                           /*nontemporal=*/false, alignment));
  return loads;
}

SmallVector<Value> RegisterTile::multiply(ImplicitLocOpBuilder &b,
                                          const StagedOperand &lhs,
                                          const StagedOperand &rhs, Value stage,
                                          ValueRange sums) const {
  auto rowsType = VectorType::get({rowsOfGroup}, columnsType.getElementType());
  auto loop = scf::ForOp::create(b, createIndex(b, 0), createIndex(b, tiling.k),
                                 createIndex(b, kUnroll), sums);
  // Unrolled further, ptxas would read all of shared memory first, into more
  // registers than there are.
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results(loop.getRegionIterArgs());
  for (int64_t step = 0; step != kUnroll; ++step) {
    Value k = b.createOrFold<arith::AddIOp>(loop.getInductionVar(),
                                            createIndex(b, step));
    SmallVector<Value> rows =
        createLoads(b, lhs, stage, k, rowGroups, rowsType);
    SmallVector<Value> columns =
        createLoads(b, rhs, stage, k, columnGroups, columnsType);
    Value *result = results.begin();
    for (int64_t row = 0; row != tiling.threadM; ++row) {
      Value factor = vector::BroadcastOp::create(
          b, columnsType,
          vector::ExtractOp::create(b, rows[row / rowsOfGroup],
                                    row % rowsOfGroup));
      for (Value column : columns) {
        *result = vector::FMAOp::create(b, factor, column, *result);
        ++result;
      }
    }
  }
  scf::YieldOp::create(b, results);
  return SmallVector<Value>(loop.getResults());
}

void RegisterTile::addTo(ImplicitLocOpBuilder &b, const OutputTile &output,
                         ValueRange sums) const {
  auto sum = sums.begin();
  for (int64_t row = 0; row != tiling.threadM; ++row) {
    Value at = b.createOrFold<arith::AddIOp>(rowGroups[row / rowsOfGroup],
                                             createIndex(b, row % rowsOfGroup));
    for (Value column : columnGroups)
      output.add(b, at, column, *sum++);
  }
}
