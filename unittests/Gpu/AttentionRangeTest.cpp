//===- AttentionRangeTest.cpp - Attention to ranges of keys, against f64 --===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of attention see ranges of keys. Keys and values that no row sees are
// NaN, so that a kernel that takes one into account is wrong.
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mercury::test;
using Position = AttentionProblem::Position;
using Range = std::pair<int64_t, int64_t>;

static AttentionProblem problemOf(int64_t queries, int64_t keys, int64_t d = 16,
                                  int64_t e = 16,
                                  const std::string &type = "f32") {
  AttentionProblem problem;
  problem.extents['h'] = 2;
  problem.extents['m'] = queries;
  problem.extents['n'] = keys;
  problem.extents['d'] = d;
  problem.extents['e'] = e;
  problem.setType(type);
  problem.scale = 0.5;
  problem.continues = true;
  return problem;
}

/// Row m sees keys m + offset - left to m + offset + right, as far as there are
/// such.
static auto window(int64_t offset, int64_t left, int64_t right, int64_t keys) {
  return [=](const Position &at) -> Range {
    int64_t position = at.at('m') + offset;
    auto inside = [&](int64_t key) {
      return std::clamp<int64_t>(key, 0, keys);
    };
    return {inside(position - left), inside(position + right + 1)};
  };
}

/// Ranges at random: some are empty, reach beyond the keys, or are everything.
static auto anywhere(unsigned seed, int64_t keys) {
  auto random = std::make_shared<std::mt19937>(seed);
  return [=](const Position &) -> Range {
    auto pick = [&] { return int64_t((*random)() % (keys + 20)) - 10; };
    switch ((*random)() % 4) {
    case 0:
      return {0, keys};
    case 1:
      return {pick(), keys};
    default:
      return {pick(), pick()};
    }
  };
}

TEST(AttentionRange, Causal) {
  unsigned seed = 0;
  for (auto [queries, keys, offset] : {std::tuple(64, 64, 0),
                                       {100, 100, 0},
                                       {33, 97, 64},
                                       {1, 65, 30},
                                       {65, 64, -10},
                                       {130, 200, 70}}) {
    AttentionProblem problem = problemOf(queries, keys);
    problem.range = window(offset, keys + queries, 0, keys);
    problem.continues = seed % 2;
    checkKernel(problem.check(++seed));
  }
}

TEST(AttentionRange, Windows) {
  unsigned seed = 0;
  for (auto [left, right] : {std::pair(0, 0), {5, 0}, {70, 3}})
    for (int64_t offset : {-20, 90}) {
      AttentionProblem problem = problemOf(80, 150);
      problem.range = window(offset, left, right, 150);
      checkKernel(problem.check(++seed));
    }
}

TEST(AttentionRange, Types) {
  unsigned seed = 0;
  for (auto [d, e, type] : {std::tuple(64, 64, "f32"),
                            {128, 128, "bf16"},
                            {32, 32, "f16"},
                            {20, 300, "f32"}}) {
    AttentionProblem problem = problemOf(65, 130, d, e, type);
    problem.range = window(50, 60, 4, 130);
    checkKernel(problem.check(++seed));
  }
}

/// All loops of rows may have ranges of their own, or none.
TEST(AttentionRange, LoopsOfRanges) {
  unsigned seed = 0;
  for (auto [begin, end] : {std::pair("", ""),
                            {"h", "h"},
                            {"mgh", "m"},
                            {"gm", "higm"},
                            {"", "mih"},
                            {"higm", "mgih"}}) {
    AttentionProblem problem = problemOf(21, 90, 16, 20, "bf16");
    problem.extents['g'] = 3;
    problem.extents['i'] = 2;
    problem.begin.loops = begin;
    problem.end.loops = end;
    problem.end.room = *end ? 3 : 0;
    problem.range = anywhere(++seed, 90);
    checkKernel(problem.check(seed));
  }
}

/// Beside an additive mask, a count of keys, or both.
TEST(AttentionRange, WithMaskAndCount) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    AttentionProblem problem = problemOf(40, 100);
    problem.hasMask = seed % 3 != 0;
    problem.hides = seed % 2;
    problem.hasValid = seed % 3 != 1;
    problem.valid = 30 * seed - 40;
    problem.range = seed < 4 ? decltype(problem.range)(anywhere(seed, 100))
                             : window(30, 40, 0, 100);
    checkKernel(problem.check(seed));
  }
}

/// The state stays, and nothing is read.
TEST(AttentionRange, NoKeys) {
  for (Range range : {Range(0, 0), {100, 100}, {7, 7}, {60, 20}}) {
    AttentionProblem problem = problemOf(70, 100);
    problem.range = [range](const Position &) { return range; };
    checkKernel(problem.check(1));
  }
}

/// Rows without keys among others.
TEST(AttentionRange, SomeRowsWithoutKeys) {
  for (int64_t every : {2, 3, 64}) {
    AttentionProblem problem = problemOf(130, 130);
    problem.continues = every == 3;
    problem.range = [every](const Position &at) -> Range {
      if (at.at('m') % every == 0)
        return {0, 0};
      return {10, 120};
    };
    checkKernel(problem.check(every));
  }
}

