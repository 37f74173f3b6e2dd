//===- LegalityTest.cpp - Which schedules are legal -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTest.h"

using namespace mercury;
using namespace mercury::test;

/// A GEMM schedule of three loop plans and placements.
static std::string text(const std::string &loops, const std::string &inputs,
                        const std::string &results) {
  return "loops [" + loops + "] inputs [" + inputs + "] results [" + results +
         "]";
}

static const char *whole = "[{}, {}]";
static const std::string wholes = "[{}, {}], [{}, {}]";

TEST(Legality, LegalForms) {
  // The forms that are used one by one: see docs/Rationale/Schedules.md.
  for (const std::string &s : {
           text("-, -, -", wholes, whole),
           // One operand gathered.
           text("-, rank gpu, -", "[{}, {gpu}] -> [{}, {}], [{}, {gpu}]",
                "[{}, {gpu}]"),
           // One rotated, with any stride; and the other way around.
           text("time {gpu} shift {gpu} stride 3, rank gpu, -",
                "[{gpu}, {}], [{}, {gpu}]", "[{}, {gpu}]"),
           text("time {gpu} shift {gpu} stride -1, rank gpu, -",
                "[{gpu}, {}], [{}, {gpu}]", "[{}, {gpu}]"),
           // A rotation over two levels, nested and flat.
           text("time {node} shift {node} / time {gpu} shift {gpu} order 1, "
                "rank {node, gpu}, -",
                "[{node, gpu}, {}], [{}, {node, gpu}]", "[{}, {node, gpu}]"),
           text("time {node, gpu} shift {node, gpu}, rank {node, gpu}, -",
                "[{node, gpu}, {}], [{}, {node, gpu}]", "[{}, {node, gpu}]"),
           // Rotated over the node, broadcast within it.
           text("time {node} shift {node} / time {gpu} order 1, "
                "rank {node, gpu}, -",
                "[{node, gpu}, {}], [{}, {node, gpu}]", "[{}, {node, gpu}]"),
           // A reduction in ranks and steps, with partial results.
           text("-, -, rank gpu / time 4", "[{}, {gpu}], [{gpu}, {}]", whole),
           // Two axes share a reduction factor: sums travel along one, tiles
           // of the factor along the other.
           text("time {gpu} shift {gpu} offset 1, rank node, rank gpu / time "
                "{node} shift {node} order 1",
                "[{}, {gpu, node}], [{gpu}, {node}]", "[{gpu}, {node}]"),
           // A slice of a replica.
           text("-, rank gpu, -", wholes, "[{}, {gpu}]"),
           text("-, rank gpu, -", "[{}, {}], [{}, {}] -> [{}, {gpu}]",
                "[{}, {gpu}] -> [{gpu}, {}]"),
           // Gathered over the minor axis, rotated over the major one.
           text("time {gpu} shift {gpu}, rank {node, gpu}, -",
                "[{gpu, node}, {}] -> [{gpu}, {}], [{}, {node, gpu}]",
                "[{}, {node, gpu}]"),
       })
    EXPECT_EQ(why(s, "node=2,gpu=4"), "") << s;
  // Cannon on a square of ranks, SUMMA beside it.
  for (const char *k :
       {"time {x} shift {x} shift {y}", "time {x}", "time {y} shift {y}"})
    EXPECT_EQ(why(text(std::string("rank x, rank y, ") + k,
                       "[{x}, {y}], [{x}, {y}]", "[{x}, {y}]"),
                  "x=3,y=3"),
              "")
        << k;
}

TEST(Legality, Shape) {
  EXPECT_EQ(why("loops [-] inputs [] results []", "gpu=4"),
            "schedule has 1 loops, 'linalg.matmul' has 3");
  EXPECT_EQ(why(text("-, -, -", "[{}, {}], [{}]", whole), "gpu=4"),
            "input 1 of 'linalg.matmul': placement [{}] has 1 dimensions, the "
            "tensor has 2");
  EXPECT_EQ(why(text("-, -, -", wholes, "[{}, {}], [{}]"), "gpu=4"),
            "schedule has 2 results, 'linalg.matmul' has 1");
}

