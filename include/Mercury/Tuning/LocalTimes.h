//===- LocalTimes.h - Seconds of a rank's own work --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_LOCALTIMES_H
#define MERCURY_TUNING_LOCALTIMES_H

#include "Mercury/Schedule/Machine.h"

namespace mercury {

/// One kernel's work.
struct LocalWork {
  enum class Kind { Gemm, Attention, Elementwise };
  Kind kind = Kind::Gemm;
  /// Multiply-adds that are done: of attention those of both products that the
  /// mask leaves.
  double multiplyAdds = 0;
  double bytes = 0; ///< read and written
  /// What the achieved fraction depends on: of a GEMM the cube root of m * n *
  /// k, of attention the number of keys.
  double size = 0;
  std::string type;    ///< element type of the products, "bf16"
  std::string library; ///< whose kernel, as AchievedRate has it
  int64_t headDim = 0; ///< attention
  bool causal = false; ///< attention: a mask cuts the tile
  bool backward = false;
};

/// A GEMM of m x n x k, `batch` times.
LocalWork gemmWork(int64_t batch, int64_t m, int64_t n, int64_t k,
                   std::string type, int64_t elementBytes);

/// Time of one kernel.
struct LocalTime {
  double seconds = 0; ///< launch and the longer of the two below
  double compute = 0;
  double memory = 0;
  double launch = 0;
  double interval = 0; ///< half of it, relative
  bool assumed =
      false; ///< a figure of the device is missing or of another kind
};

/// A rate that kernels of one kind reach.
struct Rate {
  double peak = 0; ///< operations/s
  /// Part of it over the size; null: the default.
  const Curve *fraction = nullptr;
  double scale = 1; ///< of the fraction, where it was measured in another case
  double interval = 0;
  bool assumed = false;
  /// Operations/s at a size; two operations are a multiply-add.
  double at(double size) const;
  /// At the size at which it is highest.
  double highest() const;
};

/// Times of local work on one device, which must outlive this.
class LocalTimes {
public:
  explicit LocalTimes(const DeviceModel &device) : device(device) {}

  /// The curve that was measured in the case nearest to the work: its kind and
  /// direction, then type, mask, head dimension, library.
  Rate rateOf(const LocalWork &work) const;
  /// Whether a curve is of this library, and of this kind, type and direction.
  bool isMeasured(const LocalWork &work) const;
  /// Rooflines: the longer of products and memory, plus launch.
  LocalTime time(const LocalWork &work) const;
  LocalTime time(const LocalWork &work, const Rate &rate) const;
  /// Bytes/s that kernels reach.
  double memoryRate() const;

private:
  const DeviceModel &device;
};

} // namespace mercury

#endif // MERCURY_TUNING_LOCALTIMES_H
