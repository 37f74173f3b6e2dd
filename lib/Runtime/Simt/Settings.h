//===- Settings.h - Orders and the recorded fault ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_SETTINGS_H
#define MERCURY_LIB_RUNTIME_SIMT_SETTINGS_H

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mercury::simt {

/// In what order threads, or blocks, take turns.
struct Order {
  enum Kind { Ascending, Descending, Random } kind = Ascending;
  uint32_t seed = 0;
};

/// Of the text of mercury_simt_set_order.
std::optional<Order> parseOrder(const std::string &text);

/// The order that is set. Error: nothing, and it is recorded, when the
/// environment variable is not an order.
std::optional<Order> currentOrder();

/// Puts 0, ..., turns.size() - 1 into that order; `random` is made of its seed.
void arrange(const Order &order, std::minstd_rand &random,
             std::vector<int64_t> &turns);

/// Keeps the first.
void recordError(const std::string &text);

} // namespace mercury::simt

#endif // MERCURY_LIB_RUNTIME_SIMT_SETTINGS_H
