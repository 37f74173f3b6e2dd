//===- SimulatorTest.cpp - Times by hand ----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/Simulator.h"
#include "Mercury/Tuning/LinkTimes.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mercury;
using Kind = SimulatedItem::Kind;

/// So small that it is not seen; a level with none at all gets a launch cost.
static constexpr double kNoLatency = 1e-13;

/// Links of 100 bytes/s within a level `gpu`.
static TopologyModel machine(int64_t size) {
  TopologyModel topology;
  Level level;
  level.name = "gpu";
  level.size = size;
  level.bandwidth = 100;
  level.latency = kNoLatency;
  topology.levels.push_back(level);
  return topology;
}

/// `node` of 10 bytes/s, whose port the ranks of a node share, around `gpu`.
static TopologyModel cluster(int64_t nodes, int64_t gpus) {
  TopologyModel topology = machine(gpus);
  Level node;
  node.name = "node";
  node.size = nodes;
  node.bandwidth = 10;
  node.latency = kNoLatency;
  node.sharedBy = gpus;
  topology.levels.insert(topology.levels.begin(), node);
  return topology;
}

namespace {
/// Writes programs.
struct Program {
  explicit Program(int64_t numRanks, std::vector<AxisList> communicators) {
    program.ranks.resize(numRanks);
    program.communicators = std::move(communicators);
  }
  SimulatedItem &add(int64_t rank, Kind kind, unsigned stream) {
    SimulatedItem &item = program.ranks[rank].emplace_back();
    item.kind = kind;
    item.stream = stream;
    return item;
  }
  void compute(int64_t rank, double seconds) {
    SimulatedItem &item = add(rank, Kind::Compute, 0);
    item.seconds = seconds;
    item.name = program.nameOf("kernel");
  }
  void collective(int64_t rank, Primitive primitive, double bytes,
                  unsigned stream = 1) {
    SimulatedItem &item = add(rank, Kind::Collective, stream);
    item.primitive = primitive;
    item.bytes = bytes;
    item.name = program.nameOf(std::string(stringify(primitive)));
  }
  void transfers(int64_t rank, std::vector<SimulatedItem::Transfer> list,
                 unsigned stream = 1) {
    SimulatedItem &item = add(rank, Kind::Transfers, stream);
    item.transfers = std::move(list);
    item.name = program.nameOf("hop");
  }
  void record(int64_t rank, int64_t event, unsigned stream) {
    add(rank, Kind::Record, stream).event = event;
  }
  void wait(int64_t rank, int64_t event, unsigned stream) {
    add(rank, Kind::Wait, stream).event = event;
  }

  Simulation run(const TopologyModel &topology) {
    Simulation simulation;
    Verdict verdict = simulate(program, topology, simulation);
    EXPECT_TRUE(verdict) << verdict.reason();
    return simulation;
  }
  std::string fail(const TopologyModel &topology) {
    Simulation simulation;
    Verdict verdict = simulate(program, topology, simulation);
    EXPECT_FALSE(verdict);
    return verdict.reason();
  }
  SimulatedProgram program;
};
} // namespace

/// Up to the latency.
#define EXPECT_SECONDS(a, b) EXPECT_NEAR(a, b, 1e-5)

static const AxisList gpuAxis = {{"gpu"}}, nodeAxis = {{"node"}};

/// A ring of `size` ranks that computes `seconds` a step while its tile of
/// `bytes` is on its way: the streams wait for each other as rotations do.
static Program ring(int64_t size, double seconds, double bytes) {
  Program program(size, {gpuAxis});
  for (int64_t rank = 0; rank < size; ++rank)
    for (int64_t step = 0; step < size; ++step) {
      if (step > 0)
        program.wait(rank, 1, 0); // the tile has come
      program.record(rank, 0, 0);
      if (step + 1 < size) {
        program.wait(rank, 0, 1); // the other buffer is free
        program.transfers(rank, {{true, (rank + size - 1) % size, bytes},
                                 {false, (rank + 1) % size, bytes}});
        program.record(rank, 1, 1);
      }
      program.compute(rank, seconds);
    }
  return program;
}

