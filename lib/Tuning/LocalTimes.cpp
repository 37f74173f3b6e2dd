//===- LocalTimes.cpp - Seconds of a rank's own work ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LocalTimes.h"

#include <algorithm>
#include <cmath>

using namespace mercury;

// Used where the device gives no figure, and then the time is `assumed`: an
// accelerator of some years ago.
static constexpr double defaultPeak = 1e14;
static constexpr double defaultMemoryBandwidth = 1e12;
static constexpr double defaultMemoryFraction = 0.8;
static constexpr double assumedInterval = 0.5;
/// Fraction of the peak without a curve. GEMM: 0.10 to 0.38 at 1024^3, 0.58 to
/// 0.82 at 8192^3 on A100, H100 and GB200 (Azure/AI-benchmarking-guide).
/// Attention: FA2 on A100 and H100, d 128 (Dao-AILab/flash-attention, assets).
static const Curve defaultGemm{
    {{256, 0.05}, {1024, 0.3}, {4096, 0.6}, {8192, 0.7}}};
static const Curve defaultAttention{
    {{128, 0.1}, {512, 0.3}, {2048, 0.4}, {8192, 0.45}}};

/// Backward of attention beside forward, and causal beside not, where one of
/// both was measured: FA2 and FA3 on H100, d 128, 16384 keys: 0.88 and 0.85,
/// 0.9 and 0.96 (MagiAttention kernel benchmark).
static constexpr double backwardScale = 0.87, causalScale = 0.94;

LocalWork mercury::gemmWork(int64_t batch, int64_t m, int64_t n, int64_t k,
                            std::string type, int64_t elementBytes) {
  LocalWork work;
  work.kind = LocalWork::Kind::Gemm;
  double dm = m, dn = n, dk = k;
  work.multiplyAdds = batch * dm * dn * dk;
  work.bytes = batch * (dm * dk + dk * dn + dm * dn) * elementBytes;
  work.size = std::cbrt(dm * dn * dk);
  work.type = std::move(type);
  return work;
}

double Rate::at(double size) const {
  double part = fraction ? fraction->at(std::max(size, 1.0)) : 1;
  return peak * std::min(part * scale, 1.0);
}

double Rate::highest() const {
  double part = fraction ? 0 : 1;
  if (fraction)
    for (auto [size, value] : fraction->points)
      part = std::max(part, value);
  return peak * std::min(part * scale, 1.0);
}

/// Types that tensor cores multiply at the same rate.
static bool isHalf(std::string_view type) {
  return type == "bf16" || type == "f16" || type == "fp16";
}
static bool sameRate(std::string_view a, std::string_view b) {
  return a == b || (isHalf(a) && isHalf(b));
}

Rate LocalTimes::rateOf(const LocalWork &work) const {
  Rate rate;
  rate.interval = device.interval > 0 ? device.interval : assumedInterval;
  for (const auto &[type, peak] : device.peak)
    if (peak > 0 && sameRate(type, work.type) &&
        (rate.peak == 0 || type == work.type))
      rate.peak = peak;
  if (rate.peak == 0) {
    rate.peak = defaultPeak;
    rate.assumed = true;
  }
  bool isAttention = work.kind == LocalWork::Kind::Attention;
  const AchievedRate *best = nullptr;
  double bestDistance = 0;
  for (const AchievedRate &candidate : device.achieved) {
    bool fits = candidate.work == (isAttention ? AchievedRate::Work::Attention
                                               : AchievedRate::Work::Gemm);
    if (!fits || !candidate.fraction)
      continue;
    // The heaviest first: each is worth more than all behind it.
    double distance = 0;
    if (candidate.backward != work.backward)
      distance += 1000;
    if (!sameRate(candidate.type, work.type))
      distance += 400;
    if (candidate.causal != work.causal)
      distance += 100;
    if (isAttention && candidate.headDim != work.headDim)
      distance +=
          10 *
          (1 + std::abs(std::log2(double(std::max<int64_t>(work.headDim, 1)) /
                                  std::max<int64_t>(candidate.headDim, 1))));
    if (candidate.library != work.library)
      distance += candidate.library.empty() || work.library.empty() ? 1 : 5;
    if (!best || distance < bestDistance) {
      best = &candidate;
      bestDistance = distance;
    }
  }
  if (!best) {
    rate.fraction = isAttention ? &defaultAttention : &defaultGemm;
    rate.interval = std::max(rate.interval, assumedInterval);
    rate.assumed = true;
    if (work.backward)
      rate.scale *= backwardScale;
    if (work.causal)
      rate.scale *= causalScale;
    return rate;
  }
  rate.fraction = &best->fraction;
  if (best->interval > 0)
    rate.interval = best->interval;
  if (best->backward != work.backward)
    rate.scale *= work.backward ? backwardScale : 1 / backwardScale;
  if (best->causal != work.causal)
    rate.scale *= work.causal ? causalScale : 1 / causalScale;
  // The library is a choice, not a fact of the device.
  if (bestDistance >= 10) {
    rate.assumed = true;
    rate.interval = std::max(rate.interval, assumedInterval / 2);
  }
  return rate;
}

bool LocalTimes::isMeasured(const LocalWork &work) const {
  auto kind = work.kind == LocalWork::Kind::Attention
                  ? AchievedRate::Work::Attention
                  : AchievedRate::Work::Gemm;
  return work.kind != LocalWork::Kind::Elementwise &&
         std::any_of(device.achieved.begin(), device.achieved.end(),
                     [&](const AchievedRate &rate) {
                       return rate.work == kind && rate.fraction &&
                              rate.library == work.library &&
                              rate.backward == work.backward &&
                              sameRate(rate.type, work.type);
                     });
}

double LocalTimes::memoryRate() const {
  double all = device.memoryBandwidth > 0 ? device.memoryBandwidth
                                          : defaultMemoryBandwidth;
  return all * (device.memoryFraction > 0 ? device.memoryFraction
                                          : defaultMemoryFraction);
}

LocalTime LocalTimes::time(const LocalWork &work) const {
  return time(work, work.kind == LocalWork::Kind::Elementwise ? Rate()
                                                              : rateOf(work));
}

LocalTime LocalTimes::time(const LocalWork &work, const Rate &rate) const {
  LocalTime time;
  if (work.multiplyAdds <= 0 && work.bytes <= 0)
    return time;
  time.launch = device.launch;
  time.memory = work.bytes / memoryRate();
  time.assumed = device.memoryBandwidth <= 0;
  time.interval = device.interval > 0 ? device.interval : assumedInterval;
  if (work.kind != LocalWork::Kind::Elementwise && work.multiplyAdds > 0) {
    time.compute = 2 * work.multiplyAdds / rate.at(work.size);
    if (time.compute >= time.memory) {
      time.interval = rate.interval;
      time.assumed = rate.assumed;
    }
  }
  time.seconds = time.launch + std::max(time.compute, time.memory);
  return time;
}
