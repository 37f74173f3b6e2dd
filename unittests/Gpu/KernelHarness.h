//===- KernelHarness.h - Device code against host code ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is text: a module with one function that has `commir.kernel`, made
// of ops on its arguments, or a gpu.module with one device function.
// checkKernel runs the device code that Mercury makes of it, on CPUs, under
// several orders of threads, and compares with the function as plain loops:
//
//   KernelCheck check;
//   check.text = R"(
//     func.func private @k(%a: memref<5x7xf32, strided<[8, 1]>>,
//                          %b: memref<5x7xf32>) attributes {commir.kernel} {
//       linalg.exp ins(%a : memref<5x7xf32, strided<[8, 1]>>)
//                  outs(%b : memref<5x7xf32>)
//       return
//     })";
//   checkKernel(check);
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_GPU_KERNELHARNESS_H
#define MERCURY_UNITTESTS_GPU_KERNELHARNESS_H

#include "KernelBuffer.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <optional>

namespace mercury::test {

/// A buffer or, where there is none, a number (index, an integer of at most 64
/// bits, f32 or f64).
struct KernelArgument {
  std::optional<KernelBuffer> buffer;
  double number = 0;

  KernelBuffer *operator->() { return &*buffer; }
  const KernelBuffer *operator->() const { return &*buffer; }
  KernelBuffer &operator*() { return *buffer; }
  const KernelBuffer &operator*() const { return *buffer; }
};
using KernelArguments = std::vector<KernelArgument>;

/// Machine code of this process that does what a kernel does.
class KernelProgram {
public:
  /// Returns what went wrong, "" when nothing did: a fault that libmercury_simt
  /// found.
  std::string run(KernelArguments &arguments) const;

private:
  friend class Kernel;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  std::string function;
  std::vector<mlir::Type> types;
};

/// What ptxas says of a kernel.
struct KernelResources {
  int64_t registers = 0;    ///< of a thread
  int64_t sharedBytes = 0;  ///< of a block
  int64_t spilledBytes = 0; ///< stored, then loaded
};

class Kernel {
public:
  /// Error, here and below: the diagnostics.
  static llvm::Expected<Kernel> parse(const std::string &text);
  Kernel(Kernel &&) = default;

  /// Random buffers: normal values; integers from -4 to 4. Aligned to
  /// `llvm.align` of the argument or the size of an element. Numbers are 0.
  KernelArguments makeArguments(unsigned seed) const;

  /// The function as plain loops. Not for a gpu.module.
  llvm::Expected<KernelProgram> loops() const;
  /// The device code for `chip` on CPUs; with or without `checks` of
  /// mercury-emulate-kernels.
  llvm::Expected<KernelProgram> emulated(const std::string &chip = "sm_90a",
                                         bool checks = true) const;

  /// The module with the device code, in MLIR and as PTX.
  llvm::Expected<std::string> deviceCode(const std::string &chip) const;
  llvm::Expected<std::string> ptx(const std::string &chip) const;
  /// What ptxas makes of it; for where hasPtxas().
  llvm::Expected<KernelResources> assemble(const std::string &chip) const;

private:
  using Module = mlir::OwningOpRef<mlir::ModuleOp>;
  Kernel() = default;
  /// A copy of the module after passes.
  llvm::Expected<Module> after(const std::string &passes) const;
  llvm::Expected<KernelProgram> compile(Module lowered) const;

  std::unique_ptr<mlir::MLIRContext> context; // outlives the module
  Module module;
  std::vector<mlir::Type> types;
  std::vector<int64_t> alignments;
};

/// Whether $CUDA_HOME has ptxas and libdevice.
bool hasPtxas();

/// Ends a test as skipped where there is no ptxas.
#define MERCURY_NEEDS_PTXAS()                                                  \
  if (!mercury::test::hasPtxas())                                              \
  GTEST_SKIP() << "no ptxas in $CUDA_HOME/bin"

struct KernelCheck {
  std::string text;
  std::string chip = "sm_90a";
  unsigned seed = 1;
  /// The greatest relative norm of each buffer's difference.
  double tolerance = 1e-5;
  /// Changes the random arguments before anything runs.
  std::function<void(KernelArguments &)> prepare;
  /// Does what the kernel should; otherwise its plain loops do.
  std::function<void(KernelArguments &)> reference;
  std::vector<std::string> orders = {"ascending", "descending", "random:1",
                                     "random:2"};
};

/// Fails the test when, under one of the orders, device code records a fault,
/// writes outside of a buffer's elements, changes a buffer that the reference
/// leaves alone, or has another result. Returns the greatest relative norm.
double checkKernel(const KernelCheck &check);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_GPU_KERNELHARNESS_H
