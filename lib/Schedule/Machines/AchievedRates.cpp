//===- AchievedRates.cpp - Rates that kernels were measured at ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

using namespace mercury;

/// A rate of contractions.
static AchievedRate gemm(std::string type, Curve fraction) {
  AchievedRate rate;
  rate.work = AchievedRate::Work::Gemm;
  rate.type = std::move(type);
  rate.fraction = std::move(fraction);
  rate.interval = 0.1;
  return rate;
}

std::vector<AchievedRate> mercury::achievedRates(std::string_view machine) {
  // Azure/AI-benchmarking-guide: 0.10 to 0.38 of the peak at 1024^3; fp16 on
  // A100 254 to 257 of 312, fp8 on H100 1290 to 1382 and on H200 1300 to 1366
  // of 1979 Tflop/s from 8192^3 on.
  if (machine == "a100-40" || machine == "a100-80")
    return {gemm("f16", {{{1024, 0.2}, {8192, 0.82}}})};
  if (machine == "h100-sxm")
    return {gemm("f8E4M3FN", {{{1024, 0.2}, {8192, 0.675}}})};
  if (machine == "h200")
    return {gemm("f8E4M3FN", {{{1024, 0.2}, {8192, 0.674}}})};
  return {};
}
