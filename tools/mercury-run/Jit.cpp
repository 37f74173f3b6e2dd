//===- Jit.cpp - Machine code in this process -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "HostLibrary.h"
#include "HostTensor.h"
#include "RunError.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ADT/bit.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>

namespace mercury::run {

// What lowered code calls. _Float16 and __bf16 are passed alike on x86-64 (the
// low half of an SSE register) and AArch64, and every compiler has the former.
#ifdef __FLT16_MAX__
using Half = _Float16;
static Half truncateFloatToHalf(float x) {
  return llvm::bit_cast<Half>(encodeF16(x));
}
static Half truncateDoubleToHalf(double x) {
  return llvm::bit_cast<Half>(encodeF16(x));
}
static float extendHalf(Half x) {
  return static_cast<float>(decodeF16(llvm::bit_cast<uint16_t>(x)));
}
static Half truncateDoubleToBFloat(double x) {
  return llvm::bit_cast<Half>(encodeBF16(x));
}
static Half truncateFloatToBFloat(float x) {
  uint32_t bits = llvm::bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) // NaN stays one
    return llvm::bit_cast<Half>(static_cast<uint16_t>(bits >> 16 | 0x40));
  bits += 0x7fff + (bits >> 16 & 1);
  return llvm::bit_cast<Half>(static_cast<uint16_t>(bits >> 16));
}
#endif

namespace {
/// The memref descriptor of the C interface, its rank known at run time.
struct UnrankedMemRef {
  int64_t rank;
  void *descriptor;
};
struct Descriptor {
  char *allocated, *aligned;
  int64_t offset;
  int64_t sizesThenStrides[1];
};
} // namespace

/// memref.copy between layouts that are not both the identity.
static void copyStrided(int64_t elementSize, UnrankedMemRef *source,
                        UnrankedMemRef *target) {
  auto *from = static_cast<Descriptor *>(source->descriptor);
  auto *to = static_cast<Descriptor *>(target->descriptor);
  int64_t rank = source->rank;
  const int64_t *sizes = from->sizesThenStrides;
  const int64_t *fromStrides = sizes + rank;
  const int64_t *toStrides = to->sizesThenStrides + rank;
  auto copy = [&](auto &self, int64_t dim, const char *in, char *out) -> void {
    if (dim == rank) {
      std::memcpy(out, in, elementSize);
      return;
    }
    if (dim + 1 == rank && fromStrides[dim] == 1 && toStrides[dim] == 1) {
      std::memcpy(out, in, elementSize * sizes[dim]);
      return;
    }
    for (int64_t i = 0; i < sizes[dim]; ++i)
      self(self, dim + 1, in + i * fromStrides[dim] * elementSize,
           out + i * toStrides[dim] * elementSize);
  };
  copy(copy, 0, from->aligned + from->offset * elementSize,
       to->aligned + to->offset * elementSize);
}

static std::atomic<bool> poisonAllocations{false};
void setPoisonAllocations(bool on) { poisonAllocations = on; }

static void *allocate(mercury_context *ctx, int64_t bytes, int32_t memoryClass,
                      int32_t owner) {
  void *memory = hostLibrary().alloc(ctx, bytes, memoryClass, owner);
  if (!memory || !poisonAllocations.load(std::memory_order_relaxed))
    return memory;
  if (hostLibrary().onDevice())
    hostLibrary().fill(ctx, memory, 0xff, bytes);
  else
    std::memset(memory, 0xff, bytes);
  return memory;
}

static llvm::orc::SymbolMap
supportSymbols(llvm::orc::MangleAndInterner intern) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef name, auto *function) {
    symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported |
                                 llvm::JITSymbolFlags::Callable};
  };
#ifdef __FLT16_MAX__
  define("__truncsfhf2", truncateFloatToHalf);
  define("__truncdfhf2", truncateDoubleToHalf);
  define("__extendhfsf2", extendHalf);
  define("__truncsfbf2", truncateFloatToBFloat);
  define("__truncdfbf2", truncateDoubleToBFloat);
#endif
  define("memrefCopy", copyStrided);
  define("mercury_alloc", allocate);
  return symbols;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(unsigned optLevel) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(optLevel));
  // Local tiles are vectorized for the full register width.
  if (builder->getTargetTriple().isX86())
    builder->getFeatures().AddFeature("prefer-256-bit", false);
  return builder->createTargetMachine();
}

llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>>
createEngine(mlir::ModuleOp module, unsigned optLevel) {
  optLevel = std::min(optLevel, 3u);
  hostLibrary(); // has the symbols that the program calls
  auto machine = createTargetMachine(optLevel);
  if (!machine)
    return machine.takeError();
  mlir::ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(optLevel);
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  // The function outlives `create`, which compiles.
  std::function<llvm::Error(llvm::Module *)> optimize;
  if (optLevel) {
    optimize = mlir::makeOptimizingTransformer(optLevel, /*sizeLevel=*/0,
                                               machine->get());
    options.transformer = optimize;
  }
  auto engine =
      mlir::ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(supportSymbols);
  return engine;
}

llvm::Error loadSymbols(llvm::StringRef library) {
  if (!dlopen(library.str().c_str(), RTLD_NOW | RTLD_GLOBAL))
    return badInput("cannot load '" + library + "': " + dlerror());
  return llvm::Error::success();
}

} // namespace mercury::run
