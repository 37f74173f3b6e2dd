//===- Issue.cpp - Communication calls and groups -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// NCCL's functions are exported under their own names, so that one program runs
// on either transport: with NCCL they hand on to it, where ranks share a device
// they collect what runCopies then enqueues.

#include "Context.h"

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::Kind;
using mercury::host::setLastError;

namespace {

/// The group that the calling thread is in.
struct Group {
  int depth = 0;
  std::vector<Operation> operations;
  /// NCCL's own group is open, too.
  const Nccl *nccl = nullptr;
  /// First error of a call inside of the group.
  ncclResult_t result = ncclSuccess;
  std::string error;
};
thread_local Group group;

/// The code of an earlier failure, with its text as the last error.
ncclResult_t failedEarlier(mercury_context &context) {
  Domain &domain = *context.domain;
  return setLastError(domain.resultFor(context.rank),
                      domain.getFailure().describe());
}

/// Counts what operations move, and marks the streams behind them.
void account(const std::vector<Operation> &operations) {
  for (const Operation &operation : operations) {
    mercury_context *context = operation.comm->context;
    if (!context)
      continue;
    host::Traffic traffic = host::trafficOf(
        operation.kind, operation.comm->rank, operation.comm->team->size(),
        operation.peer, static_cast<int64_t>(operation.bytes()));
    context->bytesSent += traffic.sent;
    context->bytesReceived += traffic.received;
    context->messages += traffic.messages;
    context->domain->progress();
  }
  std::map<CUstream, std::pair<mercury_context *, Label>> labels;
  for (const Operation &operation : operations) {
    if (!operation.comm->context || operation.kind == Kind::Split)
      continue;
    auto [entry, isNew] = labels.try_emplace(operation.stream);
    if (isNew)
      entry->second = {operation.comm->context, operation.label()};
    else
      ++entry->second.second.more;
  }
  for (auto &[stream, label] : labels)
    label.first->marks.add(stream, std::move(label.second), nullptr);
}

/// Hands one call on to NCCL.
ncclResult_t callNccl(const Nccl &nccl, const Operation &o) {
  ncclComm_t comm = o.comm->real;
  switch (o.kind) {
  case Kind::Send:
    return nccl.ncclSend(o.source, o.count, o.type, o.peer, comm, o.stream);
  case Kind::Recv:
    return nccl.ncclRecv(o.destination, o.count, o.type, o.peer, comm,
                         o.stream);
  case Kind::AllGather:
    return nccl.ncclAllGather(o.source, o.destination, o.count, o.type, comm,
                              o.stream);
  case Kind::ReduceScatter:
    return nccl.ncclReduceScatter(o.source, o.destination, o.count, o.type,
                                  o.reduction, comm, o.stream);
  case Kind::AllReduce:
    return nccl.ncclAllReduce(o.source, o.destination, o.count, o.type,
                              o.reduction, comm, o.stream);
  case Kind::Broadcast:
    return nccl.ncclBroadcast(o.source, o.destination, o.count, o.type, o.peer,
                              comm, o.stream);
  case Kind::Split:
    break;
  }
  return ncclInternalError;
}

/// NCCL splits at once, also inside of a group; then the handle is there only
/// when the group ends, which we cannot wrap.
ncclResult_t splitNccl(const Nccl &nccl, const Operation &operation) {
  if (group.depth > 0)
    return setLastError(ncclInvalidUsage, "split inside of a group");
  ncclComm_t real = nullptr;
  ncclResult_t result =
      tellNccl(nccl,
               nccl.ncclCommSplit(operation.comm->real, operation.color,
                                  operation.key, &real, nullptr),
               operation.comm->real);
  if (result != ncclSuccess || !real)
    return result;
  int size = 0, rank = 0;
  nccl.ncclCommCount(real, &size);
  nccl.ncclCommUserRank(real, &rank);
  *operation.newComm = new ncclComm(
      std::make_shared<Team>("part of " + operation.comm->team->name,
                             std::vector<int64_t>(size, -1)),
      rank, operation.comm->context, real, /*owned=*/false);
  return ncclSuccess;
}

/// Issues one call: at once, or with the group that it is in.
ncclResult_t issue(const Operation &operation) {
  if (operation.newComm)
    *operation.newComm = nullptr;
  const ncclComm *comm = operation.comm;
  std::string error =
      problem(operation, comm ? comm->rank : 0, comm ? comm->team->size() : 0,
              [&] { return comm->team->describe(); });
  if (!error.empty()) {
    if (group.depth > 0 && group.result == ncclSuccess) {
      group.result = ncclInvalidArgument;
      group.error = error;
    }
    return setLastError(ncclInvalidArgument, std::move(error));
  }
  mercury_context *context = operation.comm->context;
  if (context && context->domain->hasFailed())
    return failedEarlier(*context);
  if (operation.comm->real) {
    const Nccl &nccl = *loadNccl(error);
    if (operation.kind == Kind::Split)
      return splitNccl(nccl, operation);
    ncclResult_t result =
        tellNccl(nccl, callNccl(nccl, operation), operation.comm->real);
    if (result != ncclSuccess)
      return result;
  }
  if (group.depth > 0) {
    group.operations.push_back(operation);
    return ncclSuccess;
  }
  if (!operation.comm->real)
    if (ncclResult_t result = runCopies({operation}); result != ncclSuccess)
      return result;
  account({operation});
  return ncclSuccess;
}

/// An operation on buffers.
Operation onBuffers(Kind kind, const void *source, void *destination,
                    size_t count, ncclDataType_t type, ncclComm_t comm,
                    cudaStream_t stream) {
  Operation operation;
  operation.kind = kind;
  operation.source = source;
  operation.destination = destination;
  operation.count = count;
  operation.type = type;
  operation.comm = comm;
  operation.stream = stream;
  return operation;
}

} // namespace

