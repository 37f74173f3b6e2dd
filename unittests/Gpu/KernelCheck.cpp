//===- KernelCheck.cpp - Results of device code ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "Mercury/Runtime/mercury_simt.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <limits>

using namespace mercury::test;

/// Compares one run. Returns the greatest norm.
static double compare(const KernelArguments &before,
                      const KernelArguments &expected,
                      const KernelArguments &actual, double tolerance) {
  double greatest = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!actual[i].buffer)
      continue;
    EXPECT_TRUE(actual[i]->isIntact())
        << "wrote outside of the elements of argument " << i;
    if (*expected[i] == *before[i]) {
      EXPECT_TRUE(*actual[i] == *before[i]) << "changed argument " << i;
      continue;
    }
    double norm = relativeNorm(*actual[i], *expected[i]);
    EXPECT_LE(norm, tolerance) << "argument " << i;
    greatest = std::max(greatest, norm);
  }
  return greatest;
}

double mercury::test::checkKernel(const KernelCheck &check) {
  SCOPED_TRACE(check.chip + ", seed " + std::to_string(check.seed) + "\n" +
               check.text);
  auto failed = [](llvm::Error error) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return std::numeric_limits<double>::infinity();
  };
  auto kernel = Kernel::parse(check.text);
  if (!kernel)
    return failed(kernel.takeError());
  KernelArguments before = kernel->makeArguments(check.seed);
  if (check.prepare)
    check.prepare(before);
  KernelArguments expected = before;
  if (check.reference) {
    check.reference(expected);
  } else {
    auto loops = kernel->loops();
    if (!loops)
      return failed(loops.takeError());
    EXPECT_EQ(loops->run(expected), "");
  }
  auto program = kernel->emulated(check.chip);
  if (!program)
    return failed(program.takeError());
  double greatest = 0;
  for (const std::string &order : check.orders) {
    SCOPED_TRACE(order);
    EXPECT_EQ(mercury_simt_set_order(order.c_str()), 0);
    KernelArguments actual = before;
    std::string fault = program->run(actual);
    if (!fault.empty()) {
      ADD_FAILURE() << fault;
      greatest = std::numeric_limits<double>::infinity();
      break;
    }
    greatest =
        std::max(greatest, compare(before, expected, actual, check.tolerance));
    if (testing::Test::HasFailure())
      break; // the other orders say the same
  }
  mercury_simt_set_order("ascending");
  return greatest;
}
