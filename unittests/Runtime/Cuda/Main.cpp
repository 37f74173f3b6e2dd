//===- Main.cpp - Runs the tests on the fake device -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cstdlib>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("MERCURY_CUDA_LIBRARY", MERCURY_FAKE_CUDA, 1);
  setenv("MERCURY_NCCL_LIBRARY", MERCURY_FAKE_NCCL, 1);
  setenv("MERCURY_CUBLASLT_LIBRARY", MERCURY_FAKE_CUBLASLT, 1);
  // Streams of the device are as late as they like.
  setenv("FAKE_CUDA_JITTER", "200", 0);
  return RUN_ALL_TESTS();
}
