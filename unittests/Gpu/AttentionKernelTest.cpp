//===- AttentionKernelTest.cpp - Device code of attention against f64 -----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"

using namespace mercury::test;

static AttentionProblem problemOf(int64_t queries, int64_t keys, int64_t d,
                                  int64_t e, const std::string &type = "f32") {
  AttentionProblem problem;
  problem.extents['h'] = 2;
  problem.extents['m'] = queries;
  problem.extents['n'] = keys;
  problem.extents['d'] = d;
  problem.extents['e'] = e;
  problem.setType(type);
  problem.scale = 0.5;
  return problem;
}

TEST(AttentionKernel, TypesAndFeatures) {
  unsigned seed = 0;
  for (const char *type : {"f32", "bf16", "f16"})
    for (int64_t features : {16, 32, 64, 128}) {
      AttentionProblem problem = problemOf(65, 65, features, features, type);
      problem.continues = features > 16;
      checkKernel(problem.check(++seed));
    }
}

TEST(AttentionKernel, OddFeatures) {
  unsigned seed = 0;
  for (auto [d, e] : {std::pair(1, 1),
                      {5, 80},
                      {80, 5},
                      {96, 40},
                      {64, 128},
                      {4, 256},
                      {256, 8},
                      {300, 20},
                      {8, 257},
                      {33, 600}})
    for (const char *type : {"f32", "bf16"}) {
      AttentionProblem problem = problemOf(9, 35, d, e, type);
      problem.continues = true;
      checkKernel(problem.check(++seed));
    }
}

/// Wide accesses only where addresses and strides allow them: the emulation
/// checks alignment.
TEST(AttentionKernel, Alignment) {
  unsigned seed = 0;
  for (const char *type : {"f32", "bf16"})
    for (auto [alignment, room] :
         {std::pair(0, 0), {8, 0}, {16, 1}, {16, 2}, {16, 4}, {16, 8}}) {
      AttentionProblem problem = problemOf(12, 20, 16, 64, type);
      for (auto *operand : {&problem.query, &problem.key, &problem.value,
                            &problem.accumulator}) {
        operand->alignment = alignment;
        operand->room = room;
      }
      checkKernel(problem.check(++seed));
    }
}

TEST(AttentionKernel, OddQueriesAndKeys) {
  unsigned seed = 0;
  for (int64_t queries : {1, 3, 17, 33, 64, 65, 100})
    for (int64_t keys : {1, 3, 17, 33, 64, 65, 100}) {
      ++seed;
      AttentionProblem problem = problemOf(queries, keys, 16, 16);
      problem.continues = seed % 2;
      problem.hasMask = seed % 3 == 0;
      problem.hides = true;
      problem.hasValid = seed % 4 == 0;
      problem.valid = keys / 2;
      checkKernel(problem.check(seed));
    }
}

TEST(AttentionKernel, ValidKeys) {
  unsigned seed = 0;
  for (int64_t valid : {-3, 0, 1, 15, 16, 63, 64, 65, 99, 100, 1000})
    for (bool isTransposed : {false, true}) {
      AttentionProblem problem = problemOf(20, 100, 16, 24);
      problem.hasValid = true;
      problem.valid = valid;
      problem.continues = true;
      if (isTransposed) {
        problem.key.loops = "hdn";
        problem.value.loops = "hen";
        problem.hasMask = true;
      }
      checkKernel(problem.check(++seed));
    }
}

TEST(AttentionKernel, Masks) {
  unsigned seed = 0;
  for (const char *loops : {"", "m", "n", "mn", "nm", "hmn", "higmn", "gn"})
    for (const char *type : {"f32", seed % 4 ? "bf16" : "f64"}) {
      AttentionProblem problem = problemOf(17, 70, 16, 16);
      problem.extents['g'] = 3;
      problem.hasMask = problem.hides = true;
      problem.mask.loops = loops;
      problem.mask.type = type;
      problem.continues = seed % 2;
      checkKernel(problem.check(++seed));
    }
}

/// Several heads of the query share keys, over one loop or two.
TEST(AttentionKernel, GroupsOfHeads) {
  unsigned seed = 0;
  for (int64_t queries : {1, 4, 33})
    for (const char *order : {"higmd", "mighd", "gdmhi"}) {
      AttentionProblem problem = problemOf(queries, 40, 16, 16, "bf16");
      problem.extents['g'] = 4;
      problem.extents['i'] = 3;
      problem.query.loops = order;
      problem.continues = true;
      checkKernel(problem.check(++seed));
    }
}

