//===- Context.cpp - What one rank has ------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "Products.h"

#include <algorithm>
#include <thread>

using namespace mercury::cuda;
using mercury::host::Block;
using mercury::host::format;

static thread_local mercury_context *threadContext = nullptr;

mercury_context *mercury::cuda::currentContext() { return threadContext; }

void mercury::cuda::setCurrentContext(mercury_context *context) {
  threadContext = context;
}

DeviceContext::~DeviceContext() {
  if (handle)
    driver().cuDevicePrimaryCtxRelease_v2(device);
}

Staging::~Staging() {
  for (auto &entry : sizes)
    driver().cuMemFreeHost(entry.first);
}

char *Staging::take(size_t bytes, CUresult &result) {
  result = CUDA_SUCCESS;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = free.lower_bound(bytes);
    if (found != free.end()) {
      char *block = found->second;
      free.erase(found);
      return block;
    }
  }
  // Not under the lock: the driver may wait for the device here, where a host
  // function waits to give a block back.
  void *block = nullptr;
  size_t capacity = std::max<size_t>(bytes, 4096);
  result = driver().cuMemAllocHost_v2(&block, capacity);
  if (result != CUDA_SUCCESS)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  sizes[static_cast<char *>(block)] = capacity;
  return static_cast<char *>(block);
}

void Staging::give(char *block) {
  std::lock_guard<std::mutex> lock(mutex);
  free.emplace(sizes[block], block);
}

mercury_context::mercury_context(std::shared_ptr<Domain> domain, int64_t rank,
                                 int device)
    : domain(std::move(domain)), rank(rank), deviceNumber(device),
      account(rank, this->domain->settings.memoryLimit), marks(eventPool) {}

mercury_context::~mercury_context() {
  // Members are destroyed after this.
  if (device.handle)
    makeCurrent();
}

void mercury_context::makeCurrent() const {
  driver().cuCtxSetCurrent(device.handle);
}

void mercury_context::open() {
  const Driver &d = driver();
  setCurrentContext(this);
  if (!check(d.cuDeviceGet(&device.device, deviceNumber), "cuDeviceGet"))
    return;
  int hasPools = 0;
  if (!check(d.cuDeviceGetAttribute(&hasPools,
                                    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                    device.device),
             "cuDeviceGetAttribute"))
    return;
  if (!hasPools)
    return recordError(ncclSystemError, "",
                       format("device %d has no memory pools", deviceNumber));
  if (!check(d.cuDevicePrimaryCtxRetain(&device.handle, device.device),
             "cuDevicePrimaryCtxRetain"))
    return;
  isOpen = true;
  makeCurrent();
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, deviceNumber};
  if (!check(d.cuMemPoolCreate(&pool, &properties), "cuMemPoolCreate"))
    return;
  // What was freed stays with the rank: a call repeated with the same shapes
  // asks the system for nothing.
  uint64_t threshold = UINT64_MAX;
  if (!check(d.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                                     &threshold),
             "cuMemPoolSetAttribute"))
    return;
  compute = makeStream(/*urgent=*/false);
}

void mercury_context::destroyCommunicators() {
  std::string error;
  if (!everybody)
    return;
  const Nccl &nccl = *loadNccl(error);
  // Parts first: they share resources with what they were split from.
  for (const auto &part : communicators)
    if (ncclComm_t real = part->takeReal())
      nccl.ncclCommDestroy(real);
  if (ncclComm_t real = everybody->takeReal())
    nccl.ncclCommDestroy(real);
}

std::vector<CUstream> mercury_context::allStreams() const {
  std::vector<CUstream> all;
  if (compute)
    all.push_back(compute);
  for (CUstream stream : streams)
    if (stream)
      all.push_back(stream);
  all.insert(all.end(), programStreams.begin(), programStreams.end());
  return all;
}

bool mercury_context::isIdle() {
  makeCurrent();
  for (CUstream stream : allStreams())
    if (driver().cuStreamQuery(stream) == CUDA_ERROR_NOT_READY)
      return false;
  return true;
}

void mercury_context::close() {
  const Driver &d = driver();
  if (device.handle) {
    makeCurrent();
    products.reset();
    for (const auto &block : account.getLive())
      d.cuMemFreeAsync(address(block.first), compute);
    for (CUstream stream : allStreams())
      d.cuStreamDestroy_v2(stream);
    for (auto *list : {&events, &programEvents})
      for (CUevent event : *list)
        if (event)
          d.cuEventDestroy_v2(event);
    for (CUevent event : timer)
      if (event)
        d.cuEventDestroy_v2(event);
    for (auto &entry : modules)
      if (entry.second.module)
        d.cuModuleUnload(entry.second.module);
    if (pool)
      d.cuMemPoolDestroy(pool);
  }
  pool = nullptr;
  communicators.clear();
  everybody.reset();
  streams.clear();
  programStreams.clear();
  programEvents.clear();
  events.clear();
  modules.clear();
  compute = nullptr;
}

