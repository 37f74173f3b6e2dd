//===- CorrectionTest.cpp - A machine's figures after measuring -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Correction.h"
#include "Mercury/Schedule/Machines.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mercury;

namespace {
/// Two nodes of two; compute and links take about as long.
TopologyModel machine() {
  TopologyModel topology;
  for (auto [name, bandwidth] :
       {std::pair("node", 5e9), std::pair("gpu", 40e9)}) {
    Level &level = topology.levels.emplace_back();
    level.name = name;
    level.size = 2;
    level.bandwidth = bandwidth;
    level.latency = 2e-6;
    level.launch = 5e-6;
    level.interval.points = {{1e4, 0.4}, {1e8, 0.2}};
  }
  DeviceModel &device = topology.device;
  device.peak["f32"] = 4e12;
  device.memoryBandwidth = 4e11;
  device.memoryFraction = 0.9;
  device.launch = 3e-6;
  device.interval = 0.3;
  AchievedRate rate;
  rate.type = "f32";
  rate.library = "mercury";
  rate.fraction.points = {{128, 0.5}, {4096, 0.9}};
  device.achieved.push_back(rate);
  return topology;
}

std::vector<Schedule> schedulesOf(const CostProblem &problem,
                                  const TopologyModel &topology) {
  std::vector<Schedule> schedules;
  for (const NamedSchedule &named : namedSchedules()) {
    Schedule schedule;
    if (concerns(named, problem.op) &&
        makeNamedSchedule(named.name, schedule, problem.op, topology) &&
        verify(schedule, problem.op, topology))
      schedules.push_back(std::move(schedule));
  }
  return schedules;
}

/// As the machine `truth` runs them, each off by up to `noise`.
std::vector<MeasuredSchedule> run(const CostProblem &problem,
                                  const TopologyModel &truth,
                                  const std::vector<Schedule> &schedules,
                                  double noise = 0, unsigned seed = 0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> off(1 - noise, 1 + noise);
  CostModel model(problem, truth);
  std::vector<MeasuredSchedule> measured;
  for (const Schedule &schedule : schedules)
    measured.push_back(
        {schedule, model.seconds(schedule) * off(random), noise});
  return measured;
}

const CorrectedFigure &find(const Correction &correction,
                            const std::string &name) {
  for (const CorrectedFigure &figure : correction.figures)
    if (figure.name == name)
      return figure;
  ADD_FAILURE() << "no figure " << name;
  return correction.figures.front();
}
} // namespace

TEST(Correction, FindsWhatIsOff) {
  CostProblem problem = gemmProblem(4096, 4096, 4096, "f32", 4);
  TopologyModel given = machine(), truth = given;
  for (auto &[size, fraction] : truth.device.achieved[0].fraction.points)
    fraction /= 1.5;
  truth.levels[0].bandwidth /= 0.7;
  truth.levels[0].latency *= 0.7;
  truth.levels[0].launch *= 0.7;
  std::vector<Schedule> schedules = schedulesOf(problem, given);
  ASSERT_GE(schedules.size(), 8u);
  for (unsigned seed = 0; seed < 5; ++seed) {
    double noise = seed * 0.01;
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto measured = run(problem, truth, schedules, noise, seed);
    std::string error;
    auto correction = correctFigures(problem, given, measured, error);
    ASSERT_TRUE(correction) << error;
    EXPECT_TRUE(bool(correction->topology.verify()))
        << correction->topology.verify().reason();
    EXPECT_GT(correction->errorBefore, 0.2);
    EXPECT_LT(correction->errorAfter, 0.04 + noise);
    EXPECT_NEAR(find(*correction, "kernels").factor, 1.5, 0.1);
    EXPECT_TRUE(find(*correction, "kernels").isTold);
    EXPECT_NEAR(find(*correction, "level node").factor, 0.7, 0.1);
    EXPECT_TRUE(find(*correction, "level node").isTold);
    // The new figures are those that later predictions use.
    CostModel model(problem, correction->topology);
    for (const MeasuredSchedule &one : measured)
      EXPECT_NEAR(model.seconds(one.schedule) / one.seconds, 1, 0.12 + noise);
  }
}

TEST(Correction, BlamesNoFigureForAll) {
  // Everything takes three times as long, and kernels were thought to be known
  // well: links do not have to stand for that.
  CostProblem problem = gemmProblem(4096, 4096, 4096, "f32", 4);
  TopologyModel given = machine();
  given.device.achieved[0].interval = given.device.interval = 0.03;
  auto measured = run(problem, given, schedulesOf(problem, given));
  for (MeasuredSchedule &one : measured)
    one.seconds *= 3;
  std::string error;
  auto correction = correctFigures(problem, given, measured, error);
  ASSERT_TRUE(correction) << error;
  EXPECT_LT(correction->errorAfter, 0.2);
  EXPECT_GT(find(*correction, "kernels").factor, 2);
  for (const CorrectedFigure &figure : correction->figures) {
    EXPECT_GT(figure.factor, 0.9) << figure.name;
    EXPECT_LT(figure.factor, 5) << figure.name;
  }
}

