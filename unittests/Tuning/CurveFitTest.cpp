//===- CurveFitTest.cpp - Curves from measurements ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/CurveFit.h"

#include <gtest/gtest.h>

using namespace mercury;

TEST(CurveFit, SourcesOfOneSizeAreAveraged) {
  Curve curve = fitCurve({{1000, 4}, {10, 1}, {1000, 9}, {1020, 6}});
  ASSERT_EQ(curve.points.size(), 2u);
  EXPECT_TRUE(curve.isLegal());
  EXPECT_NEAR(curve.points[0].second, 1, 1e-12);
  EXPECT_NEAR(curve.points[1].second, 6, 1e-12);
  EXPECT_NEAR(curve.at(10), 1, 1e-12);
}

TEST(CurveFit, NothingMeasuredIsUnknown) { EXPECT_FALSE(fitCurve({})); }
