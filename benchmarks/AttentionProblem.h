//===- AttentionProblem.h - Attention and its result ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_ATTENTIONPROBLEM_H
#define MERCURY_BENCHMARKS_ATTENTIONPROBLEM_H

#include "Mercury/Schedule/Mask.h"
#include "Race.h"

namespace mercury::bench {

/// Q, K and V of heads x sequence x features, and the result in f64 rounded to
/// f32, scaled by 1 / sqrt of the features. Each query sees a key. OpenBLAS
/// only makes this reference.
Problem attentionProblem(int64_t heads, int64_t sequence, int64_t features,
                         const Mask &mask = {});

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_ATTENTIONPROBLEM_H
