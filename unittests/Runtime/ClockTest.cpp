//===- ClockTest.cpp - Work on another machine's clock --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace mercury::test;

namespace {

/// Every piece of work takes a time of its kind, and is noted.
struct TestClock {
  struct Work {
    mercury_host_work_kind kind;
    std::vector<int64_t> ranks;
    int64_t bytes, index;
    double begin, end;
    bool isTold;
  };
  /// By kind; negative: refused.
  double seconds[6] = {0.02, 0.02, 0.02, 0.02, 0.02, 0.02};
  std::vector<Work> works;
  mercury_host_clock interface;

  TestClock() {
    interface.user = this;
    interface.begin = [](void *user, const mercury_host_work *work, double now,
                         char *error, size_t errorSize) -> int64_t {
      auto &clock = *static_cast<TestClock *>(user);
      double seconds = clock.seconds[work->kind];
      if (seconds < 0) {
        std::strncpy(error, "no such work", errorSize);
        return -1;
      }
      clock.works.push_back(
          {work->kind,
           std::vector<int64_t>(work->ranks, work->ranks + work->num_ranks),
           work->bytes, work->index, now, now + seconds, false});
      return static_cast<int64_t>(clock.works.size()) - 1;
    };
    interface.advance = [](void *user, double now, int64_t *ended,
                           int32_t capacity, double *next) {
      auto &works = static_cast<TestClock *>(user)->works;
      int32_t count = 0;
      *next = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < works.size(); ++i) {
        if (works[i].isTold)
          continue;
        if (works[i].end > now || count == capacity) {
          *next = std::min(*next, works[i].end);
          continue;
        }
        works[i].isTold = true;
        ended[count++] = static_cast<int64_t>(i);
      }
      return count;
    };
  }
  std::vector<Work> of(mercury_host_work_kind kind) const {
    std::vector<Work> list;
    for (const Work &work : works)
      if (work.kind == kind)
        list.push_back(work);
    return list;
  }
};

/// Ranks are threads: over MPI there is no clock.
bool canRun() { return processCount() == 1; }

/// Must not run.
void runs(void **) { ADD_FAILURE() << "a kernel ran"; }

void launchKernel(mercury_context *context) {
  mgpuLaunchKernel(reinterpret_cast<void *>(runs), 1, 1, 1, 1, 1, 1, 0,
                   mercury_compute_stream(context), nullptr, nullptr, 0);
}

TEST(Clock, KernelsWaitInTheirOrder) {
  if (!canRun())
    GTEST_SKIP() << "ranks are processes";
  TestClock clock;
  Launch launch(2);
  launch.config.clock = &clock.interface;
  EXPECT_RUNS(launch.run([](mercury_context *context) {
    for (int i = 0; i < 3; ++i)
      launchKernel(context);
    return mercury_synchronize(context);
  }));
  std::vector<TestClock::Work> kernels = clock.of(MERCURY_KERNEL);
  ASSERT_EQ(kernels.size(), 6u);
  for (int64_t rank : {0, 1}) {
    int64_t index = 0;
    double end = 0;
    for (const TestClock::Work &kernel : kernels) {
      if (kernel.ranks != std::vector<int64_t>{rank})
        continue;
      EXPECT_EQ(kernel.index, index++);
      EXPECT_GE(kernel.begin, end);
      EXPECT_TRUE(kernel.isTold);
      end = kernel.end;
    }
    EXPECT_EQ(index, 3);
  }
}

