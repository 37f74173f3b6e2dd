//===- NvSwitch.cpp - H100 SXM, H200, B200 --------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hopper and Blackwell devices whose NVLinks end in NVSwitches: each device has
// one port, whomever it sends to, and the switches add (NVLS).
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

using namespace mercury;

/// What is common to levels of NVSwitch.
static Level nvswitchLevel(int64_t devices) {
  Level level;
  level.name = "gpu";
  level.size = devices;
  level.latency = nvlinkLatency;
  level.launch = collectiveLaunch;
  level.domain = "NVLink port";
  level.failureDomain = "node";
  level.inSwitchReduction = true;
  return level;
}

/// NCCL takes rings among up to 4 Hopper devices and NVLS above: 8 GiB on an
/// H200 node (stas00/ml-engineering, network/README.md, NCCL 2.27.7).
static double hopperLimit(int64_t devices) {
  switch (devices) {
  case 5:
    return 414.2 * GB;
  case 6:
    return 435.6 * GB;
  case 7:
    return 460 * GB;
  }
  return devices <= 4 ? 363.3 * GB : 480 * GB;
}

/// The port: stores of all SMs to one peer 369 GB/s, to three at once 368.1
/// together (so it is the port that limits, not the pair), copies of whole
/// buffers 392; of 18 links with 25 GB/s each. All-gather and reduce-scatter as
/// rings 361 and 363 (H200, 16 GiB, stas00/ml-engineering).
static constexpr double hopperPort = 366 * GB;

static Level joinH100(int64_t devices) {
  Level level = nvswitchLevel(devices);
  level.bandwidth = hopperPort;
  // nccl-tests on Azure ND H100 v5 (Azure/AI-benchmarking-guide), 8 devices,
  // NCCL 2.18.5, NVLS: 1 KiB to 8 GiB.
  static const Curve amongEight = busBandwidths(
      {0.07,   0.14,   0.27,   0.53,   0.95,   1.71,   2.72,   5.40,
       10.86,  21.35,  43.70,  81.93,  128.73, 172.13, 234.45, 295.53,
       361.78, 400.61, 423.38, 438.46, 466.35, 472.36, 475.54, 478.87});
  if (devices > 1)
    level.curves[Primitive::AllReduce] =
        allReduceAmong(devices, amongEight, hopperLimit(devices));
  // Nodes with the same links differ so much (Azure H100 v5 and H200 v5).
  level.interval = {{{65536, 0.37},
                     {1048576, 0.21},
                     {16777216, 0.025},
                     {67108864, 0.02},
                     {8589934592, 0.01}}};
  return level;
}

static Level joinH200(int64_t devices) {
  Level level = nvswitchLevel(devices);
  level.bandwidth = hopperPort;
  // nccl-tests on Azure ND H200 v5 (Azure/AI-benchmarking-guide), 8 devices,
  // NCCL 2.20.5, NVLS: 1 KiB to 8 GiB.
  static const Curve amongEight = busBandwidths(
      {0.06,   0.12,   0.23,   0.47,   0.93,   1.84,   3.72,   7.39,
       14.75,  29.38,  52.96,  88.78,  138.44, 181.94, 240.41, 300.91,
       368.11, 412.45, 432.24, 442.72, 467.58, 472.57, 477.41, 479.98});
  if (devices > 1)
    level.curves[Primitive::AllReduce] =
        allReduceAmong(devices, amongEight, hopperLimit(devices));
  // As H100; and stas00's H200 node (PyTorch, NCCL 2.27.7) differs from this
  // one by 21, 25, 8.5 and 6 percent at these sizes, by 0.5 at the last.
  level.interval = {{{65536, 0.37},
                     {1048576, 0.25},
                     {16777216, 0.085},
                     {67108864, 0.06},
                     {8589934592, 0.01}}};
  return level;
}

