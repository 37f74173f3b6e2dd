//===- Mask.cpp - Which keys a query may see ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Mask.h"
#include "Mercury/Schedule/TopologyModel.h"

#include <algorithm>

using namespace mercury;

Mask::Range Mask::at(int64_t position) const {
  Range range;
  for (const MaskTerm &term : terms) {
    if (term.left)
      range.begin = std::max(range.begin, position - *term.left);
    if (term.right)
      range.end = std::min(range.end,
                           std::max(position + *term.right + 1, term.prefix));
  }
  return range;
}

static std::string print(const MaskTerm &term) {
  std::string text;
  auto add = [&](const char *name, int64_t value) {
    text += (text.empty() ? "" : " ") + std::string(name) + " " +
            std::to_string(value);
  };
  if (term.left)
    add("left", *term.left);
  if (term.right)
    add("right", *term.right);
  if (term.prefix)
    add("prefix", term.prefix);
  return text;
}

std::string mercury::print(const Mask &mask) {
  std::string text;
  for (const MaskTerm &term : mask.terms)
    text += (text.empty() ? "" : " and ") + ::print(term);
  return text;
}

bool mercury::parse(TextCursor &cursor, Mask &mask, std::string &error) {
  mask.terms.clear();
  do {
    MaskTerm &term = mask.terms.emplace_back();
    auto number = [&](std::string_view name,
                      std::optional<int64_t> &value) -> bool {
      if (!cursor.eat(name))
        return true;
      value = cursor.integer();
      return value ||
             cursor.fail(error, "an integer after '" + std::string(name) + "'");
    };
    std::optional<int64_t> prefix;
    if (!number("left", term.left) || !number("right", term.right) ||
        !number("prefix", prefix))
      return false;
    if (!term.left && !term.right && !prefix)
      return cursor.fail(error, "'left', 'right' or 'prefix'");
    term.prefix = prefix.value_or(0);
  } while (cursor.eat("and"));
  return true;
}

Verdict mercury::verify(const Mask &mask) {
  // Positions are 32 bits wide.
  constexpr int64_t most = int64_t(1) << 31;
  for (const MaskTerm &term : mask.terms) {
    for (int64_t value :
         {term.left.value_or(0), term.right.value_or(0), term.prefix})
      if (value < -most || value > most)
        return Verdict::no("'" + ::print(term) + "' has the limit " +
                           std::to_string(value) + ", expected at most " +
                           std::to_string(most) + " either way");
    if (!term.left && !term.right)
      return Verdict::no("'" + ::print(term) +
                         "' limits nothing: a prefix "
                         "stands beside 'right'");
    if (term.prefix < 0 || (term.prefix && !term.right))
      return Verdict::no("prefix of '" + ::print(term) +
                         "' must be positive and stand beside 'right'");
    if (term.left && term.right && *term.left + *term.right < 0)
      return Verdict::no("window '" + ::print(term) + "' has extent " +
                         std::to_string(*term.left + *term.right + 1) +
                         "; no query sees a key");
  }
  return Verdict::ok();
}
