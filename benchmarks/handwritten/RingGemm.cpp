//===- RingGemm.cpp - GEMMs on ranks as a person would write them ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingGemm.h"
#include "../OpenBlas.h"

#include <algorithm>
#include <cstring>

using namespace mercury::bench;

/// Copies `rows` rows of `columns` elements.
static void copyBlock(const float *from, int64_t fromStride, float *to,
                      int64_t toStride, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(to + row * toStride, from + row * fromStride,
                columns * sizeof(float));
}

//===----------------------------------------------------------------------===//
// All-gather GEMM
//===----------------------------------------------------------------------===//

AllGatherGemm::AllGatherGemm(GemmSize size, int64_t ranks)
    : GatheringRing(ranks, size.m / ranks * size.k), size(size), data(ranks) {
  for (Rank &mine : data) {
    mine.b.resize(size.k * (size.n / ranks));
    mine.c.resize(size.m * (size.n / ranks));
  }
  start();
}

void AllGatherGemm::setInputs(std::span<const float *const> inputs) {
  int64_t rows = size.m / ranks, columns = size.n / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::copy_n(inputs[0] + rank * rows * size.k, rows * size.k, shard(rank));
    copyBlock(inputs[1] + rank * columns, size.n, data[rank].b.data(), columns,
              size.k, columns);
  }
}

void AllGatherGemm::getResult(float *c) const {
  int64_t columns = size.n / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank)
    copyBlock(data[rank].c.data(), columns, c + rank * columns, size.n, size.m,
              columns);
}

void AllGatherGemm::compute(int64_t rank) {
  Rank &mine = data[rank];
  int64_t rows = size.m / ranks, columns = size.n / ranks;
  overTiles(rank, [&](int64_t block, const float *a) {
    gemm(rows, columns, size.k, a, size.k, mine.b.data(), columns, 0,
         mine.c.data() + block * rows * columns, columns);
  });
}

//===----------------------------------------------------------------------===//
// GEMM reduce-scatter
//===----------------------------------------------------------------------===//

GemmReduceScatter::GemmReduceScatter(GemmSize size, int64_t ranks)
    : Ring(ranks), size(size) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Rank &mine = *data.emplace_back(std::make_unique<Rank>());
    mine.a.resize(size.m * (size.k / ranks));
    mine.b.resize(size.k / ranks * size.n);
    mine.c.resize(size.m / ranks * size.n);
    for (int i : {0, 1}) {
      mine.sum[i].resize(mine.c.size());
      mine.received[i].resize(mine.c.size());
    }
  }
  start();
}

void GemmReduceScatter::setInputs(std::span<const float *const> inputs) {
  int64_t columns = size.k / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Rank &mine = *data[rank];
    copyBlock(inputs[0] + rank * columns, size.k, mine.a.data(), columns,
              size.m, columns);
    std::copy_n(inputs[1] + rank * mine.b.size(), mine.b.size(), mine.b.data());
  }
}

void GemmReduceScatter::getResult(float *c) const {
  for (const auto &mine : data)
    c = std::copy(mine->c.begin(), mine->c.end(), c);
}

void GemmReduceScatter::reset() {
  for (const auto &mine : data) {
    mine->summed.reset(0);
    mine->arrived.reset(0);
  }
}

void GemmReduceScatter::compute(int64_t rank) {
  Rank &mine = *data[rank];
  int64_t rows = size.m / ranks, depth = size.k / ranks;
  for (int64_t step = 0; step < ranks; ++step) {
    // The buffer held the sum of step - 2, which the previous rank has taken.
    data[previous(rank)]->arrived.waitFor(step - 1);
    int64_t block = (rank + 1 + step) % ranks;
    std::vector<float> &sum = step + 1 < ranks ? mine.sum[step % 2] : mine.c;
    gemm(rows, size.n, depth, mine.a.data() + block * rows * depth, depth,
         mine.b.data(), size.n, 0, sum.data(), size.n);
    if (step > 0) {
      mine.arrived.waitFor(step);
      const float *other = mine.received[step % 2].data();
      float *own = sum.data();
      for (size_t i = 0, e = sum.size(); i < e; ++i)
        own[i] += other[i];
    }
    mine.summed.advance(step + 1);
  }
}

void GemmReduceScatter::hop(int64_t rank) {
  Rank &mine = *data[rank], &source = *data[next(rank)];
  for (int64_t step = 1; step < ranks; ++step) {
    source.summed.waitFor(step);
    // The buffer held what step - 2 has added.
    mine.summed.waitFor(step - 1);
    std::memcpy(mine.received[step % 2].data(),
                source.sum[(step - 1) % 2].data(),
                mine.c.size() * sizeof(float));
    mine.arrived.advance(step);
  }
}
