//===- FidelityTest.cpp - The cost model against played programs ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerated schedules on eight ranks, evenly spread, some of which nest three
// time loops. bench-fidelity looks at more of them.
//
//===----------------------------------------------------------------------===//

#include "Mercury/InitAll.h"
#include "Mercury/Tuning/CostModel.h"
#include "OperatorProgram.h"
#include "Predict.h"

#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::bench;

static void compare(const OperatorProgram &op, std::string_view machine,
                    size_t count) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string error;
  std::optional<TopologyModel> topology = parseTopology(machine, error);
  ASSERT_TRUE(topology) << error;
  CostProblem problem = op.problem(context);
  CostModel model(problem, *topology);
  std::vector<Schedule> all = allSchedules(problem.op, *topology);
  ASSERT_GT(all.size(), count);
  auto module = op.parse(context);
  size_t near = 0;
  for (size_t i = 0; i < count; ++i) {
    const Schedule &schedule = all[i * all.size() / count];
    run::CompileOptions options;
    options.topology = shapeOf(*topology);
    options.schedule = print(schedule);
    options.verifyEach = false;
    auto prediction = run::predict(*module, options, &*topology);
    ASSERT_TRUE(bool(prediction)) << llvm::toString(prediction.takeError());
    double ratio = model.seconds(schedule) / prediction->simulation.seconds;
    EXPECT_NEAR(ratio, 1, 0.25) << print(schedule);
    near += std::abs(ratio - 1) <= 0.1;
  }
  EXPECT_GE(double(near) / double(count), 0.95);
}

TEST(Fidelity, contraction) {
  compare(gemmProgram(16384, 8192, 8192, "bf16"), "h100-sxm:gpu=8", 60);
}

TEST(Fidelity, contraction_over_nodes) {
  compare(gemmProgram(16384, 8192, 8192, "bf16"),
          "l4:node=2,gpu=4,net=50Gbps-roce", 60);
}

TEST(Fidelity, attention) {
  compare(attentionProgram(4, 32, 32768, 128, "bf16"),
          "h100-sxm:node=2,gpu=4,net=100Gbps-roce", 40);
}
