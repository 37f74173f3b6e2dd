//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types that programs take and give, their conversion to double, and
// dense row-major tensors of them. No IR here.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_HOSTTENSOR_H
#define MERCURY_TOOLS_MERCURY_RUN_HOSTTENSOR_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mercury::run {

/// An i1 takes one byte, 0 or 1.
enum class ElementKind { F64, F32, F16, BF16, I64, I32, I8, I1 };
size_t elementBytes(ElementKind kind);
bool isFloat(ElementKind kind);
llvm::StringRef stringify(ElementKind kind); ///< "f64", "bf16", ...

/// Rounds to nearest, ties to even; overflow gives infinity.
uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);
double decodeF16(uint16_t bits);
double decodeBF16(uint16_t bits);

/// The element at `address` as a double (exact but for large i64).
double loadElement(ElementKind kind, const void *address);
/// Stores `value`, rounded to the element type; integers wrap around.
void storeElement(ElementKind kind, void *address, double value);

/// Element type and shape.
struct TensorSpec {
  ElementKind element = ElementKind::F32;
  std::vector<int64_t> shape;
  int64_t numElements() const;
  int64_t bytes() const;
  std::string str() const; ///< "4x8xf32"
  bool operator==(const TensorSpec &) const = default;
};

/// A dense row-major tensor that owns its memory.
struct HostTensor {
  TensorSpec spec;
  std::vector<uint8_t> data;

  HostTensor() = default;
  /// All bytes are `fill`; 0xff makes NaN of every float.
  explicit HostTensor(TensorSpec spec, uint8_t fill = 0);
  double get(int64_t index) const;
  void set(int64_t index, double value);
};

/// The position of a row-major index as text: "[3, 0]".
std::string printIndex(const std::vector<int64_t> &shape, int64_t index);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_HOSTTENSOR_H
