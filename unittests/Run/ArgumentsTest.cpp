//===- ArgumentsTest.cpp - Inputs, shards and results ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mercury;
using namespace mercury::run;

namespace {

TopologyModel topologyOf(const char *text) {
  std::string error;
  auto topology = parseTopology(text, error);
  EXPECT_TRUE(topology) << error;
  return *topology;
}

ShardSpec shardOf(std::vector<int64_t> shape, const char *placement,
                  const TopologyModel &topology,
                  ElementKind kind = ElementKind::F32) {
  ShardSpec shard;
  shard.global = {kind, shape};
  std::string error;
  TextCursor cursor(placement);
  EXPECT_TRUE(parse(cursor, shard.placement, error)) << error;
  shard.localShape = localShape(shape, shard.placement, topology);
  return shard;
}

/// 0, 1, 2, ...
HostTensor iota(const TensorSpec &spec) {
  HostTensor tensor(spec);
  for (int64_t i = 0; i < spec.numElements(); ++i)
    tensor.set(i, i);
  return tensor;
}

std::vector<HostTensor> sliceAll(const HostTensor &global,
                                 const ShardSpec &shard,
                                 const TopologyModel &topology) {
  std::vector<HostTensor> locals;
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
    locals.emplace_back(TensorSpec{shard.global.element, shard.localShape},
                        0xff);
    sliceShard(global, shard, topology, rank, locals.back().data.data());
  }
  return locals;
}

HostTensor assemble(const std::vector<HostTensor> &locals,
                    const ShardSpec &shard, const TopologyModel &topology,
                    std::vector<std::string> &divergences) {
  std::vector<const void *> pointers;
  for (const HostTensor &local : locals)
    pointers.push_back(local.data.data());
  return assembleShards(pointers, shard, topology, 0, divergences);
}

std::vector<double> values(const HostTensor &tensor) {
  std::vector<double> list;
  for (int64_t i = 0; i < tensor.spec.numElements(); ++i)
    list.push_back(tensor.get(i));
  return list;
}