TEST(Simulator, ring_hides_communication) {
  // A hop takes 250 / 100 = 2.5 s, a kernel 3 s: 4 kernels.
  Simulation result = ring(4, 3, 250).run(machine(4));
  EXPECT_SECONDS(result.seconds, 12);
  for (const Simulation::Rank &rank : result.ranks) {
    EXPECT_SECONDS(rank.compute, 12);
    EXPECT_SECONDS(rank.communication, 7.5);
    EXPECT_SECONDS(rank.exposed, 0);
    EXPECT_SECONDS(rank.waiting, 0);
  }
  // 4 ranks, 3 hops.
  ASSERT_EQ(result.domains.size(), 1u);
  EXPECT_EQ(result.domains[0].name, "gpu");
  EXPECT_EQ(result.domains[0].bytes, 4 * 3 * 250);
}

TEST(Simulator, ring_bound_by_links) {
  // A hop takes 2.5 s, a kernel 1 s: 3 hops, and the last kernel.
  Simulation result = ring(4, 1, 250).run(machine(4));
  EXPECT_SECONDS(result.seconds, 3 * 2.5 + 1);
  EXPECT_SECONDS(result.ranks[0].exposed, 3 * 1.5);
}

TEST(Simulator, communication_takes_its_share) {
  TopologyModel topology = machine(4);
  topology.device.communicationShare = 0.2;
  // While a hop of 2.5 s is under way a kernel does 2 s of its 3; the rest goes
  // at full speed: a step takes 3.5 s, the last one 3 s.
  EXPECT_SECONDS(ring(4, 3, 250).run(topology).seconds, 3 * 3.5 + 3);
}

TEST(Simulator, collective_starts_when_all_are_there) {
  Program program(4, {gpuAxis});
  for (int64_t rank = 0; rank < 4; ++rank) {
    program.compute(rank, 1 + rank);
    program.record(rank, 0, 0);
    program.wait(rank, 0, 1);
    program.collective(rank, Primitive::AllGather, 400);
  }
  // The last rank comes at 4 s. 3 steps of 100 bytes each.
  Simulation result = program.run(machine(4));
  EXPECT_SECONDS(result.seconds, 4 + 3);
  EXPECT_SECONDS(result.ranks[0].waiting, 3);
  EXPECT_SECONDS(result.ranks[3].waiting, 0);
}

TEST(Simulator, figures_are_those_of_link_times) {
  TopologyModel topology = machine(4);
  topology.levels[0].launch = 0.25;
  topology.levels[0].latency = 0.5;
  LinkTimes times(topology);
  GroupShape all = times.shapeOf(gpuAxis);
  double seconds = 0;
  Program program(4, {gpuAxis});
  for (Primitive primitive : {Primitive::AllReduce, Primitive::Broadcast,
                              Primitive::AllGather, Primitive::AllToAll}) {
    for (int64_t rank = 0; rank < 4; ++rank)
      program.collective(rank, primitive, 400);
    seconds += times.collective(primitive, all, 400).seconds;
  }
  EXPECT_DOUBLE_EQ(program.run(topology).seconds, seconds);
}

TEST(Simulator, groups_share_ports_as_link_times_has_it) {
  // Both groups at once are what LinkTimes prices; one of them alone has twice
  // the port.
  TopologyModel topology = cluster(2, 2);
  LinkTimes times(topology);
  double both = times
                    .collective(Primitive::AllGather,
                                times.shapeOf(AxisList{{"node"}}), 40)
                    .seconds;
  EXPECT_SECONDS(both, 4);
  for (int64_t groups : {1, 2}) {
    Program program(4, {{{"node"}}});
    for (int64_t rank = 0; rank < 4; ++rank)
      if (rank % 2 < groups)
        program.collective(rank, Primitive::AllGather, 40);
    EXPECT_SECONDS(program.run(topology).seconds, both * groups / 2);
  }
}

