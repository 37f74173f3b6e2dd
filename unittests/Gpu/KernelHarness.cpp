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
#include "Mercury/Transforms/Gpu/Chip.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"

#include <cmath>
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
  auto function = dyn_cast_or_null<func::FuncOp>(
      findKernel(*lowered).getOperation());
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
  auto lowered = after("mercury-lower-kernels-to-gpu{chip=" + chip +
                       "},mercury-emulate-kernels{checks=" +
                       (checks ? "true" : "false") + "}");
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

//===----------------------------------------------------------------------===//
// For devices
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> Kernel::deviceCode(const std::string &chip) const {
  auto lowered = after("mercury-lower-kernels-to-gpu{chip=" + chip + "}");
  if (!lowered)
    return lowered.takeError();
  std::string text;
  llvm::raw_string_ostream(text) << **lowered;
  return text;
}

llvm::Expected<std::string> Kernel::ptx(const std::string &name) const {
  llvm::Expected<Chip> chip = findChip(name);
  if (!chip)
    return chip.takeError();
  auto lowered = after(
      "mercury-lower-kernels-to-gpu{chip=" + name +
      "},nvvm-attach-target{chip=" + name +
      " features=" + chip->defaultFeatures.str() +
      " O=3},gpu.module(convert-vector-to-scf,convert-scf-to-cf,"
      "expand-strided-metadata,lower-affine,"
      "convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv},canonicalize,cse,"
      "reconcile-unrealized-casts),gpu-module-to-binary{format=isa}");
  if (!lowered)
    return lowered.takeError();
  std::string text;
  (*lowered)->walk([&](gpu::BinaryOp binary) {
    for (Attribute object : binary.getObjects())
      text += cast<gpu::ObjectAttr>(object).getObject().getValue().str();
  });
  return text;
}

static std::string ptxasPath() {
  auto root = llvm::sys::Process::GetEnv("CUDA_HOME");
  return root ? *root + "/bin/ptxas" : "";
}

bool mercury::test::hasPtxas() {
  return llvm::sys::fs::can_execute(ptxasPath());
}

llvm::Expected<KernelResources>
Kernel::assemble(const std::string &chip) const {
  auto text = ptx(chip);
  if (!text)
    return text.takeError();
  SmallString<64> source, report;
  int descriptor;
  if (auto error = llvm::sys::fs::createTemporaryFile("mercury", "ptx",
                                                      descriptor, source))
    return llvm::errorCodeToError(error);
  llvm::FileRemover removeSource(source);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << *text;
  if (auto error = llvm::sys::fs::createTemporaryFile("mercury", "txt", report))
    return llvm::errorCodeToError(error);
  llvm::FileRemover removeReport(report);
  std::string ptxas = ptxasPath(), arch = "-arch=" + chip;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, "-v", arch, source, "-o", "/dev/null"}, std::nullopt,
      {std::nullopt, StringRef(report), StringRef(report)});
  auto said = llvm::MemoryBuffer::getFile(report);
  if (!said)
    return llvm::errorCodeToError(said.getError());
  StringRef output = (*said)->getBuffer();
  if (status != 0)
    return llvm::createStringError("ptxas: " + output + "\n" + *text);
  auto number = [&](StringRef pattern) -> int64_t {
    SmallVector<StringRef> matches;
    if (!llvm::Regex(pattern).match(output, &matches))
      return 0;
    return std::stoll(matches[1].str());
  };
  KernelResources resources;
  resources.registers = number("Used ([0-9]+) registers");
  resources.sharedBytes = number("([0-9]+) bytes smem");
  resources.spilledBytes = number("([0-9]+) bytes spill stores");
  return resources;
}

//===----------------------------------------------------------------------===//
// checkKernel
//===----------------------------------------------------------------------===//

/// Compares one run. Returns the greatest norm.
static double compare(const KernelArguments &before,
                      const KernelArguments &expected,
                      const KernelArguments &actual, double tolerance) {
  double greatest = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!actual[i].buffer)
      continue;
    EXPECT_TRUE(actual[i]->isIntact())
        << "wrote outside of the elements of argument " << i;
    if (*expected[i] == *before[i]) {
      EXPECT_TRUE(*actual[i] == *before[i]) << "changed argument " << i;
      continue;
    }
    double norm = relativeNorm(*actual[i], *expected[i]);
    EXPECT_LE(norm, tolerance) << "argument " << i;
    greatest = std::max(greatest, norm);
  }
  return greatest;
}

double mercury::test::checkKernel(const KernelCheck &check) {
  SCOPED_TRACE(check.chip + ", seed " + std::to_string(check.seed) + "\n" +
               check.text);
  auto failed = [](llvm::Error error) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return std::numeric_limits<double>::infinity();
  };
  auto kernel = Kernel::parse(check.text);
  if (!kernel)
    return failed(kernel.takeError());
  KernelArguments before = kernel->makeArguments(check.seed);
  if (check.prepare)
    check.prepare(before);
  KernelArguments expected = before;
  if (check.reference) {
    check.reference(expected);
  } else {
    auto loops = kernel->loops();
    if (!loops)
      return failed(loops.takeError());
    EXPECT_EQ(loops->run(expected), "");
  }
  auto program = kernel->emulated(check.chip);
  if (!program)
    return failed(program.takeError());
  double greatest = 0;
  for (const std::string &order : check.orders) {
    SCOPED_TRACE(order);
    EXPECT_EQ(mercury_simt_set_order(order.c_str()), 0);
    KernelArguments actual = before;
    EXPECT_EQ(program->run(actual), "");
    greatest = std::max(
        greatest, compare(before, expected, actual, check.tolerance));
    if (testing::Test::HasFailure())
      break; // the other orders say the same
  }
  mercury_simt_set_order("ascending");
  return greatest;
}
