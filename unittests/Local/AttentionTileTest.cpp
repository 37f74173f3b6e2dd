//===- AttentionTileTest.cpp - Online attention against f64 ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems, each compiled and run as plain loops or as the vectorized
// tile, against values computed here in f64 from the rounded inputs. A failure
// prints the function and the seed.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "Mercury/InitAll.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <numeric>
#include <random>

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The maps' domain.
enum Loop { Head, Group, Query, Key, Feature, ValueFeature, NumLoops };
constexpr const char *domain = "(h, g, m, n, d, e)";
constexpr char names[] = "hgmnde";

/// A strided array of any of the float types or i32, with room around its
/// elements.
struct Array {
  std::string type; ///< of an element
  std::vector<int> loops;
  std::vector<int64_t> shape, strides;
  bool isPlain = true; ///< contiguous
  std::vector<char> data;

  unsigned width() const {
    return type == "f64" ? 8 : type == "f32" || type == "i32" ? 4 : 2;
  }
  const llvm::fltSemantics &semantics() const {
    return type == "f64"    ? llvm::APFloat::IEEEdouble()
           : type == "f32"  ? llvm::APFloat::IEEEsingle()
           : type == "bf16" ? llvm::APFloat::BFloat()
                            : llvm::APFloat::IEEEhalf();
  }
  size_t at(const int64_t *position) const {
    size_t at = 0;
    for (size_t i = 0; i < loops.size(); ++i)
      at += position[loops[i]] * strides[i];
    return at * width();
  }
  double get(const int64_t *position) const {
    uint64_t bits = 0;
    memcpy(&bits, data.data() + at(position), width());
    if (type == "i32")
      return static_cast<int32_t>(bits);
    llvm::APFloat number(semantics(), llvm::APInt(8 * width(), bits));
    bool inexact;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &inexact);
    return number.convertToDouble();
  }
  void set(const int64_t *position, double value) {
    if (type == "i32") {
      int32_t number = value;
      memcpy(data.data() + at(position), &number, width());
      return;
    }
    llvm::APFloat number(value);
    bool inexact;
    number.convert(semantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    memcpy(data.data() + at(position), &bits, width());
  }
  std::string text() const {
    std::string text = "memref<";
    for (int64_t extent : shape)
      text += std::to_string(extent) + "x";
    text += type;
    if (!isPlain)
      text += ", strided<[" +
              llvm::join(llvm::map_range(strides,
                                         [](int64_t stride) {
                                           return std::to_string(stride);
                                         }),
                         ", ") +
              "]>";
    return text + ">";
  }
  std::string map() const {
    std::vector<std::string> results;
    for (int loop : loops)
      results.push_back(std::string(1, names[loop]));
    return std::string("affine_map<") + domain + " -> (" +
           llvm::join(results, ", ") + ")>";
  }
  std::vector<int64_t> descriptor() {
    std::vector<int64_t> words{reinterpret_cast<int64_t>(data.data()),
                               reinterpret_cast<int64_t>(data.data()), 0};
    words.insert(words.end(), shape.begin(), shape.end());
    words.insert(words.end(), strides.begin(), strides.end());
    return words;
  }
};

struct Problem {
  int64_t extents[NumLoops] = {1, 1, 1, 1, 1, 1};
  std::string pass; ///< options of the vectorizing pass; "loops": none of it
  double scale = 1, amplitude = 1;
  bool hasMask = false, isMasking = false, hasValid = false, continues = false;
  bool hasRange = false;
  int64_t valid = 0;
  Array query, key, value, mask, begin, end, acc, max, sum;

  std::vector<Array *> arrays() {
    std::vector<Array *> all{&query, &key, &value};
    if (hasMask)
      all.push_back(&mask);
    if (hasRange)
      all.insert(all.end(), {&begin, &end});
    all.insert(all.end(), {&acc, &max, &sum});
    return all;
  }
  /// Gives `array` its layout; `spread` is what the innermost stride is times.
  void layOut(Array &array, int64_t room = 0, int64_t spread = 1) {
    array.shape.clear();
    for (int loop : array.loops)
      array.shape.push_back(extents[loop]);
    array.strides.assign(array.shape.size(), 0);
    int64_t stride = spread;
    for (size_t i = array.shape.size(); i-- > 0;) {
      array.strides[i] = stride;
      stride *= array.shape[i];
      if (i + 1 == array.shape.size())
        stride += room;
    }
    array.isPlain = array.shape.empty() || (room == 0 && spread == 1);
    array.data.assign(stride * array.width(), '\xff'); // NaN
  }