/// Keys and values of all heads are the same, or have a loop that the other
/// lacks.
TEST(AttentionKernel, SharedKeys) {
  unsigned seed = 0;
  for (auto [key, value] : {std::pair("nd", "ne"),
                            {"hnd", "gne"},
                            {"nd", "hgne"},
                            {"igdn", "ehn"}}) {
    AttentionProblem problem = problemOf(17, 33, 16, 16);
    problem.extents['g'] = 3;
    problem.extents['i'] = 2;
    problem.key.loops = key;
    problem.value.loops = value;
    checkKernel(problem.check(++seed));
  }
}

/// Scores are whole numbers some hundreds apart: exact in f32, and so are the
/// differences that their exponentials are of.
TEST(AttentionKernel, LargeScores) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    AttentionProblem problem = problemOf(40, 100, 64, 32);
    problem.scale = 1;
    problem.isWhole = true;
    problem.amplitude = 100;
    problem.continues = seed % 2;
    problem.hasMask = problem.hides = seed > 2;
    checkKernel(problem.check(seed));
  }
}

/// Whole tiles of keys are hidden before there is a key, and after.
TEST(AttentionKernel, HiddenTiles) {
  for (bool continues : {false, true})
    for (bool hidesLast : {false, true}) {
      AttentionProblem problem = problemOf(20, 192, 16, 16);
      problem.hasMask = true;
      problem.continues = continues;
      KernelCheck check = problem.check(1);
      check.prepare = [prepare = check.prepare,
                       hidesLast](KernelArguments &arguments) {
        prepare(arguments);
        KernelBuffer &mask = *arguments[3];
        for (int64_t m = 0; m < 20; ++m)
          for (int64_t n = 0; n < 192; ++n)
            if (m < 5 || (hidesLast ? n >= 64 : n < 128))
              mask.set(mask.numberOf({m, n}),
                       -std::numeric_limits<double>::infinity());
      };
      checkKernel(check);
    }
}

/// One NaN or infinity makes its row's or feature's results no numbers, and
/// leaves other rows and features alone.
TEST(AttentionKernel, NotANumber) {
  struct Case {
    unsigned argument;
    std::vector<int64_t> at;
    double value;
  };
  AttentionProblem problem = problemOf(20, 70, 16, 16);
  for (const Case &test :
       {Case{0, {1, 0, 0, 3, 2}, NAN}, Case{2, {1, 69, 5}, NAN},
        Case{2, {0, 69, 5}, std::numeric_limits<double>::infinity()}}) {
    KernelCheck check = problem.check(1);
    check.prepare = [&, prepare = check.prepare](KernelArguments &arguments) {
      prepare(arguments);
      KernelBuffer &buffer = *arguments[test.argument];
      buffer.set(buffer.numberOf(test.at), test.value);
    };
    checkKernel(check);
  }
}

TEST(AttentionKernel, RandomProblems) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto pick = [&](std::initializer_list<int64_t> of) {
      return of.begin()[random() % of.size()];
    };
    AttentionProblem problem = problemOf(
        pick({1, 2, 5, 13, 16, 31, 48}), pick({1, 3, 16, 31, 33, 64, 100, 130}),
        pick({1, 4, 8, 17, 32, 40}), pick({1, 3, 16, 20, 32, 48}));
    problem.extents['h'] = pick({1, 2, 3});
    problem.extents['g'] = pick({1, 1, 2, 3});
    problem.extents['i'] = pick({1, 1, 2});
    problem.scale = pick({0, 1}) ? 0.25 : 1;
    problem.continues = random() % 2;
    problem.hasValid = random() % 3 == 0;
    problem.valid = int64_t(random() % (problem.extents['n'] + 6)) - 3;
    problem.hasMask = random() % 2;
    problem.hides = random() % 2;
    problem.mask.loops = "";
    for (char loop : {'h', 'i', 'g', 'm', 'n'})
      if (random() % 2)
        problem.mask.loops += loop;
    for (auto *operand :
         {&problem.query, &problem.key, &problem.value, &problem.mask,
          &problem.accumulator, &problem.maximum, &problem.sum}) {
      const char *const types[] = {"f32", "f32", "bf16", "f16"};
      bool isState = operand == &problem.accumulator ||
                     operand == &problem.maximum || operand == &problem.sum;
      if (!isState)
        operand->type = types[random() % 4];
      if (random() % 3 == 0)
        std::shuffle(operand->loops.begin(), operand->loops.end(), random);
      if (operand->loops.empty())
        continue;
      operand->room = pick({0, 0, 0, 3, 8});
      operand->spread = pick({1, 1, 1, 2});
      operand->alignment = pick({0, 16, 16});
    }
    checkKernel(problem.check(seed));
    if (HasFailure())
      return;
  }
}

