//===- RingGemm.h - GEMMs on ranks as a person would write them -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = A * B with OpenBLAS, in the two forms that the shifted schedules of
// Mercury have. Inputs are A and B.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_HANDWRITTEN_RINGGEMM_H
#define MERCURY_BENCHMARKS_HANDWRITTEN_RINGGEMM_H

#include "Ring.h"

namespace mercury::bench {

/// Extents of C (m x n) and of the reduction; ranks divide m, n and k.
struct GemmSize {
  int64_t m, n, k;
};

/// Rank r owns block r of the rows of A, of the columns of B and of C; the
/// blocks of A travel.
class AllGatherGemm : public GatheringRing {
public:
  AllGatherGemm(GemmSize size, int64_t ranks);
  ~AllGatherGemm() override { stop(); }
  void setInputs(std::span<const float *const> inputs) override;
  void getResult(float *c) const override;

private:
  struct Rank {
    std::vector<float> b, c;
  };
  void compute(int64_t rank) override;
  GemmSize size;
  std::vector<Rank> data;
};

/// Rank r owns block r of the columns of A, of the rows of B and of the rows of
/// C; partial sums of row blocks travel to their owner.
class GemmReduceScatter : public Ring {
public:
  GemmReduceScatter(GemmSize size, int64_t ranks);
  ~GemmReduceScatter() override { stop(); }
  void setInputs(std::span<const float *const> inputs) override;
  void getResult(float *c) const override;

private:
  struct Rank {
    std::vector<float> a, b, c;
    std::vector<float> sum[2];      ///< of step s in [s % 2], the last in c
    std::vector<float> received[2]; ///< for step s in [s % 2]
    Counter summed;                 ///< steps whose sum is complete
    Counter arrived;                ///< steps whose received sum is here
  };
  void reset() override;
  void compute(int64_t rank) override;
  void hop(int64_t rank) override;
  GemmSize size;
  std::vector<std::unique_ptr<Rank>> data;
};

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_HANDWRITTEN_RINGGEMM_H