  std::string text() {
    std::string arguments, maps, ins, outs, inTypes, outTypes;
    auto join = [](std::string &list, const std::string &item) {
      list += (list.empty() ? "" : ", ") + item;
    };
    const char *const known[] = {"%q", "%k", "%v", "%a", "%m", "%l"};
    int next = 0;
    for (Array *array : arrays()) {
      std::string name = array == &mask    ? "%mask"
                         : array == &begin ? "%begin"
                         : array == &end   ? "%end"
                                           : known[next++];
      join(arguments, name + ": " + array->text());
      join(maps, array->map());
      bool isState = array == &acc || array == &max || array == &sum;
      if (name.size() > 2)
        continue;
      join(isState ? outs : ins, name);
      join(isState ? outTypes : inTypes, array->text());
    }
    if (hasValid)
      arguments += ", %valid: index";
    std::string op =
        "  commir.online_attention maps [" + maps + "] scale " +
        llvm::formatv("{0:E6}", scale).str() + "\n    ins(" + ins + " : " +
        inTypes + ")" +
        (hasMask ? " mask(%mask : " + mask.text() + ")" : std::string()) +
        (hasValid ? " valid(%valid)" : "") +
        (hasRange ? " key_range(%begin, %end : " + begin.text() + ", " +
                        end.text() + ")"
                  : std::string()) +
        "\n    outs(" + outs + " : " + outTypes + ")\n";
    return "func.func @tile(" + arguments +
           ") attributes {llvm.emit_c_interface} {\n" + op + "  return\n}\n";
  }
};

/// Calls `body` for all positions of some loops.
template <typename F>
void forAll(const Problem &problem, const std::vector<int> &loops, F body,
            int64_t *position, size_t depth = 0) {
  if (depth == loops.size())
    return body();
  for (int64_t i = 0; i < problem.extents[loops[depth]]; ++i) {
    position[loops[depth]] = i;
    forAll(problem, loops, body, position, depth + 1);
  }
}

class AttentionTile : public testing::Test {
protected:
  static void SetUpTestSuite() { mercury::registerAllPasses(); }
  AttentionTile() {
    mlir::DialectRegistry registry;
    mercury::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  void run(Problem &problem) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(problem.text(), &context);
    ASSERT_TRUE(module);
    mlir::PassManager pm(&context);
    if (problem.pass != "loops") {
      ASSERT_TRUE(succeeded(mlir::parsePassPipeline(
          "func.func(mercury-vectorize-attention{" + problem.pass + "})", pm)));
      mlir::bufferization::buildBufferDeallocationPipeline(
          pm, mlir::bufferization::BufferDeallocationPipelineOptions());
    }
    mercury::buildLowerBufferizedToLLVM(pm);
    ASSERT_TRUE(succeeded(pm.run(*module)));
    auto engine = mercury::run::createEngine(*module, 1);
    ASSERT_TRUE(static_cast<bool>(engine))
        << llvm::toString(engine.takeError());
    std::vector<std::vector<int64_t>> descriptors;
    for (Array *array : problem.arrays())
      descriptors.push_back(array->descriptor());
    std::vector<void *> pointers, packed;
    for (auto &descriptor : descriptors)
      pointers.push_back(descriptor.data());
    for (void *&pointer : pointers)
      packed.push_back(&pointer);
    if (problem.hasValid)
      packed.push_back(&problem.valid);
    llvm::Error error = (*engine)->invokePacked("_mlir_ciface_tile", packed);
    ASSERT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  }

