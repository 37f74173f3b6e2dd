//===- AttentionNumerics.cpp - Infinities, rounding, and their growth -----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs on which attention over ranks has gone wrong elsewhere, each with a
// comment that names the kind of fault, under every named schedule. Results are
// output and log-sum-exp.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "AttentionText.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Programs.h"
#include "RankRunner.h"
#include "Reference.h"
#include "Verify.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

using Tensors = std::vector<run::HostTensor>;
using Change = std::function<void(Tensors &)>;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

/// One attention, its inputs and its reference.
class Numerics {
public:
  Numerics(const AttentionText &form, const Change &change = nullptr)
      : text(form.attention()), context(makeContext()),
        module(parseSourceString<ModuleOp>(text, context.get())) {
    run::ReferenceOptions options;
    options.optLevel = 0;
    auto program = run::compileOneRank(*module, options);
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError()) << text;
      return;
    }
    arguments = run::makeArguments(program->signature.arguments, 3);
    if (change)
      change(arguments);
    if (auto results = run::runOneRank(*program, arguments))
      reference = std::move(*results);
    else
      ADD_FAILURE() << llvm::toString(results.takeError());
  }

  /// The results on ranks; nothing after a failure.
  Tensors run(const std::string &schedule, const std::string &topology,
              const std::string &local = "loops") {
    run::CompileOptions options;
    options.schedule = schedule;
    options.topology = topology;
    options.local = local;
    options.optLevel = local == "loops" ? 0 : 2;
    auto program = run::compileProgram(*module, options);
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError()) << text;
      return {};
    }
    run::LaunchOptions launch;
    launch.strict = true;
    auto result = run::runProgram(*program, arguments, launch);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    for (const std::string &divergence : result->divergences)
      ADD_FAILURE() << divergence;
    multiplyAdds = program->multiplyAdds;
    inputMultiplyAdds = program->inputMultiplyAdds;
    return result->results;
  }

  /// Runs the schedules on each topology; verified, and then what `also` says.
  void check(const std::vector<std::string> &schedules,
             const std::vector<std::string> &topologies,
             const Change &also = nullptr, const std::string &local = "loops") {
    for (const std::string &topology : topologies)
      for (const std::string &schedule : schedules) {
        SCOPED_TRACE(schedule + " on " + topology + ", " + local);
        Tensors results = run(schedule, topology, local);
        if (results.empty())
          continue;
        run::Verification verification = run::verifyResults(results, reference);
        EXPECT_TRUE(verification.verified())
            << verification.failures.front() << "\n"
            << text;
        if (also)
          also(results);
      }
  }

  std::string text;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  Tensors arguments, reference;
  int64_t multiplyAdds = 0, inputMultiplyAdds = 0; ///< of the last run
};

} // namespace

/// Those that are for attention.
static std::vector<std::string> everySchedule() {
  std::vector<std::string> names;
  for (const NamedSchedule &named : namedSchedules())
    if (named.scope == NamedSchedule::Scope::Attention)
      names.emplace_back(named.name);
  return names;
}

static const std::vector<std::string> fourRanks = {"gpu=4", "node=2,gpu=2"};

static AttentionText heads(int64_t count, int64_t queries, int64_t keys,
                           int64_t features = 4) {
  AttentionText form;
  form.extents = {{'h', count},
                  {'m', queries},
                  {'n', keys},
                  {'d', features},
                  {'e', features}};
  return form;
}

/// Calls `set` with every element and its position.
static void forEach(
    run::HostTensor &tensor,
    const std::function<double(const std::vector<int64_t> &, double)> &set) {
  std::vector<int64_t> at(tensor.spec.shape.size());
  for (int64_t i = 0; i < tensor.spec.numElements(); ++i) {
    int64_t rest = i;
    for (size_t dim = at.size(); dim-- > 0;) {
      at[dim] = rest % tensor.spec.shape[dim];
      rest /= tensor.spec.shape[dim];
    }
    tensor.set(i, set(at, tensor.get(i)));
  }
}

