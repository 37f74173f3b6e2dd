//===- Objective.cpp - What is best, and how it is written ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Search.h"

#include <cmath>
#include <cstdlib>

using namespace mercury;

double Objective::operator()(double seconds, int64_t bytes) const {
  switch (kind) {
  case Kind::Time:
    return seconds;
  case Kind::Memory:
    return static_cast<double>(bytes);
  case Kind::Both:
    return (1 - weight) * std::log(seconds) +
           weight * std::log(static_cast<double>(std::max<int64_t>(bytes, 1)));
  }
  return seconds;
}

std::optional<Objective> mercury::parseObjective(std::string_view text,
                                                 std::string &error) {
  if (text == "time")
    return Objective{Objective::Kind::Time};
  if (text == "memory")
    return Objective{Objective::Kind::Memory};
  if (text == "both")
    return Objective{Objective::Kind::Both};
  constexpr std::string_view prefix = "both:";
  if (text.substr(0, prefix.size()) == prefix) {
    std::string number(text.substr(prefix.size()));
    char *end = nullptr;
    double weight = std::strtod(number.c_str(), &end);
    if (!number.empty() && *end == 0 && weight >= 0 && weight <= 1)
      return Objective{Objective::Kind::Both, weight};
  }
  error = "objective '" + std::string(text) +
          "' is none of 'time', 'memory', 'both' and 'both:WEIGHT' with a "
          "weight of memory from 0 to 1";
  return std::nullopt;
}

std::optional<LocalKernel> mercury::parseLocalKernel(std::string_view text,
                                                     std::string &error) {
  if (text == "codegen")
    return LocalKernel::Generated;
  if (text == "blas")
    return LocalKernel::Blas;
  if (text == "loops")
    return LocalKernel::Loops;
  error = "local compute '" + std::string(text) +
          "' is none of 'codegen', 'blas' and 'loops'";
  return std::nullopt;
}
