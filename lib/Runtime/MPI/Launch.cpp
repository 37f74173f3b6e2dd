//===- Launch.cpp - Runs the rank that a process is -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include <numeric>

using namespace mercury::host;

int mercury_host_run(const mercury_host_config *config,
                     mercury_host_main rankMain, void *user, char *error,
                     size_t errorSize) {
  copyText("", error, errorSize);
  auto refuse = [&](ncclResult_t result, const std::string &why) {
    copyText(why, error, errorSize);
    return result;
  };
  if (!config || !rankMain)
    return refuse(ncclInvalidArgument, "config or rank_main is NULL");
  Plan plan;
  if (std::string problem = makePlan(*config, plan); !problem.empty())
    return refuse(ncclInvalidArgument, problem);
  if (plan.settings.emulateLinks || plan.settings.clock)
    return refuse(ncclInvalidArgument,
                  "links are emulated between threads only");
  Processes &processes = Processes::get();
  if (std::string problem = processes.join(); !problem.empty())
    return refuse(ncclSystemError, problem);
  auto domain = std::make_shared<Domain>(plan.settings, plan.levels);
  int64_t numRanks = domain->topology.getNumRanks();
  if (numRanks != processes.getSize())
    return refuse(ncclInvalidArgument,
                  format("the topology has %lld ranks, but MPI runs %d "
                         "processes",
                         static_cast<long long>(numRanks),
                         processes.getSize()));
  int64_t numCommunicators = plan.communicators.size();
  if (numCommunicators > processes.maxTeam())
    return refuse(ncclInvalidArgument,
                  format("%lld communicators, tags of MPI tell %lld apart",
                         static_cast<long long>(numCommunicators),
                         static_cast<long long>(processes.maxTeam())));
  if (std::string problem = processes.open(*domain, numCommunicators);
      !problem.empty())
    return refuse(ncclRemoteError, problem);
  Failure root;
  {
    mercury_context context(domain, processes.getRank(), plan.communicators);
    runRank(context, rankMain, user);
    root = processes.close();
  }
  if (root.result != ncclSuccess)
    copyText(root.describe(), error, errorSize);
  return root.result;
}

int mercury_host_gather(mercury_context *context, const void *source,
                        size_t bytes, void *destination) {
  std::shared_ptr<Team> &team = context->everybody;
  if (!team) {
    std::vector<int64_t> ranks(context->domain->topology.getNumRanks());
    std::iota(ranks.begin(), ranks.end(), 0);
    team = std::make_shared<Team>(context->domain, "all", std::move(ranks));
  }
  // Without a context its messages are not counted.
  ncclComm comm(team, static_cast<int>(context->rank), nullptr,
                /*owned=*/false);
  ncclGroupStart();
  ncclSend(source, bytes, ncclUint8, 0, &comm, nullptr);
  for (int i = 0; context->rank == 0 && i < team->size(); ++i)
    ncclRecv(static_cast<char *>(destination) + i * bytes, bytes, ncclUint8, i,
             &comm, nullptr);
  ncclResult_t result = ncclGroupEnd();
  mercury_check(context, result, "gathering results");
  return mercury_status(context);
}

int mercury_host_processes(int32_t *process, int32_t *numProcesses, char *error,
                           size_t errorSize) {
  copyText("", error, errorSize);
  Processes &processes = Processes::get();
  std::string problem = processes.join();
  *process = processes.getRank();
  *numProcesses = processes.getSize();
  copyText(problem, error, errorSize);
  return problem.empty() ? ncclSuccess : ncclSystemError;
}

int mercury_host_finish(int code, const char *text, char *error,
                        size_t errorSize) {
  Failure end;
  end.result = code;
  end.text = text ? text : "";
  end = Processes::get().finish(std::move(end));
  copyText(end.describe(), error, errorSize);
  return end.result;
}
