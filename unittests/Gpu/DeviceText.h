//===- DeviceText.h - Device code written by hand ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_GPU_DEVICETEXT_H
#define MERCURY_UNITTESTS_GPU_DEVICETEXT_H

#include "KernelHarness.h"

namespace mercury::test {

/// A module with the kernel `k` of a grid and block ("4, 1, 1"). `$S` is the
/// memory space of `shared`, its buffers in shared memory.
std::string deviceText(const std::string &arguments, const std::string &shared,
                       const std::string &grid, const std::string &block,
                       const std::string &body);

/// Sums rows of 128 numbers into 6, one block each, by halves; with a barrier
/// after each but where `missing`, which counts from 0 to 7, says.
std::string blockSum(int missing = -1);
void sumRows(KernelArguments &arguments);

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_PRED2(mercury::test::contains, std::string(text), std::string(part))

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_GPU_DEVICETEXT_H
