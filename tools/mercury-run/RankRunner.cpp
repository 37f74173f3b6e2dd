//===- RankRunner.cpp - Every rank of a program --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankRunner.h"
#include "HostLibrary.h"
#include "Jit.h"
#include "Reference.h"
#include "RunError.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>

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

/// What one rank tells rank 0 about a repetition.
struct Record {
  int64_t start, end; ///< ns of a clock that the threads of a process share
  int64_t processor;  ///< ns that the rank's thread ran
  mercury_host_stats stats;
};

/// One launch. Ranks that are threads share it; rank 0 alone writes to it what
/// all ranks have sent it.
struct Launch {
  const HostLibrary &host;
  const CompiledProgram &program;
  const std::vector<HostTensor> &arguments;
  const LaunchOptions &options;
  RunResult result;

  /// The body of the rank of `ctx`.
  int run(mercury_context *ctx);

private:
  int upload(mercury_context *ctx, void *memory, const HostTensor &argument,
             const ShardSpec &shard);
  void poison(mercury_context *ctx, void *memory, size_t bytes);
  bool allocate(mercury_context *ctx, std::vector<void *> &buffers);
  bool isNumber(size_t buffer) const {
    return buffer < arguments.size() && program.arguments[buffer].isNumber;
  }
  int collect(mercury_context *ctx, int64_t repetition, const Record &record,
              const std::vector<void *> &buffers);
};
} // namespace

/// Copies this rank's shard to `memory`. Returns the status.
int Launch::upload(mercury_context *ctx, void *memory,
                   const HostTensor &argument, const ShardSpec &shard) {
  auto slice = [&](void *to) {
    sliceShard(argument, shard, program.topology, host.rank(ctx), to);
  };
  if (!host.onDevice()) {
    slice(memory);
    return 0;
  }
  std::vector<uint8_t> bytes(shard.localBytes());
  slice(bytes.data());
  return host.toDevice(ctx, memory, bytes.data(), bytes.size());
}

/// Fills memory with ones, NaN.
void Launch::poison(mercury_context *ctx, void *memory, size_t bytes) {
  if (host.onDevice())
    host.fill(ctx, memory, 0xff, bytes);
  else
    std::memset(memory, 0xff, bytes);
}

bool Launch::allocate(mercury_context *ctx, std::vector<void *> &buffers) {
  int32_t owner = 0;
  for (const std::vector<ShardSpec> *shards :
       {&program.arguments, &program.results})
    for (const ShardSpec &shard : *shards) {
      if (shard.isNumber) {
        buffers.push_back(
            const_cast<uint8_t *>(arguments[buffers.size()].data.data()));
        continue;
      }
      void *memory =
          host.alloc(ctx, shard.localBytes(), MERCURY_OWN_SHARD, owner++);
      if (!memory)
        return false;
      buffers.push_back(memory);
    }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!isNumber(i) &&
        upload(ctx, buffers[i], arguments[i], program.arguments[i]))
      return false;
  return true;
}

/// Seconds of a repetition: from the first rank's start to the last one's end.
/// Processes may be on machines whose clocks differ: there, of the slowest
/// rank.
static double secondsOf(const std::vector<Record> &records, bool sameClock) {
  int64_t start = records[0].start, end = records[0].end, longest = 0;
  for (const Record &record : records) {
    start = std::min(start, record.start);
    end = std::max(end, record.end);
    longest = std::max(longest, record.end - record.start);
  }
  return static_cast<double>(sameClock ? end - start : longest) * 1e-9;
}

