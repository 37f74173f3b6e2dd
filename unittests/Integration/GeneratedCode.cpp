//===- GeneratedCode.cpp - Shipped schedules with generated local code ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated code has workspace, which the count of the bytes held includes.
// Tiles are large enough that ranks vectorize them.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Schedule/NamedSchedules.h"
#include "Programs.h"
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

using Scope = NamedSchedule::Scope;

/// With all schedules of this scope or any.
static void runAll(const std::string &text, Scope scope) {
  Program program(text, 7);
  program.local = "codegen";
  for (const NamedSchedule &named : namedSchedules())
    for (const char *topology : {"gpu=4", "node=2,gpu=2"})
      if (named.scope == scope || named.scope == Scope::Any)
        EXPECT_EQ(program.runOnRanks(std::string(named.name), topology), "")
            << named.name << " on " << topology;
}

TEST(GeneratedCode, Matmul) {
  runAll(matmulText(64, 64, 64), Scope::Contraction);
}

TEST(GeneratedCode, Attention) {
  runAll(R"(
func.func @attention(%q: tensor<4x64x16xf32>, %k: tensor<4x64x16xf32>, %v: tensor<4x64x16xf32>) -> tensor<4x64x16xf32> {
  %empty = tensor.empty() : tensor<4x64x16xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
    ins(%q, %k, %v : tensor<4x64x16xf32>, tensor<4x64x16xf32>, tensor<4x64x16xf32>)
    outs(%empty : tensor<4x64x16xf32>) -> tensor<4x64x16xf32>
  return %o : tensor<4x64x16xf32>
})",
         Scope::Attention);
}
