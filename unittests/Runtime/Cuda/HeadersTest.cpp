//===- HeadersTest.cpp - Our declarations are those of CUDA ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApiTable.h"

#include "gtest/gtest.h"

using namespace mercury::test;

TEST(CudaHeaders, EqualTheTrueOnes) {
  EXPECT_GT(driverTableOurs().size(), 60u);
  EXPECT_GT(cublasLtTableOurs().size(), 35u);
#ifdef MERCURY_HAS_CUDA_H
  auto compare = [](const ApiTable &ours, ApiTable theirs) {
    for (const auto &[name, text] : ours)
      EXPECT_EQ(text, theirs[name]) << name;
  };
  compare(driverTableOurs(), driverTableTheirs());
  compare(cublasLtTableOurs(), cublasLtTableTheirs());
#else
  GTEST_SKIP() << "cuda.h and cublasLt.h were not found";
#endif
}
