//===- LinkFigures.h - Figures that links share -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures of links that machines share, for tables of machines and for readers
// of files that describe one.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_LINKFIGURES_H
#define MERCURY_SCHEDULE_LINKFIGURES_H

#include "Mercury/Schedule/Machine.h"

namespace mercury {

/// Seconds of one flag through NVLink: the round trip was measured at 4.26 to
/// 4.64 us on H100 (this is half of it).
constexpr double nvlinkLatency = 2.2e-6;

/// Seconds of one through PCIe: NVLink's, times what NCCL's tuner takes PCIe to
/// be slower by per step of a ring (5.7 to 3.4 us, 1.0 to 0.6; NVIDIA/nccl,
/// src/graph/tuning.cc @5067397c).
constexpr double pcieLatency = 1.67 * nvlinkLatency;

/// Seconds until an NCCL call is under way. With nvlinkLatency per step of a
/// ring it gives, of the smallest messages, 23.4 us for an all-reduce among 4
/// (measured on H100 22.7), 16.6 for an all-gather (16.8) and 41 among 8
/// (measured on A100 42 to 45).
constexpr double collectiveLaunch = 10e-6;

/// Bytes/s of one NVLink and direction that NCCL counts with, by compute
/// capability times ten (NVIDIA/nccl, src/graph/topo.h @5067397c).
constexpr double nvlinkBandwidth(int64_t sm) {
  return (sm >= 100  ? 40.1
          : sm >= 90 ? 20.6
          : sm == 86 ? 12
          : sm >= 70 ? 20
                     : 18) *
         1e9;
}

/// Bytes/s of a PCIe x16 slot and direction that NCCL counts with, by
/// generation.
constexpr double pcieBandwidth(int64_t generation) {
  return (generation >= 6   ? 96
          : generation == 5 ? 48
          : generation == 4 ? 24
                            : 12) *
         1e9;
}

/// Bytes/s between two sockets where nothing tells which: NCCL has 16 for AMD,
/// 22 and 40 for recent Intel.
constexpr double socketBandwidth = 16e9;

/// Bus bandwidths of an operation whose call takes `seconds` and whose bytes
/// then flow at `bandwidth`: what stands for a measured curve of which only the
/// ends are known. `factor` as at Level::curves.
Curve launchedAt(double seconds, double bandwidth, double factor);

} // namespace mercury

#endif // MERCURY_SCHEDULE_LINKFIGURES_H
