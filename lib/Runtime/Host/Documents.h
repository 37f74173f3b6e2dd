//===- Documents.h - Numbers that give documents ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_DOCUMENTS_H
#define MERCURY_LIB_RUNTIME_HOST_DOCUMENTS_H

#include "Support.h"

namespace mercury::host {

/// What mercury_check_documents is asked.
struct DocumentCheck {
  int64_t sequences, count, keys;
  bool areSegments;
  /// Of the numbers.
  size_t bytes() const { return sequences * count * sizeof(int32_t); }
  /// What is wrong with `values`, in the words of the compiler, which checks
  /// constants; empty when nothing.
  std::string problem(const int32_t *values) const;

private:
  std::string problemOfSegments(const int32_t *segments) const;
  std::string problemOfLengths(const int32_t *lengths) const;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_DOCUMENTS_H
