//===- ContractionTest.cpp - Contractions on GPUs -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code of contractions, run on CPUs, against sums in f64 of the rounded
// inputs. Every failure prints the kernel and the seed.
//
//===----------------------------------------------------------------------===//

#include "ContractionSample.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "gtest/gtest.h"

using namespace mercury;
using namespace mercury::test;

static void checkSample(const ContractionSample &sample, unsigned seed,
                        std::vector<std::string> orders = {"ascending",
                                                           "random:3"}) {
  KernelCheck check;
  check.text = sample.text();
  check.seed = seed;
  check.reference = [&](KernelArguments &arguments) {
    sample.reference(arguments);
  };
  check.orders = orders;
  // A 16-bit output is rounded once here and once in the reference.
  if (sample.output == "bf16" || sample.output == "f16")
    check.tolerance = 1e-2;
  checkKernel(check);
}

static const int64_t kExtents[] = {1, 3, 17, 33, 64, 65, 130};
TEST(Contraction, Transpositions) {
  std::mt19937 random(11);
  for (auto [input, output] : kContractionTypes) {
    for (unsigned bits = 0; bits < 8; ++bits) {
      ContractionSample sample;
      sample.transpose(bits);
      sample.input = input;
      sample.output = output;
      for (int64_t &extent : sample.extents = {0, 0, 0})
        extent = kExtents[1 + random() % 6];
      checkSample(sample, random());
      // Vectors of all widths.
      sample.extents = {48, 80, 40};
      checkSample(sample, random());
      if (HasFailure())
        return;
    }
  }
}

TEST(Contraction, OddExtents) {
  std::mt19937 random(12);
  for (int64_t m : kExtents) {
    for (int64_t n : kExtents) {
      ContractionSample sample;
      sample.extents = {m, n, kExtents[random() % std::size(kExtents)]};
      sample.transpose(random());
      std::tie(sample.input, sample.output) = kContractionTypes[random() % 3];
      checkSample(sample, random(), {"random:4"});
      if (HasFailure())
        return;
    }
  }
}

TEST(Contraction, StridedAndUnaligned) {
  std::mt19937 random(13);
  for (int64_t gap : {1, 2, 4, 8})
    for (int64_t alignment : {0, 4, 8, 16}) {
      ContractionSample sample;
      sample.extents = {40, 24, 72};
      sample.transpose(random());
      std::tie(sample.input, sample.output) = kContractionTypes[random() % 3];
      for (std::vector<int64_t> &of : sample.gaps)
        of = {0, gap};
      sample.alignment = alignment;
      checkSample(sample, random());
      if (HasFailure())
        return;
    }
}

TEST(Contraction, ManyLoops) {
  for (unsigned seed = 0; seed < 60 && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    ContractionSample sample = makeRandomContraction(random);
    checkSample(sample, seed, {"random:5"});
  }
}

/// One that each of the larger tilings is taken for, with edges in it.
TEST(Contraction, LargeTiles) {
  struct {
    int64_t m, n, k;
    const char *input;
  } sizes[] = {{1400, 1290, 17, "f32"},
               {1400, 1288, 24, "bf16"},
               {257, 520, 40, "bf16"},
               {1030, 65, 33, "f32"}};
  for (auto [m, n, k, input] : sizes) {
    ContractionSample sample;
    sample.extents = {m, n, k};
    sample.input = input;
    checkSample(sample, 14, {"random:6"});
  }
}

static void checkText(const std::string &text) {
  KernelCheck check;
  check.text = text;
  checkKernel(check);
}