bool mercury::cuda::leaveGroup() {
  bool inside = group.depth > 0;
  mercury_context *context = currentContext();
  bool isAborted = context && context->domain->hasFailed();
  if (group.nccl && !isAborted)
    for (; group.depth > 0; --group.depth)
      group.nccl->ncclGroupEnd();
  group = Group();
  return inside;
}

ncclResult_t ncclGroupStart(void) {
  mercury_context *context = currentContext();
  if (context && context->domain->hasFailed())
    return failedEarlier(*context);
  if (!context || context->domain->transport == MERCURY_CUDA_NCCL) {
    std::string error;
    const Nccl *nccl = loadNccl(error);
    if (!nccl)
      return setLastError(ncclSystemError, error);
    if (ncclResult_t result = tellNccl(*nccl, nccl->ncclGroupStart(), nullptr);
        result != ncclSuccess)
      return result;
    group.nccl = nccl;
  }
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  mercury_context *context = currentContext();
  if (context && context->domain->hasFailed()) {
    // NCCL would start calls on communicators that the watcher has aborted.
    group = Group();
    return failedEarlier(*context);
  }
  if (group.depth == 0)
    return setLastError(ncclInvalidUsage,
                        "ncclGroupEnd without ncclGroupStart");
  ncclResult_t result = ncclSuccess;
  if (group.nccl)
    result = tellNccl(*group.nccl, group.nccl->ncclGroupEnd(), nullptr);
  if (--group.depth > 0)
    return result;
  Group ended = std::move(group);
  group = Group();
  if (result != ncclSuccess)
    return result;
  // As in NCCL, an invalid call takes the whole group with it.
  if (ended.result != ncclSuccess)
    return setLastError(ended.result, std::move(ended.error));
  if (ended.operations.empty())
    return ncclSuccess;
  if (!ended.nccl)
    result = runCopies(ended.operations);
  if (result == ncclSuccess)
    account(ended.operations);
  return result;
}

ncclResult_t ncclSend(const void *sendbuff, size_t count,
                      ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  Operation operation =
      onBuffers(Kind::Send, sendbuff, nullptr, count, datatype, comm, stream);
  operation.peer = peer;
  return issue(operation);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  Operation operation =
      onBuffers(Kind::Recv, nullptr, recvbuff, count, datatype, comm, stream);
  operation.peer = peer;
  return issue(operation);
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff,
                           size_t sendcount, ncclDataType_t datatype,
                           ncclComm_t comm, cudaStream_t stream) {
  return issue(onBuffers(Kind::AllGather, sendbuff, recvbuff, sendcount,
                         datatype, comm, stream));
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff,
                               size_t recvcount, ncclDataType_t datatype,
                               ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  Operation operation = onBuffers(Kind::ReduceScatter, sendbuff, recvbuff,
                                  recvcount, datatype, comm, stream);
  operation.reduction = op;
  return issue(operation);
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  Operation operation = onBuffers(Kind::AllReduce, sendbuff, recvbuff, count,
                                  datatype, comm, stream);
  operation.reduction = op;
  return issue(operation);
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  Operation operation = onBuffers(Kind::Broadcast, sendbuff, recvbuff, count,
                                  datatype, comm, stream);
  operation.peer = root;
  return issue(operation);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                           ncclComm_t *newcomm, ncclConfig_t *) {
  Operation operation;
  operation.kind = Kind::Split;
  operation.comm = comm;
  operation.color = color;
  operation.key = key;
  operation.newComm = newcomm;
  return issue(operation);
}
