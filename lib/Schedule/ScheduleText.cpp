//===- ScheduleText.cpp - A schedule as text ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Schedule.h"

#include <algorithm>

using namespace mercury;

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

static std::string print(const Factor &factor) {
  std::string text;
  if (factor.kind == Factor::Kind::Rank)
    text = "rank " + (factor.axes.size() == 1 ? print(factor.axes.front())
                                              : print(factor.axes));
  else
    text = "time " + (factor.axes.empty() ? std::to_string(factor.steps)
                                          : print(factor.axes));
  for (const Shift &shift : factor.shifts) {
    text += " shift " + print(shift.axes);
    if (shift.stride != 1)
      text += " stride " + std::to_string(shift.stride);
    if (shift.offset != 0)
      text += " offset " + std::to_string(shift.offset);
  }
  if (factor.bidirectional)
    text += " bidirectional";
  if (factor.backwards)
    text += " backwards";
  if (factor.order != 0)
    text += " order " + std::to_string(factor.order);
  return text;
}

static std::string print(const LoopPlan &loop) {
  std::string text;
  for (const Factor &factor : loop)
    text += (text.empty() ? "" : " / ") + print(factor);
  return text.empty() ? "-" : text;
}

static std::string print(const OperandPlan &plan) {
  std::string text = print(plan.entry);
  if (plan.nest != plan.entry)
    text += " -> " + print(plan.nest);
  if (!plan.fetch.empty())
    text += " fetch " + print(plan.fetch);
  return text;
}

static std::string print(const ResultPlan &plan) {
  return print(plan.nest) +
         (plan.exit == plan.nest ? "" : " -> " + print(plan.exit));
}

static std::string print(int64_t value) { return std::to_string(value); }

template <typename T> static std::string printList(const std::vector<T> &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + print(list[i]);
  return text + "]";
}

