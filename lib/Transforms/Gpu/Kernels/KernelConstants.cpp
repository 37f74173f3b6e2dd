//===- KernelConstants.cpp - Constants of a kernel in device code ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConstants.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

bool mercury::isKernelConstant(Operation *op) {
  return matchPattern(op, m_Constant()) || isa<memref::GetGlobalOp>(op);
}

/// Copies the global that `op` names into `module`, if it is not there yet.
static void copyGlobal(memref::GetGlobalOp op, gpu::GPUModuleOp module) {
  if (module.lookupSymbol(op.getName()))
    return;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  OpBuilder::atBlockBegin(module.getBody()).clone(*global);
}

IRMapping mercury::mapKernelValues(OpBuilder &b, func::FuncOp kernel,
                                   gpu::GPUFuncOp function) {
  IRMapping mapping;
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments()))
    mapping.map(from, to);
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  for (Operation &op : kernel.front()) {
    if (!isKernelConstant(&op))
      continue;
    b.clone(op, mapping);
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      copyGlobal(global, module);
  }
  return mapping;
}