int Launch::collect(mercury_context *ctx, int64_t repetition,
                    const Record &record, const std::vector<void *> &buffers) {
  bool isRoot = host.rank(ctx) == 0;
  size_t ranks = program.topology.numRanks();
  std::vector<Record> records(isRoot ? ranks : 0);
  if (int status = host.gather(ctx, &record, sizeof(record), records.data()))
    return status;
  if (isRoot) {
    setPoisonAllocations(false);
    result.seconds.push_back(secondsOf(records, !host.ranksAreProcesses));
    int64_t most = 0;
    for (const Record &one : records)
      most = std::max(most, one.processor);
    result.processorSeconds.push_back(most * 1e-9);
    if (repetition == 0)
      for (const Record &one : records)
        result.stats.push_back(one.stats);
    result.results.clear();
    result.divergences.clear();
  }
  // Results that nobody looks at are not put together.
  bool isLast = repetition + 1 == options.repeat;
  if (!options.onRepetition && !(isLast && options.results))
    return 0;
  for (size_t i = 0; i < program.results.size(); ++i) {
    size_t bytes = program.results[i].localBytes();
    std::vector<uint8_t> gathered(isRoot ? ranks * bytes : 0), copy;
    const void *shard = buffers[arguments.size() + i];
    if (host.onDevice()) {
      copy.resize(bytes);
      if (int status = host.toHost(ctx, copy.data(), shard, bytes))
        return status;
      shard = copy.data();
    }
    if (int status = host.gather(ctx, shard, bytes, gathered.data()))
      return status;
    if (!isRoot)
      continue;
    std::vector<const void *> shards;
    for (size_t rank = 0; rank < ranks; ++rank)
      shards.push_back(gathered.data() + rank * bytes);
    result.results.push_back(assembleShards(
        shards, program.results[i], program.topology, i, result.divergences));
  }
  if (isRoot && options.onRepetition)
    options.onRepetition(repetition, result.results, result.divergences);
  return 0;
}

/// ns that this thread has run.
static int64_t processorTime() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

int Launch::run(mercury_context *ctx) {
  auto now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               Clock::now().time_since_epoch())
        .count();
  };
  std::vector<void *> buffers; // arguments, results
  int status = allocate(ctx, buffers) ? 0 : host.status(ctx);
  Record record{};
  for (int64_t i = 0; !status && i < options.repeat; ++i) {
    for (size_t r = 0; r < program.results.size(); ++r)
      poison(ctx, buffers[arguments.size() + r],
             program.results[r].localBytes());
    host.barrier(ctx);
    // Waiting in our own barrier is not the program's.
    mercury_host_stats before;
    host.getStats(ctx, &before);
    record.start = now();
    int64_t ran = processorTime();
    status = program.packed(ctx, buffers.data());
    // Programs for devices return when all is enqueued.
    if (int32_t end = host.synchronize(ctx); !status)
      status = end;
    record.end = now();
    record.processor = processorTime() - ran;
    host.getStats(ctx, &record.stats);
    record.stats.wait_seconds -= before.wait_seconds;
    // A rank that has failed does not come further; then nobody waits for it.
    if (!status)
      status = collect(ctx, i, record, buffers);
    if (!status)
      host.barrier(ctx);
  }
  if (!status)
    status = host.status(ctx);
  // After an error other ranks may still read from here; the launch frees what
  // is left when all have ended.
  if (!status)
    for (auto [i, memory] : llvm::enumerate(buffers))
      if (!isNumber(i))
        host.free(ctx, memory);
  return status;
}

llvm::Expected<RunResult> runProgram(const CompiledProgram &program,
                                     const std::vector<HostTensor> &arguments,
                                     const LaunchOptions &options) {
  const HostLibrary &host = hostLibrary();
  if (llvm::Error error = checkArguments(program.globalArguments(), arguments))
    return std::move(error);
  if (host.ranksAreProcesses) {
    int32_t process, processes;
    char problem[1024] = "";
    if (host.processes(&process, &processes, problem, sizeof(problem)))
      return runtimeFailure(problem);
    if (program.topology.numRanks() != processes)
      return badInput("the topology has " +
                      llvm::Twine(program.topology.numRanks()) +
                      (host.onDevice() ? " ranks, but there are "
                                       : " ranks, but MPI runs ") +
                      llvm::Twine(processes) + " processes");
  }
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
  host.configInit(&config);
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
  config.jitter_seconds = options.jitterSeconds;
  config.clock = options.clock;

  Launch launch{host, program, arguments, options, {}};
  char error[8192] = "";
  setPoisonAllocations(options.poison);
  int status = host.run(
      &config,
      [](mercury_context *ctx, void *user) {
        return static_cast<Launch *>(user)->run(ctx);
      },
      &launch, error, sizeof(error));
  setPoisonAllocations(false);
  if (status == MERCURY_CUDA_UNAVAILABLE)
    return llvm::make_error<RunError>(Outcome::Unavailable, error);
  if (std::string fault = takeKernelFault(); !fault.empty())
    return runtimeFailure(fault);
  if (status)
    return runtimeFailure(error);
  return std::move(launch.result);
}

} // namespace mercury::run