/// Against the ops' own lowering to loops.
TEST(Contraction, NamedOps) {
  checkText(R"(
    func.func private @k(%a: memref<4x5xf32>, %b: memref<5x3xf32>,
                         %c: memref<4x3xf32>) attributes {commir.kernel} {
      linalg.matmul ins(%a, %b : memref<4x5xf32>, memref<5x3xf32>)
                    outs(%c : memref<4x3xf32>)
      return
    })");
  checkText(R"(
    func.func private @k(%a: memref<3x20x40xf16>, %b: memref<3x40x24xf16>,
                         %c: memref<3x20x24xf32>) attributes {commir.kernel} {
      linalg.batch_matmul
          ins(%a, %b : memref<3x20x40xf16>, memref<3x40x24xf16>)
          outs(%c : memref<3x20x24xf32>)
      return
    })");
  checkText(R"(
    func.func private @k(%a: memref<3x20x40xf32>, %b: memref<3x40x24xf32>,
                         %c: memref<20x24xf32>) attributes {commir.kernel} {
      linalg.batch_reduce_matmul
          ins(%a, %b : memref<3x20x40xf32>, memref<3x40x24xf32>)
          outs(%c : memref<20x24xf32>)
      return
    })");
  checkText(R"(
    func.func private @k(%a: memref<200x40xf32>, %x: memref<40xf32>,
                         %y: memref<200xf32>) attributes {commir.kernel} {
      linalg.matvec ins(%a, %x : memref<200x40xf32>, memref<40xf32>)
                    outs(%y : memref<200xf32>)
      return
    })");
  checkText(R"(
    func.func private @k(%x: memref<100xf32>, %y: memref<100xf32>,
                         %z: memref<f32>) attributes {commir.kernel} {
      linalg.dot ins(%x, %y : memref<100xf32>, memref<100xf32>)
                 outs(%z : memref<f32>)
      return
    })");
  // The heads of attention: two batches in the middle of the operands.
  checkText(R"(
    #q = affine_map<(b, h, i, j, d) -> (b, i, h, d)>
    #k = affine_map<(b, h, i, j, d) -> (b, j, h, d)>
    #s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
    func.func private @k(%q: memref<2x10x3x16xf32> {llvm.align = 16 : i64},
                         %k: memref<2x12x3x16xf32> {llvm.align = 16 : i64},
                         %s: memref<2x3x10x12xf32>)
        attributes {commir.kernel} {
      linalg.contract indexing_maps = [#q, #k, #s]
          ins(%q, %k : memref<2x10x3x16xf32>, memref<2x12x3x16xf32>)
          outs(%s : memref<2x3x10x12xf32>)
      return
    })");
  // A constant of the kernel.
  checkText(R"(
    memref.global constant @weights : memref<3x2xf32> =
        dense<[[1.0, -2.0], [0.5, 3.0], [4.0, 0.25]]> {alignment = 64 : i64}
    func.func private @k(%a: memref<20x3xf32>, %c: memref<20x2xf32>)
        attributes {commir.kernel} {
      %b = memref.get_global @weights : memref<3x2xf32>
      linalg.matmul ins(%a, %b : memref<20x3xf32>, memref<3x2xf32>)
                    outs(%c : memref<20x2xf32>)
      return
    })");
  // One input twice.
  checkText(R"(
    func.func private @k(%a: memref<20x20xf32>, %c: memref<20x20xf32>)
        attributes {commir.kernel} {
      linalg.matmul ins(%a, %a : memref<20x20xf32>, memref<20x20xf32>)
                    outs(%c : memref<20x20xf32>)
      return
    })");
}

TEST(Contraction, AssemblesWithoutSpills) {
  MERCURY_NEEDS_PTXAS();
  std::mt19937 random(16);
  std::vector<ContractionSample> samples;
  for (unsigned i = 0; i < 12; ++i) {
    static const int64_t extents[] = {1, 24, 64, 130, 500, 1024, 4096};
    ContractionSample sample;
    sample.transpose(random());
    for (int64_t &extent : sample.extents = {0, 0, 0})
      extent = extents[random() % std::size(extents)];
    if (i == 0)
      sample.extents = {4096, 4096, 4096};
    std::tie(sample.input, sample.output) = kContractionTypes[random() % 5];
    sample.alignment = random() % 3 ? 16 : 0;
    samples.push_back(sample);
    samples.push_back(makeRandomContraction(random));
  }
  for (const ContractionSample &sample : samples) {
    auto kernel = Kernel::parse(sample.text());
    ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
    for (const Chip &chip : knownChips()) {
      SCOPED_TRACE(chip.name.str() + "\n" + sample.text());
      auto resources = kernel->assemble(chip.name.str());
      ASSERT_TRUE(bool(resources)) << llvm::toString(resources.takeError());
      EXPECT_EQ(resources->spilledBytes, 0);
      EXPECT_LE(resources->sharedBytes, Chip::kStaticSharedBytes);
    }
  }
}
