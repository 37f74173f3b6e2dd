//===- RankRunner.cpp - Every rank of a program, as a thread --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankRunner.h"
#include "Jit.h"
#include "Reference.h"
#include "RunError.h"
#include <algorithm>
#include <chrono>
#include <cstring>

namespace mercury::run {

double RunResult::medianSeconds() const {
  if (seconds.empty())
    return 0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half]
                           : (sorted[half - 1] + sorted[half]) / 2;
}

namespace {
using Clock = std::chrono::steady_clock;

/// What the threads of one launch share; each writes only what is its own, and
/// rank 0 collects between two barriers.
struct Launch {
  const CompiledProgram &program;
  const std::vector<HostTensor> &arguments;
  const LaunchOptions &options;
  RunResult result;
  std::vector<std::vector<void *>> buffers; ///< per rank: arguments, results
  std::vector<Clock::time_point> starts, ends;

  /// The body of the thread of `ctx`.
  int run(mercury_context *ctx);

private:
  bool allocate(mercury_context *ctx, int64_t rank);
  void collect(int64_t repetition);
};
} // namespace

bool Launch::allocate(mercury_context *ctx, int64_t rank) {
  std::vector<void *> &own = buffers[rank];
  int32_t owner = 0;
  for (const std::vector<ShardSpec> *shards :
       {&program.arguments, &program.results})
    for (const ShardSpec &shard : *shards) {
      void *memory =
          mercury_alloc(ctx, shard.localBytes(), MERCURY_OWN_SHARD, owner++);
      if (!memory)
        return false;
      own.push_back(memory);
    }
  for (size_t i = 0; i < arguments.size(); ++i)
    sliceShard(arguments[i], program.arguments[i], program.topology, rank,
               own[i]);
  return true;
}

void Launch::collect(int64_t repetition) {
  setPoisonAllocations(false);
  result.seconds.push_back(std::chrono::duration<double>(
                               *std::max_element(ends.begin(), ends.end()) -
                               *std::min_element(starts.begin(), starts.end()))
                               .count());
  // Results that nobody looks at are not put together.
  if (!options.onRepetition && repetition + 1 < options.repeat)
    return;
  result.results.clear();
  result.divergences.clear();
  for (size_t i = 0; i < program.results.size(); ++i) {
    std::vector<const void *> shards;
    for (const std::vector<void *> &own : buffers)
      shards.push_back(own[arguments.size() + i]);
    result.results.push_back(assembleShards(
        shards, program.results[i], program.topology, i, result.divergences));
  }
  if (options.onRepetition)
    options.onRepetition(repetition, result.results, result.divergences);
}

int Launch::run(mercury_context *ctx) {
  int64_t rank = mercury_rank(ctx);
  std::vector<void *> &own = buffers[rank];
  int status = allocate(ctx, rank) ? 0 : mercury_status(ctx);
  for (int64_t i = 0; !status && i < options.repeat; ++i) {
    for (size_t r = 0; r < program.results.size(); ++r)
      std::memset(own[arguments.size() + r], 0xff,
                  program.results[r].localBytes());
    mercury_host_barrier(ctx);
    // Waiting in our own barrier is not the program's.
    mercury_host_stats before;
    mercury_host_get_stats(ctx, &before);
    starts[rank] = Clock::now();
    status = program.packed(ctx, own.data());
    ends[rank] = Clock::now();
    if (i == 0) {
      mercury_host_get_stats(ctx, &result.stats[rank]);
      result.stats[rank].wait_seconds -= before.wait_seconds;
    }
    if (!status)
      status = mercury_status(ctx);
    if (status)
      break;
    mercury_host_barrier(ctx);
    // A rank that has failed does not come here; then nobody waits for it.
    status = mercury_status(ctx);
    if (!status && rank == 0)
      collect(i);
    mercury_host_barrier(ctx);
  }
  // After an error other ranks may still read from here; the launch frees what
  // is left when all have ended.
  if (!status)
    for (void *memory : own)
      mercury_free(ctx, memory);
  return status;
}

llvm::Expected<RunResult> runProgram(const CompiledProgram &program,
                                     const std::vector<HostTensor> &arguments,
                                     const LaunchOptions &options) {
  if (llvm::Error error = checkArguments(program.globalArguments(), arguments))
    return std::move(error);
  llvm::Expected<HostLayout> layout =
      layoutRanks(program.topology, program.communicators);
  if (!layout)
    return layout.takeError();
  for (mercury_host_level &level : layout->levels) {
    if (options.linkBandwidth >= 0)
      level.bandwidth = options.linkBandwidth;
    if (options.linkLatency >= 0)
      level.latency = options.linkLatency;
  }
  std::vector<mercury_host_communicator> communicators;
  for (const std::vector<int32_t> &levels : layout->communicators)
    communicators.push_back(
        {levels.data(), static_cast<int32_t>(levels.size())});

  mercury_host_config config;
  mercury_host_config_init(&config);
  config.levels = layout->levels.data();
  config.num_levels = static_cast<int32_t>(layout->levels.size());
  config.communicators = communicators.data();
  config.num_communicators = static_cast<int32_t>(communicators.size());
  config.mode = options.eager ? MERCURY_EAGER : MERCURY_RENDEZVOUS;
  config.strict = options.strict;
  config.emulate_links = options.emulateLinks || options.linkBandwidth >= 0 ||
                         options.linkLatency >= 0;
  config.time_scale = options.timeScale;
  config.watchdog_seconds = options.watchdogSeconds;
  config.memory_limit = options.memoryLimit;

  int64_t ranks = program.topology.numRanks();
  Launch launch{program, arguments, options, {}, {}, {}, {}};
  launch.buffers.resize(ranks);
  launch.result.stats.resize(ranks);
  launch.starts.resize(ranks);
  launch.ends.resize(ranks);
  char error[1024] = "";
  setPoisonAllocations(options.poison);
  int status = mercury_host_run(
      &config,
      [](mercury_context *ctx, void *user) {
        return static_cast<Launch *>(user)->run(ctx);
      },
      &launch, error, sizeof(error));
  setPoisonAllocations(false);
  if (status)
    return runtimeFailure(error);
  return std::move(launch.result);
}

} // namespace mercury::run