bool mercury_context::check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS)
    return true;
  std::string text = describe(call, result);
  if (lastKernel)
    text += ", after the launch of kernel '" + lastKernel->name + "'";
  host::setLastError(ncclUnhandledCudaError, text);
  recordError(ncclUnhandledCudaError, marks.lastName(), text);
  return false;
}

void mercury_context::recordError(int32_t code, const std::string &what,
                                  const std::string &text) {
  host::Failure error;
  error.rank = rank;
  error.result = code;
  error.what = what;
  error.text = text;
  if (result == ncclSuccess) {
    result = code;
    errorText = error.describe();
  }
  domain->fail(std::move(error));
}

// NCCL reads and writes buffers of other ranks directly when these are threads
// of the same process. Other memory is made accessible by itself, that of pools
// is not.
void mercury_context::shareWith(int firstDevice, int numDevices) {
  for (int other = firstDevice; other < firstDevice + numDevices; ++other) {
    CUdevice peer = 0;
    int can = 0;
    if (!check(driver().cuDeviceGet(&peer, other), "cuDeviceGet") ||
        !check(driver().cuDeviceCanAccessPeer(&can, peer, device.device),
               "cuDeviceCanAccessPeer"))
      return;
    if (other == deviceNumber || !can)
      continue;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, other},
                              CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (!check(driver().cuMemPoolSetAccess(pool, &access, 1),
               "cuMemPoolSetAccess"))
      return;
  }
}

CUstream mercury_context::makeStream(bool urgent) {
  int least = 0, greatest = 0;
  if (!check(driver().cuCtxGetStreamPriorityRange(&least, &greatest),
             "cuCtxGetStreamPriorityRange"))
    return nullptr;
  CUstream stream = nullptr;
  if (!check(driver().cuStreamCreateWithPriority(
                 &stream, CU_STREAM_NON_BLOCKING, urgent ? greatest : least),
             "cuStreamCreateWithPriority"))
    return nullptr;
  return stream;
}

bool mercury_context::poll(const std::function<CUresult()> &query,
                           const char *call) {
  WaitTimer timer(*this);
  // A query takes about a microsecond: first ask often, then leave the core to
  // others. Never a call that blocks: it does not end when a peer has died.
  constexpr int kSpins = 2000;
  constexpr std::chrono::microseconds kPause(20);
  waitsForDevice = true;
  CUresult result = CUDA_ERROR_NOT_READY;
  for (int spins = 0; !domain->hasFailed(); ++spins) {
    result = query();
    if (result != CUDA_ERROR_NOT_READY)
      break;
    if (spins >= kSpins)
      std::this_thread::sleep_for(kPause);
  }
  waitsForDevice = false;
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  domain->progress();
  return check(result, call);
}

bool mercury_context::finish(CUstream stream) {
  return poll([=] { return driver().cuStreamQuery(stream); }, "cuStreamQuery");
}

bool mercury_context::finish(CUevent event) {
  return poll([=] { return driver().cuEventQuery(event); }, "cuEventQuery");
}

bool mercury_context::drain() {
  for (CUstream stream : allStreams())
    if (!finish(stream))
      return false;
  return !domain->hasFailed();
}

void *mercury_context::allocate(int64_t bytes, int32_t memoryClass,
                                int32_t owner) {
  std::string error;
  if (!account.admits(bytes, memoryClass, error)) {
    host::setLastError(ncclSystemError, error);
    recordError(ncclSystemError, "", error);
    return nullptr;
  }
  // The pool aligns to 256 bytes; empty blocks are distinct, too.
  CUdeviceptr pointer = 0;
  size_t capacity = std::max<int64_t>(bytes, 1);
  CUresult result =
      driver().cuMemAllocFromPoolAsync(&pointer, capacity, pool, compute);
  if (result != CUDA_SUCCESS) {
    mercury_host_stats stats = {};
    account.getStats(stats);
    error =
        account.request(bytes, memoryClass) +
        format(", holds %lld; ", static_cast<long long>(stats.current_bytes)) +
        describe("cuMemAllocFromPoolAsync", result);
    host::setLastError(ncclSystemError, error);
    recordError(ncclSystemError, "", error);
    return nullptr;
  }
  void *block = reinterpret_cast<void *>(pointer);
  account.add(block, Block{bytes, capacity, memoryClass, owner});
  return block;
}

void mercury_context::release(void *pointer) {
  std::string error;
  Block block;
  // After a failure events no longer tie the streams of other ranks, which may
  // read from here: the end of the launch frees what is left.
  if (!pointer || domain->hasFailed())
    return;
  if (!account.remove(pointer, block, error))
    return recordError(ncclInvalidArgument, "", error);
  check(driver().cuMemFreeAsync(address(pointer), compute), "cuMemFreeAsync");
}
