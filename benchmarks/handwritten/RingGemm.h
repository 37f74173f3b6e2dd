//===- RingGemm.h - What a person would write instead -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = A * B on ranks that are threads, with OpenBLAS, in the two forms that the
// shifted schedules of Mercury have. Each rank has a second thread that copies
// what travels while the first computes; two buffers per rank alternate. Ranks
// wait for each other by counters, no barrier is inside.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_HANDWRITTEN_RINGGEMM_H
#define MERCURY_BENCHMARKS_HANDWRITTEN_RINGGEMM_H

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace mercury::bench {

/// Extents of C (m x n) and of the reduction; ranks divide m, n and k.
struct GemmSize {
  int64_t m, n, k;
};

/// Threads, buffers and counters of a ring; the forms are below.
class RingGemm {
public:
  virtual ~RingGemm() = default;
  /// Cuts the global matrices into the shards of the ranks.
  virtual void setInputs(const float *a, const float *b) = 0;
  /// Puts the global result together.
  virtual void getResult(float *c) const = 0;
  /// From the first rank's start to the last one's end, in seconds.
  struct Times {
    double wall;      ///< by the clock
    double processor; ///< of all threads of the process
  };
  /// One product.
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

  RingGemm(GemmSize size, int64_t ranks);
  /// Starts the threads; call it at the end of the constructor of a form.
  void start();
  /// Ends them; call it in the destructor of a form.
  void stop();

  virtual void reset() = 0;
  virtual void compute(int64_t rank) = 0;
  virtual void hop(int64_t rank) = 0;

  int64_t next(int64_t rank) const { return (rank + 1) % ranks; }
  int64_t previous(int64_t rank) const { return (rank + ranks - 1) % ranks; }

  GemmSize size;
  int64_t ranks;

private:
  std::vector<Clock::time_point> starts, ends;
  std::vector<double> processorStarts, processorEnds;
  std::barrier<> begin, end;
  bool stopping = false;
  std::vector<std::jthread> threads;
};

/// Rank r owns block r of the rows of A, of the columns of B and of C; the
/// blocks of A travel.
class AllGatherGemm : public RingGemm {
public:
  AllGatherGemm(GemmSize size, int64_t ranks);
  ~AllGatherGemm() override { stop(); }
  void setInputs(const float *a, const float *b) override;
  void getResult(float *c) const override;

private:
  struct Rank {
    std::vector<float> a, b, c;
    std::vector<float> travelling[2]; ///< tile t > 0 lies in [t % 2]
    Counter held;                     ///< tiles of A that have arrived
    Counter used;                     ///< tiles of A that are not needed more
    const float *tile(int64_t t) const {
      return t ? travelling[t % 2].data() : a.data();
    }
  };
  void reset() override;
  void compute(int64_t rank) override;
  void hop(int64_t rank) override;
  std::vector<std::unique_ptr<Rank>> data;
};

/// Rank r owns block r of the columns of A, of the rows of B and of the rows of
/// C; partial sums of row blocks travel to their owner.
class GemmReduceScatter : public RingGemm {
public:
  GemmReduceScatter(GemmSize size, int64_t ranks);
  ~GemmReduceScatter() override { stop(); }
  void setInputs(const float *a, const float *b) override;
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
  std::vector<std::unique_ptr<Rank>> data;
};

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_HANDWRITTEN_RINGGEMM_H