/// Documents: tiles that no row cuts, from a key on that is no multiple of
/// anything; keys that lie side by side in memory.
TEST(AttentionRange, Documents) {
  unsigned seed = 0;
  for (bool isTransposed : {false, true}) {
    AttentionProblem problem = problemOf(128, 300, 16, 32, "bf16");
    problem.range = [](const Position &at) -> Range {
      return at.at('m') < 64 ? Range(3, 150) : Range(150, 299);
    };
    if (isTransposed) {
      problem.key.loops = "hdn";
      problem.value.loops = "hen";
    }
    checkKernel(problem.check(++seed));
  }
}

/// Each block stays inside of what its own rows see: others' keys, between them
/// and behind, are no numbers.
TEST(AttentionRange, OthersKeysAreNotRead) {
  auto set = [](KernelArguments &arguments, int64_t from, int64_t to) {
    for (unsigned operand : {1, 2})
      for (int64_t h = 0; h < 2; ++h)
        for (int64_t n = from; n < to; ++n)
          for (int64_t f = 0; f < 16; ++f)
            arguments[operand]->set(arguments[operand]->numberOf({h, n, f}),
                                    NAN);
  };
  AttentionProblem problem = problemOf(128, 200);
  problem.range = [](const Position &at) -> Range {
    return at.at('m') < 64 ? Range(5, 60) : Range(101, 167);
  };
  KernelCheck check = problem.check(1);
  check.prepare = [&, prepare = check.prepare](KernelArguments &arguments) {
    prepare(arguments);
    set(arguments, 60, 101);
  };
  checkKernel(check);

  // The rows of the second block see the last keys, and are no numbers.
  problem.range = [](const Position &at) -> Range {
    return {0, at.at('m') < 64 ? at.at('m') + 1 : 200};
  };
  check = problem.check(2);
  check.prepare = [&, prepare = check.prepare](KernelArguments &arguments) {
    prepare(arguments);
    set(arguments, 64, 200);
  };
  checkKernel(check);
}

/// A state in f64, which no tile has.
TEST(AttentionRange, Rows) {
  AttentionProblem problem = problemOf(33, 40, 5, 7);
  problem.key.type = "f64";
  for (auto *state : {&problem.accumulator, &problem.maximum, &problem.sum})
    state->type = "f64";
  problem.range = anywhere(1, 40);
  problem.hasMask = problem.hides = true;
  KernelCheck check = problem.check(1);
  check.tolerance = 1e-12;
  checkKernel(check);
}

TEST(AttentionRange, RandomProblems) {
  for (unsigned seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto pick = [&](std::initializer_list<int64_t> of) {
      return of.begin()[random() % of.size()];
    };
    int64_t keys = pick({1, 3, 16, 31, 33, 64, 100, 130, 200});
    AttentionProblem problem = problemOf(
        pick({1, 2, 5, 13, 16, 31, 48, 70}), keys, pick({1, 4, 8, 17, 32, 40}),
        pick({1, 3, 16, 20, 32, 48}), random() % 2 ? "f32" : "bf16");
    problem.extents['g'] = pick({1, 1, 2, 3});
    problem.continues = random() % 2;
    problem.hasValid = random() % 4 == 0;
    problem.valid = random() % (keys + 6);
    problem.hasMask = random() % 3 == 0;
    if (random() % 2)
      problem.begin.loops = "mg";
    if (random() % 2)
      problem.end.loops = "hm";
    if (random() % 2)
      problem.range = anywhere(seed, keys);
    else
      problem.range = window(pick({-10, 0, 30}), pick({0, 5, 60, 1000}),
                             pick({0, 0, 40}), keys);
    for (auto *operand : {&problem.query, &problem.key, &problem.value,
                          &problem.begin, &problem.end}) {
      if (random() % 3 == 0)
        std::shuffle(operand->loops.begin(), operand->loops.end(), random);
      operand->room = pick({0, 0, 3});
      operand->spread = pick({1, 1, 1, 2});
      operand->alignment = pick({0, 16, 16});
    }
    checkKernel(problem.check(seed));
    if (HasFailure())
      return;
  }
}

/// Registers are enough on every chip, also where every row of all that a row
/// has is at an address of its own.
TEST(AttentionRange, Assembles) {
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
    for (int64_t features : {64, 128}) {
      AttentionProblem problem =
          problemOf(256, 256, features, features, "bf16");
      problem.range = anywhere(1, 256);
      expectNoSpill(problem, chip);
      problem = problemOf(100, 100, features, features);
      problem.range = anywhere(1, 100);
      problem.hasMask = problem.hasValid = true;
      problem.extents['g'] = 3;
      problem.extents['i'] = 2;
      problem.query = {"mhigd", "f32", 1, 3, 0};
      problem.key = {"dnh", "f32", 0, 1, 0};
      problem.value = {"neh", "f32", 0, 2, 0};
      problem.mask = {"ngmhi", "f64", 0, 1, 0};
      problem.begin = {"migh", "i32", 0, 2, 0};
      problem.end = {"mhgi", "i32", 0, 1, 0};
      problem.accumulator = {"emgih", "f32", 0, 1, 0};
      problem.maximum = problem.sum = {"migh", "f32", 0, 1, 0};
      expectNoSpill(problem, chip);
    }
}