  /// Random inputs; the state is empty, or any at all.
  void fill(Problem &problem, std::mt19937 &random) {
    std::normal_distribution<double> normal;
    int64_t at[NumLoops] = {};
    for (Array *array : problem.arrays()) {
      if (array == &problem.begin || array == &problem.end)
        continue;
      double amplitude =
          array == &problem.query
              ? problem.amplitude / std::sqrt(problem.extents[Feature])
              : 1;
      forAll(
          problem, array->loops,
          [&] {
            bool isHidden =
                array == &problem.mask && problem.isMasking && random() % 3;
            array->set(at, isHidden ? -infinity : amplitude * normal(random));
          },
          at);
    }
    // Whole rows, too, where the mask has rows.
    if (problem.isMasking)
      forAll(
          problem, problem.mask.loops,
          [&] {
            if ((at[Query] + at[Group]) % 3 == 0)
              problem.mask.set(at, -infinity);
          },
          at);
    forAll(
        problem, {Head, Group, Query},
        [&] {
          problem.max.set(at, problem.continues
                                  ? 2 * problem.amplitude * normal(random)
                                  : -infinity);
          problem.sum.set(at, problem.continues ? 1 + random() % 4 : 0);
          for (at[ValueFeature] = 0;
               at[ValueFeature] < problem.extents[ValueFeature];
               ++at[ValueFeature])
            problem.acc.set(at, problem.continues ? normal(random) : 0);
        },
        at);
  }

  /// Ranges of keys, also beyond those there are and empty ones.
  void fillRanges(Problem &problem, std::mt19937 &random) {
    int64_t keys = problem.extents[Key], at[NumLoops] = {};
    int64_t form = random() % 4, left = random() % (keys + 4),
            slope = 1 + random() % 3;
    for (Array *array : {&problem.begin, &problem.end})
      forAll(
          problem, array->loops,
          [&] {
            int64_t row = slope * at[Query] + 5 * at[Head] + 3 * at[Group];
            int64_t begin = row - left, end = row + 1;
            if (form == 0) // causal
              begin = 0;
            if (form == 1 || (form == 2 && random() % 4 == 0)) {
              begin = int64_t(random() % (keys + 8)) - 4;
              end = int64_t(random() % (keys + 8)) - 4;
            }
            array->set(at, array == &problem.begin ? begin : end);
          },
          at);
  }

  /// Runs it and compares what does not depend on the rounding of maxima:
  /// acc / sum and max + log(sum).
  void check(Problem &problem, double tolerance) {
    SCOPED_TRACE(problem.pass + "\n" + problem.text() + "valid " +
                 std::to_string(problem.valid));
    Problem before = problem;
    run(problem);
    if (HasFatalFailure())
      return;
    int64_t keys = problem.extents[Key];
    if (problem.hasValid)
      keys = std::clamp<int64_t>(problem.valid, 0, keys);
    int64_t at[NumLoops] = {};
    int failures = 0;
    auto checkRow = [&] {
      int64_t first = 0, last = keys;
      if (problem.hasRange) {
        first = std::max<int64_t>(problem.begin.get(at), 0);
        last = std::min<int64_t>(problem.end.get(at), keys);
      }
      std::vector<double> scores(keys, -infinity);
      double top = before.max.get(at);
      for (at[Key] = first; at[Key] < last; ++at[Key]) {
        double score = 0;
        for (at[Feature] = 0; at[Feature] < problem.extents[Feature];
             ++at[Feature])
          score += before.query.get(at) * before.key.get(at);
        score *= problem.scale;
        if (problem.hasMask)
          score += before.mask.get(at);
        scores[at[Key]] = score;
        top = std::max(top, score);
      }
      double factor =
          before.max.get(at) == top ? 1 : std::exp(before.max.get(at) - top);
      double sum = factor * before.sum.get(at);
      for (double &score : scores) {
        score = top == -infinity ? 0 : std::exp(score - top);
        sum += score;
      }
      double max = problem.max.get(at), total = problem.sum.get(at);
      // A row that sees few keys may see none of the large scores, whose terms
      // are as large.
      double allowed =
          tolerance * (1 + (top == -infinity ? 0 : std::fabs(top)) +
                       (problem.hasRange ? problem.amplitude : 0));
      if (top == -infinity)
        EXPECT_EQ(max, top) << ++failures;
      else if (!(std::fabs(max - top) <= allowed))
        ADD_FAILURE() << "maximum " << max << ", expected " << top
                      << ++failures;
      if (sum == 0)
        EXPECT_EQ(total, 0) << ++failures;
      else if (!(std::fabs(max + std::log(total) - top - std::log(sum)) <=
                 allowed))
        ADD_FAILURE() << "log-sum-exp " << max + std::log(total)
                      << ", expected " << top + std::log(sum) << ++failures;
      for (at[ValueFeature] = 0;
           at[ValueFeature] < problem.extents[ValueFeature];
           ++at[ValueFeature]) {
        double acc = factor * before.acc.get(at);
        for (at[Key] = first; at[Key] < last; ++at[Key])
          acc += scores[at[Key]] * before.value.get(at);
        double expected = sum == 0 ? acc : acc / sum;
        double actual = problem.acc.get(at) / (sum == 0 ? 1 : total);
        if (!(std::fabs(actual - expected) <= 4 * allowed)) {
          ADD_FAILURE() << "row " << at[Head] << " " << at[Group] << " "
                        << at[Query] << " feature " << at[ValueFeature] << ": "
                        << actual << ", expected " << expected;
          ++failures;
        }
      }
    };
    forAll(
        problem, {Head, Group, Query},
        [&] {
          if (failures < 4)
            checkRow();
        },
        at);
  }

