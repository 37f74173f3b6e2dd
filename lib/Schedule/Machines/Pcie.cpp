//===- Pcie.cpp - L4, H100 PCIe -------------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices that reach each other over PCIe and the host only, without access to
// each other's memory: NCCL passes messages through buffers of the host, which
// halves what the slots carry, and all-to-all is then as fast as all-reduce.
// With such access on the same kind of board, all-to-all was eleven times
// slower (RTX 4090, NVIDIA/nccl#1603).
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

using namespace mercury;

static Level hostBridgeLevel(int64_t devices) {
  Level level;
  level.name = "gpu";
  level.size = devices;
  level.latency = pcieLatency;
  level.launch = collectiveLaunch;
  level.domain = "PCIe slot";
  level.failureDomain = "node";
  level.peerAccess = false;
  // By board and size of the message; no such machine was measured as a whole.
  level.interval = {{{65536, 0.6}, {16777216, 0.4}, {1073741824, 0.3}}};
  return level;
}

static Level joinL4(int64_t devices) {
  Level level = hostBridgeLevel(devices);
  // No L4 was found measured. Half of a Gen4 slot's 32 GB/s is 16; four RTX
  // 4090 over memory of the host have 18 for all-reduce and for all-to-all
  // (NVIDIA/nccl#1603, transport SHM).
  level.bandwidth = 18 * GB;
  return level;
}

static Level joinH100Pcie(int64_t devices) {
  Level level = hostBridgeLevel(devices);
  // Half of a Gen5 slot's 64 GB/s is 32; all-to-all among eight RTX 5090 in
  // such slots has 23.5 GB/s on one node and 16.5 on another (nccl-tests
  // report).
  level.bandwidth = 23.5 * GB;
  return level;
}

Machine mercury::l4() {
  DeviceModel device;
  device.memory = 24 * int64_t(1e9);   // GDDR6
  device.memoryBandwidth = 0.300 * TB; // vendor
  device.memoryFraction = 0.79;        // not measured yet: as A100
  device.peak = {
      {"bf16", 121 * TFLOPS}, // vendor, dense; 242 is with 2:4
      {"f16", 121 * TFLOPS},  // sparsity
      {"f8E4M3FN", 242 * TFLOPS}, {"f8E5M2", 242 * TFLOPS},
      {"i8", 242 * TFLOPS},       {"f32", 30.3 * TFLOPS}}; // vendor data sheet
  device.launch = kernelLaunch;
  device.communicationShare = 2 / 58.0; // two channels of 58 SMs
  device.interval = 0.2; // 72 W do not always hold the clock of the peak rate
  device.power = 72;     // vendor data sheet
  // The cards of the published L4 experiments.
  return {"l4", 8, "50Gbps-roce", device, joinL4};
}

Machine mercury::h100Pcie() {
  DeviceModel device;
  device.memory = 80 * int64_t(1e9);     // HBM2e
  device.memoryBandwidth = 2.0 * TB;     // vendor
  device.memoryFraction = 0.87;          // not measured yet: as H100 SXM
  device.peak = {{"bf16", 756 * TFLOPS}, // vendor, dense
                 {"f16", 756 * TFLOPS},     {"f8E4M3FN", 1513 * TFLOPS},
                 {"f8E5M2", 1513 * TFLOPS}, {"i8", 1513 * TFLOPS},
                 {"f32", 51 * TFLOPS}, // vendor data sheet
                 {"f64", 26 * TFLOPS}};
  device.launch = kernelLaunch;
  device.communicationShare = 2 / 114.0; // two channels of 114 SMs
  device.interval = 0.2;                 // 350 W, as above
  device.power = 350;                    // vendor data sheet
  return {"h100-pcie", 8, "100Gbps-roce", device, joinH100Pcie};
}