TEST(Legality, Options) {
  std::string base = text("-, -, -", wholes, whole);
  EXPECT_EQ(why(base + " chunks 0", "gpu=4"),
            "schedule has 0 chunks, expected at least 1");
  EXPECT_EQ(why(base + " tile [1, -2, 3]", "gpu=4"),
            "tile size -2 of loop 1 of 'linalg.matmul' is negative");
  EXPECT_EQ(why(base + " tile [1]", "gpu=4"),
            "schedule has 1 tile sizes, 'linalg.matmul' has 3 loops");
  EXPECT_EQ(why(base + " tile [1, 2, 3] patch blas", "gpu=4"),
            "schedule has sizes of the local tile and the kernel 'blas', which "
            "blocks as it likes");
  EXPECT_EQ(why(base + " ranks gpu 0 to 2", "gpu=4"),
            "schedule runs on the ranks 0 to 2 of axis 'gpu', but only all "
            "ranks are supported");
}

TEST(Legality, TileFitsIntoAStepOfARank) {
  // 4 ranks and 4 steps leave 3 of 48 rows.
  std::string cut = "loops [rank gpu / time 4, -, -] inputs [[{gpu}, {}], "
                    "[{}, {}]] results [[{gpu}, {}]] tile ";
  auto on = [&](const std::string &tile) {
    std::string error;
    std::optional<Schedule> s = parseSchedule(cut + tile, error);
    EXPECT_TRUE(s) << error;
    return verify(*s, gemm(48, 16, 16), topology("gpu=4")).reason();
  };
  EXPECT_EQ(on("[3, 16, 0]"), "");
  EXPECT_EQ(on("[4, 16, 0]"),
            "tile size 4 of loop 0 of 'linalg.matmul' is larger than the 3 "
            "elements that a rank computes in one step");
  EXPECT_EQ(on("[3, 17, 0]"),
            "tile size 17 of loop 1 of 'linalg.matmul' is larger than the 16 "
            "elements that a rank computes in one step");
}

TEST(Legality, Axes) {
  EXPECT_EQ(why(text("rank tpu, -, -", wholes, "[{tpu}, {}]"), "gpu=4"),
            "result 0 of 'linalg.matmul': axis 'tpu' is not in the topology, "
            "which has 'gpu'");
  EXPECT_EQ(why(text("rank gpu, rank gpu, -", wholes, "[{gpu}, {}]"), "gpu=4"),
            "axis 'gpu' is used twice: by loop 0 and by loop 1 of "
            "'linalg.matmul'");
  EXPECT_EQ(
      why(text("rank gpu, -, -", "[{gpu:(1)2}, {}], [{}, {}]", "[{gpu}, {}]"),
          "gpu=4"),
      "axes 'gpu' and 'gpu:(1)2' of one schedule share coordinates");
}

