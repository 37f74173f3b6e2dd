//===- OperatorProgram.cpp - One operator as a program --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorProgram.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Tuning/Search.h"
#include "Mercury/Tuning/Tune.h"
#include "Support.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mercury;
using namespace mercury::bench;

mlir::OwningOpRef<mlir::ModuleOp>
OperatorProgram::parse(mlir::MLIRContext &context) const {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    fail(llvm::Twine("cannot parse ") + name);
  return module;
}

CostProblem OperatorProgram::problem(mlir::MLIRContext &context) const {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(context);
  mlir::PassManager pm(&context);
  buildOperators(pm, /*promote=*/true);
  if (mlir::failed(pm.run(*module)))
    fail(llvm::Twine("cannot prepare ") + name);
  CostProblem found;
  module->walk([&](commir::DistributableOpInterface op) {
    OperatorModel model = buildOperatorModel(op);
    bool reduces =
        llvm::any_of(model.loops, [](auto &loop) { return loop.reduction; });
    if (model.inputs.size() >= 2 && reduces)
      found = costProblemOf(op);
  });
  return found;
}

OperatorProgram bench::gemmProgram(int64_t m, int64_t n, int64_t k,
                                   const std::string &type) {
  auto tensor = [](int64_t rows, int64_t columns, const std::string &type) {
    return llvm::formatv("tensor<{0}x{1}x{2}>", rows, columns, type).str();
  };
  std::string text = llvm::formatv(R"(
func.func @f(%a: {0}, %b: {1}) -> {2} {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {2}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {2}) -> {2}
  %c = linalg.matmul ins(%a, %b : {0}, {1}) outs(%init : {2}) -> {2}
  return %c : {2}
})",
                                   tensor(m, k, type), tensor(k, n, type),
                                   tensor(m, n, "f32"));
  return {"gemm", std::move(text), false};
}

OperatorProgram bench::attentionProgram(int64_t batch, int64_t heads,
                                        int64_t tokens, int64_t features,
                                        const std::string &type) {
  std::string outer = llvm::formatv("{0}x", heads), loops = "h";
  if (batch > 0) {
    outer = llvm::formatv("{0}x{1}x", batch, heads);
    loops = "b, h";
  }
  std::string t =
      llvm::formatv("tensor<{0}{1}x{2}x{3}>", outer, tokens, features, type);
  auto map = [&](const char *tokensAndFeatures) {
    return llvm::formatv("affine_map<({0}, m, n, d, e) -> ({0}, {1})>", loops,
                         tokensAndFeatures)
        .str();
  };
  std::string text = llvm::formatv(
      R"(
func.func @f(%q: {0}, %k: {0}, %v: {0}) -> {0} {{
  %init = tensor.empty() : {0}
  %o = commir.attention maps [{1}, {2}, {3}, {4}] scale {5}
      ins(%q, %k, %v : {0}, {0}, {0}) outs(%init : {0}) -> {0}
  return %o : {0}
})",
      t, map("m, d"), map("n, d"), map("n, e"), map("m, e"),
      attentionScale(features));
  return {"attention", std::move(text), true};
}

std::vector<Schedule> bench::allSchedules(const OperatorModel &op,
                                          const TopologyModel &topology) {
  std::vector<Schedule> all;
  enumerateSchedules(op, topology, spaceFor(op), [&](const Schedule &s) {
    all.push_back(s);
    return true;
  });
  return all;
}

std::string bench::shapeOf(const TopologyModel &machine) {
  std::string text;
  for (const Level &level : machine.levels)
    text += (text.empty() ? "" : ",") + level.name + "=" +
            std::to_string(level.size);
  return text;
}