static void expectFinite(const Tensors &results) {
  for (const run::HostTensor &tensor : results)
    for (int64_t i = 0; i < tensor.spec.numElements(); ++i)
      ASSERT_TRUE(std::isfinite(tensor.get(i))) << i;
}

//===----------------------------------------------------------------------===//
// Scores of very different size
//===----------------------------------------------------------------------===//

/// Adds `offset(block)` to all scores of each of four blocks of keys.
static Change offsetBlocks(const std::function<double(int64_t)> &offset) {
  return [=](Tensors &arguments) {
    int64_t block = arguments[1].spec.shape[1] / 4;
    forEach(arguments[0], [](auto &at, double value) {
      return at.back() == 0 ? 1.0 : value;
    });
    forEach(arguments[1], [&](auto &at, double value) {
      return at.back() == 0 ? offset(at[1] / block) : value;
    });
  };
}

// Kind: exp(lse_block - lse) overflows where blocks are merged by log-sum-exp;
// exp of f32 overflows above 88.7.
TEST(AttentionNumerics, ScoresDifferBy100BetweenRanks) {
  AttentionText form = heads(4, 8, 8);
  for (int64_t largest = 0; largest < 4; ++largest) {
    SCOPED_TRACE(largest);
    Numerics numerics(form, offsetBlocks([&](int64_t block) {
                        return block == largest ? 100.0 : 0.0;
                      }));
    numerics.check(everySchedule(), fourRanks, expectFinite);
    // Nothing is left of the other blocks: the same as their keys masked.
    form.mask = "n";
    Numerics alone(form, [&](Tensors &arguments) {
      for (size_t i = 0; i < 3; ++i)
        arguments[i] = numerics.arguments[i];
      forEach(arguments[3], [&](auto &at, double) {
        return at[0] / 2 == largest ? 0.0 : -infinity;
      });
    });
    form.mask = "";
    run::Verification verification =
        run::verifyResults(numerics.reference, alone.reference, {}, 1e-12);
    EXPECT_TRUE(verification.verified()) << verification.failures.front();
  }
}

TEST(AttentionNumerics, ScoresRiseAndFallBy100FromRankToRank) {
  for (double slope : {100.0, -100.0}) {
    SCOPED_TRACE(slope);
    Numerics numerics(heads(4, 8, 8), offsetBlocks([&](int64_t block) {
                        return slope * block;
                      }));
    numerics.check(everySchedule(), fourRanks, expectFinite);
  }
}

//===----------------------------------------------------------------------===//
// Masked keys
//===----------------------------------------------------------------------===//

// Kind: a block without a key that is seen has log-sum-exp -inf, and -inf -
// -inf is NaN.
TEST(AttentionNumerics, AllKeysOfARankAreMasked) {
  AttentionText form = heads(4, 8, 8);
  form.mask = "mn";
  for (int64_t masked = 0; masked < 4; ++masked) {
    SCOPED_TRACE(masked);
    Numerics numerics(form, [&](Tensors &arguments) {
      forEach(arguments[3], [&](auto &at, double value) {
        return at.back() / 2 == masked ? -infinity : value;
      });
    });
    numerics.check(everySchedule(), fourRanks, expectFinite);
  }
}

// The same with the vectorized tile, which is for tiles of some size.
TEST(AttentionNumerics, AllKeysOfARankAreMaskedInTheVectorizedTile) {
  AttentionText form = heads(4, 128, 128, 16);
  form.mask = "mn";
  Numerics numerics(form, [&](Tensors &arguments) {
    forEach(arguments[3], [&](auto &at, double value) {
      return at[1] / 32 == at[0] % 4 || at[0] == 3 ? -infinity : value;
    });
  });
  numerics.check({"ring", "ring_bidirectional", "ring_of_queries", "tree"},
                 {"gpu=4"}, nullptr, "codegen");
}

