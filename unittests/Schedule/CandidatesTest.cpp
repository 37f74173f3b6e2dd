//===- CandidatesTest.cpp - Schedules in short form -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Candidates.h"
#include "ScheduleTest.h"

#include <cstdio>
#include <set>

using namespace mercury;
using namespace mercury::test;

namespace {
struct Agreement {
  size_t legal = 0, illegal = 0;
};
} // namespace

/// Of every `stride`-th candidate, legal or not: isLegal() says what verify()
/// says of the schedule.
static Agreement expectAgreement(const OperatorModel &op,
                                 const TopologyModel &topology,
                                 const EnumeratorOptions &options,
                                 size_t stride = 1) {
  Agreement count;
  Candidates candidates(op, topology, options);
  size_t number = 0;
  for (const Division &division : divisions(topology, options))
    candidates.forEach(division, [&](Candidate &candidate, const auto &) {
      if (number++ % stride != 0)
        return true;
      Schedule s = candidates.build(division, candidate);
      Verdict verdict = verify(s, op, topology);
      bool isLegal = candidates.isLegal(division, candidate);
      EXPECT_EQ(isLegal, bool(verdict)) << print(s) << "\n" << verdict.reason();
      ++(isLegal ? count.legal : count.illegal);
      return !testing::Test::HasFailure();
    });
  return count;
}

static EnumeratorOptions everything() {
  EnumeratorOptions options;
  options.relays = Relays::All;
  options.bothDirections = true;
  return options;
}

TEST(Candidates, LegalityIsThatOfSchedules) {
  for (const char *on : {"gpu=2", "gpu=4", "node=2,gpu=2", "node=2,gpu=3"})
    for (const OperatorModel &op : {gemm(), transposedGemm(), batchGemm(),
                                    attention(), groupedAttention()}) {
      Agreement count =
          expectAgreement(op, topology(on), everything(), /*stride=*/11);
      std::printf("%s on %s: %zu legal, %zu illegal\n", op.name.c_str(), on,
                  count.legal, count.illegal);
      EXPECT_GT(count.legal, 0u);
    }
}

TEST(Candidates, LegalityOfThreeAxesIsThatOfSchedules) {
  for (const char *on : {"gpu=8", "node=2,gpu=4", "a=2,b=3,c=2"})
    for (const OperatorModel &op : {gemm(), attention(), groupedAttention()}) {
      Agreement count =
          expectAgreement(op, topology(on), everything(), /*stride=*/4999);
      EXPECT_GT(count.legal, 0u);
    }
}

TEST(Candidates, LegalityOfEquivalentsIsThatOfSchedules) {
  EnumeratorOptions options = everything();
  options.equivalents = true;
  for (const OperatorModel &op : {attention(), groupedAttention()})
    expectAgreement(op, topology("gpu=2"), options);
}

TEST(Candidates, LegalityKnowsWhatLevelsAllow) {
  TopologyModel t = topology("node=2,gpu=2");
  t.levels[0].primitives = {Primitive::SendRecv, Primitive::AllReduce};
  t.levels[1].primitives = {Primitive::AllGather, Primitive::AllToAll,
                            Primitive::ReduceScatter};
  for (const OperatorModel &op : {gemm(), attention()}) {
    Agreement count = expectAgreement(op, t, everything());
    EXPECT_GT(count.illegal, count.legal);
  }
}

TEST(Candidates, LegalityKnowsMissingCombiners) {
  OperatorModel op = gemm();
  op.hasCombiner = {false};
  expectAgreement(op, topology("gpu=4"), everything());
}

// Dimensions that no loop or two run over, a dimension that depends on data.
TEST(Candidates, LegalityKnowsOddTensors) {
  OperatorModel op = gemm();
  op.inputs.push_back({{2, 2}});
  op.inputs.push_back({{-1, 0}});
  op.inputs.push_back({{0, 2}});
  op.inputs.back().mapped = false;
  expectAgreement(op, topology("gpu=2"), everything(), /*stride=*/7);
}

TEST(Candidates, DivisionsDiffer) {
  std::set<std::vector<AxisList>> seen;
  for (const Division &d : divisions(topology("node=2,gpu=8"), {})) {
    std::vector<AxisList> units;
    for (AxisMask unit : d.units) {
      units.emplace_back();
      for (size_t a = 0; a < d.axes.size(); ++a)
        if (unit >> a & 1)
          units.back().push_back(d.axes[a]);
    }
    EXPECT_TRUE(seen.insert(units).second);
  }
}

// An operator that does not fit has no candidates, and nothing breaks.
TEST(Candidates, TooManyTensorsHaveNone) {
  OperatorModel op = gemm();
  op.inputs.resize(maxTensors, {{0, 2}});
  Candidates candidates(op, topology("gpu=2"), {});
  EXPECT_TRUE(candidates.choices().empty());
}
