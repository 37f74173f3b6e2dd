//===- KernelBuilder.cpp - Short forms for device code --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value KernelBuilder::number(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value KernelBuilder::add(Value lhs, Value rhs) {
  return createOrFold<arith::AddIOp>(lhs, rhs);
}

Value KernelBuilder::sub(Value lhs, Value rhs) {
  return createOrFold<arith::SubIOp>(lhs, rhs);
}

Value KernelBuilder::mul(Value lhs, int64_t rhs) {
  return createOrFold<arith::MulIOp>(lhs, index(rhs));
}

Value KernelBuilder::div(Value lhs, int64_t rhs) {
  return createOrFold<arith::DivUIOp>(lhs, index(rhs));
}

Value KernelBuilder::rem(Value lhs, int64_t rhs) {
  return createOrFold<arith::RemUIOp>(lhs, index(rhs));
}

Value KernelBuilder::min(Value lhs, Value rhs) {
  return createOrFold<arith::MinSIOp>(lhs, rhs);
}

Value KernelBuilder::isLess(Value lhs, Value rhs) {
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, lhs, rhs);
}

Value KernelBuilder::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return createOrFold<arith::AndIOp>(lhs, rhs);
}

SmallVector<Value> KernelBuilder::delinearize(Value value,
                                              ArrayRef<int64_t> extents) {
  SmallVector<Value> result(extents.size());
  for (size_t i = extents.size(); i-- > 1;) {
    result[i] = rem(value, extents[i]);
    value = div(value, extents[i]);
  }
  if (!extents.empty())
    result[0] = value;
  return result;
}

Value KernelBuilder::toF32(Value value) {
  Type type = getF32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  unsigned bits = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  if (bits < 32)
    return arith::ExtFOp::create(*this, type, value);
  if (bits > 32)
    return arith::TruncFOp::create(*this, type, value);
  return value;
}

Value KernelBuilder::fma(Value value, Value factor, Value addend) {
  return math::FmaOp::create(*this, value, factor, addend);
}

Value KernelBuilder::extract(Value vector, int64_t at) {
  return vector::ExtractOp::create(*this, vector, at);
}

void mercury::disableUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  // The branch that the loop becomes has it under this name; under that of a
  // discardable attribute, with a prefix, it would be lost.
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}));
}

SmallVector<Value> KernelBuilder::loop(Value upper, int64_t step,
                                       ValueRange initial, Body body,
                                       bool unrolls) {
  std::optional<int64_t> bound = getConstantIntValue(upper);
  if (bound && *bound > 0 && *bound <= step)
    return body(index(0), initial);
  auto loop = scf::ForOp::create(*this, index(0), upper, index(step), initial);
  if (!unrolls)
    disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(*this, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void KernelBuilder::guarded(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(*this, condition);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> KernelBuilder::choose(Value condition, TypeRange types,
                                         Branch then, Branch otherwise) {
  auto choice = scf::IfOp::create(*this, types, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(*this, then());
  setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(*this, otherwise());
  return llvm::to_vector_of<Value>(choice.getResults());
}

void KernelBuilder::finish(gpu::GPUFuncOp function, int64_t blocks,
                           int64_t threads) {
  gpu::ReturnOp::create(*this);
  function.setKnownGridSize(ArrayRef<int32_t>{int32_t(blocks), 1, 1});
  function.setKnownBlockSize(ArrayRef<int32_t>{int32_t(threads), 1, 1});
  // Without it, ptxas may spill for the sake of more blocks at a time.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    getI32IntegerAttr(1));
}

Value KernelBuilder::addShared(gpu::GPUFuncOp function,
                               ArrayRef<int64_t> shape) {
  Builder b(function.getContext());
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  unsigned number = function.getNumWorkgroupAttributions();
  Value buffer = function.addWorkgroupAttribution(
      MemRefType::get(shape, b.getF32Type(), MemRefLayoutAttrInterface(),
                      space),
      function.getLoc());
  function.setWorkgroupAttributionAttr(
      number, b.getStringAttr(LLVM::LLVMDialect::getAlignAttrName()),
      b.getI64IntegerAttr(16));
  return buffer;
}
