//===- TokenOrderTest.cpp - Orders, masks and schedules with them ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Balance.h"
#include "ScheduleTest.h"

#include <algorithm>

using namespace mercury;
using namespace mercury::test;

static std::optional<TokenOrder> orderOf(std::string_view text) {
  TextCursor cursor(text);
  TokenOrder order;
  std::string error;
  if (!parse(cursor, order, error) || !cursor.atEnd())
    return std::nullopt;
  return order;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

TEST(TokenOrder, ChunksBySlot) {
  auto chunks = [](std::string_view text, int64_t extent) {
    std::vector<int64_t> list;
    TokenOrder order = *orderOf(text);
    for (int64_t slot = 0; slot < order.numChunks(extent); ++slot)
      list.push_back(order.chunkAt(slot, extent));
    return list;
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(chunks("natural", 12), (List{0}));
  EXPECT_EQ(chunks("zigzag 1", 12), (List{0, 1}));
  EXPECT_EQ(chunks("zigzag 3", 12), (List{0, 5, 1, 4, 2, 3}));
  EXPECT_EQ(chunks("striped 3 by 2", 12), (List{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(chunks("table [2, 0, 1]", 12), (List{2, 0, 1}));
}

TEST(TokenOrder, PositionsAndIndicesAreInverse) {
  for (const char *text : {"natural", "zigzag 4", "striped 4 by 1",
                           "striped 2 by 3", "table [3, 1, 0, 2]"}) {
    TokenOrder order = *orderOf(text);
    int64_t extent = 2 * 24;
    std::vector<bool> seen(extent);
    for (int64_t index = 0; index < extent; ++index) {
      int64_t position = order.position(index, extent);
      EXPECT_EQ(order.index(position, extent), index) << text;
      EXPECT_FALSE(seen[position]) << text;
      seen[position] = true;
    }
  }
}

TEST(TokenOrder, Text) {
  for (const char *text :
       {"natural", "zigzag 4", "striped 4 by 16", "table [0, 2, 1]"})
    EXPECT_EQ(print(*orderOf(text)), text);
  for (const char *text : {"", "zigzag", "striped 4", "table", "table []",
                           "table [0, 1", "spiral 4", "zigzag 4 by 2"})
    EXPECT_FALSE(orderOf(text)) << text;
}

TEST(TokenOrder, Legality) {
  auto reason = [](std::string_view text) {
    return verify(*orderOf(text)).reason();
  };
  EXPECT_EQ(reason("table [2, 0, 1]"), "");
  EXPECT_EQ(reason("zigzag 0"), "parts and block of 'zigzag 0' must be "
                                "positive and at most 1048576");
  EXPECT_EQ(reason("striped 4 by -1"), "parts and block of 'striped 4 by -1' "
                                       "must be positive and at most 1048576");
  EXPECT_EQ(reason("table [0, 3]"), "'table [0, 3]' is no permutation: chunk 3 "
                                    "is not one of 0 to 1");
  EXPECT_EQ(reason("table [0, 0]"),
            "'table [0, 0]' is no permutation: chunk 0 stands there twice");
}

TEST(TokenOrder, Balance) {
  auto parsed = [](std::string_view text, int64_t parts = 4) {
    std::string error;
    std::optional<TokenOrder> order = parseBalance(text, parts, error);
    return order ? print(*order) : error;
  };
  EXPECT_EQ(parsed("none"), "natural");
  EXPECT_EQ(parsed("zigzag"), "zigzag 4");
  EXPECT_EQ(parsed("striped"), "striped 4 by 1");
  EXPECT_EQ(parsed("striped:16"), "striped 4 by 16");
  EXPECT_EQ(parsed("table:0,3,1,2"), "table [0, 3, 1, 2]");
  std::string kinds = " is none of 'none', 'zigzag', 'striped', "
                      "'striped:EXTENT' and 'table:CHUNK,CHUNK,...'";
  for (const char *text :
       {"", "zig", "zigzag:4", "none:1", "striped:1,2", "table"})
    EXPECT_EQ(parsed(text), "balance '" + std::string(text) + "'" + kinds);
  EXPECT_EQ(parsed("table:0,x"),
            "balance 'table:0,x': expected an integer, got 'x'");
  EXPECT_EQ(parsed("striped:4k"),
            "balance 'striped:4k': expected ',' or the end, got 'k'");
  EXPECT_EQ(parsed("table:0,2"), "balance 'table:0,2': 'table [0, 2]' is no "
                                 "permutation: chunk 2 is not one of 0 to 1");
  EXPECT_EQ(parsed("striped:0"),
            "balance 'striped:0': a stripe has 1 to 1048576 tokens, not 0");
  EXPECT_EQ(parsed("striped:1048577"),
            "balance 'striped:1048577': a stripe has 1 to 1048576 tokens, not "
            "1048577");
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

TEST(Mask, Ranges) {
  auto at = [](MaskTerm term, int64_t position) {
    Mask::Range range = Mask{{term}}.at(position);
    return std::pair(range.begin, range.end);
  };
  EXPECT_EQ(at({{}, 0, 0}, 5), std::pair(0l, 6l));
  EXPECT_EQ(at({{}, 24, 0}, 5), std::pair(0l, 30l));
  EXPECT_EQ(at({4, 0, 0}, 2), std::pair(0l, 3l));
  EXPECT_EQ(at({4, 0, 0}, 9), std::pair(5l, 10l));
  EXPECT_EQ(at({{}, 0, 16}, 5), std::pair(0l, 16l));
  EXPECT_EQ(at({3, {}, 0}, 5), std::pair(2l, INT64_MAX));
  Mask::Range both = Mask{{{4, {}, 0}, {{}, 0, 3}}}.at(8);
  EXPECT_EQ(std::pair(both.begin, both.end), std::pair(4l, 9l));
}

TEST(Mask, LimitsOf32Bits) {
  EXPECT_OK(verify(Mask{{{5, 0, 0}}}));
  EXPECT_EQ(verify(Mask{{{int64_t(1) << 40, 0, 0}}}).reason(),
            "'left 1099511627776 right 0' has the limit 1099511627776, "
            "expected at most 2147483648 either way");
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// A ring in an order, with parts to replace.
static std::string ring(const std::string &tokens, const std::string &q,
                        const std::string &k, const std::string &out,
                        const std::string &time = "time {gpu} shift {gpu}") {
  return "loops [-, rank gpu, " + time + "]" + tokens + " inputs [" + q + ", " +
         k + ", " + k + "] results [[{}, {gpu}" + out + ", {}], [{}, {gpu}" +
         out + "], [{}, {gpu}" + out + "]]";
}

static const std::string zigzag = "[{}, {gpu} zigzag 4, {}]";
static const std::string zigzagTokens = " tokens [-, zigzag 4, zigzag 4]";

TEST(OrderedSchedules, Text) {
  std::string text = ring(zigzagTokens, zigzag, zigzag, " zigzag 4");
  EXPECT_EQ(print(schedule(text)), text);
  // Others around the loops, and a table.
  text = ring(" tokens [-, table [1, 0], striped 4 by 2]",
              zigzag + " -> [{}, {gpu} table [1, 0], {}]",
              "[{}, {gpu} striped 4 by 2, {}]", " table [1, 0]",
              "time {gpu} shift {gpu} backwards order 1");
  EXPECT_EQ(print(schedule(text)), text);
  EXPECT_TRUE(schedule(text).loops[2][0].backwards);
  // One text for one schedule.
  Schedule natural =
      schedule(ring(" tokens [-, natural, -]", "[{}, {gpu} natural, {}]",
                    "[{}, {gpu}, {}]", ""));
  EXPECT_TRUE(natural.tokens.empty());
  EXPECT_EQ(print(natural), ring("", "[{}, {gpu}, {}]", "[{}, {gpu}, {}]", ""));
}

TEST(OrderedSchedules, NestsHaveTheOrderOfTheirLoop) {
  OperatorModel op = attention();
  auto legal = [&](const std::string &text) { return why(text, "gpu=4", op); };
  std::string plain = "[{}, {gpu}, {}]";
  EXPECT_EQ(legal(ring(zigzagTokens, zigzag, zigzag, " zigzag 4")), "");
  // Data enter in another order than that of the loops, and leave so.
  EXPECT_EQ(
      legal(ring(zigzagTokens, plain + " -> " + zigzag, zigzag, " zigzag 4")),
      "");
  EXPECT_EQ(legal(ring("", zigzag + " -> " + plain, plain, "")), "");
  EXPECT_EQ(legal(ring(zigzagTokens, plain, zigzag, " zigzag 4")),
            "input 0 of 'commir.online_attention' dimension 1 is stored "
            "natural while loops run, but its loop 1 is zigzag 4");
  EXPECT_EQ(legal(ring("", plain, "[{}, {gpu} striped 4 by 2, {}]", "")),
            "input 1 of 'commir.online_attention' dimension 1 is stored "
            "striped 4 by 2 while loops run, but its loop 2 is natural");
  EXPECT_EQ(legal(ring(zigzagTokens, zigzag, zigzag, "")),
            "result 0 of 'commir.online_attention' dimension 1 is stored "
            "natural while loops run, but its loop 1 is zigzag 4");
  EXPECT_EQ(legal(ring("", "[{}, {gpu}, {} zigzag 2]", plain, "")),
            "input 0 of 'commir.online_attention' dimension 2 is stored zigzag "
            "2 while loops run, but is not indexed by exactly one loop");
  EXPECT_EQ(legal(ring(" tokens [zigzag 4]", zigzag, zigzag, "")),
            "schedule has 1 token orders, 'commir.online_attention' has 3 "
            "loops");
  EXPECT_EQ(legal(ring(" tokens [-, table [1, 1], -]", plain, plain, "")),
            "loop 1 of 'commir.online_attention': 'table [1, 1]' is no "
            "permutation: chunk 1 stands there twice");
}

// What no rank divides may have an order, too.
TEST(OrderedSchedules, OfWhatIsNotSharded) {
  EXPECT_EQ(why("loops [-, -, -] tokens [-, zigzag 2, -] inputs [[{}, {} "
                "zigzag 2, {}], [{}, {}, {}], [{}, {}, {}]] results [[{}, {} "
                "zigzag 2, {}], [{}, {} zigzag 2], [{}, {} zigzag 2] -> [{}, "
                "{}]]",
                "gpu=4", attention()),
            "");
}

TEST(OrderedSchedules, NotBesideExpressionsOfLoops) {
  OperatorModel op = biasAdd();
  std::string text = "loops [rank gpu, -] tokens [zigzag 4, -] inputs [[{gpu} "
                     "zigzag 4, {}], [{}]] results [[{gpu} zigzag 4, {}]]";
  EXPECT_EQ(why(text, "gpu=4", op), "");
  op.inputs[1].loopOfDim = {loopExpression};
  EXPECT_EQ(why(text, "gpu=4", op),
            "loop 0 of 'linalg.add' cannot run zigzag 4: an expression of "
            "loops indexes a dimension, whose neighbours an order would tear "
            "apart");
}

TEST(OrderedSchedules, ChunksAreExchangedByMessages) {
  TopologyModel t = topology("gpu=4");
  t.levels[0].primitives = {Primitive::AllGather, Primitive::AllReduce};
  Schedule s = schedule("loops [-, rank gpu, -] tokens [-, zigzag 4, -] inputs "
                        "[[{}, {gpu}, {}] -> [{}, {gpu} zigzag 4, {}], [{}, "
                        "{}, {}], [{}, {}, {}]] results [[{}, {gpu} zigzag 4, "
                        "{}], [{}, {gpu} zigzag 4], [{}, {gpu} zigzag 4]]");
  EXPECT_EQ(verify(s, attention(), t).reason(),
            "input 0 of 'commir.online_attention' dimension 1, from natural to "
            "zigzag 4, needs send_recv over axis 'gpu', level 'gpu' allows "
            "only all_gather, all_reduce");
  s.inputs[0].entry = s.inputs[0].nest;
  EXPECT_OK(verify(s, attention(), t));
}

TEST(OrderedSchedules, PaddingHoldsWholeChunks) {
  TopologyModel t = topology("gpu=4");
  OperatorModel op = attention(4, 9, 17);
  Schedule s = schedule(ring(zigzagTokens, zigzag, zigzag, " zigzag 4"));
  EXPECT_EQ(paddedExtent(s, op, 1, t), 16);
  EXPECT_EQ(paddedExtent(s, op, 2, t), 24);
  s = schedule(ring("", "[{}, {gpu} striped 4 by 3, {}] -> [{}, {gpu}, {}]",
                    "[{}, {gpu}, {}]", ""));
  EXPECT_EQ(paddedExtent(s, op, 1, t), 12);
  EXPECT_EQ(paddedExtent(s, op, 2, t), 20);
}

TEST(OrderedSchedules, Backwards) {
  TopologyModel t = topology("gpu=4");
  std::string plain = "[{}, {gpu}, {}]";
  auto text = [&](const std::string &time) {
    return ring("", plain, plain, "", time);
  };
  auto legal = [&](const std::string &time) {
    return why(text(time), "gpu=4", attention());
  };
  std::string time = "time {gpu} shift {gpu}";
  EXPECT_EQ(legal(time + " backwards"), "");
  Schedule s = schedule(text(time + " offset 1 backwards"));
  for (int64_t step = 0; step < 4; ++step)
    for (int64_t rank = 0; rank < 4; ++rank)
      EXPECT_EQ(tileIndex(s, 2, {step}, rank, t), (rank - step + 5) % 4);
  EXPECT_EQ(arrivalOf(s, attention(), 1, {"gpu"}), Arrival::Rotate);
  std::string reason =
      "loop 2 of 'commir.online_attention' has a backwards factor; only a "
      "shifted time factor that runs in one direction can be one";
  EXPECT_EQ(legal("time {gpu} backwards"), reason);
  EXPECT_EQ(legal(time + " bidirectional backwards"), reason);
}

TEST(OrderedSchedules, BackwardsIsAPrimitive) {
  OperatorModel op = attention();
  TopologyModel t = topology("gpu=4");
  ScheduleContext c{op, t};
  Schedule s;
  EXPECT_OK(makeNamedSchedule("ring", s, op, t));
  Schedule both = s;
  EXPECT_OK(backwards(s, c, 2, 0));
  EXPECT_TRUE(s.loops[2][0].backwards);
  EXPECT_OK(verify(s, op, t));
  // One direction or both.
  EXPECT_OK(bidirectional(both, c, 2, 0));
  std::string reason =
      " of 'commir.online_attention' is no shifted time factor of ";
  EXPECT_EQ(backwards(both, c, 2, 0).reason(),
            "factor 0 of loop 2" + reason +
                "one direction and cannot run backwards");
  EXPECT_EQ(bidirectional(s, c, 2, 0).reason(),
            "factor 0 of loop 2" + reason +
                "a reduction and cannot run in both directions");
  EXPECT_EQ(backwards(s, c, 1, 0).reason(),
            "factor 0 of loop 1" + reason +
                "one direction and cannot run backwards");
  EXPECT_EQ(backwards(s, c, 0, 0).reason(),
            "factor 0 is out of range, loop 0 has 0");
}

TEST(OrderedSchedules, Arrange) {
  OperatorModel op = attention();
  TopologyModel t = topology("gpu=4");
  ScheduleContext c{op, t};
  Schedule s;
  EXPECT_OK(makeNamedSchedule("ring", s, op, t));
  Schedule before = s;
  EXPECT_OK(arrange(s, c, 1, TokenOrder::zigzag(4)));
  EXPECT_OK(arrange(s, c, 2, TokenOrder::zigzag(4)));
  EXPECT_EQ(print(s), ring(zigzagTokens, zigzag, zigzag, " zigzag 4"));
  // What is added along an ordered loop keeps the order.
  Schedule grown = Schedule::replicated(op);
  EXPECT_OK(arrange(grown, c, 1, TokenOrder::zigzag(4)));
  EXPECT_EQ(print(grown.inputs[0].entry), "[{}, {}, {}]");
  EXPECT_OK(parallelize(grown, c, 1, {{"gpu"}}));
  EXPECT_OK(verify(grown, op, t));
  EXPECT_EQ(print(grown.inputs[0].nest), zigzag);
  EXPECT_OK(arrange(s, c, 1, {}));
  EXPECT_OK(arrange(s, c, 2, {}));
  EXPECT_EQ(s, before);
  EXPECT_EQ(arrange(s, c, 3, {}).reason(),
            "loop 3 is out of range, 'commir.online_attention' has 3");
  EXPECT_EQ(arrange(s, c, 1, TokenOrder::zigzag(0)).reason(),
            "loop 1 of 'commir.online_attention': parts and block of 'zigzag "
            "0' must be positive and at most 1048576");
  EXPECT_EQ(s, before);
}