// Kind: causal attention by mask; the first block that a rank receives in a
// ring is of later keys and masked as a whole.
TEST(AttentionNumerics, FirstReceivedBlockIsMasked) {
  AttentionText form = heads(4, 8, 8);
  form.mask = "mn";
  Numerics numerics(form, [](Tensors &arguments) {
    forEach(arguments[3],
            [](auto &at, double) { return at[1] > at[0] ? -infinity : 0.0; });
  });
  numerics.check(everySchedule(), {"gpu=2", "gpu=4", "node=2,gpu=2"},
                 expectFinite);
}

// Kind: a row whose every key is masked gives NaN (iree#24175). Here it is
// zero, and its log-sum-exp -inf.
TEST(AttentionNumerics, RowsWithoutKeys) {
  AttentionText form = heads(4, 8, 8);
  form.mask = "mn";
  auto isEmpty = [](int64_t row) { return row == 0 || row == 3 || row > 5; };
  Numerics numerics(form, [&](Tensors &arguments) {
    forEach(arguments[3], [&](auto &at, double value) {
      return isEmpty(at[0]) ? -infinity : value;
    });
  });
  auto expectEmpty = [&](Tensors &results) {
    forEach(results[0], [&](auto &at, double value) {
      EXPECT_TRUE(std::isfinite(value));
      if (isEmpty(at[1])) {
        EXPECT_EQ(value, 0.0);
      }
      return value;
    });
    forEach(results[1], [&](auto &at, double value) {
      EXPECT_EQ(value == -infinity, isEmpty(at[1])) << value;
      return value;
    });
  };
  expectEmpty(numerics.reference);
  numerics.check(everySchedule(), {"gpu=1", "gpu=4", "node=2,gpu=2"},
                 expectEmpty);
  numerics.check({"replicated"}, {"gpu=1"}, expectEmpty);
}

