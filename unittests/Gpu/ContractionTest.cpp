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

#include "ContractionShape.h"
#include "ContractionTiling.h"
#include "KernelHarness.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mercury;
using namespace mercury::test;

namespace {
/// A contraction as text and as plain loops.
struct Sample {
  /// Per loop: 'b', 'm', 'n' or 'k', and its extent.
  std::string roles = "mnk";
  std::vector<int64_t> extents;
  /// Of A, B and C: the loop of each dimension, and how many elements follow
  /// each dimension (unused, between the rows).
  std::array<std::vector<unsigned>, 3> loops = {{{0, 2}, {2, 1}, {0, 1}}};
  std::array<std::vector<int64_t>, 3> gaps = {{{0, 0}, {0, 0}, {0, 0}}};
  std::string input = "f32", output = "f32";
  /// Of the arguments, bytes; 0: that of the element.
  int64_t alignment = 16;

  std::string type(unsigned operand) const;
  std::string text() const;
  void reference(KernelArguments &arguments) const;
};
} // namespace

static std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string Sample::type(unsigned operand) const {
  std::string shape;
  std::vector<std::string> strides(loops[operand].size());
  int64_t stride = 1;
  for (size_t dim = strides.size(); dim-- > 0;) {
    int64_t extent = extents[loops[operand][dim]];
    shape = std::to_string(extent) + "x" + shape;
    strides[dim] = std::to_string(stride);
    stride *= extent + gaps[operand][dim];
  }
  return "memref<" + shape + (operand == 2 ? output : input) + ", strided<[" +
         join(strides) + "]>>";
}

std::string Sample::text() const {
  std::vector<std::string> dims, iterators, maps;
  for (size_t loop = 0; loop < roles.size(); ++loop) {
    dims.push_back("d" + std::to_string(loop));
    iterators.push_back(roles[loop] == 'k' ? "\"reduction\"" : "\"parallel\"");
  }
  for (const std::vector<unsigned> &of : loops) {
    std::vector<std::string> results;
    for (unsigned loop : of)
      results.push_back(dims[loop]);
    maps.push_back("affine_map<(" + join(dims) + ") -> (" + join(results) +
                   ")>");
  }
  std::string align =
      alignment ? " {llvm.align = " + std::to_string(alignment) + " : i64}"
                : "";
  std::string a = type(0), b = type(1), c = type(2);
  std::string x = "%x", y = "%y", casts;
  if (input != output) {
    x = "%xe", y = "%ye";
    casts = "    %xe = arith.extf %x : " + input + " to " + output +
            "\n    %ye = arith.extf %y : " + input + " to " + output + "\n";
  }
  return "func.func private @k(%a: " + a + align + ", %b: " + b + align +
         ", %c: " + c + align +
         ") attributes {commir.kernel} {\n"
         "  linalg.generic {indexing_maps = [" +
         join(maps) + "], iterator_types = [" + join(iterators) +
         "]} ins(%a, %b : " + a + ", " + b + ") outs(%c : " + c +
         ") {\n  ^bb0(%x: " + input + ", %y: " + input + ", %z: " + output +
         "):\n" + casts + "    %p = arith.mulf " + x + ", " + y + " : " +
         output + "\n    %s = arith.addf %z, %p : " + output +
         "\n    linalg.yield %s : " + output + "\n  }\n  return\n}\n";
}

void Sample::reference(KernelArguments &arguments) const {
  // The elements as doubles in row-major order, and the stride of each loop.
  std::array<std::vector<double>, 3> values;
  std::array<std::vector<int64_t>, 3> strides;
  for (unsigned operand = 0; operand < 3; ++operand) {
    values[operand].resize(arguments[operand]->size());
    for (int64_t i = 0; i < arguments[operand]->size(); ++i)
      values[operand][i] = arguments[operand]->get(i);
    strides[operand].assign(roles.size(), 0);
    int64_t stride = 1;
    for (size_t dim = loops[operand].size(); dim-- > 0;) {
      strides[operand][loops[operand][dim]] = stride;
      stride *= extents[loops[operand][dim]];
    }
  }
  std::vector<int64_t> index(roles.size());
  std::array<int64_t, 3> at = {0, 0, 0};
  for (bool more = true; more;) {
    values[2][at[2]] += values[0][at[0]] * values[1][at[1]];
    more = false;
    for (size_t loop = roles.size(); loop-- > 0 && !more;) {
      more = ++index[loop] < extents[loop];
      int64_t moved = more ? 1 : 1 - extents[loop];
      if (!more)
        index[loop] = 0;
      for (unsigned operand = 0; operand < 3; ++operand)
        at[operand] += moved * strides[operand][loop];
    }
  }
  for (int64_t i = 0; i < arguments[2]->size(); ++i)
    arguments[2]->set(i, values[2][i]);
}

