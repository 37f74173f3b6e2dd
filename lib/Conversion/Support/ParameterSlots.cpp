//===- ParameterSlots.cpp - What a launch passes to a kernel --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParameterSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mercury;

ParameterSlots::ParameterSlots(func::FuncOp function, size_t count) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value size = arith::ConstantIntOp::create(b, loc, count, 64);
  slots = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), size);
  pointers = LLVM::AllocaOp::create(b, loc, pointer, pointer, size);
  for (size_t i = 0; i < count; ++i) {
    Value own = slot(b, loc, i);
    Value at = LLVM::GEPOp::create(b, loc, pointer, pointer, pointers,
                                   LLVM::GEPArg(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(b, loc, own, at);
  }
}

Value ParameterSlots::slot(OpBuilder &b, Location loc, size_t i) const {
  return LLVM::GEPOp::create(b, loc, slots.getType(), b.getI64Type(), slots,
                             LLVM::GEPArg(static_cast<int32_t>(i)));
}

void ParameterSlots::store(OpBuilder &b, Location loc, size_t i,
                           Value value) const {
  LLVM::StoreOp::create(b, loc, value, slot(b, loc, i));
}
