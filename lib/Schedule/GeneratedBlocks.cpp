//===- GeneratedBlocks.cpp - Names of generated code in blocks ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/GeneratedBlocks.h"

#include <charconv>

using namespace mercury;

static constexpr std::string_view prefix = "generated[";

std::string mercury::generatedName(const std::vector<int64_t> &blocks) {
  std::string name(prefix);
  for (size_t b = 0; b < blocks.size(); ++b)
    name += (b ? "," : "") + std::to_string(blocks[b]);
  return name + "]";
}

bool mercury::isGeneratedName(std::string_view library) {
  return library.substr(0, prefix.size()) == prefix;
}

std::optional<std::vector<int64_t>> mercury::blocksOf(std::string_view library,
                                                      AchievedRate::Work work) {
  if (!isGeneratedName(library))
    return std::nullopt;
  std::vector<int64_t> blocks;
  const char *at = library.data() + prefix.size(),
             *end = library.data() + library.size();
  for (;;) {
    int64_t size = 0;
    auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size <= 0 || next == end)
      return std::nullopt;
    blocks.push_back(size);
    at = next + 1;
    if (*next == ',')
      continue;
    size_t count = work == AchievedRate::Work::Gemm ? 3 : 2;
    if (*next != ']' || at != end || blocks.size() != count)
      return std::nullopt;
    return blocks;
  }
}
