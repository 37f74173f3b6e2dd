//===- ContractionSample.h - A contraction to test kernels with  -*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_GPU_CONTRACTIONSAMPLE_H
#define MERCURY_UNITTESTS_GPU_CONTRACTIONSAMPLE_H

#include "KernelHarness.h"

#include <array>
#include <random>

namespace mercury::test {

/// A contraction as text and as plain loops.
struct ContractionSample {
  /// Per loop: 'b', 'm', 'n' or 'k', and its extent.
  std::string roles = "mnk";
  std::vector<int64_t> extents;
  /// Of A, B and C: the loop of each dimension, and how many elements follow
  /// each dimension (unused, between the rows).
  std::array<std::vector<unsigned>, 3> loops = {{{0, 2}, {2, 1}, {0, 1}}};
  std::array<std::vector<int64_t>, 3> gaps = {{{0, 0}, {0, 0}, {0, 0}}};
  std::string input = "f32", output = "f32";
  /// Of the arguments, bytes; 0: that of the element.
  int64_t alignment = 16;

  /// The memref of A, B or C.
  std::string type(unsigned operand) const;
  /// A module with the kernel, a linalg.generic.
  std::string text() const;
  /// Transposes A, B and C, which have two dimensions, where a bit is set.
  void transpose(unsigned bits);
  /// Adds to C what the kernel should, in f64.
  void reference(KernelArguments &arguments) const;
};

/// Element types of the inputs and of the output.
inline constexpr std::pair<const char *, const char *> kContractionTypes[] = {
    {"f32", "f32"},
    {"bf16", "f32"},
    {"f16", "f32"},
    {"f64", "f64"},
    {"bf16", "bf16"}};

/// Up to three loops of each role, small, at any place of each operand.
ContractionSample makeRandomContraction(std::mt19937 &random);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_GPU_CONTRACTIONSAMPLE_H