  mlir::MLIRContext context;
};

/// A problem of `seed`, of any form; `ranged`: rows see ranges of keys.
Problem randomProblem(unsigned seed, std::mt19937 &random,
                      bool ranged = false) {
  Problem problem;
  auto pick = [&](std::initializer_list<int64_t> of) {
    return of.begin()[random() % of.size()];
  };
  problem.extents[Head] = pick({1, 2, 3});
  problem.extents[Group] = pick({1, 1, 2, 3});
  problem.extents[Query] = pick({1, 2, 5, 12, 13, 16, 31, 48});
  problem.extents[Key] = pick({1, 3, 16, 31, 32, 33, 64, 100, 128});
  problem.extents[Feature] = pick({1, 4, 16, 17, 32, 40});
  problem.extents[ValueFeature] = pick({1, 3, 16, 20, 32, 48, 65});
  problem.scale = pick({0, 1}) ? 0.5 : 1;
  problem.continues = random() % 2;
  problem.hasValid = random() % 3 == 0;
  problem.valid = int64_t(random() % (problem.extents[Key] + 6)) - 3;
  problem.hasMask = random() % 2;
  problem.isMasking = random() % 2;
  problem.hasRange = ranged;
  problem.amplitude = pick({1, 1, 1, 50});
  problem.pass = llvm::formatv("min-flops=0 vector-bits={0} block-keys={1} "
                               "block-queries={2}",
                               pick({0, 128, 256, 512}), pick({0, 32, 64}),
                               pick({0, 8, 24}))
                     .str();
  const char *const types[] = {"f32", "f32", "bf16", "f16"};
  auto shape = [&](Array &array, std::vector<int> loops, bool isState) {
    array.type = isState ? "f32" : types[random() % 4];
    array.loops = loops;
    if (random() % 3 == 0)
      std::shuffle(array.loops.begin(), array.loops.end(), random);
    int64_t kind = random() % 6;
    problem.layOut(array, kind == 0 ? 3 : 0, kind == 1 ? 2 : 1);
  };
  shape(problem.query, {Head, Group, Query, Feature}, false);
  shape(problem.key,
        random() % 4 ? std::vector<int>{Head, Key, Feature}
                     : std::vector<int>{Key, Feature},
        false);
  shape(problem.value, {Head, Key, ValueFeature}, false);
  std::vector<int> ofMask;
  for (int loop : {Head, Group, Query, Key})
    if (random() % 2)
      ofMask.push_back(loop);
  shape(problem.mask, ofMask, false);
  shape(problem.acc, {Head, Group, Query, ValueFeature}, true);
  shape(problem.max, {Head, Group, Query}, true);
  shape(problem.sum, {Head, Group, Query}, true);
  for (Array *array : {&problem.begin, &problem.end}) {
    std::vector<int> loops;
    for (int loop : {Head, Group, Query})
      if (loop == Query ? random() % 8 : random() % 3 == 0)
        loops.push_back(loop);
    shape(*array, loops, false);
    array->type = "i32";
    problem.layOut(*array, random() % 3 ? 0 : 2);
  }
  return problem;
}

