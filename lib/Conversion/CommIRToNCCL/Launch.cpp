//===- Launch.cpp - Launches of kernels -----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Mercury/Dialect/CommIR/IR/KernelAttrNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

const ParameterSlots &CallBuilder::getSlots() {
  if (!slots) {
    size_t most = 0;
    function.walk([&](LaunchOp op) {
      most = std::max<size_t>(most, op->getNumOperands());
    });
    slots.emplace(function, most);
  }
  return *slots;
}

/// `void k_params(void **parameters)` calls `kernel` with what they point to.
LLVM::LLVMFuncOp CallBuilder::wrapper(func::FuncOp kernel) {
  std::string name = (kernel.getSymName() + "_params").str();
  if (auto made = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return made;
  OpBuilder b(kernel->getContext());
  b.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto none = LLVM::LLVMVoidType::get(b.getContext());
  auto made = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(none, pointer));
  Block *entry = made.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> operands;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Value at =
        LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(0),
                            LLVM::GEPArg(static_cast<int32_t>(i)));
    Value slot = LLVM::LoadOp::create(b, loc, pointer, at);
    if (auto memref = dyn_cast<MemRefType>(type)) {
      Value memory = LLVM::LoadOp::create(b, loc, pointer, slot);
      operands.push_back(bufferAt(b, loc, converter, memory, memref));
      continue;
    }
    Value number =
        LLVM::LoadOp::create(b, loc, converter.convertType(type), slot);
    if (number.getType() != type)
      number =
          UnrealizedConversionCastOp::create(b, loc, type, number).getResult(0);
    operands.push_back(number);
  }
  func::CallOp::create(b, loc, kernel, operands);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return made;
}

void CallBuilder::launchOnHost(LaunchOp op, func::FuncOp kernel) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  const ParameterSlots &slots = getSlots();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Value value = operand;
    if (isa<MemRefType>(value.getType()))
      value = pointer(b, loc, value);
    else if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    slots.store(b, loc, i, value);
  }
  Value one = i64(b, loc, 1);
  Value count = i64(b, loc, op->getNumOperands());
  Value address = LLVM::AddressOfOp::create(b, loc, wrapper(kernel));
  Value null = LLVM::ZeroOp::create(b, loc, address.getType());
  call(b, loc, "mgpuLaunchKernel", {},
       ValueRange{address, one, one, one, one, one, one, i32(b, loc, 0),
                  stream(b, loc, b.getArrayAttr({})), slots.getPointers(), null,
                  count});
}

/// The three extents of an attribute of `kernel`, as index constants.
static FailureOr<gpu::KernelDim3>
extents(OpBuilder &b, LaunchOp op, DenseI32ArrayAttr known, StringRef name) {
  if (!known)
    return op.emitOpError() << "launches " << op.getKernelAttr()
                            << ", which has no '" << name << "'";
  auto constant = [&](unsigned dim) {
    return arith::ConstantIndexOp::create(b, op.getLoc(), known[dim])
        .getResult();
  };
  return gpu::KernelDim3{constant(0), constant(1), constant(2)};
}

LogicalResult CallBuilder::launchOnDevice(LaunchOp op, gpu::GPUFuncOp kernel) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  FailureOr<gpu::KernelDim3> grid = extents(
      b, op, kernel.getKnownGridSizeAttr(), kernel.getKnownGridSizeAttrName());
  FailureOr<gpu::KernelDim3> block =
      extents(b, op, kernel.getKnownBlockSizeAttr(),
              kernel.getKnownBlockSizeAttrName());
  if (failed(grid) || failed(block))
    return failure();
  // The op wants the types of the arguments: a buffer is one from its first
  // element on, of which the device function gets the pointer.
  SmallVector<Value> operands;
  for (auto [operand, type] :
       llvm::zip_equal(op->getOperands(), kernel.getArgumentTypes())) {
    if (auto memref = dyn_cast<MemRefType>(type))
      operands.push_back(
          bufferAt(b, loc, converter, pointer(b, loc, operand), memref));
    else
      operands.push_back(operand);
  }
  Value queue = stream(b, loc, b.getArrayAttr({}));
  gpu::LaunchFuncOp::create(b, loc, op.getKernelAttr(), *grid, *block,
                            /*dynamicSharedMemorySize=*/Value(), operands,
                            queue);
  return success();
}

LogicalResult CallBuilder::launch(LaunchOp op) {
  auto kernel = cast<FunctionOpInterface>(
      SymbolTable::lookupNearestSymbolFrom(op, op.getKernelAttr()));
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!type.isIntOrIndexOrFloat() && !isa<MemRefType>(type))
      return op.emitOpError() << "passes argument " << i << " of type " << type
                              << ", which is neither a buffer nor a number";
    if (kernelArgumentType(type) != type)
      return op.emitOpError()
             << "passes argument " << i << ", which " << op.getKernelAttr()
             << " takes with an offset: " << type;
  }
  if (auto device = dyn_cast<gpu::GPUFuncOp>(*kernel))
    return launchOnDevice(op, device);
  if (auto host = dyn_cast<func::FuncOp>(*kernel)) {
    if (host->hasAttr(kMatmulAttrName))
      return launchInLibrary(op, host);
    launchOnHost(op, host);
    return success();
  }
  return op.emitOpError() << "launches " << op.getKernelAttr()
                          << ", which is neither a function nor device code";
}
