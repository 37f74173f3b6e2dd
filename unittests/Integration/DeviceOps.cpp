//===- DeviceOps.cpp - Every op of every type as device code --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM ends the process where it has no instructions for an op. So each op of
// arith and math is compiled here with each type that mercury-attach-target
// lets pass, for each chip with the least version of PTX that it takes.
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Programs.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

namespace {
/// Writes device functions, one an op, that load operands and store the result.
class Writer {
public:
  explicit Writer(unsigned width) : width(width) {}

  /// `element`, or a vector of it.
  std::string type(const std::string &element) const {
    return width == 1 ? element
                      : "vector<" + std::to_string(width) + "x" + element + ">";
  }

  /// `expression` is the op without its result, with %0, %1, ... as operands.
  void add(const std::vector<std::string> &operands, const std::string &result,
           const std::string &expression) {
    std::string arguments, loads;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      std::string n = std::to_string(i), memref = "memref<64x" + operand + ">";
      arguments += "%a" + n + ": " + memref + ", ";
      loads += "  %" + n + " = memref.load %a" + n + "[%i] : " + memref + "\n";
    }
    std::string memref = "memref<64x" + result + ">";
    text += "gpu.func @k" + std::to_string(count++) + "(" + arguments +
            "%r: " + memref + ") kernel {\n  %i = gpu.thread_id x\n" + loads +
            "  %x = " + expression + "\n  memref.store %x, %r[%i] : " + memref +
            "\n  gpu.return\n}\n";
  }

  void unary(const std::string &op, const std::string &from,
             const std::string &to) {
    add({from}, to,
        op + " %0 : " + from +
            (from == to || to == type("i1") ? "" : " to " + to));
  }
  void binary(const std::string &op, const std::string &of) {
    add({of, of}, of, op + " %0, %1 : " + of);
  }

  std::string module() const {
    return "gpu.module @kernels {\n" + text + "}\n";
  }
  unsigned size() const { return count; }

private:
  unsigned width, count = 0;
  std::string text;
};
} // namespace

static const std::vector<std::pair<std::string, int>> kFloats = {
    {"f16", 1}, {"bf16", 1}, {"f32", 2}, {"f64", 3}};
static const std::vector<std::string> kIntegers = {"i1", "i8", "i16", "i32",
                                                   "i64"};

static void addFloatOps(Writer &w) {
  for (auto [name, rank] : kFloats) {
    std::string type = w.type(name), mask = w.type("i1");
    for (const char *op : {"addf", "subf", "mulf", "divf", "remf", "maximumf",
                           "minimumf", "maxnumf", "minnumf"})
      w.binary(std::string("arith.") + op, type);
    for (const char *op : {"atan2", "copysign", "powf"})
      w.binary(std::string("math.") + op, type);
    for (const char *op :
         {"absf",      "acos",  "acosh", "asin",  "asinh", "atan",
          "atanh",     "cbrt",  "ceil",  "cos",   "cosh",  "erf",
          "erfc",      "exp",   "exp2",  "expm1", "floor", "log",
          "log10",     "log1p", "log2",  "round", "rsqrt", "sin",
          "roundeven", "sinh",  "sqrt",  "tan",   "tanh",  "trunc"})
      w.unary(std::string("math.") + op, type, type);
    for (const char *op : {"isfinite", "isinf", "isnan", "isnormal"})
      w.unary(std::string("math.") + op, type, mask);
    w.unary("arith.negf", type, type);
    w.add({type, type, type}, type, "math.fma %0, %1, %2 : " + type);
    w.add({type, type, type}, type, "math.clampf %0 to [%1, %2] : " + type);
    w.add({type, type}, mask, "arith.cmpf ult, %0, %1 : " + type);
    for (auto [other, otherRank] : kFloats) {
      if (rank < otherRank)
        w.unary("arith.extf", type, w.type(other));
      if (rank > otherRank)
        w.unary("arith.truncf", type, w.type(other));
    }
    for (const std::string &integer : kIntegers) {
      std::string to = w.type(integer);
      for (const char *op : {"fptosi", "fptoui"})
        w.add({type}, to,
              std::string("arith.") + op + " %0 : " + type + " to " + to);
      for (const char *op : {"sitofp", "uitofp"})
        w.unary(std::string("arith.") + op, to, type);
    }
  }
}

static void addIntegerOps(Writer &w) {
  for (auto [rank, name] : llvm::enumerate(kIntegers)) {
    std::string type = w.type(name);
    for (const char *op :
         {"addi",  "andi",       "ceildivsi", "ceildivui", "divsi",
          "divui", "floordivsi", "maxsi",     "maxui",     "minsi",
          "minui", "muli",       "ori",       "remsi",     "remui",
          "shli",  "shrsi",      "shrui",     "subi",      "xori"})
      w.binary(std::string("arith.") + op, type);
    for (const char *op : {"absi", "ctlz", "ctpop", "cttz"})
      w.unary(std::string("math.") + op, type, type);
    w.add({type, type}, w.type("i1"), "arith.cmpi slt, %0, %1 : " + type);
    for (const std::string &other : ArrayRef(kIntegers).take_front(rank)) {
      std::string narrow = w.type(other);
      w.unary("arith.extsi", narrow, type);
      w.unary("arith.extui", narrow, type);
      w.add({type}, narrow, "arith.trunci %0 : " + type + " to " + narrow);
    }
  }
}

TEST(DeviceOps, EveryOpOfEveryType) {
  if (findPtxas().empty())
    GTEST_SKIP() << "no ptxas in PATH, CUDA_HOME, CUDA_ROOT, CUDA_PATH or "
                    "/usr/local/cuda";
  std::unique_ptr<MLIRContext> context = makeContext();
  for (unsigned width : {1, 2, 4}) {
    Writer writer(width);
    addFloatOps(writer);
    addIntegerOps(writer);
    EXPECT_GT(writer.size(), 300u);
    auto module = parseSourceString<ModuleOp>(writer.module(), context.get());
    ASSERT_TRUE(module);
    for (const Chip &chip : knownChips()) {
      OwningOpRef<ModuleOp> copy = module->clone();
      PassManager pm(context.get());
      KernelsToBinaryOptions options;
      options.chip = chip.name.str();
      options.features = "+ptx" + std::to_string(chip.leastPtx);
      options.format = std::string("isa");
      buildKernelsToBinary(pm, options);
      EXPECT_TRUE(succeeded(pm.run(*copy)))
          << width << " numbers on " << chip.name.str();
    }
  }
}
