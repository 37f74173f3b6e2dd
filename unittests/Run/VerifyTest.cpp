//===- VerifyTest.cpp - Is a result what it should be ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "Arguments.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mercury::run;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

HostTensor tensorOf(ElementKind kind, std::vector<double> values) {
  HostTensor tensor({kind, {static_cast<int64_t>(values.size())}});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(i, values[i]);
  return tensor;
}

Verification check(const HostTensor &result, const HostTensor &reference) {
  return verifyResults({result}, {reference});
}

TEST(Verify, EqualIsVerified) {
  for (ElementKind kind :
       {ElementKind::F64, ElementKind::F16, ElementKind::I8, ElementKind::I1}) {
    HostTensor tensor = makeArgument({kind, {8, 8}}, 1, 0);
    Verification v = check(tensor, tensor);
    EXPECT_TRUE(v.verified());
    EXPECT_EQ(v.error, 0);
    EXPECT_TRUE(v.notes.empty());
  }
}

TEST(Verify, BoundsOfTheElementTypes) {
  EXPECT_EQ(errorBound(ElementKind::F64), 1e-12);
  EXPECT_EQ(errorBound(ElementKind::F32), 1e-5);
  EXPECT_EQ(errorBound(ElementKind::F16), 2e-3);
  EXPECT_EQ(errorBound(ElementKind::BF16), 1e-2);
  // In f64, so that the rounding of the values plays no part.
  HostTensor reference = tensorOf(ElementKind::F64, {1, 1, 1, 1});
  auto scaled = [&](double error) {
    return tensorOf(ElementKind::F64, std::vector<double>(4, 1 + error));
  };
  EXPECT_TRUE(check(scaled(0.9e-12), reference).verified());
  EXPECT_FALSE(check(scaled(1.1e-12), reference).verified());
}

TEST(Verify, RelativeErrorIsOfTheWholeTensor) {
  // One element in 100 is off by 5e-5: a relative norm of 5e-6.
  std::vector<double> ones(100, 1), off = ones;
  off[17] += 5e-5;
  Verification v =
      check(tensorOf(ElementKind::F32, off), tensorOf(ElementKind::F32, ones));
  EXPECT_TRUE(v.verified());
  EXPECT_NEAR(v.error, 5e-6, 1e-7);
}

TEST(Verify, TooLargeAnErrorNamesTheWorstElement) {
  Verification v = check(tensorOf(ElementKind::F32, {1, 2.5, 3}),
                         tensorOf(ElementKind::F32, {1, 2, 3}));
  ASSERT_EQ(v.failures.size(), 1u);
  EXPECT_EQ(v.failures[0],
            "result 0: relative error 0.134 exceeds 1e-05 (f32); the worst "
            "element [1] is 2.5, the reference 2");
}

TEST(Verify, OneElementFarOff) {
  // The norm hides one bad element among a million; the second rule does not.
  std::vector<double> ones(1000000, 1), off = ones;
  off[5] += 2e-3;
  Verification v =
      check(tensorOf(ElementKind::F32, off), tensorOf(ElementKind::F32, ones));
  EXPECT_LT(v.error, 1e-5);
  ASSERT_EQ(v.failures.size(), 1u);
  EXPECT_NE(v.failures[0].find("one element is off by 0.002, more than 10 * "
                               "1e-05 times the largest reference value 1"),
            std::string::npos)
      << v.failures[0];
}

TEST(Verify, NaNInTheResultIsWrong) {
  for (double bad : {nan, infinity, -infinity}) {
    Verification v = check(tensorOf(ElementKind::F32, {1, bad}),
                           tensorOf(ElementKind::F32, {1, 2}));
    EXPECT_FALSE(v.verified());
    EXPECT_TRUE(std::isinf(v.error));
  }
  Verification v = check(tensorOf(ElementKind::F32, {1, infinity, 3}),
                         tensorOf(ElementKind::F32, {1, 2, 3}));
  ASSERT_EQ(v.failures.size(), 1u);
  EXPECT_EQ(v.failures[0],
            "result 0: 1 of 3 elements are not finite where the reference is, "
            "or the other way round, first [1] is inf, the reference 2");
}

