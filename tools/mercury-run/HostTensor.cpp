//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace mercury::run {

size_t elementBytes(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::I64:
    return 8;
  case ElementKind::F32:
  case ElementKind::I32:
    return 4;
  case ElementKind::F16:
  case ElementKind::BF16:
    return 2;
  case ElementKind::I8:
  case ElementKind::I1:
    return 1;
  }
  llvm_unreachable("unknown element kind");
}

bool isFloat(ElementKind kind) { return kind <= ElementKind::BF16; }

llvm::StringRef stringify(ElementKind kind) {
  static constexpr llvm::StringLiteral names[] = {"f64", "f32", "f16", "bf16",
                                                  "i64", "i32", "i8",  "i1"};
  return names[static_cast<int>(kind)];
}

/// Rounds to a format of 16 bits with `manBits` bits of fraction.
static uint16_t encode16(double value, int manBits) {
  int bias = (1 << (14 - manBits)) - 1;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = ((1 << (15 - manBits)) - 1) << manBits;
  if (std::isnan(value))
    return sign | infinity | (1 << (manBits - 1));
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity;
  int exponent;
  std::frexp(magnitude, &exponent);
  --exponent; // magnitude is in [2^exponent, 2^(exponent + 1))
  bool normal = exponent >= 1 - bias;
  int quantum = (normal ? exponent : 1 - bias) - manBits;
  // A carry out of the fraction moves into the exponent, as it should.
  int64_t code = std::llrint(std::ldexp(magnitude, -quantum));
  if (normal)
    code += static_cast<int64_t>(exponent + bias - 1) << manBits;
  return sign | static_cast<uint16_t>(std::min<int64_t>(code, infinity));
}

static double decode16(uint16_t bits, int manBits) {
  int bias = (1 << (14 - manBits)) - 1;
  int exponent = (bits & 0x7fff) >> manBits;
  int fraction = bits & ((1 << manBits) - 1);
  double value;
  if (exponent == (1 << (15 - manBits)) - 1)
    value = fraction ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias - manBits);
  else
    value = std::ldexp(fraction + (1 << manBits), exponent - bias - manBits);
  return bits & 0x8000 ? -value : value;
}

uint16_t encodeF16(double value) { return encode16(value, 10); }
uint16_t encodeBF16(double value) { return encode16(value, 7); }
double decodeF16(uint16_t bits) { return decode16(bits, 10); }
double decodeBF16(uint16_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

template <typename T> static T read(const void *address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

template <typename T> static void write(void *address, T value) {
  std::memcpy(address, &value, sizeof(T));
}

double loadElement(ElementKind kind, const void *address) {
  switch (kind) {
  case ElementKind::F64:
    return read<double>(address);
  case ElementKind::F32:
    return read<float>(address);
  case ElementKind::F16:
    return decodeF16(read<uint16_t>(address));
  case ElementKind::BF16:
    return decodeBF16(read<uint16_t>(address));
  case ElementKind::I64:
    return static_cast<double>(read<int64_t>(address));
  case ElementKind::I32:
    return read<int32_t>(address);
  case ElementKind::I8:
    return read<int8_t>(address);
  case ElementKind::I1:
    return read<uint8_t>(address) & 1;
  }
  llvm_unreachable("unknown element kind");
}

void storeElement(ElementKind kind, void *address, double value) {
  switch (kind) {
  case ElementKind::F64:
    return write(address, value);
  case ElementKind::F32:
    return write(address, static_cast<float>(value));
  case ElementKind::F16:
    return write(address, encodeF16(value));
  case ElementKind::BF16:
    return write(address, encodeBF16(value));
  case ElementKind::I64:
    return write(address, static_cast<int64_t>(value));
  case ElementKind::I32:
    return write(address, static_cast<int32_t>(static_cast<int64_t>(value)));
  case ElementKind::I8:
    return write(address, static_cast<int8_t>(static_cast<int64_t>(value)));
  case ElementKind::I1:
    return write(address, static_cast<uint8_t>(value != 0));
  }
  llvm_unreachable("unknown element kind");
}

int64_t TensorSpec::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t TensorSpec::bytes() const {
  return numElements() * static_cast<int64_t>(elementBytes(element));
}

std::string TensorSpec::str() const {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + stringify(element).str();
}

HostTensor::HostTensor(TensorSpec spec, uint8_t fill)
    : spec(std::move(spec)), data(this->spec.bytes(), fill) {}

double HostTensor::get(int64_t index) const {
  return loadElement(spec.element,
                     data.data() + index * elementBytes(spec.element));
}

void HostTensor::set(int64_t index, double value) {
  storeElement(spec.element, data.data() + index * elementBytes(spec.element),
               value);
}

std::string printIndex(const std::vector<int64_t> &shape, int64_t index) {
  std::string text = "]";
  for (size_t dim = shape.size(); dim-- > 0;) {
    text = std::to_string(index % shape[dim]) + text;
    index /= shape[dim];
    if (dim)
      text = ", " + text;
  }
  return "[" + text;
}

} // namespace mercury::run
