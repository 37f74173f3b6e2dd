//===- Launch.cpp - Runs the ranks of a launch as threads -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <cstring>
#include <system_error>

using namespace mercury::host;

int mercury_host_run(const mercury_host_config *config,
                     mercury_host_main rankMain, void *user, char *error,
                     size_t errorSize) {
  copyText("", error, errorSize);
  if (!config || !rankMain) {
    copyText("config or rank_main is NULL", error, errorSize);
    return ncclInvalidArgument;
  }
  Plan plan;
  std::string problem = makePlan(*config, plan);
  if (!problem.empty()) {
    copyText(problem, error, errorSize);
    return ncclInvalidArgument;
  }

  auto domain = std::make_shared<Domain>(plan.settings, plan.levels);
  int64_t numRanks = domain->topology.getNumRanks();
  std::vector<std::unique_ptr<mercury_context>> contexts;
  for (int64_t rank = 0; rank < numRanks; ++rank)
    contexts.push_back(
        std::make_unique<mercury_context>(domain, rank, plan.communicators));
  std::vector<std::thread> threads;
  threads.reserve(numRanks);
  for (auto &context : contexts) {
    try {
      threads.emplace_back(runRank, std::ref(*context), rankMain, user);
    } catch (const std::system_error &) {
      context->recordError(ncclSystemError, "",
                           "the system refused a thread for the rank");
      domain->rankReturned(context->rank);
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  forgetIncompleteTeams(domain.get());

  Domain::Lock lock(domain->mutex);
  if (domain->getRoot().result == ncclSuccess && !domain->undelivered.empty()) {
    domain->noteError(lostMessage(domain->undelivered.front()));
  }
  Failure root = domain->getRoot();
  lock.unlock();
  contexts.clear();
  if (root.result != ncclSuccess)
    copyText(root.describe(), error, errorSize);
  return root.result;
}

int mercury_host_gather(mercury_context *context, const void *source,
                        size_t bytes, void *destination) {
  Domain &domain = *context->domain;
  if (context->rank == 0) {
    Domain::Lock lock(domain.mutex);
    domain.gathered = destination;
  }
  domain.barrier(context->rank);
  if (!domain.hasFailed() && bytes > 0)
    std::memcpy(static_cast<char *>(domain.gathered) + context->rank * bytes,
                source, bytes);
  domain.barrier(context->rank);
  return mercury_status(context);
}

int mercury_host_processes(int32_t *process, int32_t *numProcesses, char *error,
                           size_t errorSize) {
  copyText("", error, errorSize);
  *process = 0;
  *numProcesses = 1;
  return ncclSuccess;
}

int mercury_host_finish(int code, const char *text, char *error,
                        size_t errorSize) {
  copyText(text ? text : "", error, errorSize);
  return code;
}
