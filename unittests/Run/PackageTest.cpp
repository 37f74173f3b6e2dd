//===- PackageTest.cpp - Packages are written and read --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package.h"
#include "Mercury/InitAll.h"
#include "PackageFile.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>

using namespace mercury::run;
namespace check = mercury::check;

namespace {

class PackageTest : public testing::Test {
protected:
  PackageTest() {
    llvm::sys::fs::createUniqueDirectory("mercury-package", path);
    folder = path.str();
  }
  ~PackageTest() override { llvm::sys::fs::remove_directories(path); }

  llvm::SmallString<64> path;
  std::string folder;
};

// Nine rows on four ranks: the shards of the last ones are padded.
TEST_F(PackageTest, IsReadAsItWasWritten) {
  mercury::registerAllPasses();
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @add(%a: tensor<9x6xbf16>, %n: f32) -> tensor<9x6xbf16> {
      %e = tensor.empty() : tensor<9x6xbf16>
      %r = linalg.exp ins(%a : tensor<9x6xbf16>) outs(%e : tensor<9x6xbf16>) -> tensor<9x6xbf16>
      return %r : tensor<9x6xbf16>
    })",
                                                        &context);
  CompileOptions options;
  options.local = "loops";
  options.topology = "node=2,gpu=2";
  CompiledProgram program;
  auto lowered = lowerProgram(*module, options, Stage::LLVM, program);
  ASSERT_TRUE(static_cast<bool>(lowered));
  std::vector<HostTensor> arguments =
      makeArguments(program.globalArguments(), 3);
  std::vector<HostTensor> reference = {arguments[0]};
  ASSERT_FALSE(
      static_cast<bool>(writePackage(folder, program, arguments, reference)));

  std::string error;
  std::optional<check::PackageFile> file = check::readPackage(folder, error);
  ASSERT_TRUE(file) << error;
  EXPECT_EQ(file->function, "add");
  EXPECT_EQ(file->numRanks(), 4);
  ASSERT_EQ(file->arguments.size(), 2u);
  ASSERT_EQ(file->results.size(), 1u);
  EXPECT_FALSE(file->arguments[0].isNumber);
  EXPECT_TRUE(file->arguments[1].isNumber);
  EXPECT_GT(file->results[0].bound, 0);
  int64_t numValues = 0, numPadding = 0;
  for (int64_t rank = 0; rank < 4; ++rank) {
    std::vector<char> shard(program.arguments[0].localBytes());
    sliceShard(arguments[0], program.arguments[0], program.topology, rank,
               shard.data());
    EXPECT_EQ(*check::readFile(file->argumentPath(rank, 0)), shard);
    auto number = check::readFile(file->argumentPath(rank, 1));
    ASSERT_EQ(number->size(), 4u);
    EXPECT_EQ(check::elementAt(check::Element::F32, number->data(), 0),
              arguments[1].get(0));
    // The reference is argument 0, placed as the result is.
    auto expected = check::readFile(file->resultPath(rank, 0));
    ASSERT_EQ(int64_t(expected->size()), 8 * file->results[0].count());
    for (int64_t i = 0; i < file->results[0].count(); ++i) {
      double value = check::elementAt(check::Element::F64, expected->data(), i);
      ++(std::isnan(value) ? numPadding : numValues);
      if (!std::isnan(value))
        EXPECT_EQ(value,
                  check::elementAt(check::Element::BF16, shard.data(), i));
    }
  }
  EXPECT_EQ(numValues, 54);
  EXPECT_GT(numPadding, 0);
}

TEST_F(PackageTest, SaysWhichLineIsWrong) {
  std::string error;
  EXPECT_FALSE(check::readPackage(folder + "/absent", error));
  EXPECT_NE(error.find("absent/package.txt"), std::string::npos) << error;
  for (const char *line :
       {"level gpu 0", "level gpu", "argument f33 8", "result f32 8",
        "communicator", "communicator x", "something 1", "number index 8"}) {
    std::ofstream(folder + "/package.txt") << "function f\n" << line << '\n';
    EXPECT_FALSE(check::readPackage(folder, error)) << line;
    EXPECT_NE(error.find("package.txt:2: cannot read"), std::string::npos)
        << error;
  }
  std::ofstream(folder + "/package.txt") << "function f\n";
  EXPECT_FALSE(check::readPackage(folder, error));
  EXPECT_NE(error.find("names no level"), std::string::npos) << error;
}

// The tables of conversions agree with those of mercury-run for all bits.
TEST(PackageElements, ConvertAsMercuryRunDoes) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t narrow = bits;
    double half = check::elementAt(check::Element::F16, &narrow, 0);
    double wanted = decodeF16(narrow);
    EXPECT_TRUE(half == wanted || (std::isnan(half) && std::isnan(wanted)));
    half = check::elementAt(check::Element::BF16, &narrow, 0);
    wanted = decodeBF16(narrow);
    EXPECT_TRUE(half == wanted || (std::isnan(half) && std::isnan(wanted)));
  }
}

TEST(PackageElements, RandomOnesAreSmall) {
  using check::Element;
  for (Element element :
       {Element::F64, Element::F32, Element::F16, Element::BF16, Element::I64,
        Element::I32, Element::I8, Element::I1}) {
    std::vector<char> data = check::randomElements(element, 1000, 5);
    ASSERT_EQ(int64_t(data.size()), 1000 * check::bytesOf(element));
    double least = 0, most = 0;
    for (int i = 0; i < 1000; ++i) {
      least = std::min(least, check::elementAt(element, data.data(), i));
      most = std::max(most, check::elementAt(element, data.data(), i));
    }
    bool isFloat = element <= Element::BF16;
    EXPECT_GE(least, isFloat ? -1 : -8);
    EXPECT_LE(most, isFloat ? 1 : 7);
    EXPECT_GT(most, isFloat ? 0.9 : 0);
    if (element != Element::I1)
      EXPECT_LT(least, -0.9);
  }
}

} // namespace
