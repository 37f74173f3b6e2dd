//===- gpu-resources.cpp - What kernels take of a GPU ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, shared memory and spilled bytes of the kernels of the named
// schedules, as ptxas reports them; equal kernels once, with the first program
// that has them.
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "Support.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mercury::bench;
using mercury::test::AssembledKernel;
using mercury::test::DeviceCode;

namespace {
std::string gemmText(int64_t extent, const std::string &type) {
  return llvm::formatv(R"(
    func.func @f(%a: tensor<{0}x{0}x{1}>, %b: tensor<{0}x{0}x{1}>)
        -> tensor<{0}x{0}x{1}> {{
      %z = arith.constant 0.0 : {1}
      %e = tensor.empty() : tensor<{0}x{0}x{1}>
      %i = linalg.fill ins(%z : {1}) outs(%e : tensor<{0}x{0}x{1}>)
          -> tensor<{0}x{0}x{1}>
      %r = linalg.matmul
          ins(%a, %b : tensor<{0}x{0}x{1}>, tensor<{0}x{0}x{1}>)
          outs(%i : tensor<{0}x{0}x{1}>) -> tensor<{0}x{0}x{1}>
      return %r : tensor<{0}x{0}x{1}>
    })",
                       extent, type);
}

/// `mask`: what the op says of it.
std::string attentionText(int64_t extent, int64_t features,
                          const std::string &type, const std::string &mask) {
  return llvm::formatv(R"(
    #rows = affine_map<(h, m, n, d, e) -> (h, m, d)>
    #keys = affine_map<(h, m, n, d, e) -> (h, n, d)>
    #values = affine_map<(h, m, n, d, e) -> (h, n, e)>
    #out = affine_map<(h, m, n, d, e) -> (h, m, e)>
    #sums = affine_map<(h, m, n, d, e) -> (h, m)>
    func.func @f(%q: tensor<8x{0}x{1}x{2}>, %k: tensor<8x{0}x{1}x{2}>,
                 %v: tensor<8x{0}x{1}x{2}>)
        -> (tensor<8x{0}x{1}x{2}>, tensor<8x{0}xf32>) {{
      %o = tensor.empty() : tensor<8x{0}x{1}x{2}>
      %l = tensor.empty() : tensor<8x{0}xf32>
      %r:2 = commir.attention maps [#rows, #keys, #values, #out, #sums]
          scale 0.125
          ins(%q, %k, %v : tensor<8x{0}x{1}x{2}>, tensor<8x{0}x{1}x{2}>,
                           tensor<8x{0}x{1}x{2}>) {3}
          outs(%o, %l : tensor<8x{0}x{1}x{2}>, tensor<8x{0}xf32>)
          -> tensor<8x{0}x{1}x{2}>, tensor<8x{0}xf32>
      return %r#0, %r#1 : tensor<8x{0}x{1}x{2}>, tensor<8x{0}xf32>
    })",
                       extent, features, type, mask);
}

/// What a program computes.
struct Kind {
  const char *name;
  mercury::NamedSchedule::Scope scope;
  const char *mask = "";
};
} // namespace

int main(int argc, char **argv) {
  Options options(argc, argv,
                  {{"size", "1024"},
                   {"features", "64"},
                   {"topology", "gpu=4"},
                   {"only", ""},
                   {"json", ""}});
  std::string ptxas = mercury::test::findPtxas();
  if (ptxas.empty()) {
    llvm::outs() << "no ptxas in PATH, CUDA_HOME, CUDA_ROOT, CUDA_PATH or "
                    "/usr/local/cuda\n";
    return 77;
  }
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  std::vector<DeviceCode> codes;
  for (const mercury::Chip &chip : mercury::knownChips())
    codes.emplace_back(&context, chip.name.str());
  const std::string &topology = options.text("topology");

  using Scope = mercury::NamedSchedule::Scope;
  for (auto [kind, scope, mask] :
       {Kind{"gemm", Scope::Contraction}, Kind{"attention", Scope::Attention},
        Kind{"causal attention", Scope::Attention, "visible <right 0>"}})
    for (const char *type : {"f32", "bf16"}) {
      int64_t size = options.number("size");
      auto module = mlir::parseSourceString<mlir::ModuleOp>(
          scope == Scope::Contraction
              ? gemmText(size, type)
              : attentionText(size, options.number("features"), type, mask),
          &context);
      if (!module)
        fail("the program does not parse");
      for (const mercury::NamedSchedule &named : mercury::namedSchedules()) {
        std::string name(named.name);
        if ((named.scope != scope && named.scope != Scope::Any) ||
            name.find(options.text("only")) == std::string::npos)
          continue;
        std::string program = std::string(kind) + " " + type + " " + name;
        auto outlined =
            orFail(mercury::test::outlineProgram(*module, name, topology));
        for (DeviceCode &code : codes)
          if (llvm::Error error = code.add(*outlined, program))
            fail(std::move(error));
      }
    }

  JsonLines json(options.text("json"));
  llvm::outs() << "kernels of f32 and bf16 on " << topology << ", extents "
               << options.text("size") << ", " << options.text("features")
               << " features; registers and bytes of a thread, shared bytes of "
                  "a block\n";
  llvm::outs() << llvm::format("%-7s %-44s %-28s %9s %7s %6s %7s\n", "chip",
                               "program", "kernel", "registers", "shared",
                               "stack", "spilled");
  int64_t most = 0;
  for (auto [chip, code] : llvm::zip_equal(mercury::knownChips(), codes)) {
    if (!code.size())
      continue;
    for (const AssembledKernel &kernel : orFail(code.assemble(ptxas))) {
      most = std::max(most, kernel.spilledBytes);
      llvm::outs() << llvm::format(
          "%-7s %-44s %-28s %9lld %7lld %6lld %7lld\n", chip.name.str().c_str(),
          kernel.program.c_str(), kernel.kernel.c_str(),
          (long long)kernel.registers, (long long)kernel.sharedBytes,
          (long long)kernel.stackBytes, (long long)kernel.spilledBytes);
      json.add(llvm::json::Object{{"benchmark", "gpu-resources"},
                                  {"chip", chip.name.str()},
                                  {"program", kernel.program},
                                  {"kernel", kernel.kernel},
                                  {"topology", topology},
                                  {"size", options.number("size")},
                                  {"registers", kernel.registers},
                                  {"shared_bytes", kernel.sharedBytes},
                                  {"stack_bytes", kernel.stackBytes},
                                  {"spilled_bytes", kernel.spilledBytes}});
    }
  }
  llvm::outs() << "most bytes spilled: " << most << "\n";
  return 0;
}
