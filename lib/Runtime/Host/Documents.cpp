//===- Documents.cpp - Numbers that give documents ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Documents.h"

using namespace mercury::host;

std::string DocumentCheck::problemOfSegments(const int32_t *segments) const {
  for (int64_t key = 1; key < count; ++key)
    if (segments[key] < segments[key - 1])
      return format("segments decrease: that of key %lld is %d after %d",
                    static_cast<long long>(key), segments[key],
                    segments[key - 1]);
  return "";
}

std::string DocumentCheck::problemOfLengths(const int32_t *lengths) const {
  int64_t sum = 0;
  for (int64_t document = 0; document < count; ++document) {
    if (lengths[document] < 0)
      return format("length of document %lld is %d",
                    static_cast<long long>(document), lengths[document]);
    sum += lengths[document];
  }
  if (keys < 0 || sum == keys)
    return "";
  return format("lengths of documents sum to %lld keys, but attention has %lld",
                static_cast<long long>(sum), static_cast<long long>(keys));
}

std::string DocumentCheck::problem(const int32_t *values) const {
  for (int64_t sequence = 0; sequence < sequences; ++sequence) {
    const int32_t *own = values + sequence * count;
    std::string text =
        areSegments ? problemOfSegments(own) : problemOfLengths(own);
    if (text.empty())
      continue;
    return sequences == 1
               ? text
               : format("sequence %lld: ", static_cast<long long>(sequence)) +
                     text;
  }
  return "";
}
