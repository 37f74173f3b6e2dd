//===- RingGemm.cpp - What a person would write instead -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingGemm.h"
#include "../OpenBlas.h"
#include "../Support.h"

#include <algorithm>
#include <cstring>

using namespace mercury::bench;

RingGemm::RingGemm(GemmSize size, int64_t ranks)
    : size(size), ranks(ranks), starts(ranks), ends(ranks),
      processorStarts(ranks), processorEnds(ranks), begin(2 * ranks + 1),
      end(2 * ranks + 1) {}

void RingGemm::start() {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([this, rank] {
      while (begin.arrive_and_wait(), !stopping) {
        processorStarts[rank] = processSeconds();
        starts[rank] = Clock::now();
        compute(rank);
        ends[rank] = Clock::now();
        processorEnds[rank] = processSeconds();
        end.arrive_and_wait();
      }
    });
    threads.emplace_back([this, rank] {
      while (begin.arrive_and_wait(), !stopping) {
        hop(rank);
        end.arrive_and_wait();
      }
    });
  }
}

void RingGemm::stop() {
  stopping = true;
  begin.arrive_and_wait();
  threads.clear();
}

RingGemm::Times RingGemm::run() {
  reset();
  begin.arrive_and_wait();
  end.arrive_and_wait();
  std::chrono::duration<double> wall =
      *std::max_element(ends.begin(), ends.end()) -
      *std::min_element(starts.begin(), starts.end());
  return {
      wall.count(),
      *std::max_element(processorEnds.begin(), processorEnds.end()) -
          *std::min_element(processorStarts.begin(), processorStarts.end())};
}

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
    : RingGemm(size, ranks) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Rank &mine = *data.emplace_back(std::make_unique<Rank>());
    mine.a.resize(size.m / ranks * size.k);
    mine.b.resize(size.k * (size.n / ranks));
    mine.c.resize(size.m * (size.n / ranks));
    for (std::vector<float> &buffer : mine.travelling)
      buffer.resize(mine.a.size());
  }
  start();
}

void AllGatherGemm::setInputs(const float *a, const float *b) {
  int64_t columns = size.n / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Rank &mine = *data[rank];
    std::copy_n(a + rank * mine.a.size(), mine.a.size(), mine.a.data());
    copyBlock(b + rank * columns, size.n, mine.b.data(), columns, size.k,
              columns);
  }
}

void AllGatherGemm::getResult(float *c) const {
  int64_t columns = size.n / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank)
    copyBlock(data[rank]->c.data(), columns, c + rank * columns, size.n, size.m,
              columns);
}

void AllGatherGemm::reset() {
  for (const auto &mine : data) {
    mine->held.reset(1);
    mine->used.reset(0);
  }
}

void AllGatherGemm::compute(int64_t rank) {
  Rank &mine = *data[rank];
  int64_t rows = size.m / ranks, columns = size.n / ranks;
  for (int64_t t = 0; t < ranks; ++t) {
    mine.held.waitFor(t + 1);
    int64_t block = (rank + t) % ranks;
    gemm(rows, columns, size.k, mine.tile(t), size.k, mine.b.data(), columns, 0,
         mine.c.data() + block * rows * columns, columns);
    mine.used.advance(t + 1);
  }
}

void AllGatherGemm::hop(int64_t rank) {
  Rank &mine = *data[rank], &source = *data[next(rank)];
  for (int64_t t = 1; t < ranks; ++t) {
    source.held.waitFor(t);
    // The buffer held tile t - 2: this rank and the previous one are done with
    // it.
    mine.used.waitFor(t - 1);
    data[previous(rank)]->held.waitFor(t);
    std::memcpy(mine.travelling[t % 2].data(), source.tile(t - 1),
                mine.a.size() * sizeof(float));
    mine.held.advance(t + 1);
  }
}

//===----------------------------------------------------------------------===//
// GEMM reduce-scatter
//===----------------------------------------------------------------------===//

GemmReduceScatter::GemmReduceScatter(GemmSize size, int64_t ranks)
    : RingGemm(size, ranks) {
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

void GemmReduceScatter::setInputs(const float *a, const float *b) {
  int64_t columns = size.k / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Rank &mine = *data[rank];
    copyBlock(a + rank * columns, size.k, mine.a.data(), columns, size.m,
              columns);
    std::copy_n(b + rank * mine.b.size(), mine.b.size(), mine.b.data());
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