TEST(AttentionNumerics, NoRowHasKeys) {
  AttentionText form = heads(4, 8, 8);
  form.mask = "n";
  Numerics numerics(form, [](Tensors &arguments) {
    forEach(arguments[3], [](auto &, double) { return -infinity; });
  });
  numerics.check(everySchedule(), {"gpu=4"}, [](Tensors &results) {
    forEach(results[0], [](auto &, double value) {
      EXPECT_EQ(value, 0.0);
      return value;
    });
  });
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static double relativeError(const run::HostTensor &result,
                            const run::HostTensor &reference) {
  double error = 0, norm = 0;
  for (int64_t i = 0; i < result.spec.numElements(); ++i) {
    error += std::pow(result.get(i) - reference.get(i), 2);
    norm += std::pow(reference.get(i), 2);
  }
  return std::sqrt(error / norm);
}

// Kind: the error grows with the ring, because outputs of blocks are rounded
// before they are merged.
TEST(AttentionNumerics, ErrorDoesNotGrowWithRanks) {
  for (std::string type : {"f32", "bf16"}) {
    AttentionText form = heads(8, 256, 256, 8);
    form.type = type;
    form.scale = 0.5;
    Tensors exact = Numerics(form).reference; // an output of f32
    form.outType = type;
    Numerics numerics(form);
    for (const std::string &schedule : everySchedule()) {
      SCOPED_TRACE(schedule + " " + type);
      Tensors two = numerics.run(schedule, "node=2,gpu=1"),
              eight = numerics.run(schedule, "node=2,gpu=4");
      ASSERT_FALSE(two.empty() || eight.empty());
      for (size_t i : {0, 1}) {
        double small = relativeError(two[i], exact[i]),
               large = relativeError(eight[i], exact[i]);
        EXPECT_LE(large, 1.5 * small) << "result " << i;
        EXPECT_GT(small, 0) << "result " << i;
        EXPECT_LE(small, i == 0 && type == "bf16" ? 2e-3 : 1e-6);
      }
    }
  }
}

// Kind: log-sum-exp from an unstable form, or in another base than the natural
// one.
TEST(AttentionNumerics, LogSumExpOnEightRanks) {
  AttentionText form = heads(8, 64, 64);
  form.type = form.outType = "bf16";
  Numerics numerics(form);
  // By its definition, from the rounded inputs.
  forEach(numerics.reference[1], [&](auto &at, double value) {
    double sum = 0;
    for (int64_t key = 0; key < 64; ++key) {
      double score = 0;
      for (int64_t d = 0; d < 4; ++d)
        score += numerics.arguments[0].get((at[0] * 64 + at[1]) * 4 + d) *
                 numerics.arguments[1].get((at[0] * 64 + key) * 4 + d);
      sum += std::exp(score);
    }
    EXPECT_NEAR(value, std::log(sum), 4e-6);
    return value;
  });
  numerics.check(
      everySchedule(), {"gpu=8", "node=2,gpu=4"}, [&](Tensors &results) {
        for (int64_t i = 0; i < 8 * 64; ++i)
          ASSERT_NEAR(results[1].get(i), numerics.reference[1].get(i), 4e-6);
      });
}

//===----------------------------------------------------------------------===//
// Which element is which
//===----------------------------------------------------------------------===//

/// Each query sees one key, and the elements of V are all different: the output
/// is V's row of that key, to the bit.
static void checkOneKeyPerQuery(AttentionText form,
                                const std::vector<std::string> &topologies) {
  int64_t keys = form.extents.at('n');
  form.mask = "mn";
  Numerics numerics(form, [&](Tensors &arguments) {
    for (int64_t i = 0; i < arguments[2].spec.numElements(); ++i)
      arguments[2].set(i, i + 1);
    forEach(arguments[3], [&](auto &at, double) {
      return at[1] == at[0] * 5 % keys ? 0.0 : -infinity;
    });
  });
  auto find = [](const std::string &dims, char dim) { return dims.find(dim); };
  numerics.check(everySchedule(), topologies, [&](Tensors &results) {
    forEach(results[0], [&](auto &at, double value) {
      const run::HostTensor &v = numerics.arguments[2];
      int64_t index = 0;
      for (size_t dim = 0; dim < form.value.size(); ++dim) {
        char letter = form.value[dim];
        int64_t position = letter == 'n' ? at[find(form.out, 'm')] * 5 % keys
                                         : at[find(form.out, letter)];
        index = index * v.spec.shape[dim] + position;
      }
      EXPECT_EQ(value, v.get(index));
      return value;
    });
  });
}

// Kind: an all-to-all that is right for batch 1 only.
TEST(AttentionNumerics, AllToAllOfABatch) {
  AttentionText form = heads(4, 8, 8);
  form.extents['b'] = 2;
  form.query = "bhmd";
  form.key = "bhnd";
  form.value = "bhne";
  form.out = "bhme";
  checkOneKeyPerQuery(form, {"gpu=2", "gpu=4", "node=2,gpu=2"});
}

// Kind: sequence-first input is treated as batch-first.
TEST(AttentionNumerics, SequenceFirstAndBatchFirst) {
  AttentionText form = heads(4, 6, 6, 8);
  form.extents['b'] = 2;
  form.query = "bmhd";
  form.key = "bnhd";
  form.value = "bnhe";
  form.out = "bhme";
  checkOneKeyPerQuery(form, {"gpu=2", "gpu=4"});
  form.query = "mbhd";
  form.key = "nbhd";
  form.value = "nbhe";
  checkOneKeyPerQuery(form, {"gpu=2", "gpu=4"});
}

// Kind: a length that ranks do not divide is silently wrong: 9 on 2 ranks.
TEST(AttentionNumerics, NineTokensOnTwoRanks) {
  checkOneKeyPerQuery(heads(4, 9, 9, 8), {"gpu=2", "node=2,gpu=2"});
}

// Kind: heads that ranks do not divide: 7 on 4, 20 on 8.
TEST(AttentionNumerics, HeadsThatDoNotDivide) {
  checkOneKeyPerQuery(heads(7, 4, 4), fourRanks);
  checkOneKeyPerQuery(heads(20, 8, 8, 2), {"gpu=8", "node=2,gpu=4"});
}

// The smallest that anyone reported: one batch, one head, four tokens of four
// features.
TEST(AttentionNumerics, SmallestShape) {
  AttentionText form = heads(1, 4, 4);
  form.extents['b'] = 1;
  form.query = "bhmd";
  form.key = "bhnd";
  form.value = "bhne";
  form.out = "bhme";
  checkOneKeyPerQuery(form, {"gpu=2", "gpu=4", "node=2,gpu=2"});
}

static AttentionText grouped(int64_t kvHeads, int64_t group, int64_t tokens) {
  AttentionText form = heads(kvHeads, tokens, tokens, 2);
  form.extents['g'] = group;
  form.query = "hgmd";
  form.out = "hgme";
  return form;
}

// Kind: query head h belongs to KV head h / group, not h mod KV heads; groups
// are cut apart where there are more ranks than KV heads (tt-mlir#7760).
TEST(AttentionNumerics, QueryHeadsOfKVHeads) {
  checkOneKeyPerQuery(grouped(2, 4, 4), fourRanks);
  checkOneKeyPerQuery(grouped(3, 2, 4), fourRanks);
}

// K has heads and V has none.
TEST(AttentionNumerics, OneValueForAllHeads) {
  AttentionText form = heads(4, 8, 8);
  form.value = "ne";
  checkOneKeyPerQuery(form, fourRanks);
}

// Kind: query groups per tensor-parallel rank: 8 KV heads on 8 ranks with a
// ring of 2 around, and on 16 ranks.
TEST(AttentionNumerics, KVHeadsOnSixteenRanks) {
  checkOneKeyPerQuery(grouped(8, 2, 16), {"node=2,gpu=8"});
  checkOneKeyPerQuery(grouped(8, 2, 16), {"gpu=16"});
}

//===----------------------------------------------------------------------===//
// Sums over all keys
//===----------------------------------------------------------------------===//

// Kinds: softmax normalised by each tile alone, 0.25 for 0.125 (llvm-project
// PR#212117); a collective lost on a 2-D topology (tt-mlir#3649, #3650).
TEST(AttentionNumerics, EqualScoresWeighKeysAlike) {
  Numerics numerics(heads(4, 8, 8, 8), [](Tensors &arguments) {
    forEach(arguments[0], [](auto &, double) { return 0.0; });
    forEach(arguments[2],
            [](auto &at, double) { return at[1] == at[2] ? 1.0 : 0.0; });
  });
  numerics.check(everySchedule(),
                 {"gpu=2", "gpu=4", "node=2,gpu=2", "node=2,gpu=4",
                  "node=4,gpu=2", "rack=2,node=2,gpu=2"},
                 [](Tensors &results) {
                   forEach(results[0], [](auto &, double value) {
                     EXPECT_EQ(value, 0.125);
                     return value;
                   });
                 });
}

// Kind: attention is only partly distributed (iree#19189).
TEST(AttentionNumerics, EveryRankHasItsShareOfTheWork) {
  Numerics numerics(heads(8, 16, 16));
  for (std::string topology : {"gpu=4", "node=2,gpu=2", "gpu=8"})
    for (const std::string &schedule : everySchedule()) {
      numerics.run(schedule, topology);
      int64_t ranks = topology == "gpu=8" ? 8 : 4;
      EXPECT_EQ(numerics.multiplyAdds * ranks, numerics.inputMultiplyAdds)
          << schedule << " on " << topology;
    }
}
