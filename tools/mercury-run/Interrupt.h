//===- Interrupt.h - Ends that are asked for --------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_INTERRUPT_H
#define MERCURY_TOOLS_MERCURY_RUN_INTERRUPT_H

#include <sys/types.h>

namespace mercury::run {

/// From now on SIGINT, SIGTERM and SIGUSR1 (which Open MPI hands on to ranks)
/// are remembered, so that work ends where nothing is lost. Another one, a
/// second later or more, ends the process.
void catchInterrupts();
bool catchesInterrupts();

/// Whether one has come.
bool isInterrupted();

/// Hands the next one on to the process `child` as `signal`.
void passInterrupts(pid_t child, int signal);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_INTERRUPT_H
