//===- Communicator.cpp - Communicators by unique id ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include <algorithm>
#include <cstring>

using namespace mercury::host;

namespace {

/// What an ncclUniqueId of this library begins with. The process that made it
/// collects the ranks that join.
struct IdContent {
  char magic[8];
  uint64_t number;
  int32_t process;
};
constexpr char kMagic[8] = {'m', 'e', 'r', 'c', 'u', 'r', 'y', 'P'};

} // namespace

ncclResult_t mercury::host::makeUniqueId(ncclUniqueId &uniqueId) {
  static uint64_t lastNumber = 0;
  IdContent content{};
  std::memcpy(content.magic, kMagic, sizeof(kMagic));
  content.process = Processes::get().getRank();
  content.number = ++lastNumber;
  std::memset(&uniqueId, 0, sizeof(uniqueId));
  std::memcpy(uniqueId.internal, &content, sizeof(content));
  return ncclSuccess;
}

ncclResult_t mercury::host::joinTeam(ncclComm_t &comm, int nranks,
                                     const ncclUniqueId &commId, int rank) {
  IdContent content;
  std::memcpy(&content, commId.internal, sizeof(content));
  if (std::memcmp(content.magic, kMagic, sizeof(kMagic)) != 0)
    return setLastError(ncclInvalidArgument,
                        "commId was not made by ncclGetUniqueId");
  mercury_context *context = currentContext();
  if (!context)
    return setLastError(ncclInvalidUsage,
                        "ranks are processes: communicators are made inside of "
                        "mercury_host_run only");
  Processes &processes = Processes::get();
  Domain &domain = *context->domain;
  // Ids are counted by each process.
  uint64_t key = static_cast<uint64_t>(content.process) << 40 | content.number;
  std::string name =
      format("id %llu", static_cast<unsigned long long>(content.number));
  Notice request(About::Joins);
  request.head.values[0] = static_cast<int64_t>(key);
  request.head.values[1] = nranks;
  request.head.values[2] = rank;
  request.head.values[3] = processes.nextTeam;
  Domain::Lock lock(domain.mutex);
  domain.progress();
  processes.send(content.process, request);
  processes.waitsIn = "ncclCommInitRank for the other ranks of " + name;
  while (!processes.answers.count(key) && !domain.hasFailed())
    domain.wait(lock);
  processes.waitsIn.clear();
  if (domain.hasFailed()) {
    ncclResult_t result = domain.resultFor(context->rank);
    return setLastError(result, domain.getFailure().describe());
  }
  Notice answer = std::move(processes.answers[key]);
  processes.answers.erase(key);
  if (answer.head.result != ncclSuccess)
    return setLastError(static_cast<ncclResult_t>(answer.head.result),
                        answer.text);
  std::vector<int64_t> ranks(nranks);
  std::memcpy(ranks.data(), answer.text.data(), answer.text.size());
  int64_t number = answer.head.values[1];
  processes.nextTeam = std::max(processes.nextTeam, number + 1);
  auto team = std::make_shared<Team>(context->domain, name, std::move(ranks));
  team->number = static_cast<int>(number);
  comm = new ncclComm(std::move(team), rank, context, /*owned=*/false);
  return ncclSuccess;
}