TEST(Legality, Factors) {
  auto whyLoop = [](const std::string &loop) {
    return why(text(loop + ", rank gpu, -", wholes, "[{}, {gpu}]"), "gpu=4");
  };
  EXPECT_EQ(whyLoop("rank {}"),
            "loop 0 of 'linalg.matmul' has a rank factor without an axis");
  EXPECT_EQ(whyLoop("time 0"), "loop 0 of 'linalg.matmul' has a time factor of "
                               "0 steps, expected at least 1");
  EXPECT_EQ(whyLoop("time 3000000000"),
            "loop 0 of 'linalg.matmul' is cut into more than 2147483648 tiles");
  EXPECT_EQ(whyLoop("time 5 shift {gpu}"),
            "loop 0 of 'linalg.matmul' has a time factor of 5 steps, but is "
            "shifted by {gpu} of 4 ranks");
  EXPECT_EQ(whyLoop("time {gpu} shift {gpu} stride 2"),
            "loop 0 of 'linalg.matmul' is shifted by {gpu} with stride 2, "
            "which has a common factor with its 4 steps");
  EXPECT_EQ(whyLoop("time {gpu} shift {gpu} shift {gpu}"),
            "loop 0 of 'linalg.matmul' is shifted twice by axis 'gpu'");
  EXPECT_EQ(whyLoop("time 4 order -1"),
            "loop 0 of 'linalg.matmul' has a time factor of order -1, expected "
            "0 to 2147483648");
  EXPECT_EQ(whyLoop("time {gpu} shift {}"),
            "loop 0 of 'linalg.matmul' is shifted by no axis");
  EXPECT_EQ(whyLoop("time {gpu, gpu}"),
            "axis 'gpu' stands twice in a factor of loop 0 of "
            "'linalg.matmul'");
  for (const char *rank : {"rank gpu order 2", "rank gpu shift {gpu}"})
    EXPECT_EQ(
        why(text(std::string(rank) + ", -, -", wholes, "[{gpu}, {}]"), "gpu=4"),
        "loop 0 of 'linalg.matmul' has the rank factor {gpu} with a "
        "shift or an order, which only time factors have");
  // No text says this.
  Schedule s = schedule(text("time {gpu}, -, -", wholes, whole));
  s.loops[0][0].steps = 4;
  EXPECT_EQ(verify(s, gemm(), topology("gpu=4")).reason(),
            "loop 0 of 'linalg.matmul' has a factor over {gpu} and of 4 steps, "
            "expected one of both");
  EXPECT_EQ(whyLoop("time {gpu} shift {gpu}"),
            "loop 0 of 'linalg.matmul' is shifted by {gpu}, but no operand or "
            "result travels over it: none is sharded over these axes along "
            "this loop");
  EXPECT_EQ(
      why(text("time {gpu} shift {gpu}, -, -", "[{gpu}, {}], [{}, {}]", whole),
          "gpu=4"),
      "loop 0 of 'linalg.matmul' is shifted by axis 'gpu', which "
      "parallelizes no loop");
}

TEST(Legality, Reductions) {
  OperatorModel op = gemm();
  op.hasCombiner = {false};
  EXPECT_EQ(why(text("-, -, rank gpu", wholes, whole), "gpu=4", op),
            "axes {gpu} parallelize reduction loop 2 of 'linalg.matmul', but "
            "result 0 has no known combiner");
  // Splitting it in steps needs none.
  EXPECT_EQ(why(text("-, -, time 4", wholes, whole), "gpu=4", op), "");
  op = gemm();
  op.results = {{{0, -1}}};
  EXPECT_EQ(why(text("-, rank gpu, -", wholes, whole), "gpu=4", op),
            "parallel loop 1 of 'linalg.matmul' is cut into 4 tiles, but "
            "result 0 is not indexed by it, so that several tiles would write "
            "the same elements");
}

