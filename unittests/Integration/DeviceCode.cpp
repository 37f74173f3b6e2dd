//===- DeviceCode.cpp - Device code of many programs ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "Compile.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

std::string test::findPtxas() {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      folders.push_back(std::string(root) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (auto found = llvm::sys::findProgramByName("ptxas", {folder}))
      return *found;
  return "";
}

static llvm::Error failedTo(const llvm::Twine &what) {
  return llvm::createStringError("cannot " + what +
                                 "; see the diagnostics above");
}

llvm::Expected<OwningOpRef<ModuleOp>>
test::outlineProgram(ModuleOp module, const std::string &schedule,
                     const std::string &topology) {
  run::CompileOptions options;
  options.schedule = schedule;
  options.topology = topology;
  run::CompiledProgram program;
  auto spmd = run::lowerProgram(module, options, run::Stage::SPMD, program);
  if (!spmd)
    return spmd.takeError();
  PassManager pm(module.getContext());
  buildDevicePrefix(pm, /*chunks=*/1);
  if (failed(pm.run(**spmd)))
    return failedTo("outline kernels");
  return spmd;
}

DeviceCode::DeviceCode(MLIRContext *context, std::string chip)
    : chip(std::move(chip)),
      module(ModuleOp::create(UnknownLoc::get(context))) {
  (*module)->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                     UnitAttr::get(context));
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  gpu::GPUModuleOp::create(b, module->getLoc(), "kernels");
}

llvm::Error DeviceCode::add(ModuleOp outlined, const std::string &program) {
  OwningOpRef<ModuleOp> copy = outlined.clone();
  PassManager pm(copy->getContext());
  LowerKernelsToGpuPassOptions options;
  options.chip = chip;
  pm.addPass(createLowerKernelsToGpuPass(options));
  if (failed(pm.run(*copy)))
    return failedTo("write device code of " + program);
  auto all = *module->getOps<gpu::GPUModuleOp>().begin();
  SymbolTable symbols(all);
  for (auto kernels : copy->getOps<gpu::GPUModuleOp>()) {
    SymbolTable constants(kernels);
    for (auto function : kernels.getOps<gpu::GPUFuncOp>()) {
      std::string kernel = function.getName().str(), text;
      std::string name = "k" + std::to_string(origins.size());
      function.setName("kernel");
      llvm::raw_string_ostream stream(text);
      stream << function;
      function.walk([&](memref::GetGlobalOp op) {
        stream << *constants.lookup(op.getName());
      });
      function.setName(kernel);
      if (!nameOfText.try_emplace(text, name).second)
        continue;
      auto made = cast<gpu::GPUFuncOp>(function->clone());
      made.setName(name);
      symbols.insert(made);
      made.walk([&](memref::GetGlobalOp op) {
        auto constant = cast<memref::GlobalOp>(
            constants.lookup(op.getName())->clone());
        constant.setSymName(name + "_" + op.getName().str());
        if (!symbols.lookup(constant.getSymName()))
          symbols.insert(constant, all.getBody()->begin());
        op.setName(constant.getSymName());
      });
      origins[name] = {program, kernel};
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> DeviceCode::ptx() const {
  OwningOpRef<ModuleOp> copy = (*module).clone();
  PassManager pm(copy->getContext());
  KernelsToBinaryOptions options;
  options.chip = chip;
  options.format = std::string("isa");
  buildKernelsToBinary(pm, options);
  if (failed(pm.run(*copy)))
    return failedTo("compile kernels for " + chip);
  auto binary = *copy->getOps<gpu::BinaryOp>().begin();
  return cast<gpu::ObjectAttr>(binary.getObjects()[0]).getObject().str();
}

/// Runs ptxas on `text`; what it reports.
static llvm::Expected<std::string> runPtxas(const std::string &ptxas,
                                            const std::string &chip,
                                            const std::string &text) {
  SmallString<64> source, report;
  int descriptor;
  if (auto error = llvm::sys::fs::createTemporaryFile("mercury", "ptx",
                                                      descriptor, source))
    return llvm::errorCodeToError(error);
  llvm::FileRemover removeSource(source);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true)
      << StringRef(text).rtrim('\0');
  if (auto error = llvm::sys::fs::createTemporaryFile("mercury", "txt", report))
    return llvm::errorCodeToError(error);
  llvm::FileRemover removeReport(report);
  std::string arch = "-arch=" + chip, why;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, "-v", arch, source, "-o", "/dev/null"}, std::nullopt,
      {std::nullopt, StringRef(report), StringRef(report)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &why);
  auto said = llvm::MemoryBuffer::getFile(report);
  if (!said)
    return llvm::errorCodeToError(said.getError());
  std::string output = (*said)->getBuffer().str();
  if (status != 0)
    return llvm::createStringError(ptxas + " fails for " + chip + ": " + why +
                                   output);
  return output;
}

llvm::Expected<std::vector<AssembledKernel>>
DeviceCode::assemble(const std::string &ptxas) const {
  llvm::Expected<std::string> text = ptx();
  if (!text)
    return text.takeError();
  llvm::Expected<std::string> report = runPtxas(ptxas, chip, *text);
  if (!report)
    return report.takeError();
  // Of each kernel, one after the other:
  //   ... Compiling entry function 'k0' for 'sm_80'
  //   ... 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
  //   ... Used 40 registers, used 1 barriers, 1024 bytes smem, ...
  std::vector<AssembledKernel> kernels;
  SmallVector<StringRef> lines, found;
  StringRef(*report).split(lines, '\n');
  auto match = [&](StringRef pattern, StringRef line) {
    return llvm::Regex(pattern).match(line, &found);
  };
  auto number = [&](unsigned group) {
    return std::stoll(found[group].str());
  };
  for (StringRef line : lines) {
    if (match("Compiling entry function '([^']+)'", line)) {
      const Origin &origin = origins.at(found[1].str());
      kernels.push_back({origin.program, origin.kernel});
    }
    if (kernels.empty())
      continue;
    AssembledKernel &kernel = kernels.back();
    if (match("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
              "([0-9]+) bytes spill loads",
              line)) {
      kernel.stackBytes = number(1);
      kernel.spilledBytes = number(2) + number(3);
    }
    if (match("Used ([0-9]+) registers", line))
      kernel.registers = number(1);
    if (match("([0-9]+) bytes smem", line))
      kernel.sharedBytes = number(1);
  }
  if (kernels.size() != size())
    return llvm::createStringError(
        "ptxas reports " + llvm::Twine(kernels.size()) + " of " +
        llvm::Twine(size()) + " kernels");
  return kernels;
}
