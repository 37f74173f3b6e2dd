//===- FakeNccl.cpp - An NCCL that notes its calls ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Moves no data: what the true one does with it is not what is tested. With
// FAKE_NCCL_HANG an operation stays on its stream until the communicator is
// aborted, as one whose peer has died.

#include "FakeCuda.h"

#include "Mercury/Runtime/mercury_nccl.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

struct ncclComm {
  int size;
  int rank;
  /// Of the communicator that all others were split from.
  int globalRank;
  int number;
  int operations = 0;
  std::shared_ptr<std::atomic<bool>> aborted =
      std::make_shared<std::atomic<bool>>(false);
};

namespace {

std::mutex mutex;
std::vector<std::string> calls;
std::string errorSetting;
bool hangSetting = false;
thread_local int nextNumber = 0;

void note(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  calls.push_back(text);
}

std::string nameOf(ncclComm_t comm) {
  return " comm " + std::to_string(comm->number) + " of rank " +
         std::to_string(comm->globalRank);
}

std::string setting(const char *variable, const std::string &own) {
  const char *text = std::getenv(variable);
  return own.empty() && text ? text : own;
}

/// One operation: noted, and on its stream when it hangs.
ncclResult_t operation(const std::string &text, ncclComm_t comm,
                       cudaStream_t stream) {
  note(text + nameOf(comm));
  ++comm->operations;
  bool hang;
  {
    std::lock_guard<std::mutex> lock(mutex);
    hang = hangSetting || std::getenv("FAKE_NCCL_HANG");
  }
  if (!hang)
    return ncclSuccess;
  auto *aborted = new std::shared_ptr<std::atomic<bool>>(comm->aborted);
  auto wait = [](void *data) {
    auto *flag = static_cast<std::shared_ptr<std::atomic<bool>> *>(data);
    while (!**flag)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    delete flag;
  };
  return cuLaunchHostFunc(stream, wait, aborted) == CUDA_SUCCESS
             ? ncclSuccess
             : ncclUnhandledCudaError;
}

std::string numbers(std::initializer_list<size_t> values) {
  std::string text;
  for (size_t value : values)
    text += " " + std::to_string(value);
  return text;
}

} // namespace

std::vector<std::string> fakeNcclCalls() {
  std::lock_guard<std::mutex> lock(mutex);
  return calls;
}

void fakeNcclConfigure(const char *error, bool hang) {
  std::lock_guard<std::mutex> lock(mutex);
  errorSetting = error;
  hangSetting = hang;
  calls.clear();
}

ncclResult_t ncclGetVersion(int *version) {
  *version = 12345;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  note("ncclGetUniqueId");
  std::memset(id, 7, sizeof(*id));
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id,
                              int rank) {
  if (id.internal[0] != 7 || id.internal[NCCL_UNIQUE_ID_BYTES - 1] != 7)
    return ncclInvalidArgument;
  nextNumber = 0;
  *comm = new ncclComm{nranks, rank, rank, nextNumber++};
  note("ncclCommInitRank " + std::to_string(nranks) + nameOf(*comm));
  return ncclSuccess;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                           ncclComm_t *newcomm, ncclConfig_t *) {
  *newcomm = new ncclComm{comm->size, key, comm->globalRank, nextNumber++};
  note("ncclCommSplit color " + std::to_string(color) + " key " +
       std::to_string(key) + nameOf(*newcomm));
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  note("ncclCommDestroy" + nameOf(comm));
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  note("ncclCommAbort" + nameOf(comm));
  *comm->aborted = true;
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *result) {
  *result = ncclSuccess;
  std::string text;
  {
    std::lock_guard<std::mutex> lock(mutex);
    text = setting("FAKE_NCCL_ERROR", errorSetting);
  }
  int rank, operation, error;
  if (std::sscanf(text.c_str(), "%d:%d:%d", &rank, &operation, &error) == 3 &&
      comm->number > 0 && comm->globalRank == rank &&
      comm->operations >= operation)
    *result = static_cast<ncclResult_t>(error);
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  *count = comm->size;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t) { return "a fake error"; }

const char *ncclGetLastError(ncclComm_t) { return "the fake's last error"; }

ncclResult_t ncclSend(const void *, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  if (peer < 0 || peer >= comm->size)
    return ncclInvalidArgument;
  return operation("ncclSend" + numbers({count, size_t(type), size_t(peer)}),
                   comm, stream);
}

ncclResult_t ncclRecv(void *, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return operation("ncclRecv" + numbers({count, size_t(type), size_t(peer)}),
                   comm, stream);
}

ncclResult_t ncclAllGather(const void *, void *, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return operation("ncclAllGather" + numbers({count, size_t(type)}), comm,
                   stream);
}

ncclResult_t ncclReduceScatter(const void *, void *, size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  return operation("ncclReduceScatter" +
                       numbers({count, size_t(type), size_t(op)}),
                   comm, stream);
}

ncclResult_t ncclAllReduce(const void *, void *, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  return operation("ncclAllReduce" + numbers({count, size_t(type), size_t(op)}),
                   comm, stream);
}

ncclResult_t ncclBroadcast(const void *, void *, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return operation("ncclBroadcast" +
                       numbers({count, size_t(type), size_t(root)}),
                   comm, stream);
}

ncclResult_t ncclGroupStart(void) {
  note("ncclGroupStart");
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  note("ncclGroupEnd");
  return ncclSuccess;
}
