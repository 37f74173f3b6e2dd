//===- FixedList.h - A short list without the heap --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_FIXEDLIST_H
#define MERCURY_SCHEDULE_FIXEDLIST_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mercury {

/// At most N values of a plain type. Whoever adds makes sure that they fit.
template <typename T, size_t N> class FixedList {
public:
  FixedList() = default;

  void push_back(const T &value) { values[count++] = value; }
  void pop_back() { --count; }
  void clear() { count = 0; }
  void erase(size_t index) {
    std::copy(begin() + index + 1, end(), begin() + index);
    --count;
  }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  bool isFull() const { return count == N; }
  T &operator[](size_t i) { return values[i]; }
  const T &operator[](size_t i) const { return values[i]; }
  T &back() { return values[count - 1]; }
  const T &back() const { return values[count - 1]; }
  T *begin() { return values; }
  T *end() { return values + count; }
  const T *begin() const { return values; }
  const T *end() const { return values + count; }
  bool operator==(const FixedList &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

private:
  uint32_t count = 0;
  T values[N];
};

} // namespace mercury

#endif // MERCURY_SCHEDULE_FIXEDLIST_H
