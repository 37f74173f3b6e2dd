//===- Launch.cpp - Runs the ranks of a launch ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"
#include "Watcher.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <system_error>

using namespace mercury::cuda;
using mercury::host::copyText;
using mercury::host::format;
using mercury::host::Plan;

/// Seconds that streams have to come to their end after a failure; what then
/// still runs is left to the end of the process.
static constexpr double kDrainSeconds = 5;

void mercury_cuda_config_init(mercury_cuda_config *config) {
  *config = mercury_cuda_config();
  config->transport = MERCURY_CUDA_AUTO;
  config->watchdog_seconds = 300;
}

int mercury_cuda_devices(int32_t *numDevices, char *error, size_t errorSize) {
  *numDevices = 0;
  copyText("", error, errorSize);
  std::string problem;
  int count = 0;
  if (const Driver *driver = loadDriver(problem)) {
    CUresult result = driver->cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS)
      problem = describe("cuDeviceGetCount", result);
    else if (count == 0)
      problem = "no CUDA device can be used here";
  }
  *numDevices = count;
  if (problem.empty())
    return ncclSuccess;
  copyText(problem, error, errorSize);
  return MERCURY_CUDA_UNAVAILABLE;
}

int mercury_cuda_processes(int32_t *process, int32_t *numProcesses, char *error,
                           size_t errorSize) {
  copyText("", error, errorSize);
  Environment environment;
  std::string problem = readEnvironment(environment);
  *process = environment.process;
  *numProcesses = environment.processes;
  if (problem.empty())
    return ncclSuccess;
  copyText(problem, error, errorSize);
  return ncclInvalidArgument;
}

int mercury_cuda_finish(int code, const char *text, char *error,
                        size_t errorSize) {
  std::string reason = text ? text : "";
  Processes::get().finish(code, reason);
  copyText(code ? reason : "", error, errorSize);
  return code;
}

int mercury_cuda_gather(mercury_context *context, const void *source,
                        size_t bytes, void *destination) {
  Domain &domain = *context->domain;
  WaitTimer timer(*context);
  if (domain.processes) {
    if (!domain.hasFailed() &&
        !domain.processes->gather(source, bytes, destination))
      domain.awaitFailure();
    return mercury_status(context);
  }
  if (context->rank == 0) {
    Domain::Lock lock(domain.mutex);
    domain.gathered = destination;
  }
  if (domain.barrier(context->rank) && bytes > 0)
    std::memcpy(static_cast<char *>(domain.gathered) + context->rank * bytes,
                source, bytes);
  domain.barrier(context->rank);
  return mercury_status(context);
}

namespace {

/// Where the ranks of a launch run.
struct Placement {
  mercury_cuda_transport transport = MERCURY_CUDA_NCCL;
  int firstDevice = 0;
  /// The rank that this process is, or -1: all ranks are its threads.
  int64_t onlyRank = -1;
};

/// Decides for `numRanks` ranks; returns a result code, and why in `error`.
int place(const mercury_cuda_config &config, const Environment &environment,
          int64_t numRanks, Placement &placement, std::string &error) {
  int32_t devices = 0;
  char text[512];
  if (int code = mercury_cuda_devices(&devices, text, sizeof(text))) {
    error = text;
    return code;
  }
  if (config.first_device < 0) {
    error = format("the first device is %d", config.first_device);
    return ncclInvalidArgument;
  }
  bool isProcess = environment.processes > 1;
  if (isProcess && environment.processes != numRanks) {
    error = format("the topology has %lld ranks, but there are %d processes",
                   static_cast<long long>(numRanks), environment.processes);
    return ncclInvalidArgument;
  }
  if (isProcess && config.transport == MERCURY_CUDA_COPIES) {
    error = "ranks that share a device must be threads of one process";
    return ncclInvalidArgument;
  }
  int64_t available = devices - config.first_device;
  placement.firstDevice = config.first_device;
  placement.transport = config.transport;
  if (config.transport == MERCURY_CUDA_AUTO)
    placement.transport = !isProcess && (numRanks == 1 || available < numRanks)
                              ? MERCURY_CUDA_COPIES
                              : MERCURY_CUDA_NCCL;
  int64_t needed = numRanks;
  if (isProcess) {
    // Job managers often show each process its own device only.
    bool seesOwnOnly = available == 1 && std::getenv("CUDA_VISIBLE_DEVICES");
    int number = seesOwnOnly ? 0 : environment.localRank;
    placement.onlyRank = environment.process;
    placement.firstDevice += number;
    needed = number + 1;
  } else if (placement.transport == MERCURY_CUDA_COPIES) {
    needed = 1;
  }
  if (available < needed) {
    error =
        format("%lld CUDA devices are needed from number %d on, the "
               "machine has %d",
               static_cast<long long>(needed), config.first_device, devices);
    return MERCURY_CUDA_UNAVAILABLE;
  }
  if (placement.transport == MERCURY_CUDA_NCCL && !loadNccl(error))
    return MERCURY_CUDA_UNAVAILABLE;
  return ncclSuccess;
}

/// One launch in this process.
class Launch {
public:
  Launch(std::shared_ptr<Domain> domain, mercury_host_main rankMain, void *user)
      : domain(std::move(domain)), rankMain(rankMain), user(user) {}
  void run(const Placement &placement);

private:
  /// The life of a rank on its thread.
  void runRank(mercury_context &context);
  /// Makes what the rank has on its device.
  void open(mercury_context &context);
  /// What the user's function does.
  void call(mercury_context &context);
  /// Gives back what the ranks have.
  void close();

