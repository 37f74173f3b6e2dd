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
#include <iterator>

namespace mercury {

/// At most N values of a plain type, in place: copying is copying bytes, which
/// searches do most. What does not fit is dropped: callers know the most there
/// can be.
template <typename T, size_t N> class FixedList {
  static_assert(N < 256, "the count is a byte");

public:
  FixedList() = default;
  FixedList(size_t number, const T &value) { resize(number, value); }
  template <std::input_iterator It> FixedList(It first, It last) {
    append(first, last);
  }

  void push_back(const T &value) {
    if (count < N)
      values[count++] = value;
  }
  void pop_back() { --count; }
  void clear() { count = 0; }
  void resize(size_t number, const T &value = T()) {
    while (count < number && count < N)
      values[count++] = value;
    count = static_cast<uint8_t>(std::min<size_t>(count, number));
  }
  void insert(T *at, const T &value) {
    if (isFull())
      return;
    std::move_backward(at, end(), end() + 1);
    *at = value;
    ++count;
  }
  void erase(T *at) { erase(at, at + 1); }
  void erase(T *first, T *last) {
    std::move(last, end(), first);
    count -= static_cast<uint8_t>(last - first);
  }
  template <std::input_iterator It> void append(It first, It last) {
    for (; first != last; ++first)
      push_back(*first);
  }
  template <std::input_iterator It> void assign(It first, It last) {
    clear();
    append(first, last);
  }
  void assign(size_t number, const T &value) {
    clear();
    resize(number, value);
  }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  bool isFull() const { return count == N; }
  T &operator[](size_t i) { return values[i]; }
  const T &operator[](size_t i) const { return values[i]; }
  T &back() { return values[count - 1]; }
  const T &back() const { return values[count - 1]; }
  const T *data() const { return values; }
  T *begin() { return values; }
  T *end() { return values + count; }
  const T *begin() const { return values; }
  const T *end() const { return values + count; }
  bool operator==(const FixedList &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

private:
  T values[N];
  uint8_t count = 0;
};

} // namespace mercury

#endif // MERCURY_SCHEDULE_FIXEDLIST_H