static void checkSample(const Sample &sample, unsigned seed,
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

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static const int64_t kExtents[] = {1, 3, 17, 33, 64, 65, 130};
static const std::pair<const char *, const char *> kTypes[] = {
    {"f32", "f32"},
    {"bf16", "f32"},
    {"f16", "f32"},
    {"f64", "f64"},
    {"bf16", "bf16"}};

/// Each input and the output, as it is or transposed.
static void transpose(Sample &sample, unsigned bits) {
  for (unsigned operand = 0; operand < 3; ++operand)
    if (bits >> operand & 1)
      std::swap(sample.loops[operand][0], sample.loops[operand][1]);
}

TEST(Contraction, Transpositions) {
  std::mt19937 random(11);
  for (auto [input, output] : kTypes) {
    for (unsigned bits = 0; bits < 8; ++bits) {
      Sample sample;
      transpose(sample, bits);
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
      Sample sample;
      sample.extents = {m, n, kExtents[random() % std::size(kExtents)]};
      transpose(sample, random());
      std::tie(sample.input, sample.output) = kTypes[random() % 3];
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
      Sample sample;
      sample.extents = {40, 24, 72};
      transpose(sample, random());
      std::tie(sample.input, sample.output) = kTypes[random() % 3];
      for (std::vector<int64_t> &of : sample.gaps)
        of = {0, gap};
      sample.alignment = alignment;
      checkSample(sample, random());
      if (HasFailure())
        return;
    }
}

/// Up to three loops of each role, at any place of each operand.
static Sample makeRandomSample(std::mt19937 &random) {
  Sample sample;
  sample.roles.clear();
  static const int64_t extents[] = {1, 2, 3, 4, 5, 8, 12};
  for (char role : {'b', 'm', 'n', 'k'})
    for (unsigned i = random() % (role == 'b' ? 3 : 4) + (role == 'k'); i > 0;
         --i)
      if (role != 'k' || i < 4)
        sample.roles += role;
  std::shuffle(sample.roles.begin(), sample.roles.end(), random);
  for (unsigned operand = 0; operand < 3; ++operand) {
    sample.loops[operand].clear();
    for (unsigned loop = 0; loop < sample.roles.size(); ++loop) {
      static const char *const kUses[] = {"bmk", "bkn", "bmn"};
      if (std::string(kUses[operand]).find(sample.roles[loop]) !=
          std::string::npos)
        sample.loops[operand].push_back(loop);
    }
    // Half of the operands in the order of the loops, which can collapse.
    if (random() % 2)
      std::shuffle(sample.loops[operand].begin(), sample.loops[operand].end(),
                   random);
    sample.gaps[operand].clear();
    for (size_t dim = 0; dim < sample.loops[operand].size(); ++dim)
      sample.gaps[operand].push_back(random() % 4 ? 0 : random() % 9);
  }
  int64_t work;
  do {
    work = 1;
    sample.extents.clear();
    for (size_t loop = 0; loop < sample.roles.size(); ++loop) {
      sample.extents.push_back(extents[random() % std::size(extents)]);
      work *= sample.extents.back();
    }
  } while (work > 200000);
  std::tie(sample.input, sample.output) = kTypes[random() % 4];
  sample.alignment = random() % 2 ? 16 : 0;
  return sample;
}

TEST(Contraction, ManyLoops) {
  for (unsigned seed = 0; seed < 60 && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    Sample sample = makeRandomSample(random);
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
    Sample sample;
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
  // One input twice.
  checkText(R"(
    func.func private @k(%a: memref<20x20xf32>, %c: memref<20x20xf32>)
        attributes {commir.kernel} {
      linalg.matmul ins(%a, %a : memref<20x20xf32>, memref<20x20xf32>)
                    outs(%c : memref<20x20xf32>)
      return
    })");
}

//===----------------------------------------------------------------------===//
// Shape and tiling
//===----------------------------------------------------------------------===//

namespace {
/// What matches `text`, or why nothing does.
struct Match {
  explicit Match(const std::string &text) : module(parse(context, text)) {
    module->walk([&](mlir::func::FuncOp kernel) {
      shape = matchStridedContraction(kernel, &reason);
    });
  }
  static mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                                 const std::string &text) {
    context.loadDialect<mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                        mlir::memref::MemRefDialect>();
    context.allowUnregisteredDialects();
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::FailureOr<StridedContraction> shape = mlir::failure();
  std::string reason;
};
} // namespace

using Role = Contraction::Role;

TEST(ContractionShape, CollapsesLoops) {
  // Two loops of each role that step as one.
  Sample sample;
  sample.roles = "mmnnkkbb";
  sample.extents = {2, 3, 4, 5, 6, 7, 8, 9};
  sample.loops = {{{6, 7, 0, 1, 4, 5}, {6, 7, 4, 5, 2, 3}, {6, 7, 0, 1, 2, 3}}};
  for (std::vector<int64_t> &of : sample.gaps)
    of.assign(6, 0);
  Match match(sample.text());
  ASSERT_TRUE(succeeded(match.shape)) << match.reason;
  for (auto [role, extent] : {std::pair(Role::M, 6),
                              {Role::N, 20},
                              {Role::K, 42},
                              {Role::Batch, 72}}) {
    EXPECT_EQ(match.shape->axes(role).size(), 1u);
    EXPECT_EQ(match.shape->extent(role), extent);
  }
  // A gap behind the inner loop of m in A only.
  sample.gaps[0][3] = 1;
  Match apart(sample.text());
  ASSERT_TRUE(succeeded(apart.shape)) << apart.reason;
  EXPECT_EQ(apart.shape->axes(Role::M).size(), 2u);
  EXPECT_EQ(apart.shape->axes(Role::K).size(), 1u);
}

TEST(ContractionShape, ColumnsAreContiguousInTheOutput) {
  Sample sample;
  sample.extents = {32, 48, 64};
  transpose(sample, 4);
  Match match(sample.text());
  ASSERT_TRUE(succeeded(match.shape)) << match.reason;
  EXPECT_EQ(match.shape->extent(Role::M), 48);
  EXPECT_EQ(match.shape->extent(Role::N), 32);
  EXPECT_EQ(match.shape->buffers[StridedContraction::A].argument, 1u);
}

TEST(ContractionShape, VectorsFollowAlignmentStridesAndExtents) {
  auto widthOfA = [](const Sample &sample) {
    Match match(sample.text());
    if (failed(match.shape))
      return int64_t(0);
    return match.shape->vectorWidth(StridedContraction::A, Role::K);
  };
  Sample sample;
  sample.extents = {32, 48, 64};
  EXPECT_EQ(widthOfA(sample), 4);
  sample.input = "bf16";
  EXPECT_EQ(widthOfA(sample), 8);
  sample.alignment = 4;
  EXPECT_EQ(widthOfA(sample), 2);
  sample.alignment = 0;
  EXPECT_EQ(widthOfA(sample), 1);
  sample.alignment = 16;
  sample.gaps[0] = {0, 4};
  EXPECT_EQ(widthOfA(sample), 4);
  sample.gaps[0] = {0, 3};
  EXPECT_EQ(widthOfA(sample), 1);
  // The row is long enough, but its end is not at the end of a vector.
  sample.extents[2] = 62;
  sample.gaps[0] = {0, 2};
  EXPECT_EQ(widthOfA(sample), 2);
  transpose(sample, 1);
  EXPECT_EQ(widthOfA(sample), 1);
  // Rows start at vectors, but the parts that k is made of do not.
  sample = Sample();
  sample.roles = "mnkk";
  sample.extents = {32, 48, 4, 4};
  sample.loops = {{{0, 2, 3}, {2, 3, 1}, {0, 1}}};
  sample.gaps = {{{0, 0, 0}, {0, 0, 0}, {0, 0}}};
  EXPECT_EQ(widthOfA(sample), 4);
  sample.gaps[0] = {0, 0, 1};
  EXPECT_EQ(widthOfA(sample), 1);
}

TEST(ContractionShape, Refuses) {
  auto reasonOf = [](std::string body, std::string c = "memref<8x8xf32>") {
    std::string a = "memref<8x8xf32>";
    Match match("func.func private @k(%a: " + a + ", %b: " + a + ", %c: " + c +
                ") {\n" + body + "\nreturn\n}");
    EXPECT_TRUE(match.module);
    EXPECT_TRUE(failed(match.shape));
    return match.reason;
  };
  std::string product =
      "linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(";
  EXPECT_EQ(reasonOf(product + "%c : memref<8x8xf32>)\n" + product +
                     "%c : memref<8x8xf32>)"),
            "it is not one op");
  EXPECT_EQ(reasonOf("\"test.op\"(%a) : (memref<8x8xf32>) -> ()"),
            "it is not a linalg op");
  EXPECT_EQ(reasonOf("linalg.add ins(%a, %b : memref<8x8xf32>, "
                     "memref<8x8xf32>) outs(%c : memref<8x8xf32>)"),
            "its body is not a multiply and an add");
  EXPECT_EQ(reasonOf(product + "%a : memref<8x8xf32>)"),
            "its output is an input");
  std::string column = "memref<8x8xf32, strided<[0, 1]>>";
  EXPECT_EQ(reasonOf(product + "%c : " + column + ")", column),
            "elements of its output share their place");
  std::string dynamic = "memref<8x8xf32, strided<[?, 1]>>";
  EXPECT_EQ(reasonOf(product + "%c : " + dynamic + ")", dynamic),
            "operand 2 has no static strides");
  std::string back = "memref<8x8xf32, strided<[-8, 1]>>";
  EXPECT_EQ(reasonOf(product + "%c : " + back + ")", back),
            "operand 2 has no static strides");
}

TEST(ContractionTiling, KeepsTheLimits) {
  std::mt19937 random(15);
  std::set<std::pair<int64_t, int64_t>> chosen;
  for (unsigned i = 0; i < 14 * 14 * 3; ++i) {
    Sample sample;
    sample.roles = "bmnk";
    sample.loops = {{{0, 1, 3}, {0, 3, 2}, {0, 1, 2}}};
    sample.gaps = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    sample.extents = {1 << i / 196 * 3, 1 << i % 14, 1 << i / 14 % 14,
                      1 + int64_t(random() % 200)};
    std::tie(sample.input, sample.output) = kTypes[random() % 4];
    Match match(sample.text());
    ASSERT_TRUE(succeeded(match.shape)) << match.reason;
    const StridedContraction &shape = *match.shape;
    ContractionTiling tiling = chooseTiling(shape);
    int64_t bytes = sample.output == "f64" ? 8 : 4;
    EXPECT_GE(tiling.threads(), 128);
    EXPECT_LE(tiling.threads(), 256);
    EXPECT_LE(tiling.sharedBytes(shape, bytes), Chip::kStaticSharedBytes);
    EXPECT_GE(tiling.blocksM(shape) * tiling.m, shape.extent(Role::M));
    EXPECT_LT((tiling.blocksM(shape) - 1) * tiling.m, shape.extent(Role::M));
    EXPECT_GE(tiling.blocksN(shape) * tiling.n, shape.extent(Role::N));
    EXPECT_LT((tiling.blocksN(shape) - 1) * tiling.n, shape.extent(Role::N));
    chosen.insert({tiling.m, tiling.n});
  }
  // Of the table each row serves some shape.
  EXPECT_EQ(chosen.size(), 12u);
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

TEST(Contraction, AssemblesWithoutSpills) {
  MERCURY_NEEDS_PTXAS();
  std::mt19937 random(16);
  std::vector<Sample> samples;
  for (unsigned i = 0; i < 12; ++i) {
    static const int64_t extents[] = {1, 24, 64, 130, 500, 1024, 4096};
    Sample sample;
    transpose(sample, random());
    for (int64_t &extent : sample.extents = {0, 0, 0})
      extent = extents[random() % std::size(extents)];
    if (i == 0)
      sample.extents = {4096, 4096, 4096};
    std::tie(sample.input, sample.output) = kTypes[random() % 5];
    sample.alignment = random() % 3 ? 16 : 0;
    samples.push_back(sample);
    samples.push_back(makeRandomSample(random));
  }
  for (const Sample &sample : samples) {
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
