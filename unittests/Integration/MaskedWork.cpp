//===- MaskedWork.cpp - Work and bytes of ranks under masks ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs do and send, counted by hand here.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

static const std::vector<std::string> fourRanks = {"gpu=4", "node=2,gpu=2"};

static RunDetails runOne(const AttentionText &form, const std::string &schedule,
                         const std::string &topology,
                         const std::string &balance) {
  Program program(form.attention(), 7);
  program.balance = balance;
  RunDetails details;
  EXPECT_EQ(program.runOnRanks(schedule, topology, &details), "")
      << schedule << " on " << topology << ", balance " << balance;
  return details;
}

// 32 tokens: row p costs p + 1 keys, of each head 8 multiply-adds.
TEST(MaskedWork, CausalRing) {
  AttentionText form = maskedText("right 0", 2, 32, 32);
  auto rows = [](int64_t begin, int64_t end) {
    int64_t keys = 0;
    for (int64_t p = begin; p < end; ++p)
      keys += p + 1;
    return keys * 2 * 8;
  };
  RunDetails plain = runOne(form, "ring", "gpu=4", "none"),
             zigzag = runOne(form, "ring", "gpu=4", "zigzag");
  EXPECT_EQ(plain.inputMultiplyAdds, rows(0, 32));
  for (int64_t r = 0; r < 4; ++r) {
    EXPECT_EQ(plain.multiplyAdds[r], rows(8 * r, 8 * r + 8));
    EXPECT_EQ(zigzag.multiplyAdds[r],
              rows(4 * r, 4 * r + 4) + rows(28 - 4 * r, 32 - 4 * r));
    EXPECT_EQ(zigzag.multiplyAdds[r] * 4, rows(0, 32));
  }
  EXPECT_EQ(plain.bytesSent, zigzag.bytesSent);
}

// Left alone, every design gives every rank an equal share of causal attention,
// to the multiply-add; nothing is computed twice.
TEST(MaskedWork, EveryScheduleBalancesCausalAttention) {
  AttentionText form = maskedText("right 0", 8, 32, 32);
  Program program(form.attention(), 7);
  for (const std::string &topology : {"gpu=4", "node=2,gpu=2", "node=2,gpu=4"})
    for (const NamedSchedule &named : namedSchedules())
      if (named.scope == NamedSchedule::Scope::Attention ||
          named.name == "default") {
        std::string name(named.name);
        RunDetails details;
        EXPECT_EQ(program.runOnRanks(name, topology, &details), "");
        for (int64_t work : details.multiplyAdds)
          EXPECT_EQ(work * int64_t(details.multiplyAdds.size()),
                    details.inputMultiplyAdds)
              << name << " on " << topology;
      }
}

// Padded keys are nobody's work.
TEST(MaskedWork, PaddedKeysAreNoWork) {
  AttentionText form = maskedText("right 0", 4, 16, 13);
  for (std::string balance : {"none", "zigzag"}) {
    RunDetails details = runOne(form, "ring", "gpu=4", balance);
    int64_t all = 0;
    for (int64_t work : details.multiplyAdds)
      all += work;
    EXPECT_EQ(all, details.inputMultiplyAdds) << balance;
    EXPECT_EQ(all, (13 * 14 / 2 + 3 * 13) * 4 * 8);
  }
}

// A tile of K and V of 8 tokens. A query of a window of 5 needs its rank's and
// the one before: one hop of three.
TEST(MaskedWork, RingOfAWindowEndsEarly) {
  AttentionText form = maskedText("left 4 right 0", 4, 32, 32);
  int64_t tile = 2 * 4 * 8 * 4 * 4;
  for (const std::string &topology : fourRanks) {
    for (int64_t sent : runOne(form, "ring", topology, "none").bytesSent)
      EXPECT_EQ(sent, tile) << topology;
    for (int64_t sent : runOne(form, "ring", topology, "auto").bytesSent)
      EXPECT_EQ(sent, tile) << topology;
  }
  // Nine tokens reach two tiles back.
  form = maskedText("left 9 right 0", 4, 32, 32);
  for (int64_t sent : runOne(form, "ring", "gpu=4", "none").bytesSent)
    EXPECT_EQ(sent, 2 * tile);
  // Twenty-four to the left and none to the right: all are needed.
  form = maskedText("left 24 right 0", 4, 32, 32);
  for (int64_t sent : runOne(form, "ring", "gpu=4", "none").bytesSent)
    EXPECT_EQ(sent, 3 * tile);
}
