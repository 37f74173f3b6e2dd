//===- Communicator.cpp - Communicators by unique id ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstring>

using namespace mercury::host;

namespace {

/// What an ncclUniqueId of this library begins with.
struct IdContent {
  char magic[8];
  uint64_t number;
};
constexpr char kMagic[8] = {'m', 'e', 'r', 'c', 'u', 'r', 'y', 'H'};

/// A communicator that not all ranks have initialized.
struct Incomplete {
  std::shared_ptr<Team> team;
  std::vector<bool> joined;
  int missing;
};

/// All of these, by number of the id, and the domain outside of launches.
struct Registry {
  std::mutex mutex;
  std::map<uint64_t, Incomplete> incomplete;
  std::weak_ptr<Domain> freeDomain;
  uint64_t lastNumber = 0;
};

/// The registry lives until the process ends.
Registry &registry() {
  static Registry *instance = new Registry();
  return *instance;
}

/// The launch of the calling thread; outside of one, the domain that all
/// communicators made there share, renewed after a failure.
std::shared_ptr<Domain> domainOfThread(Registry &registry) {
  if (mercury_context *context = currentContext())
    return context->domain;
  std::shared_ptr<Domain> domain = registry.freeDomain.lock();
  if (!domain || domain->hasFailed()) {
    domain = std::make_shared<Domain>(Settings(), std::vector<Level>());
    registry.freeDomain = domain;
  }
  return domain;
}

} // namespace

void mercury::host::forgetIncompleteTeams(const Domain *domain) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (auto it = all.incomplete.begin(); it != all.incomplete.end();)
    if (it->second.team->domain.get() == domain)
      it = all.incomplete.erase(it);
    else
      ++it;
}

ncclResult_t mercury::host::makeUniqueId(ncclUniqueId &uniqueId) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  IdContent content;
  std::memcpy(content.magic, kMagic, sizeof(kMagic));
  content.number = ++all.lastNumber;
  std::memset(&uniqueId, 0, sizeof(uniqueId));
  std::memcpy(uniqueId.internal, &content, sizeof(content));
  return ncclSuccess;
}

// Unlike NCCL this returns at once: a rank that never calls it is reported by
// the first operation that waits for it.
ncclResult_t mercury::host::joinTeam(ncclComm_t &comm, int nranks,
                                     const ncclUniqueId &commId, int rank) {
  IdContent content;
  std::memcpy(&content, commId.internal, sizeof(content));
  if (std::memcmp(content.magic, kMagic, sizeof(kMagic)) != 0)
    return setLastError(ncclInvalidArgument,
                        "commId was not made by ncclGetUniqueId");
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::shared_ptr<Domain> domain = domainOfThread(all);
  auto [it, isNew] = all.incomplete.try_emplace(content.number);
  Incomplete &entry = it->second;
  if (isNew) {
    entry.team = std::make_shared<Team>(
        domain,
        format("id %llu", static_cast<unsigned long long>(content.number)),
        std::vector<int64_t>(nranks, -1));
    entry.joined.resize(nranks);
    entry.missing = nranks;
  }
  std::shared_ptr<Team> team = entry.team;
  if (team->domain != domain)
    return setLastError(ncclInvalidUsage,
                        format("the ranks of %s are not of one launch",
                               team->describe().c_str()));
  if (team->size() != nranks)
    return setLastError(
        ncclInvalidArgument,
        format("rank %d asks for a communicator of size %d, another rank "
               "asked for size %d with the same id",
               rank, nranks, team->size()));
  if (entry.joined[rank])
    return setLastError(
        ncclInvalidArgument,
        format("rank %d has joined the communicator twice", rank));
  entry.joined[rank] = true;
  if (--entry.missing == 0)
    all.incomplete.erase(it);
  mercury_context *context = currentContext();
  {
    Domain::Lock domainLock(domain->mutex);
    team->globalRanks[rank] = context ? context->rank : rank;
  }
  comm = new ncclComm(std::move(team), rank, context, /*owned=*/false);
  return ncclSuccess;
}
