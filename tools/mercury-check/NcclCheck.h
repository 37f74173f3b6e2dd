//===- NcclCheck.h - One rank through NCCL ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_CHECK_NCCLCHECK_H
#define MERCURY_TOOLS_MERCURY_CHECK_NCCLCHECK_H

#include <string>

namespace mercury::check {

/// One rank sends to itself, gathers and reduces through libnccl. 0, or the
/// launch's error with its text (MERCURY_CUDA_UNAVAILABLE without libnccl).
int checkNccl(std::string &error);

} // namespace mercury::check

#endif // MERCURY_TOOLS_MERCURY_CHECK_NCCLCHECK_H
