//===- Methods.h - Distributed attention and GEMM --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PREDICT_METHODS_H
#define MERCURY_BENCHMARKS_PREDICT_METHODS_H

#include "Rows.h"

namespace mercury::predict {

/// Prints table (b). What cannot be expressed gets its reason.
void printMethods(const std::vector<Row> &rows, bool all,
                  std::map<size_t, std::string> &reasons);

/// Prints table (c): reasons, row by row.
void printReasons(const std::vector<Row> &rows,
                  const std::map<size_t, std::string> &reasons);

} // namespace mercury::predict

#endif // MERCURY_BENCHMARKS_PREDICT_METHODS_H
