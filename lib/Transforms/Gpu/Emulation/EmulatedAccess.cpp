//===- EmulatedAccess.cpp - Accesses of device code that are checked ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedAccess.h"
#include "ElementBytes.h"
#include "Mercury/Runtime/mercury_simt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mercury;

std::optional<EmulatedAccess> mercury::emulatedAccess(Operation *op) {
  auto access = [](auto op, Value memory, Type value, bool writes) {
    auto type = cast<MemRefType>(memory.getType());
    auto vector = dyn_cast<VectorType>(value);
    auto elements = dyn_cast<VectorType>(type.getElementType());
    EmulatedAccess access{memory, op.getIndices(), 1, writes, std::nullopt};
    if (vector && !elements)
      access.count = vector.getNumElements();
    if (llvm::MaybeAlign alignment = op.getMaybeAlign())
      access.alignment = alignment->value();
    return access;
  };
  return TypeSwitch<Operation *, std::optional<EmulatedAccess>>(op)
      .Case([&](memref::LoadOp load) {
        return access(load, load.getMemRef(), load.getType(), false);
      })
      .Case([&](memref::StoreOp store) {
        return access(store, store.getMemRef(), store.getValue().getType(),
                      true);
      })
      .Case([&](vector::LoadOp load) {
        return access(load, load.getBase(), load.getType(), false);
      })
      .Case([&](vector::StoreOp store) {
        return access(store, store.getBase(), store.getValueToStore().getType(),
                      true);
      })
      .Default(std::nullopt);
}

Value mercury::callRuntime(SymbolTable &symbols, OpBuilder &b, Location loc,
                           StringRef callee, TypeRange results,
                           ValueRange operands) {
  auto function = symbols.lookup<func::FuncOp>(callee);
  if (!function) {
    function = func::FuncOp::create(
        loc, callee, b.getFunctionType(operands.getTypes(), results));
    function.setPrivate();
    symbols.insert(function);
  }
  auto call = func::CallOp::create(b, loc, function, operands);
  return results.empty() ? Value() : call.getResult(0);
}

/// The address in bytes, an index.
static Value addressOf(OpBuilder &b, Location loc,
                       const EmulatedAccess &access) {
  auto type = cast<MemRefType>(access.memory.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isStrided = succeeded(type.getStridesAndOffset(strides, offset));
  (void)isStrided; // or the op is not valid
  bool isStatic =
      !ShapedType::isDynamic(offset) && !ShapedType::isDynamicShape(strides);
  memref::ExtractStridedMetadataOp view;
  if (!isStatic)
    view = memref::ExtractStridedMetadataOp::create(b, loc, access.memory);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value at = isStatic ? constant(offset) : view.getOffset();
  for (auto [i, index] : llvm::enumerate(access.indices)) {
    Value stride = isStatic ? constant(strides[i]) : view.getStrides()[i];
    at = arith::AddIOp::create(b, loc, at,
                               arith::MulIOp::create(b, loc, index, stride));
  }
  Value bytes = arith::MulIOp::create(
      b, loc, at, constant(elementBytes(type.getElementType())));
  return arith::AddIOp::create(
      b, loc,
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, access.memory),
      bytes);
}

void mercury::checkAccess(SymbolTable &symbols, Operation *op,
                          const EmulatedAccess &access, bool isShared,
                          Value thread, Value text) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(access.memory.getType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  for (auto [i, index] : llvm::enumerate(access.indices)) {
    bool isLast = i + 1 == access.indices.size();
    Value count = constant(isLast ? access.count : 1);
    Value extent = type.isDynamicDim(i)
                       ? memref::DimOp::create(b, loc, access.memory, i)
                       : constant(type.getDimSize(i));
    Value end = arith::AddIOp::create(b, loc, index, count);
    Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          index, constant(0));
    Value isAbove =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, end, extent);
    auto ifOp = scf::IfOp::create(
        b, loc, arith::OrIOp::create(b, loc, isBelow, isAbove),
        /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    callRuntime(symbols, b, loc, "mercury_simt_out_of_range", {},
                ValueRange{thread, index, count, extent, text});
  }
  int64_t bytes = access.count * elementBytes(type.getElementType());
  Value kind =
      arith::ConstantIntOp::create(b, loc,
                                   (access.writes ? MERCURY_SIMT_WRITE : 0) |
                                       (isShared ? MERCURY_SIMT_SHARED : 0),
                                   32);
  callRuntime(symbols, b, loc, "mercury_simt_access", {},
              ValueRange{thread, addressOf(b, loc, access), constant(bytes),
                         constant(access.alignment.value_or(1)), kind, text});
}
