//===- GeneratedBlocks.h - Names of generated code in blocks ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_GENERATEDBLOCKS_H
#define MERCURY_SCHEDULE_GENERATEDBLOCKS_H

#include "Mercury/Schedule/Machine.h"

namespace mercury {

/// What curves of the device call generated code in blocks of these sizes:
/// "generated[96,1024,384]".
std::string generatedName(const std::vector<int64_t> &blocks);

/// Whether a library's name begins as generatedName().
bool isGeneratedName(std::string_view library);

/// The sizes that such a name says: of a GEMM rows, columns and depth, of
/// attention rows of queries, and keys. Nothing where it says other than that
/// many positive sizes.
std::optional<std::vector<int64_t>> blocksOf(std::string_view library,
                                             AchievedRate::Work work);

} // namespace mercury

#endif // MERCURY_SCHEDULE_GENERATEDBLOCKS_H
