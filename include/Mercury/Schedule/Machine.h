//===- Machine.h - Figures of links and devices -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operator of a machine tells the compiler of each level and of the
// device. A figure that is 0, and a curve that is empty, is unknown. GB and GiB
// do not occur: bytes, bytes/s, seconds, operations/s.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_MACHINE_H
#define MERCURY_SCHEDULE_MACHINE_H

#include "Mercury/Schedule/Curve.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercury {

/// What a link can do. An empty set on a level allows all.
enum class Primitive {
  SendRecv,
  AllGather,
  ReduceScatter,
  AllReduce,
  AllToAll,
  Broadcast
};
/// "send_recv", "all_gather", ...
std::string_view stringify(Primitive primitive);
std::optional<Primitive> symbolizePrimitive(std::string_view text);

/// One level of the machine.
struct Level {
  std::string name;
  int64_t size = 1;
  double bandwidth = 0; ///< bytes/s of a port and direction, large messages
  double latency = 0;   ///< seconds from one rank to another
  std::string domain;   ///< whose port or switch is shared; "": the rank's own
  std::vector<Primitive> primitives; ///< empty: all are allowed

  /// Seconds until a call that communicates is under way.
  double launch = 0;
  /// Per primitive the bus bandwidth over the size of the message, as
  /// NVIDIA/nccl-tests (doc/PERFORMANCE.md) defines both: an operation of
  /// `bytes` takes factor * bytes / curve.at(bytes) seconds, all included,
  /// where bytes are those of the whole tensor (of what each rank sends in
  /// total in all_to_all, of the one message in send_recv) and factor is, among
  /// n ranks, 2 (n - 1) / n of all_reduce, (n - 1) / n of all_gather,
  /// reduce_scatter and all_to_all, 1 else. Measured within this level alone,
  /// on all its ranks.
  std::map<Primitive, Curve> curves;
  /// Consecutive ranks that share one port and its bandwidth, as the GPUs of a
  /// node share its network card; 1: each has a port of its own.
  int64_t sharedBy = 1;
  bool fullDuplex = true; ///< both directions at once, each at full bandwidth
  bool peerAccess = true; ///< devices access each other's memory directly
  bool inSwitchReduction = false; ///< the switch adds (NVLink SHARP)
  std::string failureDomain; ///< what fails together; "": each rank by itself
  /// Part of the bandwidth that others are expected to take, 0 to 1.
  double contention = 0;
  /// Half of the interval that the level's figures lie in, relative, over the
  /// size of the message.
  Curve interval;
  bool operator==(const Level &) const = default;
};

/// What kernels reach of the device's peak rate, measured.
struct AchievedRate {
  enum class Work { Gemm, Attention };
  Work work = Work::Gemm;
  std::string type;    ///< element type, "bf16"
  std::string library; ///< whose kernels; "": not said
  int64_t headDim = 0; ///< attention
  bool causal = false; ///< attention
  bool backward = false;
  /// Part of `peak` over the size: GEMM the cube root of m * n * k, attention
  /// the number of keys. Operations that a mask excludes do not count.
  Curve fraction;
  double interval = 0; ///< half of it, relative
  bool operator==(const AchievedRate &) const = default;
};

/// The device that every rank is.
struct DeviceModel {
  std::string name;       ///< of the product, "h100-sxm"; "": not said
  int64_t memory = 0;     ///< bytes; 0: unknown
  int64_t reservable = 0; ///< bytes that a program may hold; 0: all of memory
  double memoryBandwidth = 0;         ///< bytes/s
  std::map<std::string, double> peak; ///< element type -> operations/s

  double memoryFraction = 0; ///< of memoryBandwidth that kernels reach
  double launch = 0;         ///< seconds to start a kernel
  std::vector<AchievedRate> achieved;
  /// Part of the compute rate that communication takes while it runs.
  double communicationShare = 0;
  double interval = 0; ///< half, relative: of rates, bandwidth, launch
  double power = 0;    ///< watts under load
  bool operator==(const DeviceModel &) const = default;
};

} // namespace mercury

#endif // MERCURY_SCHEDULE_MACHINE_H
