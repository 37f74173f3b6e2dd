//===- Variants.h - Schedules in other blocks -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_VARIANTS_H
#define MERCURY_TOOLS_MERCURY_TUNE_VARIANTS_H

#include "CommandLine.h"

namespace mercury::tune {

/// Puts behind each of the first `count` schedules that were found for `tuned`
/// those that differ in the kernel of a rank's tile, at most `line.variants` of
/// each: with kernels of --kernels that are not compared by figures, and in
/// other blocks of generated code. What does not fit is left out. Returns how
/// many the first `count` and their variants are.
size_t addVariants(const CommandLine &line, const TopologyModel &topology,
                   commir::DistributableOpInterface tuned, size_t count,
                   ReportOperator &op);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_VARIANTS_H
