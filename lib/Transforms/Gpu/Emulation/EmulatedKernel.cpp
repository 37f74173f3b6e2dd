//===- EmulatedKernel.cpp - A device function on CPUs ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"
#include "ElementBytes.h"
#include "EmulatedAccess.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Runtime/mercury_simt.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static_assert(static_cast<int>(gpu::ShuffleMode::XOR) == MERCURY_SIMT_XOR &&
              static_cast<int>(gpu::ShuffleMode::DOWN) == MERCURY_SIMT_DOWN &&
              static_cast<int>(gpu::ShuffleMode::UP) == MERCURY_SIMT_UP &&
              static_cast<int>(gpu::ShuffleMode::IDX) == MERCURY_SIMT_INDEX);

/// The least alignment of a buffer in shared memory, bytes.
static constexpr int64_t kSharedAlignment = 16;

/// Arguments of a thread before its ids: itself, parameters, shared memory.
enum { kThread, kParameters, kShared, kThreadId, kBlockId = 6, kNumArgs = 9 };

namespace {
/// Turns one kernel into two functions.
class KernelEmulator {
public:
  KernelEmulator(gpu::GPUFuncOp kernel, SymbolTable &symbols, bool checks)
      : kernel(kernel), symbols(symbols), checks(checks), loc(kernel.getLoc()),
        converter(kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  FailureOr<func::FuncOp> run();

private:
  LogicalResult check();
  void nameOps();
  void eraseMemorySpaces();
  func::FuncOp makeThread();
  void replaceArguments(Block &entry);
  void replaceOps();
  func::FuncOp makeLauncher();
  void launch(func::FuncOp launcher, func::FuncOp thread);
  Value text(OpBuilder &b, StringRef content);
  Value buffer(OpBuilder &b, Value memory, MemRefType type);

  gpu::GPUFuncOp kernel;
  SymbolTable &symbols;
  bool checks;
  Location loc;
  LLVMTypeConverter converter;
  Type pointer;
  std::string name; ///< of the function that replaces it
  int64_t sharedBytes = 0;
  Block *entry = nullptr; ///< of a thread
  SmallVector<Type> argumentTypes;
  /// An op that calls the runtime.
  struct Site {
    Operation *op;
    std::string text; ///< how it is told to a user
    bool isShared;    ///< accesses the memory of the block
  };
  SmallVector<Site> sites;
};
} // namespace

//===----------------------------------------------------------------------===//
// What can be emulated
//===----------------------------------------------------------------------===//

static bool isPlain(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type.isIntOrIndexOrFloat();
  if (!isPlain(memref.getElementType()))
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return memref.hasStaticShape() &&
         succeeded(memref.getStridesAndOffset(strides, offset)) &&
         offset == 0 && !ShapedType::isDynamicShape(strides);
}

static LogicalResult checkOp(Operation *op) {
  if (!isa_and_nonnull<gpu::GPUDialect>(op->getDialect()))
    return success();
  if (isa<gpu::GPUFuncOp, gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp,
          gpu::GridDimOp, gpu::BarrierOp, gpu::ReturnOp>(op))
    return success();
  auto shuffle = dyn_cast<gpu::ShuffleOp>(op);
  if (!shuffle)
    return op->emitOpError("is not emulated");
  llvm::APInt width;
  if (!matchPattern(shuffle.getWidth(), m_ConstantInt(&width)) ||
      width != MERCURY_SIMT_WARP)
    return op->emitOpError("is emulated for a constant width of ")
           << int(MERCURY_SIMT_WARP) << " only";
  Type type = shuffle.getValue().getType();
  if (!type.isF32() && !type.isInteger(32))
    return op->emitOpError("is emulated for f32 and i32, not for ") << type;
  return success();
}

LogicalResult KernelEmulator::check() {
  if (!kernel.isKernel())
    return kernel.emitOpError("is no kernel, and is not emulated");
  if (!kernel.getKnownGridSize() || !kernel.getKnownBlockSize())
    return kernel.emitOpError("needs known_grid_size and known_block_size");
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Type type = argument.getType();
    auto memref = dyn_cast<MemRefType>(type);
    bool isAttribution = argument.getArgNumber() >= kernel.getNumArguments();
    if (!isPlain(type) || (memref && memref.getMemorySpace() && !isAttribution))
      return kernel.emitOpError("has an argument of type ")
             << type
             << "; numbers, and buffers of static layout without offset or "
                "memory space, are emulated";
  }
  WalkResult result = kernel.walk([](Operation *op) {
    return failed(checkOp(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// As values are called in the kernel, so that a message can be looked up
/// there.
void KernelEmulator::nameOps() {
  OpPrintingFlags flags;
  flags.skipRegions();
  AsmState state(kernel, flags);
  kernel.walk([&](Operation *op) {
    std::optional<EmulatedAccess> access;
    if (checks)
      access = emulatedAccess(op);
    if (!access && !isa<gpu::BarrierOp, gpu::ShuffleOp>(op))
      return;
    Site &site = sites.emplace_back();
    site.op = op;
    site.isShared = access && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                                  cast<MemRefType>(access->memory.getType()));
    llvm::raw_string_ostream os(site.text);
    op->print(os, state);
  });
}

//===----------------------------------------------------------------------===//
// A thread
//===----------------------------------------------------------------------===//

/// On a CPU there is one memory.
void KernelEmulator::eraseMemorySpaces() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!isa_and_present<gpu::AddressSpaceAttr>(type.getMemorySpace()))
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

Value KernelEmulator::text(OpBuilder &b, StringRef content) {
  OpBuilder detached(b.getContext());
  std::string bytes = content.str() + '\0';
  auto global = LLVM::GlobalOp::create(
      detached, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name + "_text",
      b.getStringAttr(bytes));
  symbols.insert(global);
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// The memref of `type` at the pointer `memory`.
Value KernelEmulator::buffer(OpBuilder &b, Value memory, MemRefType type) {
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, loc, converter, type, memory);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

func::FuncOp KernelEmulator::makeThread() {
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> types(kNumArgs, IndexType::get(context));
  std::fill_n(types.begin(), static_cast<size_t>(kThreadId), pointer);
  auto thread = func::FuncOp::create(loc, name + "_thread",
                                     FunctionType::get(context, types, {}));
  thread.setPrivate();
  symbols.insert(thread);
  thread.getBody().takeBody(kernel.getBody());
  entry = &thread.getBody().front();
  for (auto [i, type] : llvm::enumerate(types))
    entry->insertArgument(i, type, loc);
  replaceArguments(*entry);
  entry->eraseArguments(kNumArgs, entry->getNumArguments() - kNumArgs);
  return thread;
}

/// What the kernel's arguments and attributions are to a thread.
void KernelEmulator::replaceArguments(Block &entry) {
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  unsigned numWorkgroup = kernel.getNumWorkgroupAttributions();
  for (auto [i, argument] :
       llvm::enumerate(entry.getArguments().drop_front(kNumArgs))) {
    Type type = argument.getType();
    auto memref = dyn_cast<MemRefType>(type);
    auto at = [&](Value base, Type element, int32_t index) -> Value {
      return LLVM::GEPOp::create(b, loc, pointer, element, base,
                                 ArrayRef<LLVM::GEPArg>{index});
    };
    Value value;
    if (i < argumentTypes.size()) {
      Value slot = at(entry.getArgument(kParameters), b.getI64Type(), i);
      Type stored = memref ? pointer : type.isIndex() ? b.getI64Type() : type;
      value = LLVM::LoadOp::create(b, loc, stored, slot);
      if (memref)
        value = buffer(b, value, memref);
      else if (type.isIndex())
        value = arith::IndexCastOp::create(b, loc, type, value);
    } else if (i < argumentTypes.size() + numWorkgroup) {
      auto aligned =
          dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
              i - argumentTypes.size(), LLVM::LLVMDialect::getAlignAttrName()));
      sharedBytes = llvm::alignTo(
          sharedBytes,
          std::max<int64_t>(kSharedAlignment, aligned ? aligned.getInt() : 0));
      value =
          buffer(b, at(entry.getArgument(kShared), b.getI8Type(), sharedBytes),
                 memref);
      sharedBytes +=
          memref.getNumElements() * elementBytes(memref.getElementType());
    } else {
      value = memref::AllocaOp::create(b, loc, memref);
    }
    argument.replaceAllUsesWith(value);
  }
}

/// Barriers, shuffles, checks and the end.
void KernelEmulator::replaceOps() {
  Value thread = entry->getArgument(kThread);
  for (auto &[op, name, isShared] : sites) {
    OpBuilder b(op);
    Value opText = text(b, name);
    if (std::optional<EmulatedAccess> access = emulatedAccess(op)) {
      checkAccess(symbols, op, *access, isShared, thread, opText);
      continue;
    }
    auto shuffle = dyn_cast<gpu::ShuffleOp>(op);
    if (!shuffle) {
      callRuntime(symbols, b, op->getLoc(), "mercury_simt_barrier", {},
                  ValueRange{thread, opText});
      op->erase();
      continue;
    }
    Location loc = op->getLoc();
    Type type = shuffle.getValue().getType(), i32 = b.getI32Type(),
         i64 = b.getI64Type();
    Value mode = arith::ConstantIntOp::create(
        b, loc, static_cast<int64_t>(shuffle.getMode()), 32);
    Value value = shuffle.getValue();
    if (type != i32)
      value = arith::BitcastOp::create(b, loc, i32, value);
    Value result = callRuntime(
        symbols, b, loc, "mercury_simt_shuffle", i64,
        ValueRange{thread, value, shuffle.getOffset(), mode, opText});
    Value high = arith::ConstantIntOp::create(b, loc, 32, 64);
    high = arith::ShRUIOp::create(b, loc, result, high);
    Value isValid = arith::TruncIOp::create(b, loc, b.getI1Type(), high);
    result = arith::TruncIOp::create(b, loc, i32, result);
    if (type != i32)
      result = arith::BitcastOp::create(b, loc, type, result);
    op->replaceAllUsesWith(ValueRange{result, isValid});
    op->erase();
  }
  auto of = [](DenseI32ArrayAttr extents, gpu::Dimension dim) -> int64_t {
    return extents[static_cast<unsigned>(dim)];
  };
  auto id = [&](unsigned first, gpu::Dimension dim) -> Value {
    return entry->getArgument(first + static_cast<unsigned>(dim));
  };
  entry->getParentOp()->walk([&](Operation *op) {
    OpBuilder b(op);
    Value value =
        TypeSwitch<Operation *, Value>(op)
            .Case([&](gpu::ThreadIdOp op) {
              return id(kThreadId, op.getDimension());
            })
            .Case([&](gpu::BlockIdOp op) {
              return id(kBlockId, op.getDimension());
            })
            .Case([&](gpu::BlockDimOp op) {
              return arith::ConstantIndexOp::create(
                  b, op.getLoc(),
                  of(kernel.getKnownBlockSizeAttr(), op.getDimension()));
            })
            .Case([&](gpu::GridDimOp op) {
              return arith::ConstantIndexOp::create(
                  b, op.getLoc(),
                  of(kernel.getKnownGridSizeAttr(), op.getDimension()));
            })
            .Default(Value());
    if (value)
      op->replaceAllUsesWith(ValueRange{value});
    else if (isa<gpu::ReturnOp>(op))
      func::ReturnOp::create(b, op->getLoc());
    else
      return;
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

/// The function without a body.
func::FuncOp KernelEmulator::makeLauncher() {
  MLIRContext *context = kernel.getContext();
  auto launcher = func::FuncOp::create(
      loc, kernel.getName(), FunctionType::get(context, argumentTypes, {}));
  launcher.setPrivate();
  launcher->setAttr(kKernelAttrName, UnitAttr::get(context));
  if (ArrayAttr attributes = kernel.getArgAttrsAttr())
    launcher.setArgAttrsAttr(attributes);
  symbols.insert(launcher);
  return launcher;
}

void KernelEmulator::launch(func::FuncOp launcher, func::FuncOp thread) {
  OpBuilder b = OpBuilder::atBlockBegin(launcher.addEntryBlock());
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  // A slot of 8 bytes for each, as a launch on a device takes them.
  Value parameters = LLVM::AllocaOp::create(
      b, loc, pointer, i64,
      constant(std::max<size_t>(1, argumentTypes.size())));
  for (auto [i, argument] : llvm::enumerate(launcher.getArguments())) {
    Value value = argument;
    if (isa<MemRefType>(value.getType()))
      value = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, value);
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, i64, value);
    Value slot =
        LLVM::GEPOp::create(b, loc, pointer, i64, parameters,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, loc, value, slot);
  }
  Value code = func::ConstantOp::create(b, loc, thread.getFunctionType(),
                                        thread.getSymName());
  code = UnrealizedConversionCastOp::create(b, loc, pointer, code).getResult(0);
  SmallVector<Value> operands{text(b, name), code, parameters};
  for (DenseI32ArrayAttr extents :
       {kernel.getKnownGridSizeAttr(), kernel.getKnownBlockSizeAttr()})
    for (int32_t extent : extents.asArrayRef())
      operands.push_back(constant(extent));
  operands.push_back(constant(sharedBytes));
  callRuntime(symbols, b, loc, "mercury_simt_run", {}, operands);
  func::ReturnOp::create(b, loc);
}

FailureOr<func::FuncOp> KernelEmulator::run() {
  if (failed(check()))
    return failure();
  argumentTypes = llvm::to_vector(kernel.getArgumentTypes());
  func::FuncOp launcher = makeLauncher();
  name = launcher.getSymName().str();
  nameOps();
  eraseMemorySpaces();
  func::FuncOp thread = makeThread();
  replaceOps();
  launch(launcher, thread);
  return launcher;
}

FailureOr<func::FuncOp> mercury::emulateKernel(gpu::GPUFuncOp kernel,
                                               SymbolTable &symbols,
                                               bool checks) {
  return KernelEmulator(kernel, symbols, checks).run();
}
