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
static AchievedRate gemm(std::string type, std::string library,
                         Curve fraction) {
  AchievedRate rate;
  rate.work = AchievedRate::Work::Gemm;
  rate.type = std::move(type);
  rate.library = std::move(library);
  rate.fraction = std::move(fraction);
  rate.interval = 0.1;
  return rate;
}

namespace {
/// Attention in bf16: parts of the peak among 512, 1024, ... keys; 0 where that
/// was not measured.
struct AttentionRate {
  const char *library;
  int64_t headDim;
  bool causal, backward;
  std::vector<double> fractions;
};
} // namespace

static void append(std::vector<AchievedRate> &rates,
                   const std::vector<AttentionRate> &list) {
  for (const AttentionRate &entry : list) {
    AchievedRate rate;
    rate.work = AchievedRate::Work::Attention;
    rate.type = "bf16";
    rate.library = entry.library;
    rate.headDim = entry.headDim;
    rate.causal = entry.causal;
    rate.backward = entry.backward;
    for (size_t i = 0; i < entry.fractions.size(); ++i)
      if (entry.fractions[i] > 0)
        rate.fraction.points.emplace_back(512 << i, entry.fractions[i]);
    // Two sources of the same kernel differ by 6 percent in the middle
    // (docs/Rationale/CostModel.md).
    rate.interval = 0.1;
    rates.push_back(std::move(rate));
  }
}

// The tables of attention are what `bench-predict --rates` fits: the geometric
// mean of all sources at a size. Hopper: Dao-AILab/flash-attention (charts in
// assets, H100 SXM5) and MagiAttention's kernel benchmark (digitised chart,
// H100). Ampere: charts of Dao-AILab/flash-attention (A100 SXM4 80 GB), which
// give forward and backward together; they are divided as on Hopper.

static std::vector<AttentionRate> attentionOnAmpere() {
  return {
      {"FA2", 64, false, false, {0.555, 0, 0.603, 0.611, 0.614, 0.617}},
      {"FA2", 64, false, true, {0.386, 0, 0.492, 0.526, 0.542, 0.545}},
      {"FA2", 64, true, false, {0.360, 0.455, 0.507, 0.553, 0.571, 0.577}},
      {"FA2", 64, true, true, {0.260, 0.358, 0.429, 0.482, 0.514, 0.537}},
      {"FA2", 128, false, false, {0, 0, 0.677, 0.718, 0.714, 0.715}},
      {"FA2", 128, false, true, {0, 0, 0.573, 0.598, 0.620, 0.628}},
      {"FA2", 128, true, false, {0.372, 0.427, 0.534, 0.610, 0.648, 0.644}},
      {"FA2", 128, true, true, {0.300, 0.426, 0.483, 0.535, 0.561, 0.592}},
  };
}

