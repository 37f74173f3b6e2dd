//===- A100.cpp - A100 SXM with 40 and 80 GB ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

using namespace mercury;

/// A100 SXM: 12 NVLinks a device, which end in NVSwitches that do not add.
static Level joinA100(int64_t devices) {
  Level level;
  level.name = "gpu";
  level.size = devices;
  // Rings of 8 devices: 231.6 (Azure ND A100 v4, 8 GiB), 234.9
  // (stas00/ml-engineering, 16 GiB); of 12 links with 25 GB/s each.
  level.bandwidth = 233 * GB;
  level.latency = nvlinkLatency; // measured on H100; not found for A100
  level.launch = collectiveLaunch;
  level.domain = "NVLink port";
  level.failureDomain = "node";
  // nccl-tests on Azure ND A100 v4 (Azure/AI-benchmarking-guide), 8 devices,
  // NCCL 2.18.5, rings: 1 KiB to 8 GiB.
  static const Curve amongEight = busBandwidths(
      {0.04,   0.08,   0.17,   0.33,   0.67,   1.37,   2.70,   5.15,
       10.11,  19.24,  36.22,  53.54,  71.43,  89.99,  109.22, 132.77,
       166.63, 174.18, 213.87, 221.58, 228.10, 230.22, 230.48, 231.58});
  if (devices > 1) {
    level.curves[Primitive::AllReduce] =
        allReduceAmong(devices, amongEight, level.bandwidth);
    // ncclSend and ncclRecv among 8: 188.6 to 195.1 GB/s from 256 MiB on
    // (nccl-tests log, A100, NVLink3).
    level.curves[Primitive::SendRecv] =
        launchedAt(collectiveLaunch + nvlinkLatency, 195 * GB, /*factor=*/1);
  }
  // Azure's node and the one of stas00/ml-engineering differ by 9, 50, 22, 3,
  // and 1 percent at these sizes.
  level.interval = {{{65536, 0.09},
                     {1048576, 0.5},
                     {8388608, 0.22},
                     {67108864, 0.03},
                     {8589934592, 0.015}}};
  return level;
}

static DeviceModel a100() {
  DeviceModel device;
  device.memoryFraction = 0.79;          // copies 1.61 of 2.039 TB/s, Azure
  device.peak = {{"bf16", 312 * TFLOPS}, // vendor, dense
                 {"f16", 312 * TFLOPS},
                 {"i8", 624 * TFLOPS},
                 {"f32", 19.5 * TFLOPS}, // vendor data sheet, no tensor cores
                 {"f64", 9.7 * TFLOPS}};
  device.launch = kernelLaunch;
  device.communicationShare = 12 / 108.0; // NCCL's 12 channels of 108 SMs
  device.interval = 0.1;
  device.power = 400; // vendor data sheet
  return device;
}

Machine mercury::a100_40() {
  DeviceModel device = a100();
  device.memory = 40 * int64_t(1e9);
  device.memoryBandwidth = 1.555 * TB; // vendor
  // Four cards of 100 Gb/s: AWS p4d.24xlarge.
  return {"a100-40", 8, "100Gbps-efa-x4", device, joinA100};
}

Machine mercury::a100_80() {
  DeviceModel device = a100();
  device.memory = 80 * int64_t(1e9);
  device.memoryBandwidth = 2.039 * TB; // vendor; the PCIe card has 1.94
  // Eight HDR cards: Azure ND A100 v4.
  return {"a100-80", 8, "200Gbps-ib-x8", device, joinA100};
}