  std::shared_ptr<Domain> domain;
  mercury_host_main rankMain;
  void *user;
  std::vector<std::unique_ptr<mercury_context>> contexts;
  std::unique_ptr<Watcher> watcher;
};

void Launch::call(mercury_context &context) {
  int result = ncclSuccess;
  try {
    result = rankMain(&context, user);
  } catch (...) {
    context.recordError(ncclInternalError, "", "rank_main threw an exception");
  }
  if (leaveGroup())
    context.recordError(ncclInvalidUsage, "",
                        "rank_main returned inside of a group");
  if (result != ncclSuccess && !domain->hasFailed())
    context.recordError(result, "",
                        format("rank_main returned %d: ", result) +
                            mercury::host::lastErrorText(result));
  context.drain();
}

void Launch::open(mercury_context &context) {
  context.open();
  if (context.pool && domain->transport == MERCURY_CUDA_NCCL)
    context.shareWith(contexts[0]->deviceNumber,
                      static_cast<int>(contexts.size()));
}

void Launch::runRank(mercury_context &context) {
  open(context);
  // All have a device before any waits for another one in NCCL.
  if (domain->barrier(context.rank))
    makeCommunicators(context);
  if (domain->barrier(context.rank))
    call(context);
  // Until all are through, others may read from this rank's memory.
  if (domain->leave(context.rank))
    context.destroyCommunicators();
  setCurrentContext(nullptr);
}

void Launch::close() {
  if (domain->hasFailed()) {
    watcher->waitForAbort();
    // Streams use what is to be given back, also that of other ranks.
    constexpr std::chrono::milliseconds kPause(1);
    auto deadline =
        mercury::host::after(mercury::host::Clock::now(), kDrainSeconds);
    auto areIdle = [&] {
      return std::all_of(contexts.begin(), contexts.end(),
                         [](auto &context) { return context->isIdle(); });
    };
    while (!areIdle()) {
      if (mercury::host::Clock::now() > deadline) {
        for (auto &lost : contexts)
          (void)lost.release();
        contexts.clear();
        return;
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  for (auto &context : contexts)
    context->close();
}

void Launch::run(const Placement &placement) {
  bool isProcess = placement.onlyRank >= 0;
  int64_t ranks = isProcess ? 1 : domain->topology.getNumRanks();
  for (int64_t i = 0; i < ranks; ++i) {
    int device = placement.firstDevice;
    if (!isProcess && placement.transport == MERCURY_CUDA_NCCL)
      device += static_cast<int>(i);
    contexts.push_back(std::make_unique<mercury_context>(
        domain, isProcess ? placement.onlyRank : i, device));
  }
  watcher = std::make_unique<Watcher>(*domain, contexts);
  if (isProcess) {
    runRank(*contexts[0]);
  } else {
    std::vector<std::thread> threads;
    for (auto &context : contexts) {
      try {
        threads.emplace_back([&] { runRank(*context); });
      } catch (const std::system_error &) {
        context->recordError(ncclSystemError, "",
                             "the system refused a thread for the rank");
      }
    }
    for (std::thread &thread : threads)
      thread.join();
  }
  close();
  // It reads the contexts.
  watcher.reset();
  contexts.clear();
  driver().cuCtxSetCurrent(nullptr);
}

} // namespace

int mercury_cuda_run(const mercury_cuda_config *config,
                     mercury_host_main rankMain, void *user, char *error,
                     size_t errorSize) {
  auto refuse = [&](int code, const std::string &text) {
    copyText(text, error, errorSize);
    return code;
  };
  copyText("", error, errorSize);
  if (!config || !rankMain)
    return refuse(ncclInvalidArgument, "config or rank_main is NULL");
  mercury_host_config host = {};
  host.levels = config->levels;
  host.num_levels = config->num_levels;
  host.communicators = config->communicators;
  host.num_communicators = config->num_communicators;
  host.watchdog_seconds = config->watchdog_seconds;
  host.memory_limit = config->memory_limit;
  Plan plan;
  std::string problem = makePlan(host, plan);
  Environment environment;
  if (problem.empty())
    problem = readEnvironment(environment);
  if (!problem.empty())
    return refuse(ncclInvalidArgument, problem);
  int64_t ranks = mercury::host::Topology(plan.levels).getNumRanks();
  Placement placement;
  if (int code = place(*config, environment, ranks, placement, problem))
    return refuse(code, problem);

  Processes *processes = nullptr;
  if (placement.onlyRank >= 0) {
    processes = &Processes::get();
    problem = processes->connect(environment);
    if (!problem.empty())
      return refuse(ncclSystemError, problem);
  }
  auto domain = std::make_shared<Domain>(plan, placement.transport, processes);
  if (processes)
    processes->setDomain(domain.get());
  Launch(domain, rankMain, user).run(placement);
  mercury::host::Failure failure = domain->getFailure();
  if (processes) {
    if (domain->hasFailed())
      processes->waitForVerdict(failure);
    processes->setDomain(nullptr);
  }
  if (failure.result == ncclSuccess)
    return ncclSuccess;
  return refuse(failure.result, failure.describe());
}