static std::vector<AttentionRate> attentionOnHopper() {
  return {
      {"FA2", 64, false, false, {0.285, 0.309, 0.322, 0.325, 0.326, 0.328}},
      {"FA2", 64, false, true, {0.199, 0.240, 0.263, 0.280, 0.287, 0.289}},
      {"FA2", 64, true, false, {0.182, 0.232, 0.265, 0.287, 0.298, 0.302}},
      {"FA2", 64, true, true, {0.131, 0.182, 0.224, 0.250, 0.268, 0.282}},
      {"FA2",
       128,
       false,
       false,
       {0.312, 0.336, 0.365, 0.377, 0.376, 0.376, 0.381}},
      {"FA2",
       128,
       false,
       true,
       {0.232, 0.254, 0.295, 0.313, 0.325, 0.332, 0.338}},
      {"FA2",
       128,
       true,
       false,
       {0.193, 0.224, 0.288, 0.327, 0.346, 0.353, 0.370}},
      {"FA2",
       128,
       true,
       true,
       {0.156, 0.179, 0.235, 0.278, 0.303, 0.325, 0.334}},
      {"FA2", 256, false, false, {0.278, 0.316, 0.325, 0.327, 0.328, 0.330}},
      {"FA2", 256, true, false, {0.210, 0.254, 0.281, 0.296, 0.300, 0.301}},
      {"FA3", 64, false, false, {0.337, 0.396, 0.465, 0.481, 0.502, 0.503}},
      {"FA3", 64, true, false, {0.199, 0.268, 0.375, 0.425, 0.465, 0.478}},
      {"FA3",
       128,
       false,
       false,
       {0.472, 0.569, 0.655, 0.665, 0.667, 0.675, 0.709}},
      {"FA3", 128, false, true, {0, 0.340, 0.459, 0.523, 0.562, 0.593, 0.607}},
      {"FA3",
       128,
       true,
       false,
       {0.295, 0.352, 0.558, 0.626, 0.636, 0.650, 0.686}},
      {"FA3", 128, true, true, {0, 0.213, 0.359, 0.468, 0.524, 0.569, 0.592}},
      {"FA3", 256, false, false, {0.487, 0, 0.715, 0.744, 0.754, 0.764}},
      {"FA3", 256, true, false, {0.289, 0.432, 0.543, 0.619, 0.635, 0.649}},
      {"SDPA",
       128,
       false,
       false,
       {0, 0.541, 0.637, 0.634, 0.617, 0.616, 0.625}},
      {"SDPA", 128, false, true, {0, 0.320, 0.441, 0.494, 0.508, 0.527, 0.539}},
      {"SDPA", 128, true, false, {0, 0.331, 0.480, 0.568, 0.596, 0.595, 0.613}},
      {"SDPA", 128, true, true, {0, 0.184, 0.310, 0.408, 0.466, 0.505, 0.523}},
      {"cuDNN",
       128,
       false,
       false,
       {0, 0.294, 0.564, 0.584, 0.589, 0.592, 0.590}},
      {"cuDNN",
       128,
       false,
       true,
       {0, 0.259, 0.384, 0.443, 0.465, 0.483, 0.493}},
      {"cuDNN",
       128,
       true,
       false,
       {0.319, 0.249, 0.424, 0.508, 0.539, 0.552, 0.572}},
      {"cuDNN", 128, true, true, {0, 0.152, 0.269, 0.373, 0.432, 0.467, 0.491}},
      {"cuDNN", 256, false, false, {0.475, 0.552, 0.586, 0.587, 0.586, 0.587}},
      {"cuDNN", 256, true, false, {0.311, 0.395, 0.455, 0.488, 0.503, 0.515}},
  };
}

std::vector<AchievedRate> mercury::achievedRates(std::string_view machine) {
  // At 1024^3 0.10 to 0.38 of the peak on all (Azure/AI-benchmarking-guide).
  // cuBLAS: the best shapes of stas00/ml-engineering (MAMF); at 8192^3 and
  // above fp16 on A100 254 to 257 of 312, fp8 on H100 1290 to 1382 and on H200
  // 1300 to 1366 of 1979 Tflop/s (Azure). Generated: TileLang's matmul
  // benchmark, 8192 x 8192 x 256 to 16384 on H800, the die of H100; below by
  // the figure of 1024^3.
  std::vector<AchievedRate> rates;
  if (machine == "a100-40" || machine == "a100-80") {
    rates.push_back(
        gemm("bf16", "cuBLAS", {{{1024, 0.2}, {3890, 0.84}, {8192, 0.82}}}));
    append(rates, attentionOnAmpere());
  } else if (machine == "h100-sxm" || machine == "h200" ||
             machine == "h100-pcie") {
    rates.push_back(gemm("bf16", "generated",
                         {{{1024, 0.1},
                           {2580, 0.390},
                           {3251, 0.526},
                           {4096, 0.635},
                           {5161, 0.713},
                           {6502, 0.744},
                           {8192, 0.766},
                           {10321, 0.775}}}));
    rates.push_back(gemm("bf16", "cuBLAS", {{{1024, 0.2}, {3914, 0.820}}}));
    rates.push_back(gemm("f8E4M3FN", "cuBLAS",
                         {{{1024, 0.2}, {3981, 0.735}, {8192, 0.675}}}));
    append(rates, attentionOnHopper());
  } else if (machine == "b200") {
    rates.push_back(gemm("bf16", "cuBLAS", {{{1024, 0.2}, {4461, 0.776}}}));
    rates.push_back(gemm("f8E4M3FN", "cuBLAS", {{{1024, 0.2}, {5782, 0.763}}}));
  }
  return rates;
}
