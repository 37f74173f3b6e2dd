//===- Reduce.cpp - Element-wise reductions -------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace mercury::host;

namespace {

/// Elements that are accumulated at once: the accumulators stay in the cache,
/// and the compiler can vectorize over them.
constexpr size_t kBlock = 512;

/// IEEE binary16 as its bits.
struct Half {
  uint16_t bits;
};

/// bfloat16 as its bits.
struct BFloat {
  uint16_t bits;
};

template <typename To, typename From> To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

float toAccumulator(BFloat value) {
  return bitCast<float>(static_cast<uint32_t>(value.bits) << 16);
}

float toAccumulator(Half value) {
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  uint32_t exponent = (value.bits >> 10) & 0x1f;
  uint32_t mantissa = value.bits & 0x3ff;
  if (exponent == 0x1f)
    return bitCast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    // Subnormal: mantissa * 2^-24 is exact in f32.
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return bitCast<float>(sign | bitCast<uint32_t>(magnitude));
  }
  return bitCast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

template <typename T> T toAccumulator(T value) { return value; }

void fromAccumulator(float value, BFloat &result) {
  uint32_t bits = bitCast<uint32_t>(value);
  if (value != value) {
    result.bits = static_cast<uint16_t>((bits >> 16) | 0x40);
    return;
  }
  result.bits =
      static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void fromAccumulator(float value, Half &result) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t half;
  if (magnitude > 0x7f800000) {
    half = 0x7e00;
  } else if (magnitude >= 0x477ff000) {
    // 65520 and above round to infinity.
    half = 0x7c00;
  } else if (magnitude < 0x38800000) {
    // Below 2^-14: adding 0.5 aligns the last bit of a half subnormal with the
    // last bit of the float, so that the addition rounds to nearest even.
    half = bitCast<uint32_t>(bitCast<float>(magnitude) + 0.5f) - 0x3f000000;
  } else {
    uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    half = (rounded - 0x38000000) >> 13;
  }
  result.bits = static_cast<uint16_t>(sign | half);
}

template <typename T> void fromAccumulator(T value, T &result) {
  result = value;
}

/// Integers are combined as unsigned ones of at least 32 bits, which wrap.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

struct Sum {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) +
                            static_cast<Wrapping<T>>(b));
    else
      return a + b;
  }
};

struct Prod {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) *
                            static_cast<Wrapping<T>>(b));
    else
      return a * b;
  }
};

struct Max {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      if (b != b)
        return b;
    return a < b ? b : a; // keeps a NaN in a
  }
};

struct Min {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      if (b != b)
        return b;
    return b < a ? b : a;
  }
};

template <typename T, typename Combine>
void reduceTyped(void *destination, const std::vector<const void *> &sources,
                 size_t count) {
  using Accumulator = decltype(toAccumulator(std::declval<T>()));
  Accumulator block[kBlock];
  T *result = static_cast<T *>(destination);
  for (size_t begin = 0; begin < count; begin += kBlock) {
    size_t size = std::min(kBlock, count - begin);
    const T *first = static_cast<const T *>(sources[0]) + begin;
    for (size_t i = 0; i < size; ++i)
      block[i] = toAccumulator(first[i]);
    for (size_t r = 1; r < sources.size(); ++r) {
      const T *source = static_cast<const T *>(sources[r]) + begin;
      for (size_t i = 0; i < size; ++i)
        block[i] = Combine::apply(block[i], toAccumulator(source[i]));
    }
    for (size_t i = 0; i < size; ++i)
      fromAccumulator(block[i], result[begin + i]);
  }
}

template <typename T>
void reduceOf(void *destination, const std::vector<const void *> &sources,
              size_t count, ncclRedOp_t reduction) {
  switch (reduction) {
  case ncclSum:
    return reduceTyped<T, Sum>(destination, sources, count);
  case ncclProd:
    return reduceTyped<T, Prod>(destination, sources, count);
  case ncclMax:
    return reduceTyped<T, Max>(destination, sources, count);
  case ncclMin:
    return reduceTyped<T, Min>(destination, sources, count);
  case ncclAvg:
    return; // refused when the call is issued
  }
}

} // namespace

void mercury::host::reduce(void *destination,
                           const std::vector<const void *> &sources,
                           size_t count, ncclDataType_t type,
                           ncclRedOp_t reduction) {
  if (count == 0)
    return;
  switch (type) {
  case ncclInt8:
    return reduceOf<int8_t>(destination, sources, count, reduction);
  case ncclUint8:
    return reduceOf<uint8_t>(destination, sources, count, reduction);
  case ncclInt32:
    return reduceOf<int32_t>(destination, sources, count, reduction);
  case ncclUint32:
    return reduceOf<uint32_t>(destination, sources, count, reduction);
  case ncclInt64:
    return reduceOf<int64_t>(destination, sources, count, reduction);
  case ncclUint64:
    return reduceOf<uint64_t>(destination, sources, count, reduction);
  case ncclFloat16:
    return reduceOf<Half>(destination, sources, count, reduction);
  case ncclFloat32:
    return reduceOf<float>(destination, sources, count, reduction);
  case ncclFloat64:
    return reduceOf<double>(destination, sources, count, reduction);
  case ncclBfloat16:
    return reduceOf<BFloat>(destination, sources, count, reduction);
  }
}
