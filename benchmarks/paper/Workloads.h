//===- Workloads.h - Operators, placements, known designs -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PAPER_WORKLOADS_H
#define MERCURY_BENCHMARKS_PAPER_WORKLOADS_H

#include "Mercury/Tuning/CostModel.h"
#include "Mercury/Tuning/MemoryModel.h"

namespace mercury::paper {

/// A known design that competes.
struct Design {
  std::string family; ///< column of the tables: "USP"
  std::string name;   ///< "USP, heads over gpu"
  Schedule schedule;
};

/// An operator, where its tensors live, and the designs for it. All contenders
/// and the search have the same placements: the same dimensions over all ranks,
/// ranks in an order of the contender's choice.
struct Workload {
  CostProblem cost;
  MemoryProblem memory;
  std::vector<std::optional<Placement>> entries, exits;
  std::vector<Design> designs;
};

/// Forward, without a mask, bf16 with the kernels of FlashAttention 2; inputs
/// and output cut along the sequence. Designs: ring, double ring, Ulysses, USP
/// with every number of ranks for heads, neighbours or far ones.
Workload attention(const AttentionShape &shape, const TopologyModel &topology);

/// C(m, n) of A(m, k) and B(k, n) in bf16 with the kernels of cuBLAS. A is cut
/// along rows, B and C along columns.
Workload allGatherGemm(int64_t m, int64_t n, int64_t k,
                       const TopologyModel &topology);
/// A is cut along columns, B along rows, and C along rows.
Workload gemmReduceScatter(int64_t m, int64_t n, int64_t k,
                           const TopologyModel &topology);

} // namespace mercury::paper

#endif // MERCURY_BENCHMARKS_PAPER_WORKLOADS_H
