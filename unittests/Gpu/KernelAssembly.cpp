//===- KernelAssembly.cpp - What ptxas makes of device code ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

llvm::Expected<std::string> Kernel::deviceCode(const std::string &chip) const {
  auto lowered = after("mercury-lower-kernels-to-gpu{chip=" + chip + "}");
  if (!lowered)
    return lowered.takeError();
  std::string text;
  llvm::raw_string_ostream(text) << **lowered;
  return text;
}

llvm::Expected<std::string> Kernel::ptx(const std::string &name) const {
  auto lowered =
      after("mercury-lower-kernels-to-gpu{chip=" + name +
            "},mercury-kernels-to-binary{chip=" + name + " format=isa}");
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
