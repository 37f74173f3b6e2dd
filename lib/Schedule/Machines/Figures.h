//===- Figures.h - What machines' figures are made from ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_MACHINES_FIGURES_H
#define MERCURY_LIB_SCHEDULE_MACHINES_FIGURES_H

#include "Mercury/Schedule/LinkFigures.h"
#include "Mercury/Schedule/Machines.h"

namespace mercury {

constexpr double GB = 1e9, TB = 1e12, TFLOPS = 1e12;

/// Part of the memory that programs may hold: the driver, NCCL's buffers and
/// the allocator's fragments keep 5 to 8 percent of it.
constexpr double reservablePart = 0.935;

/// Seconds to start a kernel. A dispatch on a B200 was measured at 5 us
/// (dogacel.github.io, 2026-03-14); others report 4 to 20.
constexpr double kernelLaunch = 5e-6;

/// A curve whose sizes double from 1 KiB on, of bus bandwidths in GB/s.
Curve busBandwidths(const std::vector<double> &gigabytes, double first = 1024);

/// Bus bandwidths of an all-reduce among `ranks` devices from those among eight
/// of the same node. A small message takes as long among fewer, so that its bus
/// bandwidth follows the bytes sent, (n - 1) / n; a large one is bounded by
/// `limit`, in bytes/s.
Curve allReduceAmong(int64_t ranks, const Curve &amongEight, double limit);

/// Measured rates of the kernels that run on a machine's device.
std::vector<AchievedRate> achievedRates(std::string_view machine);

Machine h100Sxm();
Machine h100Pcie();
Machine h200();
Machine a100_40();
Machine a100_80();
Machine l4();
Machine b200();

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_MACHINES_FIGURES_H
