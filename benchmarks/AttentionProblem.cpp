//===- AttentionProblem.cpp - Attention and its result --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "OpenBlas.h"

using namespace mercury;
using namespace mercury::bench;
using namespace mercury::run;

/// Weights of the keys that the query at `position` sees, zero for others.
static void softmax(double *line, int64_t keys, const Mask &mask,
                    int64_t position) {
  Mask::Range range = mask.at(position);
  int64_t begin = std::max<int64_t>(range.begin, 0),
          end = std::min(range.end, keys);
  std::fill(line, line + begin, 0);
  std::fill(line + end, line + keys, 0);
  double top = *std::max_element(line + begin, line + end), sum = 0;
  for (int64_t key = begin; key < end; ++key)
    sum += line[key] = std::exp(line[key] - top);
  for (int64_t key = begin; key < end; ++key)
    line[key] /= sum;
}

Problem mercury::bench::attentionProblem(int64_t heads, int64_t sequence,
                                         int64_t d, const Mask &mask) {
  Problem problem;
  TensorSpec spec{ElementKind::F32, {heads, sequence, d}};
  std::vector<double> values[3];
  for (int64_t i : {0, 1, 2}) {
    problem.inputs.push_back(makeArgument(spec, /*seed=*/1, i));
    values[i] = widen(problem.inputs.back());
  }
  problem.result = HostTensor(spec);
  problem.flops = 4.0 * heads * sequence * sequence * d;
  constexpr int64_t block = 256;
  std::vector<double> scores(block * sequence), out(block * d);
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t first = 0; first < sequence; first += block) {
      int64_t rows = std::min(block, sequence - first);
      const double *q = &values[0][(head * sequence + first) * d],
                   *k = &values[1][head * sequence * d],
                   *v = &values[2][head * sequence * d];
      cblas_dgemm(101, 111, 112, rows, sequence, d, 1 / std::sqrt(double(d)), q,
                  d, k, d, 0, scores.data(), sequence);
      for (int64_t row = 0; row < rows; ++row)
        softmax(&scores[row * sequence], sequence, mask, first + row);
      cblas_dgemm(101, 111, 111, rows, d, sequence, 1, scores.data(), sequence,
                  v, d, 0, out.data(), d);
      for (int64_t i = 0; i < rows * d; ++i)
        problem.result.set((head * sequence + first) * d + i, out[i]);
    }
  return problem;
}
