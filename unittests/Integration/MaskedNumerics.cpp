//===- MaskedNumerics.cpp - Masks and orders that went wrong elsewhere ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lengths and numbers of ranks on which masked attention has gone wrong
// elsewhere, each with a comment that names the kind of fault, under every
// named schedule, plain and zigzag. Results are output and log-sum-exp,
// compared with the definition.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include "Mercury/Schedule/TokenOrder.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mercury;
using namespace mercury::test;

static bool causal(int64_t query, int64_t key) { return key <= query; }

/// One rank, then every named schedule in each order.
static void check(Program &program, const std::vector<std::string> &topologies,
                  const std::vector<std::string> &orders = {"none", "zigzag"}) {
  for (const std::string &order : orders) {
    program.balance = order;
    for (const Case &run :
         everySchedule(NamedSchedule::Scope::Attention, topologies))
      EXPECT_EQ(program.runOnRanks(run.schedule, run.topology), "")
          << run.schedule << " on " << run.topology << ", " << order;
  }
}

static void check(const AttentionText &form, const Sees &sees,
                  const std::vector<std::string> &topologies) {
  Program program(form.attention(), 5, nullptr, attentionOf(form, sees));
  check(program, topologies);
}

/// `lengths` packed into one sequence; causal in each where `isCausal`.
static void checkDocuments(const std::vector<int64_t> &lengths, bool isCausal,
                           const std::vector<std::string> &topologies) {
  std::vector<int64_t> documentOf;
  for (size_t i = 0; i < lengths.size(); ++i)
    documentOf.insert(documentOf.end(), lengths[i], i);
  int64_t tokens = documentOf.size();
  AttentionText form = maskedText(isCausal ? "right 0" : "", 4, tokens, tokens);
  form.documents = lengths;
  check(
      form,
      [&](int64_t query, int64_t key) {
        return documentOf[query] == documentOf[key] &&
               (!isCausal || causal(query, key));
      },
      topologies);
}

// Kind: a ring brings the keys of the last rank first, which the first rank's
// queries do not see: -inf - -inf is NaN.
TEST(MaskedNumerics, CausalRingBringsUnseenKeysFirst) {
  check(maskedText("right 0", 4, 8, 8), causal,
        {"gpu=2", "gpu=4", "node=2,gpu=2"});
}

// Kind: the log-sum-exp of packed sequences is (heads, longest) in one release
// and (heads, all tokens) in the next. Here it is a result, with a type.
TEST(MaskedNumerics, LogSumExpOfDocuments) {
  AttentionText form = maskedText("", 4, 16, 16);
  form.documents = {3, 5, 8};
  EXPECT_NE(form.attention().find("(tensor<4x16x4xf32>, tensor<4x16xf32>)"),
            std::string::npos);
  checkDocuments({3, 5, 8}, /*isCausal=*/false, {"gpu=4", "node=2,gpu=2"});
  checkDocuments({3, 5, 8}, /*isCausal=*/true, {"gpu=4", "node=2,gpu=2"});
}

// Kind: ranks disagree on the number of steps where they do not divide the
// length, 32769 on 2.
TEST(MaskedNumerics, OneTokenTooManyOnTwoRanks) {
  check(maskedText("right 0", 2, 33, 33), causal, {"gpu=2", "node=2,gpu=1"});
}

// Kind: seven tokens are rounded down to six, and one is lost.
TEST(MaskedNumerics, DocumentsOfFourAndThreeOnTwoRanks) {
  checkDocuments({4, 3}, /*isCausal=*/true, {"gpu=2"});
  checkDocuments({4, 3}, /*isCausal=*/false, {"gpu=2"});
}

// Kind: bounds of documents with odd lengths are not padded, or have entries
// that repeat: 0, 5, 12, 12, 20 on 2 ranks.
TEST(MaskedNumerics, DocumentWithoutTokensOnTwoRanks) {
  checkDocuments({5, 7, 0, 8}, /*isCausal=*/true, {"gpu=2"});
}

// Kind: packed sequences under a zigzag order, of 3, 2, 4 and 1 on 2 ranks.
TEST(MaskedNumerics, FourDocumentsOfTenTokensOnTwoRanks) {
  checkDocuments({3, 2, 4, 1}, /*isCausal=*/true, {"gpu=2"});
  checkDocuments({3, 2, 4, 1}, /*isCausal=*/false, {"gpu=2"});
}

// Kind: balance of an operator that has nothing to balance crashes on 2 ranks.
TEST(MaskedNumerics, BalanceWithoutMaskOnTwoRanks) {
  check(maskedText("", 4, 8, 8), [](int64_t, int64_t) { return true; },
        {"gpu=2"});
}

// A row without keys gives zero and a log-sum-exp of -inf, wherever it is.
TEST(MaskedNumerics, QueriesBeforeTheFirstKey) {
  check(maskedText("right -5", 4, 16, 16),
        [](int64_t query, int64_t key) { return key <= query - 5; },
        {"gpu=4", "node=2,gpu=2"});
}

/// `form` with Q and K multiplied by the cosine of their positions before.
static std::string embedded(const AttentionText &form) {
  std::string type = form.tensor("hmd", "f32"), text = form.attention();
  std::string embeddings = "  %e = tensor.empty() : " + type + "\n";
  for (std::string name : {"q", "k"})
    embeddings +=
        "  %p" + name + " = linalg.generic {indexing_maps = [#id, #id], " +
        "iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} ins(%" +
        name + " : " + type + ") outs(%e : " + type +
        ") {\n"
        "  ^bb0(%x: f32, %out: f32):\n"
        "    %m = linalg.index 1 : index\n"
        "    %i = arith.index_cast %m : index to i32\n"
        "    %t = arith.sitofp %i : i32 to f32\n"
        "    %c = math.cos %t : f32\n"
        "    %y = arith.mulf %x, %c : f32\n"
        "    linalg.yield %y : f32\n"
        "  } -> " +
        type + "\n";
  std::string ins = "ins(%q, %k,";
  text.replace(text.find(ins), ins.size(), "ins(%pq, %pk,");
  text.insert(text.find("  %o0 ="), embeddings);
  return "#id = affine_map<(h, m, d) -> (h, m, d)>\n" + text;
}

// Kind: positions count on within a rank while its tokens are those of a zigzag
// order, 8 on 2 ranks; or documents are given in tokens of all ranks.
TEST(MaskedNumerics, PositionsInZigzagOrder) {
  TokenOrder order = TokenOrder::zigzag(2);
  std::vector<int64_t> held;
  for (int64_t index = 0; index < 8; ++index)
    held.push_back(order.position(index, 8));
  EXPECT_EQ(held, (std::vector<int64_t>{0, 1, 6, 7, 2, 3, 4, 5}));

  for (int64_t tokens : {8, 13}) {
    AttentionText form = maskedText("right 0", 2, tokens, tokens);
    ComputeResults attention = attentionOf(form, causal);
    Program program(
        embedded(form), 5, nullptr,
        [&](std::vector<run::HostTensor> arguments,
            std::vector<run::HostTensor> &results) {
          for (size_t i : {0, 1})
            for (int64_t j = 0; j < arguments[i].spec.numElements(); ++j)
              arguments[i].set(j, arguments[i].get(j) *
                                      std::cos(double(j / 4 % tokens)));
          attention(arguments, results);
        });
    check(program, {"gpu=2", "node=2,gpu=2"}, {"none", "zigzag", "striped"});
  }
  checkDocuments({8, 16, 8}, /*isCausal=*/true, {"gpu=4"});
}
