//===- Verify.cpp - Is a result what it should be -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

namespace mercury::run {

double errorBound(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return 1e-12;
  case ElementKind::F32:
    return 1e-5;
  case ElementKind::F16:
    return 2e-3;
  case ElementKind::BF16:
    return 1e-2;
  default:
    return 0;
  }
}

namespace {
/// What one pass over a result and its reference finds.
struct Differences {
  double errorSquares = 0, referenceSquares = 0;
  double largestReference = 0; ///< of the absolute values
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  double worst = -1; ///< largest absolute error, at `worstIndex`
  int64_t worstIndex = 0;
  int64_t nonFinite = 0;  ///< elements of the reference that are no number
  int64_t leftOut = 0;    ///< of those, that were not compared
  int64_t mismatched = 0; ///< not finite on one side, or unequally so
  int64_t firstMismatch = 0;
};
} // namespace

static Differences compare(const HostTensor &result,
                           const HostTensor &reference,
                           bool leavesOutNaN = false) {
  Differences d;
  for (int64_t i = 0, e = reference.spec.numElements(); i < e; ++i) {
    double value = result.get(i), expected = reference.get(i);
    if (!std::isfinite(expected) || !std::isfinite(value)) {
      d.nonFinite += !std::isfinite(expected);
      if (leavesOutNaN && std::isnan(expected) && std::isfinite(value)) {
        ++d.leftOut;
        continue;
      }
      bool same = std::isnan(expected) ? std::isnan(value) : value == expected;
      if (!same && !d.mismatched++)
        d.firstMismatch = i;
      continue;
    }
    double error = std::fabs(value - expected);
    d.errorSquares += error * error;
    d.referenceSquares += expected * expected;
    d.largestReference = std::max(d.largestReference, std::fabs(expected));
    d.smallest = std::min(d.smallest, expected);
    d.largest = std::max(d.largest, expected);
    if (error > d.worst) {
      d.worst = error;
      d.worstIndex = i;
    }
  }
  return d;
}

/// "[1, 2] is 0.5, the reference 0.25"
static std::string element(const HostTensor &result,
                           const HostTensor &reference, int64_t index) {
  std::string text;
  llvm::raw_string_ostream(text)
      << printIndex(result.spec.shape, index) << " is "
      << llvm::format("%.9g", result.get(index)) << ", the reference "
      << llvm::format("%.9g", reference.get(index));
  return text;
}

/// Exact to the bit; what loadElement rounds (large i64) included.
static void verifyIntegers(const HostTensor &result,
                           const HostTensor &reference, unsigned index,
                           Verification &verification) {
  size_t size = elementBytes(result.spec.element);
  int64_t wrong = 0, first = 0;
  auto at = [&](const HostTensor &t, int64_t i) {
    return llvm::StringRef(
        reinterpret_cast<const char *>(t.data.data()) + i * size, size);
  };
  for (int64_t i = 0, e = result.spec.numElements(); i < e; ++i)
    if (at(result, i) != at(reference, i) && !wrong++)
      first = i;
  Differences d = compare(result, reference);
  double norm = std::sqrt(d.referenceSquares);
  double error = std::sqrt(d.errorSquares) / (norm ? norm : 1);
  verification.error = std::max(verification.error, error);
  if (!wrong)
    return;
  verification.failures.push_back(
      ("result " + llvm::Twine(index) + ": " + llvm::Twine(wrong) + " of " +
       llvm::Twine(result.spec.numElements()) + " integers differ, first " +
       element(result, reference, first))
          .str());
}

void verifyResult(const HostTensor &result, const HostTensor &reference,
                  unsigned index, Verification &verification, double leastBound,
                  bool leavesOutNaN) {
  std::string name = "result " + std::to_string(index) + ": ";
  auto fail = [&](const llvm::Twine &why) {
    verification.failures.push_back(name + why.str());
  };
  if (!(result.spec == reference.spec))
    return fail("has type " + result.spec.str() + ", the reference " +
                reference.spec.str());
  int64_t count = reference.spec.numElements();
  if (!isFloat(result.spec.element))
    return verifyIntegers(result, reference, index, verification);

  Differences d = compare(result, reference, leavesOutNaN);
  double bound = std::max(errorBound(result.spec.element), leastBound);
  double norm = std::sqrt(d.referenceSquares);
  double error = std::sqrt(d.errorSquares);
  if (d.leftOut)
    verification.notes.push_back(
        name + std::to_string(d.leftOut) + " of " + std::to_string(count) +
        " elements are of rows that see no key, and not compared");
  if (count > 0 && d.leftOut == count)
    fail("all " + llvm::Twine(count) +
         " elements are not compared; nothing is shown");
  if (d.nonFinite > d.leftOut)
    verification.notes.push_back(name + "the reference is not finite in " +
                                 std::to_string(d.nonFinite - d.leftOut) +
                                 " of " + std::to_string(count) + " elements");
  if (norm == 0 && d.nonFinite < count)
    verification.notes.push_back(
        name + "the reference is all zero; the error is absolute");
  else if (norm != 0)
    error /= norm;
  if (norm != 0 && count > 1 && d.smallest == d.largest && !d.nonFinite) {
    std::string text;
    llvm::raw_string_ostream(text)
        << name << "every element of the reference is "
        << llvm::format("%.9g", d.largest) << ", which shows little";
    verification.notes.push_back(text);
  }
  if (d.mismatched)
    error = std::numeric_limits<double>::infinity();
  verification.error = std::max(verification.error, error);

  if (d.mismatched)
    return fail(llvm::Twine(d.mismatched) + " of " + llvm::Twine(count) +
                " elements are not finite where the reference is, or the other "
                "way round, first " +
                element(result, reference, d.firstMismatch));
  std::string text;
  llvm::raw_string_ostream os(text);
  if (error > bound)
    os << "relative error " << llvm::format("%.3g", error) << " exceeds "
       << llvm::format("%.3g", bound) << " (" << stringify(result.spec.element)
       << "); the worst element ";
  else if (d.worst > 10 * bound * d.largestReference)
    os << "one element is off by " << llvm::format("%.3g", d.worst)
       << ", more than 10 * " << llvm::format("%.3g", bound)
       << " times the largest reference value "
       << llvm::format("%.3g", d.largestReference) << "; ";
  if (!text.empty())
    fail(text + element(result, reference, d.worstIndex));
}

Verification verifyResults(const std::vector<HostTensor> &results,
                           const std::vector<HostTensor> &reference,
                           const std::vector<std::string> &divergences,
                           double leastBound, bool leavesOutNaN) {
  Verification verification;
  verification.failures = divergences;
  if (results.size() != reference.size())
    verification.failures.push_back(
        "the program has " + std::to_string(results.size()) +
        " results, the reference " + std::to_string(reference.size()));
  else
    for (size_t i = 0; i < results.size(); ++i)
      verifyResult(results[i], reference[i], i, verification, leastBound,
                   leavesOutNaN);
  return verification;
}

} // namespace mercury::run
