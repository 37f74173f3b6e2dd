//===- CostProblem.cpp - What is computed, as data ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/CostProblem.h"

using namespace mercury;

void mercury::fillShapes(CostProblem &problem,
                         const std::vector<int64_t> &features) {
  size_t next = 0;
  auto shapesOf = [&](const std::vector<OperatorModel::Tensor> &tensors) {
    std::vector<std::vector<int64_t>> shapes;
    for (const OperatorModel::Tensor &tensor : tensors) {
      std::vector<int64_t> shape;
      for (int loop : tensor.loopOfDim) {
        if (loop >= 0) {
          shape.push_back(problem.op.loops[loop].extent);
          continue;
        }
        shape.push_back(features.empty() ? 1 : features[next]);
        next = std::min(next + 1, features.empty() ? 0 : features.size() - 1);
      }
      shapes.push_back(std::move(shape));
    }
    return shapes;
  };
  problem.inputShapes = shapesOf(problem.op.inputs);
  problem.resultShapes = shapesOf(problem.op.results);
}

CostProblem mercury::gemmProblem(int64_t m, int64_t n, int64_t k,
                                 std::string type, int64_t elementBytes) {
  CostProblem problem;
  problem.kind = LocalWork::Kind::Gemm;
  problem.type = std::move(type);
  OperatorModel &op = problem.op;
  op.name = "linalg.matmul";
  op.loops = {{false, m}, {false, n}, {true, k}};
  op.inputs = {{{0, 2}, true, elementBytes}, {{2, 1}, true, elementBytes}};
  op.results = {{{0, 1}, true, elementBytes}};
  op.hasCombiner = op.hasCollective = op.neutralInit = {true};
  fillShapes(problem, {});
  return problem;
}

CostProblem mercury::attentionProblem(const AttentionShape &shape,
                                      std::optional<Mask> mask,
                                      std::string type, int64_t elementBytes,
                                      int64_t resultBytes) {
  CostProblem problem;
  problem.kind = LocalWork::Kind::Attention;
  problem.type = std::move(type);
  problem.headDim = shape.headDim;
  problem.valueDim = shape.valueDim;
  OperatorModel &op = problem.op;
  op.name = "commir.online_attention";
  op.loops = {{false, shape.batch}, {false, shape.kvHeads}};
  std::vector<int> rows = {0, 1};
  if (shape.group > 1) {
    op.loops.push_back({false, shape.group});
    rows.push_back(2);
  }
  int query = op.loops.size(), key = query + 1;
  op.loops.push_back({false, shape.queries});
  op.loops.push_back({true, shape.keys});
  rows.push_back(query);
  std::vector<int> features = rows;
  features.push_back(-1);
  op.inputs = {{features, true, elementBytes},
               {{0, 1, key, -1}, true, elementBytes},
               {{0, 1, key, -1}, true, elementBytes}};
  op.results = {{features, true, resultBytes},
                {rows, true, resultBytes},
                {rows, true, resultBytes}};
  op.hasCombiner = op.hasCollective = op.neutralInit = {true, true, true};
  op.coupled = {{0, 1, 2}};
  if (mask)
    op.mask = LoopMask{size_t(query), size_t(key), *mask, 0, 0};
  fillShapes(problem, {shape.headDim, shape.headDim, shape.valueDim});
  return problem;
}

LocalWork mercury::workOf(const CostProblem &problem,
                          const std::string &kernel) {
  LocalWork work;
  work.kind = problem.kind;
  work.type = problem.type;
  work.library = kernel.empty() ? problem.library : kernel;
  work.headDim = problem.headDim;
  return work;
}

std::vector<std::string> mercury::comparableKernels(const CostProblem &problem,
                                                    const DeviceModel &device) {
  std::vector<std::string> names = {""};
  LocalTimes locals(device);
  for (const std::string &kernel : problem.kernels)
    if (kernel != problem.library && locals.isMeasured(workOf(problem, kernel)))
      names.push_back(kernel);
  return names;
}
