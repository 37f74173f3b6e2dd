//===- Object.cpp - Programs as object files ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Object.h"
#include "RunError.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace mercury::run {

using TargetMachine = std::unique_ptr<llvm::TargetMachine>;

static llvm::Expected<TargetMachine> createMachine(unsigned optLevel,
                                                   bool portable) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::orc::JITTargetMachineBuilder builder{
      llvm::Triple(llvm::sys::getProcessTriple())};
  if (!portable) {
    auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!host)
      return host.takeError();
    builder = std::move(*host);
  }
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(optLevel));
  return builder.createTargetMachine();
}

llvm::Error emitObject(mlir::ModuleOp module, unsigned optLevel, bool portable,
                       llvm::StringRef path) {
  llvm::Expected<TargetMachine> machine = createMachine(optLevel, portable);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(module, context);
  if (!code)
    return runtimeFailure("cannot translate the program to LLVM IR");
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  auto optimize = mlir::makeOptimizingTransformer(optLevel, /*sizeLevel=*/0,
                                                  machine->get());
  if (llvm::Error error = optimize(code.get()))
    return error;
  std::error_code failure;
  llvm::ToolOutputFile file(path, failure, llvm::sys::fs::OF_None);
  if (failure)
    return badInput("cannot write '" + path + "': " + failure.message());
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, file.os(), nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return runtimeFailure("this target has no object files");
  passes.run(*code);
  file.os().flush();
  if (file.os().has_error())
    return badInput("cannot write '" + path +
                    "': " + file.os().error().message());
  file.keep();
  return llvm::Error::success();
}

} // namespace mercury::run
