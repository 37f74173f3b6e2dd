//===- NcclHeaderTest.cpp - Our ABI is that of the true nccl.h ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclTable.h"

#include "gtest/gtest.h"

using namespace mercury::test;

TEST(NcclHeader, EqualsTheTrueOne) {
#ifdef MERCURY_HAS_NCCL_H
  NcclTable ours = ncclTableOurs();
  NcclTable theirs = ncclTableTheirs();
  EXPECT_GT(ours.size(), 50u);
  for (const auto &[name, text] : ours)
    EXPECT_EQ(text, theirs[name]) << name;
#else
  EXPECT_GT(ncclTableOurs().size(), 50u);
  GTEST_SKIP() << "nccl.h and cuda_runtime.h were not found";
#endif
}