/// A kernel's name as a word, or in quotes where it is none.
static std::string printName(const std::string &name) {
  TextCursor cursor(name);
  if (cursor.word() == name)
    return name;
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string mercury::print(const Schedule &schedule) {
  std::string text = "loops " + printList(schedule.loops);
  if (!schedule.tokens.empty()) {
    text += " tokens [";
    for (size_t l = 0; l < schedule.tokens.size(); ++l)
      text += (l ? ", " : "") + (schedule.tokens[l].isNatural()
                                     ? std::string("-")
                                     : print(schedule.tokens[l]));
    text += "]";
  }
  text += " inputs " + printList(schedule.inputs) + " results " +
          printList(schedule.results);
  if (!schedule.tile.empty())
    text += " tile " + printList(schedule.tile);
  if (schedule.chunks != 1)
    text += " chunks " + std::to_string(schedule.chunks);
  if (!schedule.patch.empty())
    text += " patch " + printName(schedule.patch);
  if (schedule.ranks)
    text += " ranks " + print(schedule.ranks->axis) + " " +
            std::to_string(schedule.ranks->begin) + " to " +
            std::to_string(schedule.ranks->end);
  return text;
}

//===----------------------------------------------------------------------===//
// Parse
//===----------------------------------------------------------------------===//

/// Parses what follows `keyword` into `value`, which keeps its default when the
/// keyword is absent.
static bool parseOptional(TextCursor &cursor, std::string_view keyword,
                          int64_t &value, std::string &error) {
  if (!cursor.eat(keyword))
    return true;
  std::optional<int64_t> parsed = cursor.integer();
  if (!parsed)
    return cursor.fail(error,
                       "an integer after '" + std::string(keyword) + "'");
  value = *parsed;
  return true;
}

/// `{a, b}` or `a`.
static bool parseAxes(TextCursor &cursor, AxisList &axes, std::string &error) {
  if (TextCursor(cursor).eat("{"))
    return parse(cursor, axes, error);
  return parse(cursor, axes.emplace_back(), error);
}

static bool parse(TextCursor &cursor, Factor &factor, std::string &error) {
  if (cursor.eat("rank")) {
    factor.kind = Factor::Kind::Rank;
    if (!parseAxes(cursor, factor.axes, error))
      return false;
  } else if (cursor.eat("time")) {
    factor.kind = Factor::Kind::Time;
    if (std::optional<int64_t> steps = cursor.integer())
      factor.steps = *steps;
    else if (!parseAxes(cursor, factor.axes, error))
      return false;
  } else {
    return cursor.fail(error, "'rank', 'time' or '-'");
  }
  while (cursor.eat("shift")) {
    Shift &shift = factor.shifts.emplace_back();
    if (!parseAxes(cursor, shift.axes, error) ||
        !parseOptional(cursor, "stride", shift.stride, error) ||
        !parseOptional(cursor, "offset", shift.offset, error))
      return false;
  }
  factor.bidirectional = cursor.eat("bidirectional");
  factor.backwards = cursor.eat("backwards");
  return parseOptional(cursor, "order", factor.order, error);
}

static bool parse(TextCursor &cursor, LoopPlan &loop, std::string &error) {
  if (cursor.eat("-"))
    return true;
  do {
    if (!parse(cursor, loop.emplace_back(), error))
      return false;
  } while (cursor.eat("/"));
  return true;
}

static bool parse(TextCursor &cursor, OperandPlan &plan, std::string &error) {
  if (!parse(cursor, plan.entry, error))
    return false;
  plan.nest = plan.entry;
  if (cursor.eat("->") && !parse(cursor, plan.nest, error))
    return false;
  return !cursor.eat("fetch") || parseAxes(cursor, plan.fetch, error);
}

static bool parse(TextCursor &cursor, ResultPlan &plan, std::string &error) {
  if (!parse(cursor, plan.nest, error))
    return false;
  plan.exit = plan.nest;
  return !cursor.eat("->") || parse(cursor, plan.exit, error);
}

static bool parse(TextCursor &cursor, int64_t &value, std::string &error) {
  std::optional<int64_t> parsed = cursor.integer();
  if (!parsed)
    return cursor.fail(error, "an integer");
  value = *parsed;
  return true;
}

template <typename T>
static bool parseList(TextCursor &cursor, std::vector<T> &list,
                      std::string &error) {
  if (!cursor.eat("["))
    return cursor.fail(error, "'['");
  if (cursor.eat("]"))
    return true;
  do {
    if (!parse(cursor, list.emplace_back(), error))
      return false;
  } while (cursor.eat(","));
  return cursor.eat("]") || cursor.fail(error, "',' or ']'");
}

static bool parse(TextCursor &cursor, Schedule::Range &range,
                  std::string &error) {
  if (!parse(cursor, range.axis, error) || !parse(cursor, range.begin, error))
    return false;
  if (!cursor.eat("to"))
    return cursor.fail(error, "'to'");
  return parse(cursor, range.end, error);
}

static bool parseTokens(TextCursor &cursor, std::vector<TokenOrder> &tokens,
                        std::string &error) {
  if (!cursor.eat("["))
    return cursor.fail(error, "'['");
  do {
    TokenOrder &order = tokens.emplace_back();
    if (!cursor.eat("-") && !parse(cursor, order, error))
      return false;
  } while (cursor.eat(","));
  if (std::all_of(tokens.begin(), tokens.end(),
                  [](const TokenOrder &order) { return order.isNatural(); }))
    tokens.clear();
  return cursor.eat("]") || cursor.fail(error, "',' or ']'");
}

static bool parseAll(TextCursor &cursor, Schedule &s, std::string &error) {
  if (!cursor.eat("loops"))
    return cursor.fail(error, "'loops'");
  if (!parseList(cursor, s.loops, error))
    return false;
  if (cursor.eat("tokens") && !parseTokens(cursor, s.tokens, error))
    return false;
  if (!cursor.eat("inputs"))
    return cursor.fail(error, "'inputs'");
  if (!parseList(cursor, s.inputs, error))
    return false;
  if (!cursor.eat("results"))
    return cursor.fail(error, "'results'");
  if (!parseList(cursor, s.results, error))
    return false;
  if (cursor.eat("tile") && !parseList(cursor, s.tile, error))
    return false;
  if (!parseOptional(cursor, "chunks", s.chunks, error))
    return false;
  if (cursor.eat("patch")) {
    std::optional<std::string> name = cursor.word();
    if (!name)
      name = cursor.quoted();
    if (!name)
      return cursor.fail(error, "the name of a kernel");
    s.patch = *name;
  }
  if (cursor.eat("ranks") && !parse(cursor, s.ranks.emplace(), error))
    return false;
  return cursor.atEnd() ||
         cursor.fail(error, "'tile', 'chunks', 'patch', 'ranks' or the end");
}

std::optional<Schedule> mercury::parseSchedule(std::string_view text,
                                               std::string &error) {
  TextCursor cursor(text);
  Schedule schedule;
  if (!parseAll(cursor, schedule, error))
    return std::nullopt;
  return schedule;
}
