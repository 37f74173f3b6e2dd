//===- TokenOrder.cpp - In which order a dimension is stored --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/TokenOrder.h"
#include "Mercury/Schedule/TopologyModel.h"

#include <algorithm>

using namespace mercury;

using Kind = TokenOrder::Kind;

int64_t TokenOrder::granularity() const {
  switch (kind) {
  case Kind::Natural:
    return 1;
  case Kind::Zigzag:
    return 2 * parts;
  case Kind::Striped:
    return parts * block;
  case Kind::Table:
    return static_cast<int64_t>(table.size());
  }
  return 1;
}

int64_t TokenOrder::numChunks(int64_t extent) const {
  return kind == Kind::Striped ? extent / block : granularity();
}

int64_t TokenOrder::chunkExtent(int64_t extent) const {
  return kind == Kind::Striped ? block : extent / granularity();
}

int64_t TokenOrder::chunkAt(int64_t slot, int64_t extent) const {
  switch (kind) {
  case Kind::Natural:
    return slot;
  case Kind::Zigzag:
    return slot % 2 == 0 ? slot / 2 : 2 * parts - 1 - slot / 2;
  case Kind::Striped: {
    int64_t perPart = extent / block / parts;
    return slot % perPart * parts + slot / perPart;
  }
  case Kind::Table:
    return table[slot];
  }
  return slot;
}

int64_t TokenOrder::slotOf(int64_t chunk, int64_t extent) const {
  switch (kind) {
  case Kind::Natural:
    return chunk;
  case Kind::Zigzag:
    return chunk < parts ? 2 * chunk : 2 * (2 * parts - 1 - chunk) + 1;
  case Kind::Striped:
    return chunk % parts * (extent / block / parts) + chunk / parts;
  case Kind::Table:
    return std::find(table.begin(), table.end(), chunk) - table.begin();
  }
  return chunk;
}

int64_t TokenOrder::position(int64_t index, int64_t extent) const {
  int64_t chunk = chunkExtent(extent);
  return chunkAt(index / chunk, extent) * chunk + index % chunk;
}

int64_t TokenOrder::index(int64_t position, int64_t extent) const {
  int64_t chunk = chunkExtent(extent);
  return slotOf(position / chunk, extent) * chunk + position % chunk;
}

std::string mercury::print(const TokenOrder &order) {
  switch (order.kind) {
  case Kind::Natural:
    return "natural";
  case Kind::Zigzag:
    return "zigzag " + std::to_string(order.parts);
  case Kind::Striped:
    return "striped " + std::to_string(order.parts) + " by " +
           std::to_string(order.block);
  case Kind::Table: {
    std::string text = "table [";
    for (size_t i = 0; i < order.table.size(); ++i)
      text += (i ? ", " : "") + std::to_string(order.table[i]);
    return text + "]";
  }
  }
  return "";
}

bool mercury::parse(TextCursor &cursor, TokenOrder &order, std::string &error) {
  order = TokenOrder();
  auto number = [&](int64_t &value) {
    std::optional<int64_t> parsed = cursor.integer();
    value = parsed.value_or(0);
    return parsed || cursor.fail(error, "an integer");
  };
  if (cursor.eat("natural"))
    return true;
  if (cursor.eat("zigzag")) {
    order.kind = Kind::Zigzag;
    return number(order.parts);
  }
  if (cursor.eat("striped")) {
    order.kind = Kind::Striped;
    return number(order.parts) &&
           (cursor.eat("by") || cursor.fail(error, "'by'")) &&
           number(order.block);
  }
  if (!cursor.eat("table"))
    return cursor.fail(error, "'natural', 'zigzag', 'striped' or 'table'");
  order.kind = Kind::Table;
  if (!cursor.eat("["))
    return cursor.fail(error, "'['");
  do {
    if (!number(order.table.emplace_back()))
      return false;
  } while (cursor.eat(","));
  return cursor.eat("]") || cursor.fail(error, "',' or ']'");
}

Verdict mercury::verify(const TokenOrder &order) {
  if (order.parts < 1 || order.parts > mostInOrder || order.block < 1 ||
      order.block > mostInOrder)
    return Verdict::no("parts and block of '" + print(order) +
                       "' must be positive and at most " +
                       std::to_string(mostInOrder));
  std::vector<bool> seen(order.table.size(), false);
  for (int64_t chunk : order.table) {
    if (chunk < 0 || chunk >= static_cast<int64_t>(seen.size()))
      return Verdict::no("'" + print(order) + "' is no permutation: chunk " +
                         std::to_string(chunk) + " is not one of 0 to " +
                         std::to_string(seen.size() - 1));
    if (seen[chunk])
      return Verdict::no("'" + print(order) + "' is no permutation: chunk " +
                         std::to_string(chunk) + " stands there twice");
    seen[chunk] = true;
  }
  if (order.kind == Kind::Table && order.table.empty())
    return Verdict::no("'" + print(order) + "' is no permutation: it is empty");
  return Verdict::ok();
}
