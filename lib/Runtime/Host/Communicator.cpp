//===- Communicator.cpp - Communicators and what their ranks share --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

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

ncclResult_t ncclGetVersion(int *version) {
  if (!version)
    return setLastError(ncclInvalidArgument, "version is NULL");
  *version = 21900;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
  if (!uniqueId)
    return setLastError(ncclInvalidArgument, "uniqueId is NULL");
  return makeUniqueId(*uniqueId);
}

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
  return joinTeam(*comm, nranks, commId, rank);
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