TEST(Arguments, AreNormalAndDeterministic) {
  TensorSpec spec{ElementKind::F64, {100, 1000}};
  HostTensor tensor = makeArgument(spec, 0, 0);
  double sum = 0, squares = 0, fourths = 0;
  for (double value : values(tensor)) {
    sum += value;
    squares += value * value;
    fourths += std::pow(value, 4);
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_NEAR(fourths / 1e5, 3, 0.15);
  EXPECT_EQ(makeArgument(spec, 0, 0).data, tensor.data);
}

TEST(Arguments, DependOnSeedAndPosition) {
  TensorSpec spec{ElementKind::F32, {16}};
  EXPECT_NE(makeArgument(spec, 0, 0).data, makeArgument(spec, 1, 0).data);
  EXPECT_NE(makeArgument(spec, 0, 0).data, makeArgument(spec, 0, 1).data);
  EXPECT_NE(makeArgument(spec, 0, 1).data, makeArgument(spec, 1, 0).data);
}

TEST(Arguments, IntegersAreSmallAndBitsAreBits) {
  for (ElementKind kind :
       {ElementKind::I64, ElementKind::I32, ElementKind::I8}) {
    double least = 0, most = 0;
    for (double value : values(makeArgument({kind, {1000}}, 3, 0))) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
    EXPECT_EQ(least, -4);
    EXPECT_EQ(most, 4);
  }
  HostTensor bits = makeArgument({ElementKind::I1, {1000}}, 3, 0);
  int64_t ones = 0;
  for (uint8_t byte : bits.data) {
    EXPECT_LE(byte, 1);
    ones += byte;
  }
  EXPECT_NEAR(ones, 500, 100);
}

TEST(Shards, SliceRowsAndColumns) {
  TopologyModel topology = topologyOf("node=2,gpu=2");
  ShardSpec shard = shardOf({2, 4}, "[{node}, {gpu}]", topology);
  std::vector<HostTensor> locals =
      sliceAll(iota(shard.global), shard, topology);
  EXPECT_EQ(values(locals[0]), (std::vector<double>{0, 1}));
  EXPECT_EQ(values(locals[1]), (std::vector<double>{2, 3}));
  EXPECT_EQ(values(locals[2]), (std::vector<double>{4, 5}));
  EXPECT_EQ(values(locals[3]), (std::vector<double>{6, 7}));
}

TEST(Shards, PadWithZeros) {
  TopologyModel topology = topologyOf("gpu=4");
  ShardSpec shard = shardOf({5}, "[{gpu}]", topology);
  std::vector<HostTensor> locals =
      sliceAll(iota(shard.global), shard, topology);
  EXPECT_EQ(values(locals[2]), (std::vector<double>{4, 0}));
  // Rank 3 holds nothing but padding.
  EXPECT_EQ(values(locals[3]), (std::vector<double>{0, 0}));
}

TEST(Shards, StandInOrder) {
  // Row 49 of cases.md: positions of rotary embeddings under zigzag.
  TopologyModel topology = topologyOf("gpu=2");
  ShardSpec shard = shardOf({8}, "[{gpu} zigzag 2]", topology);
  std::vector<HostTensor> locals =
      sliceAll(iota(shard.global), shard, topology);
  EXPECT_EQ(values(locals[0]), (std::vector<double>{0, 1, 6, 7}));
  EXPECT_EQ(values(locals[1]), (std::vector<double>{2, 3, 4, 5}));
}

TEST(Shards, StandInOrderWithPadding) {
  // Padding is at the end of positions, not of blocks.
  TopologyModel topology = topologyOf("gpu=2");
  ShardSpec shard = shardOf({5, 2}, "[{gpu} striped 2 by 1, {}]", topology);
  std::vector<HostTensor> locals =
      sliceAll(iota(shard.global), shard, topology);
  EXPECT_EQ(values(locals[0]), (std::vector<double>{0, 1, 4, 5, 8, 9}));
  EXPECT_EQ(values(locals[1]), (std::vector<double>{2, 3, 6, 7, 0, 0}));
}

TEST(Shards, RoundTripInOrders) {
  TopologyModel topology = topologyOf("node=2,gpu=2");
  for (const char *placement :
       {"[{node, gpu} zigzag 4, {}]", "[{} zigzag 2, {gpu} striped 2 by 2]",
        "[{gpu}, {node} table [2, 0, 1]]",
        "[{}, {gpu, node} striped 4 by 1]"}) {
    ShardSpec shard = shardOf({9, 7}, placement, topology);
    HostTensor global = makeArgument(shard.global, 5, 0);
    std::vector<std::string> divergences;
    EXPECT_EQ(assemble(sliceAll(global, shard, topology), shard, topology,
                       divergences)
                  .data,
              global.data)
        << placement;
    EXPECT_TRUE(divergences.empty());
  }
}

TEST(Shards, RoundTrip) {
  for (const char *text : {"gpu=1", "gpu=3", "node=2,gpu=2", "node=2,gpu=4"}) {
    TopologyModel topology = topologyOf(text);
    for (const char *placement : {"[{}, {}, {}]", "[{gpu}, {}, {}]",
                                  "[{}, {}, {gpu}]", "[{}, {gpu}, {}]"}) {
      ShardSpec shard =
          shardOf({3, 7, 5}, placement, topology, ElementKind::BF16);
      HostTensor global = makeArgument(shard.global, 5, 0);
      std::vector<std::string> divergences;
      HostTensor back = assemble(sliceAll(global, shard, topology), shard,
                                 topology, divergences);
      EXPECT_EQ(back.data, global.data) << text << " " << placement;
      EXPECT_TRUE(divergences.empty());
    }
  }
}

TEST(Shards, RoundTripOfSubAxesAndSeveralAxes) {
  TopologyModel topology = topologyOf("node=2,gpu=4");
  for (const char *placement :
       {"[{gpu:(2)2}, {gpu:(1)2}]", "[{gpu, node}, {}]", "[{node, gpu}, {}]",
        "[{gpu:(2)2, node}, {}]"}) {
    ShardSpec shard = shardOf({9, 6}, placement, topology);
    HostTensor global = makeArgument(shard.global, 5, 0);
    std::vector<std::string> divergences;
    EXPECT_EQ(assemble(sliceAll(global, shard, topology), shard, topology,
                       divergences)
                  .data,
              global.data)
        << placement;
    EXPECT_TRUE(divergences.empty());
  }
}

TEST(Shards, PaddingBeyondTheNextMultiple) {
  // 4 elements on 2 ranks, padded to 6 and not just to 4.
  TopologyModel topology = topologyOf("gpu=2");
  ShardSpec shard = shardOf({4, 2}, "[{gpu}, {}]", topology);
  shard.localShape = {3, 3};
  HostTensor global = iota(shard.global);
  std::vector<HostTensor> locals = sliceAll(global, shard, topology);
  EXPECT_EQ(values(locals[0]),
            (std::vector<double>{0, 1, 0, 2, 3, 0, 4, 5, 0}));
  EXPECT_EQ(values(locals[1]),
            (std::vector<double>{6, 7, 0, 0, 0, 0, 0, 0, 0}));
  std::vector<std::string> divergences;
  EXPECT_EQ(assemble(locals, shard, topology, divergences).data, global.data);
  EXPECT_TRUE(divergences.empty());
}

TEST(Shards, RoundTripOfAScalarTensor) {
  TopologyModel topology = topologyOf("gpu=2");
  ShardSpec shard = shardOf({}, "[]", topology);
  HostTensor global = makeArgument(shard.global, 5, 0);
  std::vector<std::string> divergences;
  EXPECT_EQ(
      assemble(sliceAll(global, shard, topology), shard, topology, divergences)
          .data,
      global.data);
}

TEST(Shards, ReplicasMustAgree) {
  TopologyModel topology = topologyOf("node=2,gpu=2");
  ShardSpec shard = shardOf({4, 2}, "[{gpu}, {}]", topology);
  HostTensor global = iota(shard.global);
  std::vector<HostTensor> locals = sliceAll(global, shard, topology);
  locals[3].set(3, 42); // the last element of the second block
  std::vector<std::string> divergences;
  EXPECT_EQ(assemble(locals, shard, topology, divergences).data, global.data);
  ASSERT_EQ(divergences.size(), 1u);
  EXPECT_EQ(
      divergences[0],
      "result 0: ranks 1 and 3 hold different values at [3, 1]: 7 and 42");
}

TEST(Shards, PaddingOfReplicasMayDiffer) {
  TopologyModel topology = topologyOf("node=2,gpu=2");
  ShardSpec shard = shardOf({3}, "[{gpu}]", topology);
  HostTensor global = iota(shard.global);
  std::vector<HostTensor> locals = sliceAll(global, shard, topology);
  locals[3].set(1, 42);
  std::vector<std::string> divergences;
  EXPECT_EQ(assemble(locals, shard, topology, divergences).data, global.data);
  EXPECT_TRUE(divergences.empty());
}

} // namespace