TEST(Clock, CommunicationIsToldOnce) {
  if (!canRun())
    GTEST_SKIP() << "ranks are processes";
  TestClock clock;
  Launch launch({{"node", 2, 0, 0}, {"gpu", 2, 0, 0}}, {{1}});
  launch.config.clock = &clock.interface;
  launch.config.time_scale = 0.5;
  std::vector<std::vector<float>> out(4, std::vector<float>(8)),
      in(4, std::vector<float>(16));
  EXPECT_RUNS(launch.run([&](mercury_context *context) {
    int64_t rank = mercury_rank(context);
    ncclComm_t comm = mercury_comm(context, 0);
    float *to = in[rank].data(), *from = out[rank].data();
    int peer = 1 - static_cast<int>(rank % 2);
    RETURN_IF_FAILED(ncclGroupStart());
    RETURN_IF_FAILED(ncclSend(from, 4, ncclFloat, peer, comm, nullptr));
    RETURN_IF_FAILED(ncclRecv(to, 4, ncclFloat, peer, comm, nullptr));
    RETURN_IF_FAILED(ncclGroupEnd());
    RETURN_IF_FAILED(ncclAllGather(from, to, 8, ncclFloat, comm, nullptr));
    RETURN_IF_FAILED(
        ncclReduceScatter(to, from, 8, ncclFloat, ncclSum, comm, nullptr));
    RETURN_IF_FAILED(
        ncclAllReduce(from, to, 8, ncclFloat, ncclSum, comm, nullptr));
    RETURN_IF_FAILED(ncclBroadcast(from, to, 8, ncclFloat, 0, comm, nullptr));
    return 0;
  }));
  EXPECT_EQ(clock.of(MERCURY_MESSAGE).size(), 4u);
  for (const TestClock::Work &work : clock.of(MERCURY_MESSAGE)) {
    EXPECT_EQ(work.bytes, 16);
    EXPECT_EQ(work.ranks[0] ^ 1, work.ranks[1]);
  }
  // Of the whole tensor, once for each of the two groups.
  const std::pair<mercury_host_work_kind, int64_t> collectives[] = {
      {MERCURY_ALL_GATHER, 64},
      {MERCURY_REDUCE_SCATTER, 64},
      {MERCURY_ALL_REDUCE, 32},
      {MERCURY_BROADCAST, 32}};
  for (auto [kind, bytes] : collectives) {
    std::vector<TestClock::Work> works = clock.of(kind);
    ASSERT_EQ(works.size(), 2u);
    std::sort(works.begin(), works.end(),
              [](auto &a, auto &b) { return a.ranks < b.ranks; });
    EXPECT_EQ(works[0].ranks, (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(works[1].ranks, (std::vector<int64_t>{2, 3}));
    for (const TestClock::Work &work : works) {
      EXPECT_EQ(work.bytes, bytes);
      EXPECT_TRUE(work.isTold);
    }
  }
  // What follows in a rank begins when what was before has ended.
  EXPECT_GE(clock.of(MERCURY_BROADCAST)[0].begin, 4 * 0.02);
}

TEST(Clock, RefusalFailsTheLaunch) {
  if (!canRun())
    GTEST_SKIP() << "ranks are processes";
  TestClock clock;
  clock.seconds[MERCURY_KERNEL] = -1;
  Launch launch(2);
  launch.config.clock = &clock.interface;
  Outcome outcome = launch.run([](mercury_context *context) {
    launchKernel(context);
    return mercury_synchronize(context);
  });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_TRUE(outcome.has("no such work")) << outcome.text;
}

TEST(Clock, SettingsThatContradictIt) {
  TestClock clock;
  auto refused = [&](const std::function<void(mercury_host_config &)> &change) {
    Launch launch(processCount());
    launch.config.clock = &clock.interface;
    change(launch.config);
    Outcome outcome = launch.run([](mercury_context *) { return 0; });
    EXPECT_EQ(outcome.code, ncclInvalidArgument);
    EXPECT_TRUE(outcome.has("a clock needs")) << outcome.text;
  };
  refused([](mercury_host_config &config) { config.time_scale = 0; });
  refused([](mercury_host_config &config) { config.emulate_links = 1; });
  refused([](mercury_host_config &config) { config.mode = MERCURY_EAGER; });
}

} // namespace
