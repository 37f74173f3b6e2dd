//===- TextTest.cpp - Schedules as text -----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTest.h"

#include <random>

using namespace mercury;
using namespace mercury::test;

static constexpr uint32_t seed = 20260728;

namespace {
/// Values of every kind, legal or not: text has no opinion.
struct Random {
  std::mt19937 engine{seed};
  int64_t below(int64_t n) { return engine() % n; }
  int64_t number() {
    switch (below(4)) {
    case 0:
      return std::numeric_limits<int64_t>::min();
    case 1:
      return std::numeric_limits<int64_t>::max();
    default:
      return below(21) - 10;
    }
  }
  AxisRef axis() {
    static const char *names[] = {"gpu", "node", "rank", "time", "_x9"};
    AxisRef axis{names[below(5)]};
    if (below(3) == 0) {
      axis.pre = number();
      axis.size = number();
    }
    return axis;
  }
  AxisList axes() {
    AxisList list(below(3));
    for (AxisRef &a : list)
      a = axis();
    return list;
  }
  TokenOrder tokenOrder() {
    switch (below(6)) {
    case 0:
      return TokenOrder::zigzag(number());
    case 1:
      return TokenOrder::striped(number(), number());
    case 2:
      return {TokenOrder::Kind::Table, 1, 1, {number(), number()}};
    default:
      return {};
    }
  }
  Placement placement() {
    Placement p;
    p.dims.resize(below(4));
    for (size_t d = 0; d < p.dims.size(); ++d) {
      p.dims[d] = axes();
      p.setOrder(d, tokenOrder());
    }
    return p;
  }
  Factor factor() {
    Factor f;
    f.kind = below(2) ? Factor::Kind::Rank : Factor::Kind::Time;
    f.axes = axes();
    if (f.kind == Factor::Kind::Time && f.axes.empty())
      f.steps = number();
    f.shifts.resize(below(3));
    for (Shift &s : f.shifts)
      s = {axes(), number(), number()};
    f.bidirectional = below(2);
    f.backwards = below(2);
    f.order = number();
    return f;
  }
  Schedule schedule() {
    Schedule s;
    s.loops.resize(below(4));
    for (LoopPlan &loop : s.loops)
      for (int64_t i = below(3); i > 0; --i)
        loop.push_back(factor());
    bool isNatural = true;
    for (int64_t i = below(4); i > 0; --i)
      isNatural &= s.tokens.emplace_back(tokenOrder()).isNatural();
    if (isNatural)
      s.tokens.clear();
    s.inputs.resize(below(3));
    for (OperandPlan &plan : s.inputs) {
      plan = {placement(), {}, axes()};
      plan.nest = below(2) ? plan.entry : placement();
    }
    s.results.resize(below(3));
    for (ResultPlan &plan : s.results) {
      plan.nest = placement();
      plan.exit = below(2) ? plan.nest : placement();
    }
    for (int64_t i = below(4); i > 0; --i)
      s.tile.push_back(number());
    s.chunks = number();
    static const char *kernels[] = {"",          "blas", "my.kernel",
                                    "a \"b\\ c", "-",    "ranks"};
    s.patch = kernels[below(6)];
    if (below(3) == 0)
      s.ranks = Schedule::Range{axis(), number(), number()};
    return s;
  }
};
} // namespace

TEST(Text, Grammar) {
  std::string text =
      "loops [rank gpu, -, rank {node, gpu:(1)2} / time {gpu:(2)2} shift "
      "{gpu:(2)2} stride -1 offset 2 order 1 / time 4] inputs [[{gpu}, {}], "
      "[{gpu}, {}] -> [{}, {}] fetch {node}] results [[{gpu}, {}] -> [{}, {}]] "
      "tile [8, 0, 8] chunks 2 patch blas";
  Schedule s = schedule(text);
  EXPECT_EQ(print(s), text);
  EXPECT_EQ(s.loops[2][1].shifts[0].stride, -1);
  EXPECT_EQ(s.loops[2][2].steps, 4);
  EXPECT_EQ(s.inputs[1].fetch, AxisList{{"node"}});
  EXPECT_TRUE(s.results[0].exit.isReplicated());
  // Defaults may be written, one axis may stand in braces, space is free.
  EXPECT_EQ(schedule("loops[rank{gpu},time{gpu}shift gpu stride 1 offset 0 "
                     "order 0]inputs[]results[]"),
            schedule("loops [rank gpu, time {gpu} shift {gpu}] inputs [] "
                     "results []"));
}

