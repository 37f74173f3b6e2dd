//===- Communicator.cpp - Communicators of ranks on devices ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Processes.h"

#include <algorithm>

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::Members;

std::string Team::describe() const {
  std::string text = "communicator '" + name + "' {";
  for (int i = 0; i < size(); ++i) {
    if (i == 8)
      return text + ",...}";
    text += i == 0 ? "" : ",";
    text +=
        ranks[i] < 0 ? "?" : std::to_string(static_cast<long long>(ranks[i]));
  }
  return text + "}";
}

std::string Team::describeRank(int rank) const {
  if (rank < 0 || rank >= size() || ranks[rank] < 0)
    return format("rank %d of the communicator", rank);
  return format("rank %lld", static_cast<long long>(ranks[rank]));
}

ncclComm::ncclComm(std::shared_ptr<Team> team, int rank,
                   mercury_context *context, ncclComm_t real, bool owned)
    : team(std::move(team)), rank(rank), context(context), real(real),
      owned(owned) {
  if (!real || !context)
    return;
  Domain::Lock lock(context->domain->mutex);
  context->domain->watched.push_back(this);
}

ncclComm::~ncclComm() {
  if (!real || !context)
    return;
  Domain::Lock lock(context->domain->mutex);
  auto &watched = context->domain->watched;
  watched.erase(std::remove(watched.begin(), watched.end(), this),
                watched.end());
}

ncclComm_t ncclComm::takeReal() {
  Domain::Lock lock;
  if (context)
    lock = Domain::Lock(context->domain->mutex);
  if (taken)
    return nullptr;
  taken = true;
  return real;
}

/// The id of the communicator of all ranks.
static bool shareId(mercury_context &context, const Nccl &nccl,
                    ncclUniqueId &id) {
  Domain &domain = *context.domain;
  ncclResult_t result = ncclSuccess;
  if (context.rank == 0)
    result = nccl.ncclGetUniqueId(&domain.everybody);
  if (result != ncclSuccess) {
    tellNccl(nccl, result, nullptr);
    context.recordError(result, "ncclGetUniqueId", host::lastErrorText(result));
    return false;
  }
  if (domain.processes)
    domain.processes->broadcast(&domain.everybody, sizeof(ncclUniqueId));
  if (!domain.barrier(context.rank))
    return false;
  id = domain.everybody;
  return true;
}

/// Makes NCCL's communicators, in the same order on all ranks.
static void makeReal(mercury_context &context) {
  Domain &domain = *context.domain;
  std::string error;
  const Nccl &nccl = *loadNccl(error);
  ncclUniqueId id;
  if (!shareId(context, nccl, id))
    return;
  std::vector<int64_t> all(domain.topology.getNumRanks());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<int64_t>(i);
  ncclComm_t real = nullptr;
  ncclResult_t result = nccl.ncclCommInitRank(
      &real, static_cast<int>(all.size()), id, static_cast<int>(context.rank));
  if (result != ncclSuccess) {
    tellNccl(nccl, result, nullptr);
    return context.recordError(result, "ncclCommInitRank",
                               host::lastErrorText(result));
  }
  context.everybody = std::make_unique<ncclComm>(
      std::make_shared<Team>("all", std::move(all)),
      static_cast<int>(context.rank), &context, real, /*owned=*/true);
  for (const std::vector<int> &levels : domain.communicators) {
    Members members = domain.topology.membersOf(context.rank, levels);
    ncclComm_t part = nullptr;
    result = nccl.ncclCommSplit(real, static_cast<int>(members.ranks[0]),
                                members.mine, &part, nullptr);
    if (result != ncclSuccess) {
      tellNccl(nccl, result, real);
      return context.recordError(result, "ncclCommSplit",
                                 host::lastErrorText(result));
    }
    context.communicators.push_back(std::make_unique<ncclComm>(
        std::make_shared<Team>(members.name, members.ranks), members.mine,
        &context, part, /*owned=*/true));
  }
}

void mercury::cuda::makeCommunicators(mercury_context &context) {
  Domain &domain = *context.domain;
  context.streams.resize(domain.communicators.size());
  if (domain.transport == MERCURY_CUDA_NCCL)
    return makeReal(context);
  for (size_t i = 0; i < domain.communicators.size(); ++i) {
    Members members =
        domain.topology.membersOf(context.rank, domain.communicators[i]);
    Domain::Lock lock(domain.mutex);
    std::weak_ptr<Team> &known = domain.teams[{i, members.ranks[0]}];
    std::shared_ptr<Team> team = known.lock();
    if (!team) {
      team = std::make_shared<Team>(members.name, members.ranks);
      known = team;
    }
    context.communicators.push_back(std::make_unique<ncclComm>(
        std::move(team), members.mine, &context, nullptr, /*owned=*/true));
  }
}