TEST(Legality, Inputs) {
  auto whyInput = [](const std::string &loops, const std::string &a,
                     const char *c = "[{}, {gpu}]") {
    return why(text(loops, a + ", [{}, {gpu}]", c), "node=2,gpu=4");
  };
  // Rows are not cut: each rank reads all of them.
  EXPECT_EQ(whyInput("-, rank gpu, -", "[{gpu}, {}]"),
            "input 0 of 'linalg.matmul' dimension 0: its 4 shards over {gpu} "
            "do not divide the 1 tiles of its loop, so that a tile lies in "
            "more than one shard");
  // A factor stands outside the one that is sharded.
  EXPECT_EQ(whyInput("time 2 / time {gpu} shift {gpu} order 1, rank gpu, -",
                     "[{gpu}, {}]"),
            "input 0 of 'linalg.matmul' dimension 0: the owners of its shards "
            "over {gpu} are neither the readers, nor one rank for all readers, "
            "nor a permutation of them at each step");
  // Steps outside ranks: each reads another part of one owner's shard.
  EXPECT_EQ(whyInput("-, rank gpu, time 4 / rank node", "[{}, {gpu}]"), "");
  EXPECT_EQ(why(text("-, -, time 4 / rank gpu", "[{}, {gpu}], [{}, {}]", whole),
                "gpu=4"),
            "input 0 of 'linalg.matmul' dimension 1 over {gpu}: at each step "
            "all ranks read one rank's shard, but different tiles of it, which "
            "no broadcast serves");
  // What one rank alone reads is fetched.
  EXPECT_EQ(why(text("time {gpu} shift {gpu}, -, rank gpu",
                     "[{gpu}, {}], [{gpu}, {}]", whole),
                "gpu=4"),
            "input 0 of 'linalg.matmul' dimension 0 over {gpu}: each tile is "
            "read by one rank only, so that it is fetched and not passed on");
  // In a flat ring over both levels the node advances now and then.
  EXPECT_EQ(why(text("time {node, gpu} shift {node, gpu}, rank {node, gpu}, -",
                     "[{node}, {}], [{}, {}]", "[{}, {node, gpu}]"),
                "node=2,gpu=4"),
            "input 0 of 'linalg.matmul' dimension 0 over {node}: the shards do "
            "not rotate and can only be fetched");
  // Blocks in another order than the loop's.
  EXPECT_EQ(
      why(text("rank {node, gpu}, -, -",
               "[{gpu, node}, {}] fetch {gpu, node}, [{}, {}]",
               "[{node, gpu}, {}]"),
          "node=2,gpu=4"),
      "input 0 of 'linalg.matmul' dimension 0 over {gpu, node}: the factors of "
      "its loop say local for axis 'gpu', the owners of its tiles do not");
  EXPECT_EQ(whyInput("time 100000000, rank gpu, -", "[{gpu}, {}]"),
            "input 0 of 'linalg.matmul' dimension 0: its loop has 100000000 "
            "steps on 8 ranks, more than the 67108864 points that are checked");
  EXPECT_EQ(whyInput("-, rank gpu, -", "[{gpu}, {}] -> [{}, {}] fetch {gpu}"),
            "input 0 of 'linalg.matmul' is fetched over axis 'gpu', over which "
            "no step needs another rank's shard");
  EXPECT_EQ(whyInput("-, rank gpu, -", "[{node, gpu}, {}] -> [{gpu}, {}]"),
            "input 0 of 'linalg.matmul' dimension 0: a reshard from {node, "
            "gpu} to {gpu} would move the shards of axis 'gpu' within the "
            "dimension; gathered axes stand behind those that stay");
  OperatorModel op = gemm();
  op.inputs[0].mapped = false;
  EXPECT_EQ(
      why(text("-, rank gpu, -", "[{gpu}, {}], [{}, {gpu}]", "[{}, {gpu}]"),
          "gpu=4", op),
      "input 0 of 'linalg.matmul' dimension 0 is sharded over {gpu} "
      "while loops run, but which elements are read depends on data");
  EXPECT_EQ(why(text("-, rank gpu, -", "[{gpu}, {}] -> [{}, {}], [{}, {gpu}]",
                     "[{}, {gpu}]"),
                "gpu=4", op),
            "");
  op = gemm();
  op.inputs[0].loopOfDim = {-1, 2};
  EXPECT_EQ(
      why(text("-, rank gpu, -", "[{gpu}, {}], [{}, {gpu}]", "[{}, {gpu}]"),
          "gpu=4", op),
      "input 0 of 'linalg.matmul' dimension 0 is sharded over {gpu} "
      "while loops run, but is not indexed by exactly one loop");
}

