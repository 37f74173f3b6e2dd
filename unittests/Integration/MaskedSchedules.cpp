//===- MaskedSchedules.cpp - Masks under all schedules of attention -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every named schedule of attention with every form of a mask, in the natural
// order of tokens and in others, on ranks and erased, against attention
// computed key by key.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

static const std::vector<std::string> fourRanks = {"gpu=4", "node=2,gpu=2"},
                                      plainAndZigzag = {"none", "zigzag"};

static void runAll(const AttentionText &form, const Sees &sees,
                   const std::vector<std::string> &balances = plainAndZigzag,
                   const std::vector<std::string> &topologies = fourRanks,
                   bool erased = true) {
  std::vector<Case> cases;
  for (const std::string &balance : balances)
    for (Case one :
         everySchedule(NamedSchedule::Scope::Attention, topologies)) {
      one.balance = balance;
      cases.push_back(one);
    }
  runCases(form.attention(), cases, erased, nullptr, attentionOf(form, sees));
}

static bool causal(int64_t m, int64_t n) { return n <= m; }

TEST(MaskedSchedules, Causal) {
  runAll(maskedText("right 0", 4, 16, 16), causal);
}

// A chunk of a longer prompt: the queries stand behind sixteen keys.
TEST(MaskedSchedules, CausalAtAnOffset) {
  AttentionText form = maskedText("right 0", 4, 8, 24);
  form.queryStart = 16;
  runAll(form, [](int64_t m, int64_t n) { return n <= m + 16; });
}

// The same by the mask alone; and queries that stand in front of all keys see
// nothing.
TEST(MaskedSchedules, CausalWithAnOffsetInTheMask) {
  runAll(maskedText("right 16", 4, 8, 24),
         [](int64_t m, int64_t n) { return n <= m + 16; });
  runAll(maskedText("right -3", 4, 16, 16),
         [](int64_t m, int64_t n) { return n <= m - 3; });
}

TEST(MaskedSchedules, Window) {
  runAll(maskedText("left 4 right 0", 4, 32, 32),
         [](int64_t m, int64_t n) { return n <= m && n >= m - 4; });
}

TEST(MaskedSchedules, LongWindow) {
  runAll(maskedText("left 127 right 0", 4, 1024, 1024, 1, 2),
         [](int64_t m, int64_t n) { return n <= m && n >= m - 127; });
}

TEST(MaskedSchedules, WindowToBothSides) {
  runAll(maskedText("left 2 right 3", 4, 16, 16),
         [](int64_t m, int64_t n) { return n <= m + 3 && n >= m - 2; });
}

TEST(MaskedSchedules, Prefix) {
  runAll(maskedText("right 0 prefix 6", 4, 16, 16),
         [](int64_t m, int64_t n) { return n <= m || n < 6; });
}

TEST(MaskedSchedules, IntersectionOfTerms) {
  runAll(maskedText("right 0 prefix 6 and left 4", 4, 16, 16),
         [](int64_t m, int64_t n) { return (n <= m || n < 6) && n >= m - 4; });
}

static AttentionText twoDocuments(const std::string &visible, int64_t heads,
                                  int64_t group = 1) {
  AttentionText form = maskedText(visible, heads, 16, 16, group);
  form.documents = {7, 9};
  return form;
}

static bool sameDocument(int64_t m, int64_t n) { return (m < 7) == (n < 7); }
static bool causalInDocument(int64_t m, int64_t n) {
  return causal(m, n) && sameDocument(m, n);
}

TEST(MaskedSchedules, TwoDocuments) {
  runAll(twoDocuments("", 4), sameDocument);
}

TEST(MaskedSchedules, CausalInDocuments) {
  runAll(twoDocuments("right 0", 4), causalInDocument);
}

TEST(MaskedSchedules, Striped) {
  std::vector<std::string> balances = {"striped", "striped:2"};
  runAll(maskedText("right 0", 4, 16, 16), causal, balances);
  runAll(twoDocuments("right 0", 4), causalInDocument, balances);
}

TEST(MaskedSchedules, Table) {
  runAll(maskedText("right 0", 4, 16, 16), causal,
         {"table:3,0,6,1,7,2,5,4", "table:2,0,1,3"});
}

TEST(MaskedSchedules, GroupedQueryHeads) {
  std::vector<std::string> balances = {"none", "zigzag", "striped"};
  runAll(maskedText("right 0", 2, 16, 16, 2), causal, balances);
  runAll(twoDocuments("right 0", 2, 2), causalInDocument, balances);
}

TEST(MaskedSchedules, CausalOnOtherNumbersOfRanks) {
  runAll(maskedText("right 0", 4, 48, 48, 1, 2), causal, {"zigzag"},
         {"gpu=1", "gpu=2", "gpu=3", "gpu=8", "node=2,gpu=4"});
}

// Twice the ranks do not divide the length; there are fewer tokens than that.
TEST(MaskedSchedules, LengthsThatDoNotDivide) {
  for (int64_t length : {13, 5, 1})
    runAll(maskedText("right 0", 4, length, length), causal);
  runAll(maskedText("right 0", 4, 5, 5), causal, {"zigzag"}, {"gpu=8"});
  AttentionText form = maskedText("left 3 right 0", 4, 7, 7);
  form.documents = {4, 3};
  runAll(form, [](int64_t m, int64_t n) {
    return n <= m && n >= m - 3 && (m < 4) == (n < 4);
  });
}

// What every program does with what it is given by itself.
TEST(MaskedSchedules, ByDefault) {
  runAll(maskedText("right 0", 4, 16, 16), causal, {"auto"});
  runAll(maskedText("left 4 right 0", 4, 32, 32),
         [](int64_t m, int64_t n) { return n <= m && n >= m - 4; }, {"auto"});
}
