//===- AttentionTiles.cpp - Tiles of attention, run -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention tiled by upstream's transform ops gives what it gave before, on one
// device. The IR is looked at in test/Dialect/CommIR/IR/tile-attention.mlir.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "AttentionText.h"
#include "Programs.h"
#include "Reference.h"
#include "Verify.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

using Tensors = std::vector<run::HostTensor>;
using Change = std::function<void(Tensors &)>;

static Tensors runIt(ModuleOp module, bool promote, const Change &change) {
  run::ReferenceOptions options;
  options.promote = promote;
  options.optLevel = 0;
  auto program = run::compileOneRank(module, options);
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return {};
  }
  Tensors arguments = run::makeArguments(program->signature.arguments, 5);
  if (change)
    change(arguments);
  auto results = run::runOneRank(*program, arguments);
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }
  return *results;
}

/// Applies `script`, transform ops on the handle %0 of the operator, and
/// compares.
static void compare(const std::string &function, const std::string &script,
                    const Change &change = nullptr) {
  SCOPED_TRACE(script);
  std::string op = function.find("online") == std::string::npos
                       ? "commir.attention"
                       : "commir.online_attention";
  std::string text =
      function +
      "module attributes {transform.with_named_sequence} {\n"
      "  transform.named_sequence @__transform_main(%root: !transform.any_op) "
      "{\n    %0 = transform.structured.match ops{[\"" +
      op + "\"]} in %root : (!transform.any_op) -> !transform.any_op\n    " +
      script + "\n    transform.yield\n  }\n}\n";
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(text, context.get());
  ASSERT_TRUE(module) << text;
  Tensors before = runIt(*module, /*promote=*/true, change);
  std::string untiled;
  llvm::raw_string_ostream(untiled) << *module;
  PassManager pm(context.get());
  ASSERT_TRUE(succeeded(parsePassPipeline("transform-interpreter", pm)));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  ASSERT_TRUE(succeeded(pm.run(*module))) << text;
  std::string tiled;
  llvm::raw_string_ostream(tiled) << *module;
  EXPECT_NE(untiled, tiled);
  Tensors after = runIt(*module, /*promote=*/false, change);
  run::Verification verification = run::verifyResults(after, before);
  EXPECT_TRUE(verification.verified()) << verification.failures.front() << "\n"
                                       << tiled;
}

/// Handles that a transform op returns.
static std::string handles(unsigned count) {
  std::string text = ") -> (";
  for (unsigned i = 0; i < count; ++i)
    text += std::string(i ? ", " : "") + "!transform.any_op";
  return " : (!transform.any_op" + text + ")";
}

static std::string tileFor(const std::string &sizes, unsigned loops) {
  return "%1, %loops:" + std::to_string(loops) +
         " = transform.structured.tile_using_for %0 tile_sizes [" + sizes +
         "]" + handles(1 + loops);
}
static std::string tileForall(const std::string &how) {
  return "%1, %loop = transform.structured.tile_using_forall %0 " + how +
         handles(2);
}
/// One partial state per thread; merging makes three ops for each.
static std::string tilePartial(unsigned threads) {
  return "%fills:3, %1, %merges:" + std::to_string(3 * threads) +
         ", %loop = transform.structured.tile_reduction_using_forall %0 by "
         "num_threads = [0, 0, 0, " +
         std::to_string(threads) + "]" + handles(5 + 3 * threads);
}

/// Two query heads for each of three KV heads; extents that no tile divides.
static AttentionText grouped() {
  AttentionText form;
  form.extents = {{'h', 3}, {'g', 2}, {'m', 7}, {'n', 13}, {'d', 4}, {'e', 5}};
  form.query = "hgmd";
  form.out = "hgme";
  form.scale = 0.5;
  return form;
}

/// A state that some keys have left: sums of exponentials are positive.
static void makeSumsPositive(Tensors &arguments) {
  run::HostTensor &sums = arguments.back();
  for (int64_t i = 0; i < sums.spec.numElements(); ++i)
    sums.set(i, std::fabs(sums.get(i)) + 1);
}

TEST(AttentionTiles, ParallelLoops) {
  AttentionText form = grouped();
  for (std::string mask : {"", "mn", "hn"}) {
    form.mask = mask;
    for (const std::string &script :
         {tileFor("2", 1), tileFor("1, 1, 2", 3), tileFor("0, 0, 3", 1),
          tileForall("num_threads [3, 2]"),
          tileForall("tile_sizes [0, 0, 4]")}) {
      compare(form.attention(), script);
      compare(form.online(), script, makeSumsPositive);
    }
  }
}

TEST(AttentionTiles, KeyLoop) {
  AttentionText form = grouped();
  for (std::string mask : {"", "mn", "n"}) {
    form.mask = mask;
    for (const std::string &script :
         {tileFor("0, 0, 0, 4", 1), tileFor("0, 0, 0, 1", 1),
          tileFor("2, 0, 3, 5", 3), tileFor("0, 0, 0, 12", 1)})
      compare(form.online(), script, makeSumsPositive);
  }
  // Keys outside of features, queries outside of heads.
  form.query = "mhgd";
  form.key = "dhn";
  form.value = "neh";
  compare(form.online(), tileFor("0, 1, 0, 4", 2), makeSumsPositive);
}

TEST(AttentionTiles, PartialStates) {
  AttentionText form = grouped();
  for (std::string mask : {"", "mn"}) {
    form.mask = mask;
    for (const std::string &script :
         {tilePartial(2), tilePartial(4), tilePartial(13), tilePartial(16)})
      compare(form.online(), script, makeSumsPositive);
  }
}

TEST(AttentionTiles, Bf16) {
  AttentionText form = grouped();
  form.type = "bf16";
  for (const std::string &script : {tileFor("0, 0, 2, 4", 2), tilePartial(3)})
    compare(form.online(), script, makeSumsPositive);
}

/// The first `count` keys count, of which a tile knows how many are left.
static std::string withValid(std::string text, int64_t count) {
  text.insert(text.find("\n      outs("), " valid(%count)");
  text.insert(text.find("  %r:"), "  %count = arith.constant " +
                                      std::to_string(count) + " : index\n");
  return text;
}

TEST(AttentionTiles, ValidKeys) {
  AttentionText form = grouped();
  for (int64_t count : {0, 1, 6, 13, 20, -3}) {
    SCOPED_TRACE(count);
    for (const std::string &script : {tileFor("0, 0, 0, 4", 1), tilePartial(4)})
      compare(withValid(form.online(), count), script, makeSumsPositive);
    compare(withValid(form.attention(), count), tileFor("2, 0, 3", 2));
  }
}

// Tiles without a key that is seen, from the state of no key at all.
TEST(AttentionTiles, MaskedTiles) {
  AttentionText form = grouped();
  form.mask = "mn";
  auto change = [](Tensors &arguments) {
    for (size_t i : {4, 5, 6}) // accumulator, maximum, sum
      for (int64_t j = 0; j < arguments[i].spec.numElements(); ++j)
        arguments[i].set(j, i == 5 ? -INFINITY : 0.0);
    run::HostTensor &mask = arguments[3];
    for (int64_t j = 0; j < mask.spec.numElements(); ++j)
      if (j % 13 < 4 || j < 13) // the first tile, and the first row
        mask.set(j, -INFINITY);
  };
  for (const std::string &script : {tileFor("0, 0, 0, 4", 1), tilePartial(4)})
    compare(form.online(), script, change);
}
