//===- TuneOptions.cpp - What is asked of the tuner -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/TuneOptions.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mercury;

/// A positive number and what stands behind it.
static std::optional<std::pair<double, llvm::StringRef>>
splitUnit(llvm::StringRef text) {
  size_t end = text.find_first_not_of("0123456789.");
  // 76e9 is a number, 5e is not.
  if (end != llvm::StringRef::npos && text.substr(end, 1).lower() == "e" &&
      end + 1 < text.size() && llvm::isDigit(text[end + 1]))
    end = text.find_first_not_of("0123456789", end + 1);
  double value = 0;
  if (text.substr(0, end).getAsDouble(value) || !std::isfinite(value))
    return std::nullopt;
  llvm::StringRef unit =
      end == llvm::StringRef::npos ? llvm::StringRef() : text.substr(end);
  return std::pair(value, unit.trim());
}

std::optional<int64_t> mercury::parseBytes(std::string_view text) {
  static constexpr std::pair<llvm::StringLiteral, double> units[] = {
      {"", 1},         {"B", 1},       {"kB", 1e3},     {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
      {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  auto number = splitUnit(text);
  if (!number)
    return std::nullopt;
  for (auto [name, factor] : units)
    if (number->second == name && number->first * factor < 0x1p62)
      return static_cast<int64_t>(number->first * factor);
  return std::nullopt;
}

std::optional<double> mercury::parseSeconds(std::string_view text) {
  static constexpr std::pair<llvm::StringLiteral, double> units[] = {
      {"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}};
  auto number = splitUnit(text);
  if (!number)
    return std::nullopt;
  for (auto [name, factor] : units)
    if (number->second == name)
      return number->first * factor;
  return std::nullopt;
}

static bool parseWhole(const std::string &text,
                       std::optional<Placement> &placement,
                       std::string &error) {
  if (text.empty())
    return true;
  TextCursor cursor{text};
  if (!parse(cursor, placement.emplace(), error))
    return false;
  if (!cursor.atEnd())
    error = "expected the end, got '" + std::string(cursor.rest()) + "'";
  return cursor.atEnd();
}

std::optional<TuneOptions> mercury::parseTuneOptions(const TuneTexts &texts,
                                                     std::string_view dashes,
                                                     std::string &error) {
  TuneOptions options;
  auto refuse = [&](std::string_view option, const std::string &why) {
    error = std::string(dashes) + std::string(option) + why;
    return std::nullopt;
  };
  std::string why;
  if (auto objective = parseObjective(texts.objective, why))
    options.objective = *objective;
  else
    return refuse("objective", ": " + why);
  if (auto local = parseLocalKernel(texts.local, why))
    options.local = *local;
  else
    return refuse("local", ": " + why);
  for (const std::string &kernel : texts.kernels)
    if (globalKernelRegistry().lookup(kernel).empty())
      return refuse("kernels", ": no kernel '" + kernel + "' is registered");
  options.kernels = texts.kernels;
  std::optional<double> budget = parseSeconds(texts.budget);
  if (!budget || *budget <= 0)
    return refuse("budget", " expects a time above zero, such as 30s, got '" +
                                texts.budget + "'");
  options.budget = *budget;
  if (!texts.memoryLimit.empty()) {
    std::optional<int64_t> bytes = parseBytes(texts.memoryLimit);
    if (!bytes || *bytes <= 0)
      return refuse("memory-limit", " expects bytes, such as 8GiB, got '" +
                                        texts.memoryLimit + "'");
    options.memoryLimit = *bytes;
  }
  if (texts.top == 0)
    return refuse("top", " must be at least 1");
  options.top = texts.top;
  for (const std::string &name : texts.against) {
    Schedule unused;
    if (name != "all" && !findNamedSchedule(name))
      return refuse("against",
                    ": " + makeNamedSchedule(name, unused, OperatorModel(),
                                             TopologyModel())
                               .reason());
  }
  options.against = texts.against;
  if (!parseWhole(texts.inputs, options.inputs, why))
    return refuse("inputs", ": " + why);
  if (!parseWhole(texts.results, options.results, why))
    return refuse("results", ": " + why);
  options.database = texts.database;
  if (!texts.validFor.empty() && texts.database.empty())
    return refuse("valid-for", " is of a database's entries: give a database");
  options.validFor = texts.validFor;
  return options;
}
