//===- RandomStreams.h - Random launches and hops ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_RANDOMSTREAMS_H
#define MERCURY_UNITTESTS_INTEGRATION_RANDOMSTREAMS_H

#include <cstdint>
#include <string>

namespace mercury::test {

/// The text of a module whose function launches kernels and communicates over a
/// few buffers and their halves, in loops and under conditions, on two levels
/// of two ranks. About half of such programs use buffers in flight, which
/// mercury-verify-communication rejects.
std::string writeRandomStreams(uint64_t seed);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_RANDOMSTREAMS_H