/// A state in f64, which no tile has.
TEST(AttentionKernel, Rows) {
  unsigned seed = 0;
  for (int64_t queries : {1, 33}) {
    AttentionProblem problem = problemOf(queries, 20, 5, 7);
    problem.extents['g'] = 3;
    problem.key.type = "f64";
    for (auto *state : {&problem.accumulator, &problem.maximum, &problem.sum})
      state->type = "f64";
    problem.hasMask = problem.hides = problem.continues = true;
    problem.hasValid = true;
    problem.valid = 13;
    KernelCheck check = problem.check(++seed);
    check.tolerance = 1e-12;
    checkKernel(check);
  }
}

/// Mask and count are constants, as they are where a program writes them down.
TEST(AttentionKernel, Constants) {
  AttentionProblem problem = problemOf(5, 4, 16, 16);
  problem.hasMask = problem.hasValid = true;
  problem.mask.loops = "n";
  problem.mask.alignment = 0;
  KernelCheck check;
  check.text = problem.text();
  auto replace = [&](const std::string &from, const std::string &to) {
    size_t at = check.text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    check.text.replace(at, from.size(), to);
  };
  replace("%3: memref<4xf32>, %valid: index, ", "");
  replace("attributes {commir.kernel} {",
          "attributes {commir.kernel} {\n"
          "  %3 = memref.get_global @mask : memref<4xf32>\n"
          "  %valid = arith.constant 3 : index");
  check.text = "memref.global \"private\" constant @mask : memref<4xf32> = "
               "dense<[0.0, 0xFF800000, 2.0, 1.0]>\n" +
               check.text;
  checkKernel(check);
}

/// No tile needs more shared memory than every chip has.
TEST(AttentionKernel, SharedMemory) {
  llvm::Regex shape("memref<([0-9]+)x([0-9]+)xf32, "
                    "#gpu.address_space<workgroup>>");
  for (int64_t queries : {1, 17, 1000})
    for (int64_t keys : {1, 40, 1000})
      for (int64_t d : {1, 36, 64, 128, 1000})
        for (int64_t e : {1, 48, 80, 128, 256, 1000}) {
          AttentionProblem problem = problemOf(queries, keys, d, e, "bf16");
          auto kernel = Kernel::parse(problem.text());
          ASSERT_TRUE(bool(kernel));
          auto code = kernel->deviceCode("sm_80");
          ASSERT_TRUE(bool(code));
          llvm::StringRef signature = llvm::StringRef(*code)
                                          .split("workgroup(")
                                          .second.split("kernel")
                                          .first;
          int64_t bytes = 0, buffers = 0;
          for (llvm::SmallVector<llvm::StringRef> match;
               shape.match(signature, &match); ++buffers) {
            bytes +=
                4 * std::stoll(match[1].str()) * std::stoll(match[2].str());
            signature = signature.substr(match[0].end() - signature.begin());
          }
          EXPECT_EQ(buffers, 4);
          EXPECT_LE(bytes, 48 * 1024) << problem.text();
        }
}

/// Registers are enough on every chip, also where nothing is aligned, and
/// where every row of mask and state is at an address of its own.
TEST(AttentionKernel, Assembles) {
  MERCURY_NEEDS_PTXAS();
  auto expectNoSpill = [](const AttentionProblem &problem, const char *chip) {
    SCOPED_TRACE(std::string(chip) + "\n" + problem.text());
    auto kernel = Kernel::parse(problem.text());
    ASSERT_TRUE(bool(kernel));
    auto resources = kernel->assemble(chip);
    ASSERT_TRUE(bool(resources)) << llvm::toString(resources.takeError());
    EXPECT_EQ(resources->spilledBytes, 0);
    EXPECT_LE(resources->sharedBytes, 48 * 1024);
  };
  for (const char *chip : {"sm_80", "sm_89", "sm_90a", "sm_100"})
    for (int64_t features : {16, 32, 64, 128}) {
      AttentionProblem problem =
          problemOf(256, 256, features, features, "bf16");
      expectNoSpill(problem, chip);
      problem = problemOf(100, 100, features, features);
      problem.hasMask = problem.hasValid = true;
      problem.extents['g'] = 3;
      problem.extents['i'] = 2;
      problem.query = {"mhigd", "f32", 1, 3, 0};
      problem.key = {"dnh", "f32", 0, 1, 0};
      problem.value = {"neh", "f32", 0, 2, 0};
      problem.mask = {"ngmhi", "f64", 0, 1, 0};
      problem.accumulator = {"emgih", "f32", 0, 1, 0};
      problem.maximum = problem.sum = {"migh", "f32", 0, 1, 0};
      expectNoSpill(problem, chip);
    }
}
