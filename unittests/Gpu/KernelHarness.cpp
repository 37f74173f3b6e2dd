//===- KernelHarness.cpp - Device code against host code ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "Jit.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/InitAll.h"
#include "Mercury/Runtime/mercury_simt.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <random>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

/// Calls `body` and collects what is diagnosed.
template <typename F>
static std::string diagnosticsOf(MLIRContext *context, F body) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    return success();
  });
  if (succeeded(body()))
    return "";
  return text.empty() ? "failed without a diagnostic" : text;
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

static std::unique_ptr<MLIRContext> makeContext() {
  static const bool isRegistered = [] {
    registerAllPasses();
    return true;
  }();
  (void)isRegistered;
  DialectRegistry registry;
  registerAllDialects(registry);
  // Kernels are small, and tests run side by side.
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

/// The one function with commir.kernel, or of a gpu.module.
static FunctionOpInterface findKernel(ModuleOp module) {
  FunctionOpInterface found;
  module.walk([&](FunctionOpInterface function) {
    if (function->hasAttr(commir::kKernelAttrName) ||
        isa<gpu::GPUFuncOp>(function))
      found = function;
  });
  return found;
}

llvm::Expected<Kernel> Kernel::parse(const std::string &text) {
  Kernel kernel;
  kernel.context = makeContext();
  std::string error = diagnosticsOf(kernel.context.get(), [&] {
    kernel.module = parseSourceString<ModuleOp>(text, kernel.context.get());
    return success(static_cast<bool>(kernel.module));
  });
  if (!error.empty())
    return llvm::createStringError(error);
  FunctionOpInterface function = findKernel(*kernel.module);
  if (!function)
    return llvm::createStringError("the module has no kernel");
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Type type = function.getArgumentTypes()[i];
    kernel.types.push_back(type);
    auto aligned = function.getArgAttrOfType<IntegerAttr>(i, "llvm.align");
    auto memref = dyn_cast<MemRefType>(type);
    int64_t bits = !memref || memref.getElementType().isIndex()
                       ? 64
                       : memref.getElementTypeBitWidth();
    kernel.alignments.push_back(aligned ? aligned.getInt() : (bits + 7) / 8);
  }
  return kernel;
}

KernelArguments Kernel::makeArguments(unsigned seed) const {
  KernelArguments arguments(types.size());
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (auto [argument, type, alignment] :
       llvm::zip_equal(arguments, types, alignments)) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      continue;
    argument.buffer.emplace(memref, alignment);
    bool isFloat = isa<FloatType>(memref.getElementType());
    int64_t range = memref.getElementType().isInteger(1) ? 2 : 9;
    for (int64_t i = 0; i < argument->size(); ++i)
      argument->set(i, isFloat ? normal(random)
                               : int64_t(random() % range) - range / 2);
  }
  return arguments;
}

llvm::Expected<Kernel::Module> Kernel::after(const std::string &passes) const {
  Module copy = module.get().clone();
  std::string error = diagnosticsOf(context.get(), [&] {
    PassManager pm(context.get());
    if (failed(parsePassPipeline(passes, pm)))
      return failure();
    return pm.run(*copy);
  });
  if (!error.empty())
    return llvm::createStringError(error);
  return copy;
}

//===----------------------------------------------------------------------===//
// On CPUs
//===----------------------------------------------------------------------===//

llvm::Expected<KernelProgram> Kernel::compile(Module lowered) const {
  KernelProgram program;
  auto function =
      dyn_cast_or_null<func::FuncOp>(findKernel(*lowered).getOperation());
  if (!function)
    return llvm::createStringError("the module has no function for CPUs");
  function.setPublic();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(context.get()));
  program.function = "_mlir_ciface_" + function.getSymName().str();
  program.types = types;
  std::string error = diagnosticsOf(context.get(), [&] {
    PassManager pm(context.get());
    buildLowerBufferizedToLLVM(pm);
    return pm.run(*lowered);
  });
  if (!error.empty())
    return llvm::createStringError(error);
  auto engine = run::createEngine(*lowered, /*optLevel=*/1);
  if (!engine)
    return engine.takeError();
  program.engine = std::move(*engine);
  return program;
}

llvm::Expected<KernelProgram> Kernel::loops() const {
  return compile(module.get().clone());
}

llvm::Expected<KernelProgram> Kernel::emulated(const std::string &chip,
                                               bool checks) const {
  auto lowered = after(
      "mercury-lower-kernels-to-gpu{chip=" + chip +
      "},mercury-emulate-kernels{checks=" + (checks ? "true" : "false") + "}");
  if (!lowered)
    return lowered.takeError();
  return compile(std::move(*lowered));
}

std::string KernelProgram::run(KernelArguments &arguments) const {
  std::vector<std::vector<int64_t>> descriptors(arguments.size());
  std::vector<void *> pointers(arguments.size()), packed;
  std::vector<int64_t> slots(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument &argument = arguments[i];
    if (argument.buffer) {
      descriptors[i] = argument->descriptor();
      pointers[i] = descriptors[i].data();
      packed.push_back(&pointers[i]);
      continue;
    }
    auto store = [&](auto value) { memcpy(&slots[i], &value, sizeof(value)); };
    if (types[i].isF32())
      store(static_cast<float>(argument.number));
    else if (types[i].isF64())
      store(argument.number);
    else
      store(static_cast<int64_t>(argument.number));
    packed.push_back(&slots[i]);
  }
  mercury_simt_clear_error();
  if (llvm::Error error = engine->invokePacked(function, packed))
    return llvm::toString(std::move(error));
  return mercury_simt_error();
}
