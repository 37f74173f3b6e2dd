//===- Communicator.cpp - Communicators and what their ranks share --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstring>

using namespace mercury::host;

Team::Team(std::shared_ptr<Domain> domain, std::string name,
           std::vector<int64_t> globalRanks)
    : domain(std::move(domain)), name(std::move(name)),
      globalRanks(std::move(globalRanks)),
      collectivesIssued(this->globalRanks.size(), 0) {}

Team::~Team() {
  // Eager messages that nobody received. Their entries in the domain stay: the
  // launch reports them.
  for (auto &entry : channels)
    while (Operation *message = entry.second.sends) {
      entry.second.sends = message->next;
      delete message;
    }
}

Channel &Team::channel(int from, int to) {
  return channels[static_cast<uint64_t>(from) * size() + to];
}

std::string Team::describe() const {
  std::string text = "communicator '" + name + "' {";
  for (int i = 0; i < size(); ++i) {
    if (i == 8)
      return text + ",...}";
    text += i == 0 ? "" : ",";
    text += globalRanks[i] < 0
                ? "?"
                : std::to_string(static_cast<long long>(globalRanks[i]));
  }
  return text + "}";
}

std::string Team::describeRank(int rank) const {
  if (globalRanks[rank] < 0)
    return format("rank %d of the communicator", rank);
  return format("rank %lld", static_cast<long long>(globalRanks[rank]));
}

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

ncclResult_t ncclGetVersion(int *version) {
  if (!version)
    return setLastError(ncclInvalidArgument, "version is NULL");
  *version = 21900;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
  if (!uniqueId)
    return setLastError(ncclInvalidArgument, "uniqueId is NULL");
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  IdContent content;
  std::memcpy(content.magic, kMagic, sizeof(kMagic));
  content.number = ++all.lastNumber;
  std::memset(uniqueId, 0, sizeof(*uniqueId));
  std::memcpy(uniqueId->internal, &content, sizeof(content));
  return ncclSuccess;
}

// Unlike NCCL this returns at once: a rank that never calls it is reported by
// the first operation that waits for it.
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId,
                              int rank) {
  if (!comm)
    return setLastError(ncclInvalidArgument, "comm is NULL");
  *comm = nullptr;
  if (nranks < 1 || rank < 0 || rank >= nranks)
    return setLastError(
        ncclInvalidArgument,
        format("rank %d is not a rank of a communicator of size %d", rank,
               nranks));
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
  *comm = new ncclComm(std::move(team), rank, context, /*owned=*/false);
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  if (comm->owned)
    return setLastError(ncclInvalidUsage,
                        "communicators of a context are freed with it");
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  Domain &domain = *comm->team->domain;
  {
    // Whoever uses it on this rank, or waits for this rank on it, must wake up.
    Domain::Lock lock(domain.mutex);
    bool used = false;
    for (const Batch *batch : domain.batches)
      for (const Portion &portion : batch->portions)
        for (const Operation &operation : portion.operations)
          used |= !operation.done && operation.team == comm->team;
    if (used) {
      Failure error;
      error.rank = comm->team->globalRanks[comm->rank];
      error.result = ncclRemoteError;
      error.text = "aborted " + comm->team->describe();
      domain.fail(std::move(error));
    }
  }
  return comm->owned ? ncclSuccess : ncclCommDestroy(comm);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError) {
  if (!comm || !asyncError)
    return setLastError(ncclInvalidArgument, "comm or asyncError is NULL");
  Domain &domain = *comm->team->domain;
  *asyncError = ncclSuccess;
  if (!domain.hasFailed())
    return ncclSuccess;
  Domain::Lock lock(domain.mutex);
  *asyncError = domain.resultFor(comm->team->globalRanks[comm->rank]);
  setLastError(*asyncError, domain.getFailure().describe());
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  if (!comm || !count)
    return setLastError(ncclInvalidArgument, "comm or count is NULL");
  *count = comm->team->size();
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  if (!comm || !rank)
    return setLastError(ncclInvalidArgument, "comm or rank is NULL");
  *rank = comm->rank;
  return ncclSuccess;
}
