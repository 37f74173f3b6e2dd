//===- DeviceCode.h - Device code of many programs --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_DEVICECODE_H
#define MERCURY_UNITTESTS_INTEGRATION_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace mercury::test {

/// The path of ptxas: in PATH, or below CUDA_HOME, CUDA_ROOT, CUDA_PATH or
/// /usr/local/cuda. "" where there is none.
std::string findPtxas();

/// What ptxas says of a kernel.
struct AssembledKernel {
  std::string program;      ///< the first that has the kernel
  std::string kernel;       ///< its name there
  int64_t registers = 0;    ///< of a thread
  int64_t sharedBytes = 0;  ///< of a block, static
  int64_t stackBytes = 0;   ///< of a thread: arrays that are indexed
  int64_t spilledBytes = 0; ///< of a thread, stored and loaded
};

/// `module` distributed by `schedule` on `topology`, up to where the chip starts
/// to matter: kernels are functions, events are in. Diagnostics say what failed.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
outlineProgram(mlir::ModuleOp module, const std::string &schedule,
               const std::string &topology);

/// The device functions of many programs for one chip, equal ones once.
class DeviceCode {
public:
  DeviceCode(mlir::MLIRContext *context, std::string chip);

  /// Writes the kernels of `outlined` for the chip and keeps the new ones.
  llvm::Error add(mlir::ModuleOp outlined, const std::string &program);

  /// How many kernels there are.
  size_t size() const { return origins.size(); }
  /// All of them as PTX.
  llvm::Expected<std::string> ptx() const;
  /// What `ptxas` makes of them.
  llvm::Expected<std::vector<AssembledKernel>>
  assemble(const std::string &ptxas) const;

private:
  struct Origin {
    std::string program, kernel;
  };
  std::string chip;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, std::string> nameOfText;
  std::map<std::string, Origin> origins; ///< by name in the module
};

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_DEVICECODE_H