/// Every operand with its dimensions in the domain's order.
Problem plainProblem(std::vector<int64_t> extents, const char *type = "f32") {
  Problem problem;
  llvm::copy(extents, problem.extents);
  problem.pass = "min-flops=0";
  problem.query.type = problem.key.type = problem.value.type = type;
  problem.acc.type = problem.max.type = problem.sum.type = problem.mask.type =
      "f32";
  problem.query.loops = {Head, Group, Query, Feature};
  problem.key.loops = {Head, Key, Feature};
  problem.value.loops = {Head, Key, ValueFeature};
  problem.mask.loops = {Query, Key};
  problem.begin.loops = problem.end.loops = {Query};
  problem.begin.type = problem.end.type = "i32";
  problem.acc.loops = {Head, Group, Query, ValueFeature};
  problem.max.loops = problem.sum.loops = {Head, Group, Query};
  for (Array *array :
       {&problem.query, &problem.key, &problem.value, &problem.mask,
        &problem.begin, &problem.end, &problem.acc, &problem.max, &problem.sum})
    problem.layOut(*array);
  return problem;
}

double toleranceOf(const Problem &problem) {
  // The scores' own rounding, relative to the largest.
  return problem.amplitude > 1 ? 2e-6 : 1e-6;
}

TEST_F(AttentionTile, RandomProblems) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Problem problem = randomProblem(seed, random);
    fill(problem, random);
    check(problem, toleranceOf(problem));
    if (HasFailure())
      return;
  }
}

TEST_F(AttentionTile, RandomProblemsAsLoops) {
  for (unsigned seed = 101; seed <= 130; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Problem problem = randomProblem(seed, random);
    problem.pass = "loops";
    fill(problem, random);
    check(problem, toleranceOf(problem));
    if (HasFailure())
      return;
  }
}

TEST_F(AttentionTile, RandomRanges) {
  for (unsigned seed = 201; seed <= 250; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Problem problem = randomProblem(seed, random, /*ranged=*/true);
    if (seed % 4 == 0)
      problem.pass = "loops";
    fill(problem, random);
    fillRanges(problem, random);
    check(problem, toleranceOf(problem));
    if (HasFailure())
      return;
  }
}

TEST_F(AttentionTile, ManyBlocksWithRanges) {
  std::mt19937 random(11);
  for (auto extents : {std::vector<int64_t>{1, 1, 600, 600, 16, 16},
                       std::vector<int64_t>{2, 6, 50, 600, 16, 16},
                       std::vector<int64_t>{2, 1, 1, 512, 32, 32}})
    for (int64_t window : {600, 100}) {
      Problem problem = plainProblem(extents);
      problem.hasRange = true;
      fill(problem, random);
      int64_t at[NumLoops] = {};
      forAll(
          problem, {Query},
          [&] {
            // Positions that go down and up.
            int64_t position =
                std::abs(2 * at[Query] - problem.extents[Query]) + 3;
            problem.begin.set(at, position - window);
            problem.end.set(at, position);
          },
          at);
      check(problem, 1e-6);
    }
}

// What no row sees is not read: neither K and V of blocks between those that
// rows see, nor Q and the state of rows that see nothing.
TEST_F(AttentionTile, ExcludedBlocksAreNotRead) {
  std::mt19937 random(12);
  Problem problem = plainProblem({1, 1, 72, 160, 16, 16});
  problem.pass = "min-flops=0 block-keys=32 block-queries=12";
  problem.hasRange = true;
  fill(problem, random);
  int64_t at[NumLoops] = {};
  double nan = std::numeric_limits<double>::quiet_NaN();
  forAll(
      problem, {Query},
      [&] {
        // Rows 24 to 47 see nothing; the others one of two islands.
        bool isEmpty = at[Query] / 24 == 1;
        problem.begin.set(at, isEmpty ? 70 : at[Query] < 24 ? 0 : 128);
        problem.end.set(at, isEmpty ? 70 : at[Query] < 24 ? 32 : 160);
        if (isEmpty)
          forAll(problem, {Feature}, [&] { problem.query.set(at, nan); }, at);
      },
      at);
  at[Query] = 0;
  for (at[Key] = 32; at[Key] < 128; ++at[Key])
    for (at[Feature] = at[ValueFeature] = 0; at[Feature] < 16;
         at[ValueFeature] = ++at[Feature]) {
      problem.key.set(at, nan);
      problem.value.set(at, nan);
    }
  check(problem, 1e-6);
}

TEST_F(AttentionTile, StateInF64) {
  // The vectorizing pass leaves it to the loops.
  std::mt19937 random(5);
  Problem problem = plainProblem({2, 1, 3, 9, 4, 5}, "f64");
  problem.acc.type = problem.max.type = problem.sum.type = "f64";
  problem.hasMask = problem.isMasking = problem.continues = true;
  for (Array *array : {&problem.acc, &problem.max, &problem.sum})
    problem.layOut(*array);
  fill(problem, random);
  check(problem, 1e-14);
}