TEST(Text, RoundTripOfRandomSchedules) {
  RecordProperty("seed", seed);
  Random random;
  for (int i = 0; i < 20000; ++i) {
    Schedule s = random.schedule();
    std::string text = print(s), error;
    std::optional<Schedule> parsed = parseSchedule(text, error);
    ASSERT_TRUE(parsed) << "seed " << seed << " case " << i << ": " << error
                        << "\n"
                        << text;
    ASSERT_TRUE(*parsed == s) << "seed " << seed << " case " << i << "\n"
                              << text << "\n"
                              << print(*parsed);
    ASSERT_EQ(hashValue(*parsed), hashValue(s));
  }
}

TEST(Text, MutatedTextIsParsedOrRefused) {
  Random random;
  std::string_view letters = "{}[](),:/->= \"\\0189gputimeranksl\n\x01\xff";
  for (int i = 0; i < 20000; ++i) {
    std::string text = print(random.schedule());
    for (int64_t edits = 1 + random.below(4); edits > 0; --edits) {
      size_t at = random.below(text.size() + 1);
      char letter = letters[random.below(letters.size())];
      if (random.below(3) == 0 && at < text.size())
        text.erase(at, 1 + random.below(5));
      else if (at < text.size() && random.below(2))
        text[at] = letter;
      else
        text.insert(at, 1, letter);
    }
    std::string error;
    if (std::optional<Schedule> parsed = parseSchedule(text, error)) {
      std::string again;
      ASSERT_EQ(parseSchedule(print(*parsed), again), parsed) << text;
      // Whatever was read is judged without harm.
      (void)verify(*parsed, gemm(), topology("node=2,gpu=2"));
    } else {
      ASSERT_NE(error.find("expected"), std::string::npos) << text;
    }
    (void)parseTopology(text.substr(random.below(text.size() + 1)), error);
  }
}

TEST(Text, ErrorsNameTheToken) {
  auto errorOf = [](std::string_view text) {
    std::string error;
    EXPECT_FALSE(parseSchedule(text, error)) << text;
    return error;
  };
  EXPECT_EQ(errorOf(""), "expected 'loops', got the end");
  EXPECT_EQ(errorOf("loops [ranks]"),
            "expected 'rank', 'time' or '-', got 'ranks'");
  EXPECT_EQ(errorOf("loops [time {gpu} shift {gpu} stride x]"),
            "expected an integer after 'stride', got 'x'");
  EXPECT_EQ(errorOf("loops [rank gpu:2] "),
            "expected '(' of the axis 'gpu', got '2'");
  EXPECT_EQ(errorOf("loops [rank gpu:(x)2]"),
            "expected the outer factor of the axis 'gpu', got 'x'");
  EXPECT_EQ(errorOf("loops [rank gpu:(1 2]"),
            "expected ')' of the axis 'gpu', got '2'");
  EXPECT_EQ(errorOf("loops [rank gpu:(1)]"),
            "expected the size of the axis 'gpu', got ']'");
  EXPECT_EQ(errorOf("loops [rank"), "expected an axis, got the end");
  EXPECT_EQ(errorOf("loops -"), "expected '[', got '-'");
  EXPECT_EQ(errorOf("loops [-] results"), "expected 'inputs', got 'results'");
  EXPECT_EQ(errorOf("loops [-] inputs [] tile"),
            "expected 'results', got 'tile'");
  EXPECT_EQ(errorOf("loops [-] inputs [gpu]"), "expected '[', got 'gpu'");
  EXPECT_EQ(errorOf("loops [-] inputs [[gpu]]"), "expected '{', got 'gpu'");
  EXPECT_EQ(errorOf("loops [-] inputs [[{gpu]]"),
            "expected ',' or '}', got ']'");
  EXPECT_EQ(errorOf("loops [-] inputs [] results [] tile [x]"),
            "expected an integer, got 'x'");
  EXPECT_EQ(errorOf("loops [-] inputs [] results [] patch ("),
            "expected the name of a kernel, got '('");
  EXPECT_EQ(errorOf("loops [-] inputs [] results [] ranks gpu 0 2"),
            "expected 'to', got '2'");
  EXPECT_EQ(errorOf("loops [-] inputs [[{gpu}]"),
            "expected ',' or ']', got the end");
  EXPECT_EQ(errorOf("loops [-] inputs [] results [] chunk 2"),
            "expected 'tile', 'chunks', 'patch', 'ranks' or the end, got "
            "'chunk'");
}

TEST(Text, HashIsTheSameInEveryProcess) {
  // Fingerprints of programs are compared across processes and machines.
  EXPECT_EQ(hashValue(schedule("loops [-] inputs [[{}]] results [[{}]]")),
            hashValue(schedule("loops [ - ] inputs [[{ }]] results [[{}]]")));
  EXPECT_NE(hashValue(schedule("loops [rank a] inputs [] results []")),
            hashValue(schedule("loops [rank b] inputs [] results []")));
}