TEST(Legality, Results) {
  auto whyResult = [](const std::string &loops, const std::string &c) {
    return why(text(loops, wholes, c), "node=2,gpu=4");
  };
  EXPECT_EQ(whyResult("rank gpu, -, -", whole),
            "result 0 of 'linalg.matmul' dimension 0 is not sharded over axis "
            "'gpu', which parallelizes its loop 0: each rank would hold "
            "another part of what should be a replica");
  // Ranks inside steps: what a rank computes is no block.
  EXPECT_EQ(whyResult("time 4 / rank gpu, -, -", "[{gpu}, {}]"),
            "result 0 of 'linalg.matmul' dimension 0 over {gpu}: at one step "
            "several ranks write parts of one shard, which is a race");
  EXPECT_EQ(whyResult("time {gpu}, -, rank gpu", "[{gpu}, {}]"), "");
  EXPECT_EQ(
      whyResult("time {gpu} / rank node, -, rank gpu", "[{gpu, node}, {}]"),
      "result 0 of 'linalg.matmul' dimension 0 over {gpu}: at one step "
      "all ranks add into one tile, which is a race; shift the loop");
  EXPECT_EQ(whyResult("time {gpu} shift {gpu}, rank gpu, -", "[{gpu}, {}]"),
            "result 0 of 'linalg.matmul' dimension 0 over {gpu}: its writers "
            "are not its owners and no reduction combines what they write");
  EXPECT_EQ(whyResult("time {node, gpu} shift {node, gpu}, -, rank {node, gpu}",
                      "[{node}, {}]"),
            "result 0 of 'linalg.matmul' dimension 0 over {node}: its writers "
            "are not its owners and do not rotate");
  EXPECT_EQ(whyResult("-, -, rank gpu", "[{node}, {}]"),
            "result 0 of 'linalg.matmul' dimension 0: its 2 shards over {node} "
            "do not divide the 1 tiles of its loop, so that a tile lies in "
            "more than one shard");
  EXPECT_EQ(whyResult("time {node} / time {gpu} shift {gpu} order 1, rank "
                      "node, rank gpu",
                      "[{gpu}, {node}]"),
            "result 0 of 'linalg.matmul' dimension 0: the owners of its shards "
            "over {gpu} are neither the readers, nor one rank for all readers, "
            "nor a permutation of them at each step");
}

TEST(Legality, PrimitivesOfALevel) {
  TopologyModel t = topology("gpu=4");
  auto reason = [&](std::initializer_list<Primitive> allowed,
                    std::string_view name) {
    t.levels[0].primitives = allowed;
    Schedule s;
    return makeNamedSchedule(name, s, gemm(), t).reason();
  };
  using enum Primitive;
  EXPECT_EQ(reason({SendRecv}, "all_gather_gemm"),
            "input 0 of 'linalg.matmul' needs all_gather over axis 'gpu', "
            "level 'gpu' allows only send_recv");
  EXPECT_EQ(reason({SendRecv}, "all_gather_gemm_shifted"), "");
  EXPECT_EQ(reason({AllGather, AllReduce}, "all_gather_gemm_shifted"),
            "input 0 of 'linalg.matmul' needs send_recv over axis 'gpu', level "
            "'gpu' allows only all_gather, all_reduce");
  EXPECT_EQ(reason({SendRecv}, "gemm_reduce_scatter"),
            "result 0 of 'linalg.matmul' needs reduce_scatter over axis 'gpu', "
            "level 'gpu' allows only send_recv");
  EXPECT_EQ(reason({SendRecv}, "k_split"),
            "result 0 of 'linalg.matmul' needs all_reduce over axis 'gpu', "
            "level 'gpu' allows only send_recv");
  EXPECT_EQ(reason({SendRecv}, "gemm_reduce_scatter_shifted"), "");
  EXPECT_EQ(reason({SendRecv}, "gemm_all_reduce_shifted"),
            "result 0 of 'linalg.matmul' needs all_gather over axis 'gpu', "
            "level 'gpu' allows only send_recv");
  auto other = [&](std::string_view s) {
    return verify(schedule(s), gemm(), t).reason();
  };
  EXPECT_EQ(other(text("-, rank gpu, time {gpu}", "[{}, {gpu}], [{}, {gpu}]",
                       "[{}, {gpu}]")),
            "input 0 of 'linalg.matmul' needs broadcast over axis 'gpu', level "
            "'gpu' allows only send_recv");
  EXPECT_EQ(other(text("-, rank gpu, -", "[{}, {}], [{gpu}, {}] -> [{}, {gpu}]",
                       "[{}, {gpu}]")),
            "input 1 of 'linalg.matmul' needs all_to_all over axis 'gpu', "
            "level 'gpu' allows only send_recv");
  // One rank needs nothing.
  t = topology("gpu=1");
  EXPECT_EQ(reason({SendRecv}, "k_split"), "");
}