TEST(Simulator, curve_counts_all_included) {
  TopologyModel topology = machine(2);
  topology.levels[0].latency = 0.5;
  topology.levels[0].curves[Primitive::SendRecv].points = {{100, 50}};
  Program program(2, {gpuAxis});
  program.transfers(0, {{true, 1, 100}});
  program.transfers(1, {{false, 0, 100}});
  EXPECT_DOUBLE_EQ(program.run(topology).seconds, 2);
}

TEST(Simulator, ranks_share_a_port) {
  // Both ranks of node 0 send 50 bytes to node 1 through one port of
  // 10 bytes/s.
  Program program(4, {nodeAxis});
  for (int64_t rank : {0, 1}) {
    program.transfers(rank, {{true, rank + 2, 50}});
    program.transfers(rank + 2, {{false, rank, 50}});
  }
  EXPECT_SECONDS(program.run(cluster(2, 2)).seconds, 10);
}

TEST(Simulator, port_goes_to_who_is_left) {
  // 20 bytes and 80 bytes: half the port each for 4 s, then the second has
  // all of it for the 60 bytes that are left.
  Program program(4, {nodeAxis});
  program.transfers(0, {{true, 2, 20}});
  program.transfers(2, {{false, 0, 20}});
  program.transfers(1, {{true, 3, 80}});
  program.transfers(3, {{false, 1, 80}});
  Simulation result = program.run(cluster(2, 2));
  EXPECT_SECONDS(result.ranks[0].end, 4);
  EXPECT_SECONDS(result.ranks[1].end, 10);
}

TEST(Simulator, half_duplex) {
  Program program(2, {gpuAxis});
  for (int64_t rank : {0, 1})
    program.transfers(rank, {{true, 1 - rank, 100}, {false, 1 - rank, 100}});
  TopologyModel topology = machine(2);
  EXPECT_SECONDS(program.run(topology).seconds, 1);
  topology.levels[0].fullDuplex = false;
  EXPECT_SECONDS(program.run(topology).seconds, 2);
}

TEST(Simulator, levels_do_not_disturb_each_other) {
  // A hop of 100 bytes inside of nodes and a collective of 20 bytes across.
  Program program(4, {gpuAxis, nodeAxis});
  for (int64_t rank = 0; rank < 4; ++rank) {
    program.transfers(rank, {{true, rank ^ 1, 100}, {false, rank ^ 1, 100}});
    program.collective(rank, Primitive::AllGather, 20, 2);
  }
  // Both groups of the collective send 10 bytes through each node's port.
  EXPECT_SECONDS(program.run(cluster(2, 2)).seconds, 2);
  // One domain: of each node's port both hops and both collectives need a
  // second, each has a quarter of it.
  TopologyModel shared = cluster(2, 2);
  shared.levels[0].domain = shared.levels[1].domain = "bus";
  shared.levels[1].sharedBy = 2;
  Simulation result = program.run(shared);
  EXPECT_SECONDS(result.seconds, 4);
  ASSERT_EQ(result.domains.size(), 1u);
  EXPECT_EQ(result.domains[0].name, "bus");
}

TEST(Simulator, host_waits) {
  // Without the wait the kernel would run beside the hop.
  for (bool waits : {false, true}) {
    Program program(2, {gpuAxis});
    for (int64_t rank : {0, 1}) {
      program.transfers(rank, {{true, 1 - rank, 100}, {false, 1 - rank, 100}});
      if (waits)
        program.add(rank, Kind::HostWait, 1);
      program.compute(rank, 2);
    }
    EXPECT_SECONDS(program.run(machine(2)).seconds, waits ? 3 : 2);
  }
}

