//===- Text.cpp - Axes, placements and topologies as text -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Machines.h"
#include "Mercury/Schedule/TopologyModel.h"

#include <charconv>

using namespace mercury;

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

std::string mercury::print(const AxisRef &axis) {
  if (axis.size == 0 && axis.pre == 1)
    return axis.level;
  return axis.level + ":(" + std::to_string(axis.pre) + ")" +
         std::to_string(axis.size);
}

std::string mercury::print(const AxisList &axes) {
  std::string text = "{";
  for (size_t i = 0; i < axes.size(); ++i)
    text += (i ? ", " : "") + print(axes[i]);
  return text + "}";
}

std::string mercury::print(const Placement &placement) {
  std::string text = "[";
  for (size_t i = 0; i < placement.dims.size(); ++i)
    text += (i ? ", " : "") + print(placement.dims[i]) +
            (i < placement.orders.size() && !placement.orders[i].isNatural()
                 ? " " + print(placement.orders[i])
                 : "");
  return text + "]";
}

//===----------------------------------------------------------------------===//
// TextCursor
//===----------------------------------------------------------------------===//

static bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool isWordPart(char c) {
  return isWordStart(c) || (c >= '0' && c <= '9') || c == '.' || c == '$';
}

void TextCursor::skipSpace() {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
}

bool TextCursor::eat(std::string_view token) {
  skipSpace();
  if (token.empty() || !text.starts_with(token))
    return false;
  // `rank` is not the beginning of `ranks`.
  if (isWordStart(token.front()) && text.size() > token.size() &&
      isWordPart(text[token.size()]))
    return false;
  text.remove_prefix(token.size());
  return true;
}

bool TextCursor::atEnd() {
  skipSpace();
  return text.empty();
}

std::optional<std::string> TextCursor::word() {
  skipSpace();
  if (text.empty() || !isWordStart(text.front()))
    return std::nullopt;
  size_t length = 1;
  while (length < text.size() && isWordPart(text[length]))
    ++length;
  std::string result(text.substr(0, length));
  text.remove_prefix(length);
  return result;
}

std::optional<int64_t> TextCursor::integer() {
  skipSpace();
  int64_t value = 0;
  auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc())
    return std::nullopt;
  text.remove_prefix(end - text.data());
  return value;
}

std::optional<std::string> TextCursor::quoted() {
  skipSpace();
  if (text.empty() || text.front() != '"')
    return std::nullopt;
  std::string result;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return result;
    }
    if (text[i] == '\\' && ++i == text.size())
      return std::nullopt;
    result += text[i];
  }
  return std::nullopt;
}

bool TextCursor::fail(std::string &error, std::string_view expected) {
  skipSpace();
  // One token is enough to find the place.
  size_t length = 0;
  if (!text.empty() && isWordPart(text.front()))
    while (length < text.size() && isWordPart(text[length]))
      ++length;
  else if (!text.empty())
    length = 1;
  error = "expected " + std::string(expected) + ", got " +
          (length ? "'" + std::string(text.substr(0, length)) + "'"
                  : std::string("the end"));
  return false;
}

//===----------------------------------------------------------------------===//
// Parse
//===----------------------------------------------------------------------===//

bool mercury::parse(TextCursor &cursor, AxisRef &axis, std::string &error) {
  std::optional<std::string> level = cursor.word();
  if (!level)
    return cursor.fail(error, "an axis");
  axis = AxisRef{*level};
  if (!cursor.eat(":"))
    return true;
  if (!cursor.eat("("))
    return cursor.fail(error, "'(' of the axis '" + *level + "'");
  std::optional<int64_t> pre = cursor.integer();
  if (!pre)
    return cursor.fail(error, "the outer factor of the axis '" + *level + "'");
  if (!cursor.eat(")"))
    return cursor.fail(error, "')' of the axis '" + *level + "'");
  std::optional<int64_t> size = cursor.integer();
  if (!size)
    return cursor.fail(error, "the size of the axis '" + *level + "'");
  axis.pre = *pre;
  axis.size = *size;
  return true;
}

bool mercury::parse(TextCursor &cursor, AxisList &axes, std::string &error) {
  axes.clear();
  if (!cursor.eat("{"))
    return cursor.fail(error, "'{'");
  if (cursor.eat("}"))
    return true;
  do {
    if (!parse(cursor, axes.emplace_back(), error))
      return false;
  } while (cursor.eat(","));
  return cursor.eat("}") || cursor.fail(error, "',' or '}'");
}

bool mercury::parse(TextCursor &cursor, Placement &placement,
                    std::string &error) {
  placement.dims.clear();
  placement.orders.clear();
  if (!cursor.eat("["))
    return cursor.fail(error, "'['");
  if (cursor.eat("]"))
    return true;
  do {
    if (!parse(cursor, placement.dims.emplace_back(), error))
      return false;
    TextCursor next(cursor);
    if (next.eat("natural") || next.eat("zigzag") || next.eat("striped") ||
        next.eat("table")) {
      TokenOrder order;
      if (!parse(cursor, order, error))
        return false;
      placement.setOrder(placement.dims.size() - 1, std::move(order));
    }
  } while (cursor.eat(","));
  return cursor.eat("]") || cursor.fail(error, "',' or ']'");
}

/// The machine that a topology's text begins with: what stands before a colon,
/// or all of it where it is no word alone, or that of a machine.
static std::optional<std::string_view> machineNameOf(std::string_view text) {
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  while (!name.empty() && isSpace(name.front()))
    name.remove_prefix(1);
  while (!name.empty() && isSpace(name.back()))
    name.remove_suffix(1);
  bool isName = colon != std::string_view::npos || findMachine(name) ||
                (name.find('-') != std::string_view::npos &&
                 name.find_first_of("=,; ") == std::string_view::npos);
  return isName ? std::optional(name) : std::nullopt;
}

std::optional<TopologyModel> mercury::parseTopology(std::string_view text,
                                                    std::string &error) {
  if (std::optional<std::string_view> name = machineNameOf(text)) {
    if (const Machine *machine = findMachine(*name))
      return parseMachineLevels(
          *machine, text.substr(std::min(text.find(':'), text.size() - 1) + 1),
          error);
    error = "no machine is called '" + std::string(*name) + "'; known are " +
            machineNames();
    return std::nullopt;
  }
  TextCursor cursor(text);
  TopologyModel topology;
  do {
    Level level;
    std::optional<std::string> name = cursor.word();
    if (!name) {
      cursor.fail(error, "the name of a level, as in 'node=2,gpu=4'");
      return std::nullopt;
    }
    level.name = *name;
    if (!cursor.eat("=")) {
      cursor.fail(error, "'=' and the size of level '" + *name + "'");
      if (topology.levels.empty() && cursor.atEnd())
        error += "; machines are " + machineNames();
      return std::nullopt;
    }
    std::optional<int64_t> size = cursor.integer();
    if (!size) {
      cursor.fail(error, "the size of level '" + *name + "'");
      return std::nullopt;
    }
    level.size = *size;
    topology.levels.push_back(std::move(level));
  } while (cursor.eat(","));
  if (!cursor.atEnd()) {
    cursor.fail(error, "',' or the end");
    return std::nullopt;
  }
  if (Verdict v = topology.verify(); !v) {
    error = v.reason();
    return std::nullopt;
  }
  return topology;
}
