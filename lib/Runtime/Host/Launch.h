//===- Launch.h - What launches of ranks have in common ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_LAUNCH_H
#define MERCURY_LIB_RUNTIME_HOST_LAUNCH_H

#include "Context.h"

namespace mercury::host {

/// Runs one rank on the calling thread, drains its streams, and tells the
/// domain that it has returned.
void runRank(mercury_context &context, mercury_host_main rankMain, void *user);

/// The error of an eager message that nobody received.
Failure lostMessage(const Undelivered &message);

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_LAUNCH_H