TEST(Correction, LeavesWhatNoRunNeeds) {
  CostProblem problem = gemmProblem(2048, 2048, 2048, "f32", 4);
  TopologyModel given = machine(), truth = given;
  truth.device.achieved[0].fraction.points = {{128, 0.4}, {4096, 0.72}};
  // Every rank by itself: no link is used.
  auto measured = run(problem, truth, {Schedule::replicated(problem.op)});
  std::string error;
  auto correction = correctFigures(problem, given, measured, error);
  ASSERT_TRUE(correction) << error;
  EXPECT_NEAR(find(*correction, "kernels").factor, 1.25, 0.03);
  for (const char *name : {"level node", "level gpu"}) {
    EXPECT_NEAR(find(*correction, name).factor, 1, 1e-9);
    EXPECT_FALSE(find(*correction, name).isTold);
  }
  for (size_t level : {0, 1})
    EXPECT_EQ(correction->topology.levels[level].interval,
              given.levels[level].interval);
}

TEST(Correction, OfRunsAsPredictedChangesNothing) {
  CostProblem problem = gemmProblem(2048, 2048, 2048, "f32", 4);
  TopologyModel given = machine();
  auto measured = run(problem, given, schedulesOf(problem, given));
  std::string error;
  auto correction = correctFigures(problem, given, measured, error);
  ASSERT_TRUE(correction) << error;
  EXPECT_NEAR(correction->errorBefore, 0, 1e-9);
  for (const CorrectedFigure &figure : correction->figures)
    EXPECT_NEAR(figure.factor, 1, 1e-6) << figure.name;
}

TEST(Correction, RaisesThePeakThatWasPassed) {
  CostProblem problem = gemmProblem(4096, 4096, 4096, "f32", 4);
  TopologyModel given = machine(), truth = given;
  truth.device.peak["f32"] *= 1.4;
  AchievedRate attention = given.device.achieved[0];
  attention.work = AchievedRate::Work::Attention;
  given.device.achieved.push_back(attention);
  auto measured = run(problem, truth, {Schedule::replicated(problem.op)});
  std::string error;
  auto correction = correctFigures(problem, given, measured, error);
  ASSERT_TRUE(correction) << error;
  const DeviceModel &device = correction->topology.device;
  EXPECT_TRUE(bool(correction->topology.verify()))
      << correction->topology.verify().reason();
  EXPECT_GT(device.peak.at("f32"), given.device.peak.at("f32"));
  // Rates of other kernels are what they were.
  EXPECT_NEAR(device.peak.at("f32") * device.achieved[1].fraction.at(512),
              given.device.peak.at("f32") * attention.fraction.at(512), 1e6);
}

TEST(Correction, IsOfTheKernelsThatRan) {
  // Causal attention of a head dimension that nobody measured: the curves of
  // others stay.
  AttentionShape shape;
  shape.batch = 1;
  shape.kvHeads = 8;
  shape.queries = shape.keys = 8192;
  shape.headDim = shape.valueDim = 48;
  CostProblem problem =
      attentionProblem(shape, Mask{{MaskTerm{std::nullopt, 0, 0}}}, "bf16", 2);
  std::string error;
  TopologyModel given = *parseTopology("h100-sxm:node=2,gpu=2", error);
  std::vector<Schedule> schedules = schedulesOf(problem, given);
  ASSERT_GE(schedules.size(), 4u);
  auto measured = run(problem, given, schedules);
  for (MeasuredSchedule &one : measured)
    one.seconds *= 1.2;
  auto correction = correctFigures(problem, given, measured, error);
  ASSERT_TRUE(correction) << error;
  EXPECT_TRUE(bool(correction->topology.verify()))
      << correction->topology.verify().reason();
  EXPECT_LT(correction->errorAfter, 0.1);
  const auto &before = given.device.achieved,
             &after = correction->topology.device.achieved;
  ASSERT_EQ(after.size(), before.size() + 2);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(after[i], before[i]);
  EXPECT_EQ(after.back().headDim, 48);
  EXPECT_TRUE(after.back().causal);
}

TEST(Correction, NeedsFigures) {
  CostProblem problem = gemmProblem(64, 64, 64, "f32", 4);
  auto measured = run(problem, machine(), {Schedule::replicated(problem.op)});
  auto refused = [&](TopologyModel topology, const char *what) {
    std::string error;
    EXPECT_FALSE(correctFigures(problem, topology, measured, error));
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  TopologyModel topology = machine();
  topology.device.peak.clear();
  topology.device.achieved.clear();
  refused(topology, "no peak rate for 'f32'");
  topology = machine();
  topology.device.memoryBandwidth = 0;
  refused(topology, "no memory bandwidth");
  topology = machine();
  topology.levels[0].bandwidth = 0;
  refused(topology, "no bandwidth of level 'node'");
  measured.clear();
  refused(machine(), "no schedule was measured");
}
