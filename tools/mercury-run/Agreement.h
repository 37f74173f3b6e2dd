//===- Agreement.h - What rank 0 says, in all processes ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_AGREEMENT_H
#define MERCURY_TOOLS_MERCURY_RUN_AGREEMENT_H

#include "llvm/Support/Error.h"
#include <string>

namespace mercury::run {

/// The `text` of rank 0, in each of the processes that ranks are, which all
/// call this. Waits for rank 0 as long as that takes; fails where a process has
/// ended. Where ranks are threads, `text`.
llvm::Expected<std::string> agree(std::string text);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_AGREEMENT_H
