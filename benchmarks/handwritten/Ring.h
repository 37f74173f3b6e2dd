//===- Ring.h - What a person would write instead ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks that are threads, in a ring. Each rank has a second thread that copies
// what travels while the first computes; two buffers per rank alternate. Ranks
// wait for each other by counters, no barrier is inside.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_HANDWRITTEN_RING_H
#define MERCURY_BENCHMARKS_HANDWRITTEN_RING_H

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace mercury::bench {

/// Threads, buffers and counters of a ring; the forms derive from it.
class Ring {
public:
  virtual ~Ring() = default;
  /// Cuts the global inputs into the shards of the ranks.
  virtual void setInputs(std::span<const float *const> inputs) = 0;
  /// Puts the global result together.
  virtual void getResult(float *result) const = 0;
  /// From the first rank's start to the last one's end, in seconds.
  struct Times {
    double wall;      ///< by the clock
    double processor; ///< of all threads of the process
  };
  /// Computes once.
  Times run();

protected:
  using Clock = std::chrono::steady_clock;
  /// What a rank has reached; only it writes, others wait. On a cache line of
  /// its own.
  class alignas(64) Counter {
  public:
    void reset(int to) { value.store(to, std::memory_order_relaxed); }
    void advance(int to) {
      value.store(to, std::memory_order_release);
      value.notify_all();
    }
    void waitFor(int least) const {
      for (int now; (now = value.load(std::memory_order_acquire)) < least;)
        value.wait(now, std::memory_order_acquire);
    }

  private:
    std::atomic<int> value{0};
  };

  explicit Ring(int64_t ranks);
  /// Starts the threads; call it at the end of the constructor of a form.
  void start();
  /// Ends them; call it in the destructor of a form.
  void stop();

  virtual void reset() = 0;
  virtual void compute(int64_t rank) = 0;
  virtual void hop(int64_t rank) = 0;

  int64_t next(int64_t rank) const { return (rank + 1) % ranks; }
  int64_t previous(int64_t rank) const { return (rank + ranks - 1) % ranks; }

  int64_t ranks;

private:
  std::vector<Clock::time_point> starts, ends;
  std::vector<double> processorStarts, processorEnds;
  std::barrier<> begin, end;
  bool stopping = false;
  std::vector<std::jthread> threads;
};

/// A ring in which the shards of all ranks come by at each: tile t of rank r is
/// the shard of rank r + t.
class GatheringRing : public Ring {
protected:
  /// `elements` of a shard.
  GatheringRing(int64_t ranks, int64_t elements);
  /// To be filled with the rank's own shard.
  float *shard(int64_t rank) { return shards[rank]->own.data(); }
  /// use(block, tile) for the shard of each rank, in the order of arrival.
  template <typename F> void overTiles(int64_t rank, F &&use) {
    Shards &mine = *shards[rank];
    for (int64_t t = 0; t < ranks; ++t) {
      mine.held.waitFor(t + 1);
      use((rank + t) % ranks, mine.tile(t));
      mine.used.advance(t + 1);
    }
  }
  void reset() override;
  void hop(int64_t rank) override;

private:
  struct Shards {
    std::vector<float> own, travelling[2]; ///< tile t > 0 lies in [t % 2]
    Counter held;                          ///< tiles that have arrived
    Counter used;                          ///< tiles that are not needed more
    const float *tile(int64_t t) const {
      return t ? travelling[t % 2].data() : own.data();
    }
  };
  std::vector<std::unique_ptr<Shards>> shards;
};

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_HANDWRITTEN_RING_H
