//===- PrimitivesTest.cpp - Functions that edit a schedule ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTest.h"

using namespace mercury;
using namespace mercury::test;

namespace {
struct PrimitivesTest : testing::Test {
  OperatorModel op = gemm();
  TopologyModel t = topology("node=2,gpu=4");
  ScheduleContext c{op, t};
  Schedule s = Schedule::replicated(op);
  AxisList gpu{{"gpu"}}, node{{"node"}};
  enum Loop { M, N, K };
  enum Operand { A, B };
};
} // namespace

TEST_F(PrimitivesTest, ShiftedAllGatherGemm) {
  EXPECT_OK(parallelize(s, c, N, gpu));
  EXPECT_OK(tile(s, c, M, gpu));
  EXPECT_OK(shard(s, c, A, 0, gpu));
  EXPECT_OK(shift(s, c, M, 0, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(print(s), "loops [time {gpu} shift {gpu}, rank gpu, -] inputs "
                      "[[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]]");
  EXPECT_EQ(arrivalOf(s, op, A, {"gpu"}), Arrival::Rotate);
  EXPECT_EQ(arrivalOf(s, op, B, {"gpu"}), Arrival::Local);
  EXPECT_OK(fetch(s, c, A, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(arrivalOf(s, op, A, {"gpu"}), Arrival::Fetch);
}

TEST_F(PrimitivesTest, SynchronousAllGatherGemm) {
  EXPECT_OK(parallelize(s, c, N, gpu));
  EXPECT_OK(shard(s, c, A, 0, gpu));
  EXPECT_FALSE(verify(s, op, t)); // Rows are not cut: a rank needs them all.
  EXPECT_OK(replicate(s, c, A, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(arrivalOf(s, op, A, {"gpu"}), Arrival::Gather);
}

TEST_F(PrimitivesTest, BroadcastPerStep) {
  EXPECT_OK(parallelize(s, c, N, gpu));
  EXPECT_OK(tile(s, c, K, gpu));
  EXPECT_OK(shard(s, c, A, 1, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(arrivalOf(s, op, A, {"gpu"}), Arrival::Broadcast);
}

TEST_F(PrimitivesTest, MovingAccumulator) {
  EXPECT_OK(parallelize(s, c, K, gpu));
  EXPECT_EQ(endingOf(s, op, 0, {"gpu"}), Ending::AllReduce);
  EXPECT_OK(tile(s, c, M, gpu));
  EXPECT_OK(shardResult(s, c, 0, 0, gpu));
  EXPECT_EQ(endingOf(s, op, 0, {"gpu"}), Ending::ReduceScatter);
  EXPECT_OK(shift(s, c, M, 0, gpu, 1, 1));
  EXPECT_EQ(endingOf(s, op, 0, {"gpu"}), Ending::Moving);
  EXPECT_OK(verify(s, op, t));
  // At the last step each rank works on the tile that it owns.
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(tileIndex(s, M, {3}, rank, t), t.coordinate(rank, gpu));
  EXPECT_OK(replicateResult(s, c, 0, gpu));
  EXPECT_OK(verify(s, op, t));
}

TEST_F(PrimitivesTest, AllToAllAndStagedFetch) {
  // Sharded by rows on entry, needed by columns of A.
  EXPECT_OK(shard(s, c, A, 0, gpu));
  EXPECT_OK(parallelize(s, c, K, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(arrivalOf(s, op, A, {"gpu"}), Arrival::AllToAll);
  EXPECT_OK(tile(s, c, M, gpu));
  EXPECT_OK(shift(s, c, M, 0, gpu));
  EXPECT_OK(fetch(s, c, A, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(arrivalOf(s, op, A, {"gpu"}), Arrival::Fetch);
}

TEST_F(PrimitivesTest, ParallelizeAfterScatterKeepsBlocksInOrder) {
  EXPECT_OK(parallelize(s, c, K, gpu));
  EXPECT_OK(shardResult(s, c, 0, 0, gpu));
  EXPECT_OK(parallelize(s, c, M, node));
  EXPECT_EQ(print(s.results[0].nest), "[{node, gpu}, {}]");
  EXPECT_OK(verify(s, op, t));
}

TEST_F(PrimitivesTest, RanksInsideStepsReadAReplica) {
  EXPECT_OK(tile(s, c, K, 4));
  EXPECT_OK(parallelize(s, c, K, gpu));
  EXPECT_TRUE(s.inputs[A].entry.isReplicated());
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(numTiles(s.loops[K], t), 16);
  EXPECT_EQ(paddedExtent(33, s.loops[K], t), 48);
}

TEST_F(PrimitivesTest, PartialResultsOfAReductionInRanksAndSteps) {
  EXPECT_OK(parallelize(s, c, K, gpu));
  EXPECT_OK(tile(s, c, K, 4));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(print(s.inputs[A].entry), "[{}, {gpu}]");
}

TEST_F(PrimitivesTest, JoinRings) {
  EXPECT_OK(parallelize(s, c, N, {{"node"}, {"gpu"}}));
  for (const AxisList &axes : {node, gpu}) {
    EXPECT_OK(tile(s, c, M, axes));
    EXPECT_OK(shard(s, c, A, 0, axes));
    EXPECT_OK(shift(s, c, M, s.loops[M].size() - 1, axes));
  }
  EXPECT_OK(verify(s, op, t));
  Schedule nested = s;
  EXPECT_OK(join(s, c, M, 0));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(s.loops[M].size(), 1u);
  EXPECT_EQ(print(s.loops[M][0].shifts[0].axes), "{node, gpu}");
  nested.loops[M][0].shifts[0].offset = 1;
  EXPECT_EQ(join(nested, c, M, 0).reason(),
            "time factors over {node} and {gpu} are shifted in different ways "
            "and cannot be joined");
  EXPECT_FALSE(join(nested, c, M, 1));
}

TEST_F(PrimitivesTest, JoinNumbers) {
  EXPECT_OK(tile(s, c, M, int64_t(1) << 40));
  EXPECT_OK(tile(s, c, M, int64_t(1) << 40));
  EXPECT_EQ(join(s, c, M, 0).reason(),
            "factors 0 and 1 of loop 0 have too many steps: 1099511627776 "
            "times 1099511627776");
  EXPECT_OK(tile(s, c, N, 2));
  EXPECT_OK(tile(s, c, N, gpu));
  EXPECT_EQ(join(s, c, N, 0).reason(),
            "factors 0 and 1 of loop 1 have 2 and 4 steps, of which only one "
            "is over axes, and cannot be joined");
  s.loops[N][0].steps = 0;
  s.loops[N][1] = s.loops[N][0];
  EXPECT_EQ(join(s, c, N, 0).reason(),
            "factors 0 and 1 of loop 1 have 0 and 0 steps, expected at least "
            "1");
}

TEST_F(PrimitivesTest, Twice) {
  EXPECT_OK(tile(s, c, M, gpu));
  EXPECT_OK(shard(s, c, A, 0, gpu));
  EXPECT_OK(shift(s, c, M, 0, gpu));
  EXPECT_EQ(shift(s, c, M, 0, gpu).reason(),
            "factor 0 of loop 0 is shifted by axis 'gpu' and already by 'gpu'");
  EXPECT_OK(fetch(s, c, A, gpu));
  EXPECT_EQ(fetch(s, c, A, gpu).reason(),
            "input 0 is already fetched over axis 'gpu'");
}

TEST_F(PrimitivesTest, Reorder) {
  EXPECT_OK(tile(s, c, M, 2));
  EXPECT_OK(tile(s, c, K, 3));
  EXPECT_EQ(timeLoops(s),
            (std::vector<std::pair<size_t, size_t>>{{M, 0}, {K, 0}}));
  EXPECT_OK(reorder(s, c, {{K, 0}, {M, 0}}));
  EXPECT_EQ(timeLoops(s),
            (std::vector<std::pair<size_t, size_t>>{{K, 0}, {M, 0}}));
  EXPECT_EQ(tileIndex(s, K, {2, 1}, 0, t), 2);
  EXPECT_EQ(reorder(s, c, {{K, 0}}).reason(),
            "order names 1 time loops, schedule has 2");
  EXPECT_EQ(reorder(s, c, {{K, 0}, {K, 0}}).reason(),
            "order does not name each time loop once: it has (2, 0) where "
            "(0, 0) is expected");
}

TEST_F(PrimitivesTest, LocalTile) {
  EXPECT_OK(localTile(s, c, N, 16));
  EXPECT_EQ(s.tile, (std::vector<int64_t>{0, 16, 0}));
  EXPECT_OK(localTile(s, c, M, 4));
  EXPECT_EQ(print(s), "loops [-, -, -] inputs [[{}, {}], [{}, {}]] results "
                      "[[{}, {}]] tile [4, 16, 0]");
  EXPECT_OK(verify(s, op, t));
  EXPECT_OK(localTile(s, c, M, 0));
  EXPECT_OK(localTile(s, c, N, 0));
  EXPECT_TRUE(s.tile.empty());
}

TEST_F(PrimitivesTest, IllegalRequestsLeaveTheScheduleAlone) {
  EXPECT_OK(parallelize(s, c, N, gpu));
  EXPECT_OK(tile(s, c, M, gpu));
  Schedule before = s;
  std::pair<Verdict, const char *> requests[] = {
      {parallelize(s, c, 3, node),
       "loop 3 is out of range, 'linalg.matmul' has 3"},
      {parallelize(s, c, M, {{"gpu", 1, 2}}),
       "axis 'gpu:(1)2' is used twice: by loop 0 and, as 'gpu', by loop 1"},
      {parallelize(s, c, M, {{"tpu"}}),
       "axis 'tpu' is not in the topology, which has 'node', 'gpu'"},
      {parallelize(s, c, M, {}), "expected at least one axis"},
      {tile(s, c, M, 0), "loop 0 cannot be cut into 0 steps"},
      {localTile(s, c, M, -2),
       "loop 0 cannot be computed in blocks of -2 elements"},
      {localTile(s, c, 3, 2), "loop 3 is out of range, 'linalg.matmul' has 3"},
      {shift(s, c, N, 0, gpu),
       "factor 0 of loop 1 is over ranks {gpu}, only time factors are shifted"},
      {shift(s, c, M, 0, node),
       "factor 0 of loop 0 has 4 steps, but axes {node} have 2 ranks"},
      {shift(s, c, M, 0, gpu, 2), "stride 2 has a common factor with the 4 "
                                  "steps of factor 0 of loop 0"},
      {shard(s, c, B, 1, gpu),
       "dimension 1 of input 1 is already sharded over axis 'gpu'"},
      {shard(s, c, 2, 1, gpu),
       "input 2 is out of range, 'linalg.matmul' has 2"},
      {shardResult(s, c, 0, 0, gpu),
       "result 0: placement [{gpu}, {gpu}] uses an axis twice: 'gpu' and "
       "'gpu'"},
      {replicate(s, c, A, gpu), "input 0 with placement [{}, {}] is not "
                                "sharded over axis 'gpu'"},
      {replicateResult(s, c, 0, node), "result 0 with placement [{}, {gpu}] "
                                       "is not sharded over axis 'node'"},
      {fetch(s, c, A, gpu), "input 0 with placement [{}, {}] has no owners to "
                            "fetch from over axis 'gpu'"},
      {join(s, c, M, 0), "factor 1 is out of range, loop 0 has 1"},
      {patch(s, c, "no name"), "kernel name 'no name' is not a word of "
                               "letters, digits, underscores and dots"}};
  for (auto &[verdict, reason] : requests)
    EXPECT_EQ(verdict.reason(), reason);
  EXPECT_EQ(s, before);
  op.hasCombiner = {false};
  EXPECT_EQ(parallelize(s, c, K, node).reason(),
            "axes {node} cannot parallelize reduction loop 2: result 0 of "
            "'linalg.matmul' has no known combiner");
  Schedule other = Schedule::replicated(batchGemm());
  EXPECT_FALSE(tile(other, c, M, 2));
}

TEST_F(PrimitivesTest, PaddedExtentCountsPlacements) {
  // Rows are not cut but enter in 4 shards: 9 rows become 12.
  op = gemm(9, 24, 32);
  EXPECT_OK(makeNamedSchedule("all_gather_gemm", s, op, topology("gpu=4")));
  EXPECT_EQ(paddedExtent(9, s.loops[M], topology("gpu=4")), 9);
  EXPECT_EQ(paddedExtent(s, op, M, topology("gpu=4")), 12);
}
