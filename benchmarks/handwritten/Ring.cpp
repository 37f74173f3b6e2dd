//===- Ring.cpp - What a person would write instead -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ring.h"
#include "../Support.h"

#include <algorithm>
#include <cstring>

using namespace mercury::bench;

Ring::Ring(int64_t ranks)
    : ranks(ranks), starts(ranks), ends(ranks), processorStarts(ranks),
      processorEnds(ranks), begin(2 * ranks + 1), end(2 * ranks + 1) {}

void Ring::start() {
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

void Ring::stop() {
  stopping = true;
  begin.arrive_and_wait();
  threads.clear();
}

Ring::Times Ring::run() {
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

GatheringRing::GatheringRing(int64_t ranks, int64_t elements) : Ring(ranks) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Shards &mine = *shards.emplace_back(std::make_unique<Shards>());
    for (std::vector<float> *buffer :
         {&mine.own, &mine.travelling[0], &mine.travelling[1]})
      buffer->resize(elements);
  }
}

void GatheringRing::reset() {
  for (const auto &mine : shards) {
    mine->held.reset(1);
    mine->used.reset(0);
  }
}

void GatheringRing::hop(int64_t rank) {
  Shards &mine = *shards[rank], &source = *shards[next(rank)];
  for (int64_t t = 1; t < ranks; ++t) {
    source.held.waitFor(t);
    // The buffer held tile t - 2: this rank and the previous one are done with
    // it.
    mine.used.waitFor(t - 1);
    shards[previous(rank)]->held.waitFor(t);
    std::memcpy(mine.travelling[t % 2].data(), source.tile(t - 1),
                mine.own.size() * sizeof(float));
    mine.held.advance(t + 1);
  }
}
