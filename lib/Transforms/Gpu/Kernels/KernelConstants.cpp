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

IRMapping mercury::mapKernelValues(OpBuilder &b, func::FuncOp kernel,
                                   gpu::GPUFuncOp function) {
  IRMapping mapping;
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments()))
    mapping.map(from, to);
  for (Operation &op : kernel.front())
    if (isKernelConstant(&op))
      b.clone(op, mapping);
  return mapping;
}
