//===- Issue.cpp - Communication calls and groups -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>

using namespace mercury::host;

namespace {

/// The group that the calling thread is in.
struct Group {
  int depth = 0;
  std::vector<Operation> operations;
  /// First error of a call inside of the group.
  ncclResult_t result = ncclSuccess;
  std::string error;
};
thread_local Group group;
thread_local std::weak_ptr<Batch> threadLastBatch;

/// Numbers `operation` among those that it is matched with. Under the lock.
void number(Operation &operation) {
  Team &team = *operation.team;
  switch (operation.kind) {
  case Kind::Send:
    operation.sequence =
        ++team.channel(operation.rank, operation.peer).sendsIssued;
    return;
  case Kind::Recv:
    operation.sequence =
        ++team.channel(operation.peer, operation.rank).recvsIssued;
    return;
  default:
    operation.sequence = ++team.collectivesIssued[operation.rank];
    return;
  }
}

/// The code of an earlier failure of communication, with its text as the last
/// error.
ncclResult_t failedEarlier(Domain &domain, int64_t rank) {
  setLastError(domain.resultFor(rank), domain.getFailure().describe());
  return domain.resultFor(rank);
}

/// Gives `operations` to their streams; those without a stream run here.
ncclResult_t submit(std::vector<Operation> operations) {
  auto batch = std::make_shared<Batch>();
  batch->domain = operations.front().team->domain;
  batch->context = operations.front().context;
  Domain &domain = *batch->domain;
  for (const Operation &operation : operations)
    if (operation.team->domain != batch->domain ||
        operation.context != batch->context)
      return setLastError(ncclInvalidUsage,
                          "a group holds communicators of two launches");
  {
    Domain::Lock lock(domain.mutex);
    if (domain.hasFailed())
      return failedEarlier(domain, operations.front().globalRank());
    domain.progress();
    for (Operation &operation : operations)
      number(operation);
    if (batch->context)
      batch->ticket = batch->context->tickets++;
    for (Operation &operation : operations) {
      auto found = std::find_if(
          batch->portions.begin(), batch->portions.end(),
          [&](const Portion &p) { return p.stream == operation.stream; });
      if (found == batch->portions.end()) {
        batch->portions.emplace_back();
        found = batch->portions.end() - 1;
        found->batch = batch.get();
        found->stream = operation.stream;
      }
      found->operations.push_back(std::move(operation));
    }
    for (Portion &portion : batch->portions)
      for (Operation &operation : portion.operations)
        operation.portion = &portion;
    batch->remaining = batch->portions.size();
    batch->position = domain.batches.insert(domain.batches.end(), batch.get());
  }
  threadLastBatch = batch;
  Portion *here = nullptr;
  for (Portion &portion : batch->portions) {
    if (!portion.stream) {
      here = &portion;
      continue;
    }
    if (reinterpret_cast<Stream *>(portion.stream)->push(batch, &portion))
      continue;
    Failure error;
    error.result = ncclSystemError;
    error.text = "the system refused a thread for a stream";
    {
      Domain::Lock lock(domain.mutex);
      error.rank = portion.operations.front().globalRank();
      domain.fail(std::move(error));
    }
    portion.run(); // gives the operations up
  }
  if (here)
    here->run();
  return batch->result;
}

/// Issues one call: at once, or with the group that it is in.
ncclResult_t issue(Operation operation, ncclComm_t comm) {
  if (operation.newComm)
    *operation.newComm = nullptr;
  std::string error = problem(operation, comm ? comm->rank : 0,
                              comm ? comm->team->size() : 0, [&] {
                                // Reads what ncclCommInitRank of other ranks
                                // writes.
                                Domain::Lock lock(comm->team->domain->mutex);
                                return comm->team->describe();
                              });
  if (!error.empty()) {
    if (group.depth > 0 && group.result == ncclSuccess) {
      group.result = ncclInvalidArgument;
      group.error = error;
    }
    return setLastError(ncclInvalidArgument, std::move(error));
  }
  operation.team = comm->team;
  operation.rank = comm->rank;
  operation.context = comm->context;
  if (group.depth > 0) {
    group.operations.push_back(std::move(operation));
    return ncclSuccess;
  }
  std::vector<Operation> single;
  single.push_back(std::move(operation));
  return submit(std::move(single));
}

} // namespace

std::shared_ptr<Batch> mercury::host::lastBatch() {
  return threadLastBatch.lock();
}

bool mercury::host::leaveGroup() {
  bool inside = group.depth > 0;
  group = Group();
  return inside;
}

ncclResult_t ncclGroupStart(void) {
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  if (group.depth == 0)
    return setLastError(ncclInvalidUsage,
                        "ncclGroupEnd without ncclGroupStart");
  if (--group.depth > 0)
    return ncclSuccess;
  Group ended = std::move(group);
  group = Group();
  // As in NCCL, an invalid call takes the whole group with it.
  if (ended.result != ncclSuccess)
    return setLastError(ended.result, std::move(ended.error));
  if (ended.operations.empty())
    return ncclSuccess;
  return submit(std::move(ended.operations));
}

ncclResult_t ncclSend(const void *sendbuff, size_t count,
                      ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  Operation operation;
  operation.kind = Kind::Send;
  operation.source = sendbuff;
  operation.count = count;
  operation.type = datatype;
  operation.peer = peer;
  operation.stream = stream;
  return issue(std::move(operation), comm);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  Operation operation;
  operation.kind = Kind::Recv;
  operation.destination = recvbuff;
  operation.count = count;
  operation.type = datatype;
  operation.peer = peer;
  operation.stream = stream;
  return issue(std::move(operation), comm);
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff,
                           size_t sendcount, ncclDataType_t datatype,
                           ncclComm_t comm, cudaStream_t stream) {
  Operation operation;
  operation.kind = Kind::AllGather;
  operation.source = sendbuff;
  operation.destination = recvbuff;
  operation.count = sendcount;
  operation.type = datatype;
  operation.stream = stream;
  return issue(std::move(operation), comm);
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff,
                               size_t recvcount, ncclDataType_t datatype,
                               ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  Operation operation;
  operation.kind = Kind::ReduceScatter;
  operation.source = sendbuff;
  operation.destination = recvbuff;
  operation.count = recvcount;
  operation.type = datatype;
  operation.reduction = op;
  operation.stream = stream;
  return issue(std::move(operation), comm);
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  Operation operation;
  operation.kind = Kind::AllReduce;
  operation.source = sendbuff;
  operation.destination = recvbuff;
  operation.count = count;
  operation.type = datatype;
  operation.reduction = op;
  operation.stream = stream;
  return issue(std::move(operation), comm);
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  Operation operation;
  operation.kind = Kind::Broadcast;
  operation.source = sendbuff;
  operation.destination = recvbuff;
  operation.count = count;
  operation.type = datatype;
  operation.peer = root;
  operation.stream = stream;
  return issue(std::move(operation), comm);
}

// Runs on the calling thread, whatever is on the streams.
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                           ncclComm_t *newcomm, ncclConfig_t *) {
  Operation operation;
  operation.kind = Kind::Split;
  operation.color = color;
  operation.key = key;
  operation.newComm = newcomm;
  return issue(std::move(operation), comm);
}