TEST_F(AttentionTile, ManyBlocks) {
  std::mt19937 random(6);
  for (const char *type : {"f32", "bf16"})
    for (auto extents : {std::vector<int64_t>{1, 1, 200, 600, 64, 64},
                         std::vector<int64_t>{2, 6, 1, 600, 64, 64},
                         std::vector<int64_t>{2, 1, 1, 512, 128, 128}}) {
      Problem problem = plainProblem(extents, type);
      problem.scale = 0.125;
      problem.amplitude = 8;
      fill(problem, random);
      check(problem, 1e-6);
    }
}

TEST_F(AttentionTile, ScoresThatDifferByHundreds) {
  std::mt19937 random(7);
  for (const char *pass : {"min-flops=0 block-keys=32", "loops"}) {
    Problem problem = plainProblem({1, 1, 24, 96, 16, 16});
    problem.pass = pass;
    problem.amplitude = 300;
    fill(problem, random);
    check(problem, 1e-6);
  }
}

TEST_F(AttentionTile, RowsWithoutAnyKey) {
  // Nothing but -inf: the state stays what it was, bit by bit.
  for (const char *pass : {"min-flops=0", "loops"})
    for (bool continues : {false, true}) {
      std::mt19937 random(8);
      Problem problem = plainProblem({1, 1, 13, 40, 8, 8});
      problem.pass = pass;
      problem.hasMask = true;
      problem.continues = continues;
      fill(problem, random);
      int64_t at[NumLoops] = {};
      forAll(
          problem, problem.mask.loops, [&] { problem.mask.set(at, -infinity); },
          at);
      Problem before = problem;
      run(problem);
      EXPECT_EQ(problem.acc.data, before.acc.data);
      EXPECT_EQ(problem.max.data, before.max.data);
      EXPECT_EQ(problem.sum.data, before.sum.data);
    }
}

TEST_F(AttentionTile, NaNIsSeen) {
  for (const char *pass : {"min-flops=0", "loops"}) {
    std::mt19937 random(9);
    Problem problem = plainProblem({1, 1, 2, 40, 8, 8});
    problem.pass = pass;
    fill(problem, random);
    int64_t at[NumLoops] = {};
    at[Key] = 17;
    problem.key.set(at, std::numeric_limits<double>::quiet_NaN());
    run(problem);
    EXPECT_TRUE(std::isnan(problem.sum.get(at)));
    EXPECT_TRUE(std::isnan(problem.acc.get(at)));
  }
}

// The bound that the pass states. Against a key with score 0 and value 0, the
// accumulator is exp of the other key's score, here its mask.
TEST_F(AttentionTile, ExponentialIsWithinItsBound) {
  constexpr int64_t rows = 1 << 16;
  Problem problem = plainProblem({1, 1, rows, 2, 1, 1});
  problem.hasMask = true;
  std::mt19937 random(10);
  std::uniform_real_distribution<double> uniform(-87.3, 0);
  int64_t at[NumLoops] = {};
  for (at[Query] = 0; at[Query] < rows; ++at[Query]) {
    problem.query.set(at, 0);
    problem.acc.set(at, 0);
    problem.max.set(at, -infinity);
    problem.sum.set(at, 0);
    for (at[Key] = 0; at[Key] < 2; ++at[Key]) {
      double x = at[Query] % 2 ? uniform(random) : -std::exp(uniform(random));
      if (at[Query] < 4)
        x = std::vector<double>{-infinity, -87.4, -1000, 0}[at[Query]];
      problem.mask.set(at, at[Key] ? x : 0);
      problem.key.set(at, 0);
      problem.value.set(at, at[Key]);
    }
  }
  run(problem);
  double worst = 0;
  at[Key] = 1;
  for (at[Query] = 0; at[Query] < rows; ++at[Query]) {
    double x = problem.mask.get(at), y = problem.acc.get(at);
    if (at[Query] < 3)
      EXPECT_EQ(y, 0) << x;
    else if (at[Query] == 3)
      EXPECT_EQ(y, 1);
    else
      worst = std::max(worst, std::fabs(y - std::exp(x)) / std::exp(x));
  }
  EXPECT_LT(worst, 0x1p-23);
  EXPECT_GT(worst, 0x1p-26);
}

} // namespace
