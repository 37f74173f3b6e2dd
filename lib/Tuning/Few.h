//===- Few.h - A short list in place ----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_FEW_H
#define MERCURY_LIB_TUNING_FEW_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace mercury {

/// At most N items of a trivial type. Copying is copying bytes, which is what
/// the memory model does most. What does not fit is dropped: callers know the
/// most there can be.
template <typename T, unsigned N> class Few {
public:
  Few() = default;
  Few(size_t number, const T &value) { resize(number, value); }
  template <typename It>
    requires(!std::is_integral_v<It>)
  Few(It first, It last) {
    append(first, last);
  }
  explicit Few(llvm::ArrayRef<T> list) { append(list.begin(), list.end()); }

  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T &back() { return items[count - 1]; }

  void push_back(const T &item) {
    if (count < N)
      items[count++] = item;
  }
  void pop_back() { --count; }
  void clear() { count = 0; }
  void resize(size_t number, const T &value = T()) {
    while (count < number && count < N)
      items[count++] = value;
    count = static_cast<uint8_t>(std::min<size_t>(count, number));
  }
  void insert(T *at, const T &item) {
    if (count == N)
      return;
    std::move_backward(at, end(), end() + 1);
    *at = item;
    ++count;
  }
  void erase(T *at) { erase(at, at + 1); }
  void erase(T *first, T *last) {
    std::move(last, end(), first);
    count -= static_cast<uint8_t>(last - first);
  }
  template <typename It> void append(It first, It last) {
    for (; first != last; ++first)
      push_back(*first);
  }
  void assign(size_t number, const T &value) {
    clear();
    resize(number, value);
  }
  template <typename It>
    requires(!std::is_integral_v<It>)
  void assign(It first, It last) {
    clear();
    append(first, last);
  }
  bool operator==(const Few &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  operator llvm::ArrayRef<T>() const { return {items, count}; }

private:
  T items[N] = {};
  uint8_t count = 0;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_FEW_H