static Level joinB200(int64_t devices) {
  Level level = nvswitchLevel(devices);
  // Rings of 4 to 8 devices 673 to 682 GB/s (8 GiB, stas00/ml-engineering), of
  // 18 links with 50 GB/s each.
  level.bandwidth = 680 * GB;
  // stas00/ml-engineering, network/README.md: 8 devices, PyTorch, NCCL 2.27.7:
  // 32 KiB to 16 GiB; NVLS.
  static const Curve amongEight =
      busBandwidths({1.20,   2.17,   4.86,   9.54,   18.71,  36.06,  63.09,
                     76.48,  126.49, 254.96, 325.97, 400.60, 568.38, 646.11,
                     688.99, 723.34, 734.97, 740.64, 839.07, 845.67},
                    32768);
  // Rings up to 5, NVLS above (the same source, 8 GiB).
  double limit = devices <= 4   ? 673.2
                 : devices == 5 ? 677.8
                 : devices == 6 ? 778.2
                 : devices == 7 ? 811.2
                                : 846;
  if (devices > 1)
    level.curves[Primitive::AllReduce] =
        allReduceAmong(devices, amongEight, limit * GB);
  // One source only: twice what nodes with Hopper devices differ by.
  level.interval = {{{65536, 0.74},
                     {1048576, 0.42},
                     {16777216, 0.1},
                     {67108864, 0.05},
                     {8589934592, 0.02}}};
  return level;
}

/// Parts of the SMs that NCCL's channels take: 16 rings of one SM each.
static double channelShare(double multiprocessors) {
  return 16 / multiprocessors;
}

Machine mercury::h100Sxm() {
  DeviceModel device;
  device.memory = 81559LL << 20;      // as the driver shows it; "80 GB" HBM3
  device.memoryBandwidth = 3.35 * TB; // vendor
  device.memoryFraction = 0.87;       // copies 2.90 TB/s, Azure H100 v5
  device.peak = {
      {"bf16", 989 * TFLOPS}, // vendor, dense; 1979 is with 2:4
      {"f16", 989 * TFLOPS},  // sparsity
      {"f8E4M3FN", 1979 * TFLOPS},
      {"f8E5M2", 1979 * TFLOPS},
      {"i8", 1979 * TFLOPS},
      {"f32", 67 * TFLOPS}, // vendor data sheet, without tensor cores
      {"f64", 34 * TFLOPS}};
  device.launch = kernelLaunch;
  device.communicationShare = channelShare(132);
  device.interval = 0.1; // of GEMM rates between runs, see AchievedRates.cpp
  device.power = 700;    // vendor data sheet
  // Eight NDR cards, one a device: NVIDIA's H100 SuperPOD.
  return {"h100-sxm", 8, "400Gbps-ib-x8", device, joinH100};
}

Machine mercury::h200() {
  DeviceModel device = h100Sxm().device;
  device.memory =
      141 * int64_t(1e9);            // MLCommons inference v4.1, H200-SXM-141GB
  device.memoryBandwidth = 4.8 * TB; // vendor
  device.memoryFraction = 0.84;      // copies 4.01 TB/s, Azure H200 v5
  // Rates are those of H100: the same die. Cards: Azure ND H200 v5.
  return {"h200", 8, "400Gbps-ib-x8", device, joinH200};
}

Machine mercury::b200() {
  DeviceModel device;
  device.memory = 179 * int64_t(1e9); // seen usable on Vultr's HGX B200, of 180
  device.memoryBandwidth = 8.0 * TB;  // vendor
  device.memoryFraction = 0.84;       // not measured yet: as H200
  device.peak = {{"bf16", 2250 * TFLOPS}, // vendor, dense (glennklockwood.com
                 {"f16", 2250 * TFLOPS},  // has the split from sparse figures)
                 {"f8E4M3FN", 4500 * TFLOPS}, {"f8E5M2", 4500 * TFLOPS},
                 {"f32", 75 * TFLOPS}, // vendor data sheet of HGX B200, over 8
                 {"f64", 37 * TFLOPS}};
  device.launch = kernelLaunch;
  device.communicationShare = channelShare(148);
  device.interval = 0.2; // few measurements: twice that of H100
  device.power = 1000;   // vendor data sheet
  // Eight cards of 50 GB/s, one a device (stas00/ml-engineering).
  return {"b200", 8, "400Gbps-ib-x8", device, joinB200};
}