TEST(Verify, NotFiniteReferenceIsNotedAndMustBeMatched) {
  HostTensor reference =
      tensorOf(ElementKind::F32, {1, nan, infinity, -infinity});
  Verification same = check(reference, reference);
  EXPECT_TRUE(same.verified());
  ASSERT_EQ(same.notes.size(), 1u);
  EXPECT_EQ(same.notes[0],
            "result 0: the reference is not finite in 3 of 4 elements");
  EXPECT_FALSE(
      check(tensorOf(ElementKind::F32, {1, 0, infinity, -infinity}), reference)
          .verified());
  EXPECT_FALSE(check(tensorOf(ElementKind::F32, {1, nan, -infinity, -infinity}),
                     reference)
                   .verified());
}

TEST(Verify, RowsWithoutKeysAreLeftOutWhereTheyAreNumbers) {
  HostTensor reference = tensorOf(ElementKind::F32, {1, nan, nan, infinity});
  auto leaveOut = [&](std::vector<double> values) {
    return verifyResults({tensorOf(ElementKind::F32, values)}, {reference}, {},
                         /*leastBound=*/0, /*leavesOutNaN=*/true);
  };
  Verification v = leaveOut({1, 0, nan, infinity});
  EXPECT_TRUE(v.verified());
  ASSERT_EQ(v.notes.size(), 2u);
  EXPECT_EQ(v.notes[0], "result 0: 1 of 4 elements are of rows that see no "
                        "key, and not compared");
  EXPECT_EQ(v.notes[1],
            "result 0: the reference is not finite in 2 of 4 elements");
  EXPECT_FALSE(leaveOut({1, infinity, 0, infinity}).verified());
  EXPECT_FALSE(leaveOut({2, 0, 0, infinity}).verified());
  EXPECT_FALSE(leaveOut({1, 0, 0, 0}).verified());
}

// As where an operator behind attention mixes rows.
TEST(Verify, ResultOfWhichAllIsLeftOutIsNotVerified) {
  Verification v = verifyResults({tensorOf(ElementKind::F32, {1, 2})},
                                 {tensorOf(ElementKind::F32, {nan, nan})}, {},
                                 /*leastBound=*/0, /*leavesOutNaN=*/true);
  ASSERT_EQ(v.failures.size(), 1u);
  EXPECT_EQ(v.failures[0],
            "result 0: all 2 elements are not compared; nothing is shown");
}

TEST(Verify, AllZeroReferenceIsNoted) {
  HostTensor zero = tensorOf(ElementKind::F32, {0, 0});
  Verification same = check(zero, zero);
  EXPECT_TRUE(same.verified());
  ASSERT_EQ(same.notes.size(), 1u);
  EXPECT_EQ(same.notes[0],
            "result 0: the reference is all zero; the error is absolute");
  EXPECT_FALSE(check(tensorOf(ElementKind::F32, {0, 1e-4}), zero).verified());
}

TEST(Verify, AllEqualReferenceIsNoted) {
  HostTensor equal = tensorOf(ElementKind::F32, {1.5, 1.5});
  Verification v = check(equal, equal);
  EXPECT_TRUE(v.verified());
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_EQ(v.notes[0], "result 0: every element of the reference is 1.5, "
                        "which shows little");
}

TEST(Verify, IntegersAreExact) {
  Verification v = check(tensorOf(ElementKind::I32, {1, 2, 1000001}),
                         tensorOf(ElementKind::I32, {1, 2, 1000000}));
  ASSERT_EQ(v.failures.size(), 1u);
  EXPECT_EQ(v.failures[0], "result 0: 1 of 3 integers differ, first [2] is "
                           "1000001, the reference 1000000");
  // 2^53 and 2^53 + 1 are one double.
  HostTensor a({ElementKind::I64, {1}}), b = a;
  a.data = {0, 0, 0, 0, 0, 0, 0x20, 0};
  b.data = {1, 0, 0, 0, 0, 0, 0x20, 0};
  EXPECT_FALSE(check(a, b).verified());
}

TEST(Verify, TypesAndNumbersOfResults) {
  HostTensor a = tensorOf(ElementKind::F32, {1}),
             b = tensorOf(ElementKind::F32, {1, 2});
  EXPECT_EQ(check(a, b).failures[0],
            "result 0: has type 1xf32, the reference 2xf32");
  EXPECT_EQ(
      verifyResults({a}, {a, a}).failures,
      std::vector<std::string>{"the program has 1 results, the reference 2"});
}

TEST(Verify, DivergenceIsAFailure) {
  HostTensor a = tensorOf(ElementKind::F32, {1});
  Verification v = verifyResults({a}, {a}, {"result 0: ranks 0 and 1 differ"});
  EXPECT_FALSE(v.verified());
  EXPECT_EQ(v.failures.size(), 1u);
}

} // namespace
