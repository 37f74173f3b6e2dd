//===- Settings.cpp - Orders and the recorded fault -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"
#include "Abi.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <numeric>

using namespace mercury::simt;

static std::mutex mutex;
static std::optional<Order> chosen;
static std::string firstError;

std::optional<Order> mercury::simt::parseOrder(const std::string &text) {
  if (text == "ascending")
    return Order{Order::Ascending, 0};
  if (text == "descending")
    return Order{Order::Descending, 0};
  if (text.rfind("random:", 0) != 0)
    return std::nullopt;
  char *end;
  unsigned long seed = std::strtoul(text.c_str() + 7, &end, 10);
  if (*end || end == text.c_str() + 7)
    return std::nullopt;
  return Order{Order::Random, static_cast<uint32_t>(seed)};
}

std::optional<Order> mercury::simt::currentOrder() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (chosen)
      return chosen;
  }
  const char *text = std::getenv("MERCURY_SIMT_ORDER");
  if (!text)
    return Order();
  std::optional<Order> order = parseOrder(text);
  if (!order)
    recordError("MERCURY_SIMT_ORDER is '" + std::string(text) +
                "', which is not ascending, descending or random:SEED");
  return order;
}

void mercury::simt::arrange(const Order &order, std::minstd_rand &random,
                            std::vector<int64_t> &turns) {
  std::iota(turns.begin(), turns.end(), 0);
  if (order.kind == Order::Descending)
    std::reverse(turns.begin(), turns.end());
  else if (order.kind == Order::Random)
    std::shuffle(turns.begin(), turns.end(), random);
}

void mercury::simt::recordError(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (firstError.empty())
    firstError = text;
}

int32_t mercury_simt_set_order(const char *text) {
  std::optional<Order> order = parseOrder(text);
  if (!order)
    return 1;
  std::lock_guard<std::mutex> lock(mutex);
  chosen = order;
  return 0;
}

const char *mercury_simt_error(void) {
  std::lock_guard<std::mutex> lock(mutex);
  return firstError.c_str();
}

void mercury_simt_clear_error(void) {
  std::lock_guard<std::mutex> lock(mutex);
  firstError.clear();
}
