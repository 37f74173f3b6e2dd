//===- Handles.cpp - The ABI's functions for communicators ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>
#include <cstring>

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::setLastError;

ncclResult_t mercury::cuda::tellNccl(const Nccl &nccl, ncclResult_t result,
                                     ncclComm_t comm) {
  if (result == ncclSuccess)
    return result;
  std::string text = nccl.ncclGetErrorString(result);
  if (const char *more = nccl.ncclGetLastError(comm); more && *more)
    text += std::string(": ") + more;
  return setLastError(result, "NCCL: " + text);
}

/// The true NCCL, for calls outside of launches where ranks share a device;
/// NULL with the last error set.
static const Nccl *realNccl() {
  std::string error;
  const Nccl *nccl = loadNccl(error);
  if (!nccl)
    setLastError(ncclSystemError, error);
  return nccl;
}

/// The launch of the calling thread when its ranks share a device.
static Domain *copiesOfThread() {
  mercury_context *context = currentContext();
  bool copies = context && context->domain->transport == MERCURY_CUDA_COPIES;
  return copies ? context->domain.get() : nullptr;
}

ncclResult_t ncclGetVersion(int *version) {
  if (!version)
    return setLastError(ncclInvalidArgument, "version is NULL");
  if (copiesOfThread()) {
    *version = 21900;
    return ncclSuccess;
  }
  const Nccl *nccl = realNccl();
  return nccl ? tellNccl(*nccl, nccl->ncclGetVersion(version), nullptr)
              : ncclSystemError;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
  if (!uniqueId)
    return setLastError(ncclInvalidArgument, "uniqueId is NULL");
  if (!copiesOfThread()) {
    const Nccl *nccl = realNccl();
    return nccl ? tellNccl(*nccl, nccl->ncclGetUniqueId(uniqueId), nullptr)
                : ncclSystemError;
  }
  static std::atomic<uint64_t> number{0};
  std::string text = format(
      "mercury %llu", static_cast<unsigned long long>(number.fetch_add(1)));
  std::memset(uniqueId, 0, sizeof(*uniqueId));
  std::memcpy(uniqueId->internal, text.data(), text.size());
  return ncclSuccess;
}

/// Joins the team of `id` in a launch whose ranks share a device.
static ncclResult_t join(Domain &domain, ncclComm_t *comm, int size,
                         const ncclUniqueId &id, int rank) {
  std::string name(id.internal, strnlen(id.internal, sizeof(id.internal)));
  Domain::Lock lock(domain.mutex);
  std::shared_ptr<Team> &entry = domain.incomplete[name];
  if (!entry)
    entry =
        std::make_shared<Team>("id " + name, std::vector<int64_t>(size, -1));
  std::shared_ptr<Team> team = entry;
  if (team->size() != size)
    return setLastError(
        ncclInvalidArgument,
        format("rank %d asks for a communicator of size %d, "
               "another rank asked for size %d with the same id",
               rank, size, team->size()));
  if (team->ranks[rank] >= 0)
    return setLastError(
        ncclInvalidArgument,
        format("rank %d has joined the communicator twice", rank));
  team->ranks[rank] = currentContext()->rank;
  if (std::find(team->ranks.begin(), team->ranks.end(), -1) ==
      team->ranks.end())
    domain.incomplete.erase(name);
  *comm = new ncclComm(std::move(team), rank, currentContext(), nullptr,
                       /*owned=*/false);
  return ncclSuccess;
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
  if (Domain *domain = copiesOfThread())
    return join(*domain, comm, nranks, commId, rank);
  const Nccl *nccl = realNccl();
  if (!nccl)
    return ncclSystemError;
  ncclComm_t real = nullptr;
  ncclResult_t result = tellNccl(
      *nccl, nccl->ncclCommInitRank(&real, nranks, commId, rank), nullptr);
  if (result == ncclSuccess)
    *comm = new ncclComm(
        std::make_shared<Team>("id", std::vector<int64_t>(nranks, -1)), rank,
        currentContext(), real, /*owned=*/false);
  return result;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  if (comm->owned)
    return setLastError(ncclInvalidUsage,
                        "communicators of a context are freed with it");
  ncclResult_t result = ncclSuccess;
  if (ncclComm_t real = comm->takeReal())
    result = tellNccl(*realNccl(), realNccl()->ncclCommDestroy(real), nullptr);
  delete comm;
  return result;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  if (mercury_context *context = comm->context)
    context->recordError(ncclRemoteError, "",
                         "aborted " + comm->team->describe());
  // The watcher aborts those of a launch.
  if (comm->owned)
    return ncclSuccess;
  ncclResult_t result = ncclSuccess;
  if (ncclComm_t real = comm->takeReal())
    result = tellNccl(*realNccl(), realNccl()->ncclCommAbort(real), nullptr);
  delete comm;
  return result;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError) {
  if (!comm || !asyncError)
    return setLastError(ncclInvalidArgument, "comm or asyncError is NULL");
  *asyncError = ncclSuccess;
  if (comm->context && comm->context->domain->hasFailed()) {
    *asyncError = comm->context->domain->resultFor(comm->context->rank);
    setLastError(*asyncError, comm->context->domain->getFailure().describe());
    return ncclSuccess;
  }
  if (!comm->real)
    return ncclSuccess;
  const Nccl *nccl = realNccl();
  return tellNccl(*nccl, nccl->ncclCommGetAsyncError(comm->real, asyncError),
                  comm->real);
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
