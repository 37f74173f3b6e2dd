//===- ReduceReference.h - Reductions by plain loops ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_RUNTIME_CUDA_REDUCEREFERENCE_H
#define MERCURY_UNITTESTS_RUNTIME_CUDA_REDUCEREFERENCE_H

#include "Mercury/Runtime/mercury_nccl.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace mercury::test {

/// IEEE half precision, as a class with a name for type lists.
struct Half {
  _Float16 value = 0;
  Half() = default;
  explicit Half(float value) : value(static_cast<_Float16>(value)) {}
  explicit operator float() const { return static_cast<float>(value); }
};

/// The upper half of a float.
struct BFloat {
  uint16_t bits;
  BFloat() : bits(0) {}
  explicit BFloat(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    // To nearest, ties to even.
    bits = static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  explicit operator float() const {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
};

/// The type's number in NCCL.
template <typename T> ncclDataType_t typeOf() {
  if (std::is_same_v<T, BFloat>)
    return ncclBfloat16;
  if (std::is_same_v<T, Half>)
    return ncclFloat16;
  if (std::is_same_v<T, float>)
    return ncclFloat32;
  if (std::is_same_v<T, double>)
    return ncclFloat64;
  bool isSigned = std::is_signed_v<T>;
  switch (sizeof(T)) {
  case 1:
    return isSigned ? ncclInt8 : ncclUint8;
  case 4:
    return isSigned ? ncclInt32 : ncclUint32;
  default:
    return isSigned ? ncclInt64 : ncclUint64;
  }
}

/// Numbers whose products of four do not overflow a float.
template <typename T> std::vector<T> randomValues(unsigned seed, size_t count) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values) {
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(random());
    else
      value = static_cast<T>((float(random() % 2001) - 1000) / 256);
  }
  return values;
}

/// Narrow floats are accumulated in f32, integers wrap.
template <typename T>
using Accumulator = std::conditional_t<
    std::is_class_v<T>, float,
    typename std::conditional_t<std::is_integral_v<T>, uint64_t, T>>;

/// The reduction of all vectors, element by element in order.
template <typename T>
std::vector<T> reduceAll(const std::vector<std::vector<T>> &inputs,
                         ncclRedOp_t reduction) {
  using A = Accumulator<T>;
  std::vector<T> result(inputs[0].size());
  for (size_t i = 0; i < result.size(); ++i) {
    if (reduction == ncclMax || reduction == ncclMin) {
      T best = inputs[0][i];
      auto key = [](T value) {
        if constexpr (std::is_class_v<T>)
          return float(value);
        else
          return value;
      };
      for (const auto &input : inputs)
        if (reduction == ncclMax ? key(input[i]) > key(best)
                                 : key(input[i]) < key(best))
          best = input[i];
      result[i] = best;
      continue;
    }
    A sum = static_cast<A>(inputs[0][i]);
    for (size_t k = 1; k < inputs.size(); ++k)
      sum = reduction == ncclSum ? sum + static_cast<A>(inputs[k][i])
                                 : sum * static_cast<A>(inputs[k][i]);
    result[i] = static_cast<T>(sum);
  }
  return result;
}

/// Equal byte for byte.
template <typename T>
bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_RUNTIME_CUDA_REDUCEREFERENCE_H
