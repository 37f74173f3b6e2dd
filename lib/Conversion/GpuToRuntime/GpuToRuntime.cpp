//===- GpuToRuntime.cpp - Launches into calls of the runtime --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Conversion/Passes.h"
#include "Support/ParameterSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

namespace mercury {
#define GEN_PASS_DEF_CONVERTGPUTORUNTIMEPASS
#include "Mercury/Conversion/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;

/// Machine code is read in place, as sections of 16-byte aligned parts.
static constexpr uint64_t kImageAlignment = 16;

namespace {
/// Replaces the launches of one function.
class LaunchConversion {
public:
  LaunchConversion(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols), b(function.getContext()),
        pointerType(LLVM::LLVMPointerType::get(function.getContext())) {}

  LogicalResult run();

private:
  void convert(gpu::LaunchFuncOp op);
  Value parameter(Value operand);
  Value constant(StringRef name, StringRef content, uint64_t alignment);
  Value call(StringRef callee, TypeRange results, ValueRange operands);
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(b, loc(), value, 64);
  }
  Location loc() const { return location; }

  func::FuncOp function;
  SymbolTable &symbols;
  OpBuilder b;
  Type pointerType;
  Location location = UnknownLoc::get(function.getContext());
  std::optional<ParameterSlots> slots;
};
} // namespace

/// The address of a constant of the program.
Value LaunchConversion::constant(StringRef name, StringRef content,
                                 uint64_t alignment) {
  auto global = symbols.lookup<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cast<ModuleOp>(symbols.getOp()).getBody());
    global = LLVM::GlobalOp::create(
        b, loc(), LLVM::LLVMArrayType::get(b.getI8Type(), content.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getStringAttr(content), alignment);
    symbols.insert(global);
  }
  return LLVM::AddressOfOp::create(b, loc(), global);
}

Value LaunchConversion::call(StringRef callee, TypeRange results,
                             ValueRange operands) {
  auto declared = symbols.lookup<func::FuncOp>(callee);
  if (!declared) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cast<ModuleOp>(symbols.getOp()).getBody());
    declared = func::FuncOp::create(
        b, loc(), callee, b.getFunctionType(operands.getTypes(), results));
    declared.setPrivate();
    symbols.insert(declared);
  }
  auto made = func::CallOp::create(b, loc(), declared, operands);
  return results.empty() ? Value() : made.getResult(0);
}

/// What a slot of 8 bytes holds: of a buffer, which begins at its first
/// element, the address.
Value LaunchConversion::parameter(Value operand) {
  Value index = operand;
  if (isa<MemRefType>(operand.getType()))
    index = memref::ExtractAlignedPointerAsIndexOp::create(b, loc(), operand);
  if (!index.getType().isIndex())
    return index;
  return arith::IndexCastOp::create(b, loc(), b.getI64Type(), index);
}

void LaunchConversion::convert(gpu::LaunchFuncOp op) {
  b.setInsertionPoint(op);
  location = op.getLoc();
  auto binary = symbols.lookup<gpu::BinaryOp>(op.getKernelModuleName());
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  std::string content = object.getObject().str();
  // The driver reads text up to its end.
  if (object.getFormat() == gpu::CompilationTarget::Assembly &&
      !StringRef(content).ends_with(StringRef("\0", 1)))
    content += '\0';
  std::string kernelName = op.getKernelName().str();
  Value image =
      constant((binary.getName() + "_image").str(), content, kImageAlignment);
  Value name = constant((binary.getName() + "_name_" + kernelName).str(),
                        kernelName + '\0', /*alignment=*/1);
  Value kernel = call(
      "mercury_kernel", pointerType,
      ValueRange{function.getArgument(0), image, i64(content.size()), name});
  for (auto [i, operand] : llvm::enumerate(op.getKernelOperands()))
    slots->store(b, loc(), i, parameter(operand));
  SmallVector<Value> operands{kernel};
  gpu::KernelDim3 grid = op.getGridSizeOperandValues(),
                  block = op.getBlockSizeOperandValues();
  for (Value size : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
    operands.push_back(parameter(size));
  Value shared = op.getDynamicSharedMemorySize();
  operands.push_back(shared ? shared
                            : arith::ConstantIntOp::create(b, loc(), 0, 32));
  operands.append({op.getAsyncObject(), slots->getPointers(),
                   LLVM::ZeroOp::create(b, loc(), pointerType),
                   i64(op.getNumKernelOperands())});
  call("mgpuLaunchKernel", {}, operands);
  op.erase();
}

static bool isParameter(Type type) {
  if (type.isIntOrIndexOrFloat())
    return type.isIndex() || type.getIntOrFloatBitWidth() <= 64;
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return isa<LLVM::LLVMPointerType>(type) ||
         (memref && succeeded(memref.getStridesAndOffset(strides, offset)) &&
          offset == 0);
}

LogicalResult LaunchConversion::run() {
  SmallVector<gpu::LaunchFuncOp> launches;
  function.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
  if (launches.empty())
    return success();
  if (!function.getNumArguments() ||
      function.getArgumentTypes().front() != pointerType)
    return function.emitError(
        "launches kernels and has no context as its first argument");
  size_t most = 0;
  for (gpu::LaunchFuncOp op : launches) {
    auto binary = symbols.lookup<gpu::BinaryOp>(op.getKernelModuleName());
    if (!binary || binary.getObjects().size() != 1)
      return op.emitOpError()
             << "launches a kernel of @" << op.getKernelModuleName().getValue()
             << ", which is not a gpu.binary of one object";
    if (!op.getAsyncObject() || op.getNumResults() ||
        !op.getAsyncDependencies().empty() || op.hasClusterSize())
      return op.emitOpError("expects a stream and neither tokens nor clusters");
    for (Type type : op.getKernelOperands().getTypes())
      if (!isParameter(type))
        return op.emitOpError()
               << "passes " << type
               << ", which is neither a buffer without offset nor a number";
    most = std::max<size_t>(most, op.getNumKernelOperands());
  }
  slots.emplace(function, most);
  for (gpu::LaunchFuncOp op : launches)
    convert(op);
  return success();
}

namespace {
struct ConvertGpuToRuntimePass
    : public mercury::impl::ConvertGpuToRuntimePassBase<
          ConvertGpuToRuntimePass> {
  using ConvertGpuToRuntimePassBase::ConvertGpuToRuntimePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(LaunchConversion(function, symbols).run()))
        return signalPassFailure();
    for (auto binary :
         llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
      binary.erase();
    if (module.getOps<gpu::GPUModuleOp>().empty())
      module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
