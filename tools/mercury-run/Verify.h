//===- Verify.h - Is a result what it should be -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is verified when the relative Frobenius norm of its error is at most
// the bound of its element type and no element is off by more than 10 times
// that bound times the largest absolute reference value. Integers are exact.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_VERIFY_H
#define MERCURY_TOOLS_MERCURY_RUN_VERIFY_H

#include "HostTensor.h"

namespace mercury::run {

/// Bound of the relative Frobenius norm: 1e-12 (f64), 1e-5 (f32), 2e-3 (f16),
/// 1e-2 (bf16), 0 (integers).
double errorBound(ElementKind kind);

struct Verification {
  bool verified() const { return failures.empty(); }
  /// The largest relative Frobenius norm of all results. Where the reference is
  /// all zero, the norm of the result itself; infinite where the result is not
  /// finite and the reference is.
  double error = 0;
  /// Why it is not verified, one line each.
  std::vector<std::string> failures;
  /// What makes the check weak: a reference that is all zero, all equal or not
  /// finite.
  std::vector<std::string> notes;
};

/// Compares one result, named by its position.
void verifyResult(const HostTensor &result, const HostTensor &reference,
                  unsigned index, Verification &verification,
                  double leastBound = 0, bool leavesOutNaN = false);

/// Compares all; each of `divergences` (see assembleShards) is a failure.
/// `leastBound`: values that the function rounds to a narrower type than its
/// results' (an f16 tensor before an f32 sum) may fall to either side, so that
/// no result can be closer than that type's bound.
/// `leavesOutNaN`: rows of attention that see no key are NaN in the reference,
/// which computes it otherwise; what is NaN there and a number in the result is
/// not compared, and noted; a failure where that is all of a result.
Verification verifyResults(const std::vector<HostTensor> &results,
                           const std::vector<HostTensor> &reference,
                           const std::vector<std::string> &divergences = {},
                           double leastBound = 0, bool leavesOutNaN = false);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_VERIFY_H
