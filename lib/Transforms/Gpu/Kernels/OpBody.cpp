//===- OpBody.cpp - What a local op computes at a point -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpBody.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mercury;

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Combiner>> mercury::findCombiners(const LocalOp &op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op.op);
  if (!linalgOp)
    return std::nullopt;
  SmallVector<Combiner> combiners;
  for (int64_t i = 0; i < linalgOp.getNumDpsInits(); ++i) {
    SmallVector<Operation *> ops;
    if (!matchReduction(linalgOp.getRegionOutputArgs(), i, ops) ||
        ops.size() != 1 || ops[0]->getNumRegions() != 0)
      return std::nullopt;
    // Those with a neutral element are associative and commutative.
    std::optional<TypedAttr> neutral = arith::getNeutralElement(ops[0]);
    if (!neutral)
      return std::nullopt;
    combiners.push_back({ops[0], *neutral});
  }
  return combiners;
}

Value mercury::combine(OpBuilder &builder, const Combiner &combiner, Value a,
                       Value b) {
  IRMapping mapping;
  mapping.map(combiner.op->getOperand(0), a);
  mapping.map(combiner.op->getOperand(1), b);
  return builder.clone(*combiner.op, mapping)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Held elements
//===----------------------------------------------------------------------===//

HeldElements::Entry &HeldElements::entryFor(const OpAccess &access,
                                            ArrayRef<unsigned> common) {
  SmallVector<int64_t> strides;
  for (unsigned loop : common)
    strides.push_back(access.strides[loop]);
  for (Entry &entry : entries)
    if (entry.buffer == access.buffer && entry.offset == access.offset &&
        entry.strides == strides)
      return entry;
  Entry entry;
  entry.buffer = access.buffer;
  entry.offset = access.offset;
  entry.strides = strides;
  entries.push_back(entry);
  return entries.back();
}

void HeldElements::storeAll(OpBuilder &b, const KernelMemory &memory) const {
  for (const Entry &entry : entries)
    if (entry.access)
      memory.store(b, *entry.op, *entry.access, entry.point, entry.elements);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

SmallVector<unsigned> OpBody::outputs() const {
  SmallVector<unsigned> numbers;
  for (auto [number, access] : llvm::enumerate(op.accesses))
    if (access.writes)
      numbers.push_back(number);
  return numbers;
}

SmallVector<Value> OpBody::cloneBody(OpBuilder &b, const LoopPoint &point,
                                     int64_t i,
                                     const Elements &elements) const {
  auto element = [&](unsigned number) {
    const SmallVector<Value> &all = elements[number];
    return all.size() == 1 ? all[0] : all[i];
  };
  if (isa<memref::CopyOp>(op.op))
    return {element(0)};
  auto linalgOp = cast<linalg::LinalgOp>(op.op);
  IRMapping mapping = memory.numbers();
  for (OpOperand &operand : op.op->getOpOperands())
    if (!isa<MemRefType>(operand.get().getType()))
      mapping.map(linalgOp.getMatchingBlockArgument(&operand),
                  mapping.lookup(operand.get()));
  for (auto [number, access] : llvm::enumerate(op.accesses))
    if (access.operand && !elements[number].empty())
      mapping.map(linalgOp.getMatchingBlockArgument(
                      &op.op->getOpOperand(*access.operand)),
                  element(number));
  for (Operation &inner : linalgOp.getBlock()->without_terminator()) {
    Location loc = inner.getLoc();
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Value value = point.indices[index.getDim()];
      int64_t further = point.vectorLoop == index.getDim() ? i : 0;
      Value constant = arith::ConstantIndexOp::create(b, loc, further);
      mapping.map(index.getResult(),
                  value ? b.createOrFold<arith::AddIOp>(loc, value, constant)
                        : constant);
    } else if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      SmallVector<Value> indices;
      for (Value at : load.getIndices())
        indices.push_back(mapping.lookup(at));
      mapping.map(load.getResult(),
                  memory.loadElement(b, load.getMemRef(), indices));
    } else {
      b.clone(inner, mapping);
    }
  }
  SmallVector<Value> results;
  for (Value value : linalgOp.getBlock()->getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

void OpBody::compute(OpBuilder &b, const LoopPoint &point) const {
  HeldElements held;
  // Loops that are common to nothing else: entries differ by their accesses.
  auto loops = llvm::to_vector(llvm::seq<unsigned>(0, op.extents.size()));
  compute(b, point, held, loops);
  held.storeAll(b, memory);
}

void OpBody::compute(OpBuilder &b, const LoopPoint &point, HeldElements &held,
                     ArrayRef<unsigned> common) const {
  Elements elements;
  for (const OpAccess &access : op.accesses) {
    elements.emplace_back();
    if (!access.reads || !access.operand)
      continue;
    if (!access.isLinear) {
      elements.back() = memory.load(b, op, access, point);
      continue;
    }
    HeldElements::Entry &entry = held.entryFor(access, common);
    if (entry.elements.empty())
      entry.elements = memory.load(b, op, access, point);
    elements.back() = entry.elements;
  }
  Elements results(outputs().size());
  for (int64_t i = 0; i < point.width; ++i)
    for (auto [all, value] :
         llvm::zip_equal(results, cloneBody(b, point, i, elements)))
      all.push_back(value);
  for (auto [number, all] : llvm::zip_equal(outputs(), results)) {
    const OpAccess &access = op.accesses[number];
    HeldElements::Entry &entry = held.entryFor(access, common);
    entry.elements = all;
    entry.op = &op;
    entry.access = &access;
    entry.point = point;
  }
}

SmallVector<Value> OpBody::accumulate(OpBuilder &b, const LoopPoint &point,
                                      ValueRange accumulators) const {
  Elements elements;
  for (const OpAccess &access : op.accesses)
    elements.push_back(access.operand && !access.writes
                           ? memory.load(b, op, access, point)
                           : SmallVector<Value>());
  SmallVector<Value> values(accumulators);
  for (int64_t i = 0; i < point.width; ++i) {
    for (auto [number, value] : llvm::zip_equal(outputs(), values))
      elements[number] = {value};
    values = cloneBody(b, point, i, elements);
  }
  return values;
}

SmallVector<Value> OpBody::loadOutputs(OpBuilder &b,
                                       const LoopPoint &point) const {
  SmallVector<Value> values;
  for (unsigned number : outputs())
    values.push_back(memory.load(b, op, op.accesses[number], point).front());
  return values;
}

void OpBody::storeOutputs(OpBuilder &b, const LoopPoint &point,
                          ValueRange values) const {
  for (auto [number, value] : llvm::zip_equal(outputs(), values))
    memory.store(b, op, op.accesses[number], point, value);
}