TEST(Simulator, deadlock_names_who_waits) {
  Program program(2, {gpuAxis});
  for (int64_t rank : {0, 1}) {
    program.transfers(rank, {{true, 1 - rank, 8}});
    program.transfers(rank, {{false, 1 - rank, 8}});
  }
  EXPECT_EQ(program.fail(machine(2)),
            "ranks wait for each other: rank 0 waits in hop on {gpu} for rank "
            "1; rank 1 waits in hop on {gpu} for rank 0");
}

TEST(Simulator, rank_that_never_comes) {
  Program program(2, {gpuAxis});
  program.collective(0, Primitive::AllGather, 8);
  EXPECT_EQ(program.fail(machine(2)),
            "ranks wait for each other: rank 0 waits in all_gather on {gpu} "
            "for rank 1, which has come to its end");
}

TEST(Simulator, disagreement) {
  Program collective(2, {gpuAxis});
  collective.collective(0, Primitive::AllGather, 8);
  collective.collective(1, Primitive::AllGather, 16);
  EXPECT_EQ(collective.fail(machine(2)),
            "the group disagrees: rank 0 issues all_gather of 8 bytes, rank 1 "
            "issues all_gather of 16 bytes");
  Program message(2, {gpuAxis});
  message.transfers(0, {{true, 1, 8}});
  message.transfers(1, {{false, 0, 4}});
  EXPECT_EQ(message.fail(machine(2)),
            "rank 0 sends 8 bytes to rank 1, which expects 4");
}

TEST(Simulator, what_is_no_program) {
  Program program(2, {gpuAxis});
  EXPECT_EQ(program.fail(machine(4)),
            "the program has 2 ranks, the topology 4");
  program.compute(1, -1);
  EXPECT_NE(program.fail(machine(2)).find("rank 1: seconds -1"),
            std::string::npos);
  Program peer(2, {gpuAxis});
  peer.transfers(0, {{true, 7, 8}});
  EXPECT_NE(peer.fail(machine(2)).find("with rank 7 of 2"), std::string::npos);
}

TEST(Simulator, same_again) {
  TopologyModel topology = cluster(2, 2);
  Program program(4, {gpuAxis, nodeAxis});
  for (int64_t rank = 0; rank < 4; ++rank)
    for (int step = 0; step < 5; ++step) {
      program.compute(rank, 0.1 * (rank + 1));
      program.transfers(rank, {{true, rank ^ 1, 33}, {false, rank ^ 1, 33}});
      program.collective(rank, Primitive::AllReduce, 7 + step, 2);
    }
  std::string traces[2];
  for (std::string &trace : traces) {
    llvm::raw_string_ostream os(trace);
    writeTrace(os, spansOf(program.program, program.run(topology)));
  }
  EXPECT_EQ(traces[0], traces[1]);
}

TEST(Simulator, spans) {
  // Rank 0 comes to the hop a second before rank 1 does.
  Program program(2, {gpuAxis});
  for (int64_t rank : {0, 1}) {
    if (rank == 1) {
      program.compute(rank, 1);
      program.record(rank, 0, 0);
      program.wait(rank, 0, 1);
    }
    program.transfers(rank, {{true, 1 - rank, 100}, {false, 1 - rank, 100}});
  }
  std::vector<ReportSpan> spans =
      spansOf(program.program, program.run(machine(2)));
  ASSERT_EQ(spans.size(), 4u);
  auto expect = [&](const ReportSpan &span, int64_t rank,
                    const std::string &stream, const std::string &name,
                    double begin, double end) {
    EXPECT_EQ(span.rank, rank);
    EXPECT_EQ(span.stream, stream);
    EXPECT_EQ(span.name, name);
    EXPECT_SECONDS(span.begin, begin);
    EXPECT_SECONDS(span.end, end);
  };
  expect(spans[0], 0, "{gpu}", "wait for hop", 0, 1);
  expect(spans[1], 0, "{gpu}", "hop", 1, 2);
  expect(spans[2], 1, "compute", "kernel", 0, 1);
  expect(spans[3], 1, "{gpu}", "hop", 1, 2);
}
