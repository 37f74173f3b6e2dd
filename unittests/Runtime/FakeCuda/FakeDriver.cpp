//===- FakeDriver.cpp - A CUDA driver without a device --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace {

/// Added to host addresses: no valid address has this bit.
constexpr CUdeviceptr kTag = CUdeviceptr(1) << 56;

std::atomic<int> live{0};
std::atomic<int> hostBlocks{0};
std::atomic<int> modulesLoaded{0};
std::string ptx;
std::atomic<int> accessGiven{0};
/// The error that the device has met; it stays.
std::atomic<int> deviceError{0};
thread_local CUcontext current = nullptr;

/// One recording of an event: those who wait for it do not see later ones,
/// which may be on other streams.
struct Recording {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point time;
  bool isDone() {
    std::lock_guard<std::mutex> lock(mutex);
    return done;
  }
};

struct Event {
  std::mutex mutex;
  std::shared_ptr<Recording> last;
  std::shared_ptr<Recording> get() {
    std::lock_guard<std::mutex> lock(mutex);
    return last;
  }
};

struct Stream {
  explicit Stream(int priority) : priority(priority) {
    worker = std::thread([this] { run(); });
    std::lock_guard<std::mutex> lock(allMutex);
    all.insert(this);
  }
  ~Stream() {
    {
      std::lock_guard<std::mutex> lock(allMutex);
      all.erase(this);
    }
    {
      std::lock_guard<std::mutex> lock(mutex);
      over = true;
    }
    changed.notify_all();
    worker.join();
  }
  void push(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      tasks.push_back(std::move(task));
    }
    changed.notify_all();
  }
  bool isIdle() {
    std::lock_guard<std::mutex> lock(mutex);
    return tasks.empty();
  }
  void run() {
    const char *text = std::getenv("FAKE_CUDA_JITTER");
    int jitter = text ? std::atoi(text) : 0;
    std::mt19937 random(
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(this) >> 4));
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return over || !tasks.empty(); });
      if (tasks.empty())
        return;
      std::function<void()> task = tasks.front();
      lock.unlock();
      if (jitter > 0)
        std::this_thread::sleep_for(
            std::chrono::microseconds(random() % jitter));
      task();
      lock.lock();
      tasks.pop_front();
    }
  }
  /// Waits until each stream has been idle once; false when one is not.
  static bool waitForAll() {
    constexpr std::chrono::seconds kPatience(5);
    auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::lock_guard<std::mutex> lock(allMutex);
    for (Stream *stream : all)
      while (!stream->isIdle()) {
        if (std::chrono::steady_clock::now() > deadline)
          return false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    return true;
  }
  static inline std::mutex allMutex;
  static inline std::set<Stream *> all;

  const int priority;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool over = false;
  std::thread worker;
};

struct Block {
  size_t bytes;
  Stream *freedOn;
};

struct Pool {
  /// Freed blocks: those of one stream may be reused at once on it.
  std::multimap<size_t, std::pair<CUdeviceptr, Stream *>> freed;
  /// The program gave it back; it ends with its last block.
  bool destroyed = false;
};

std::mutex memoryMutex;
std::map<CUdeviceptr, std::pair<size_t, Pool *>> blocks;

Stream *toStream(CUstream stream) {
  static Stream *byDefault = new Stream(0);
  return stream ? reinterpret_cast<Stream *>(stream) : byDefault;
}

Event &toEvent(CUevent event) { return *reinterpret_cast<Event *>(event); }

/// The error of call number K of a function, as the environment says.
CUresult injected(const char *function) {
  const char *text = std::getenv("FAKE_CUDA_FAIL");
  if (!text)
    return CUDA_SUCCESS;
  static std::mutex mutex;
  static std::map<std::string, int> calls;
  static std::string setting;
  std::lock_guard<std::mutex> lock(mutex);
  if (setting != text) {
    setting = text;
    calls.clear();
  }
  int call = ++calls[function];
  std::string wanted = std::string(function) + ":" + std::to_string(call) + ":";
  if (std::strncmp(text, wanted.c_str(), wanted.size()) == 0)
    return static_cast<CUresult>(std::atoi(text + wanted.size()));
  return CUDA_SUCCESS;
}

/// What most functions begin with.
CUresult begin(const char *function, bool needsContext = true) {
  if (deviceError != 0)
    return static_cast<CUresult>(deviceError.load());
  if (needsContext && !current)
    return CUDA_ERROR_INVALID_CONTEXT;
  return injected(function);
}
#define BEGIN(...)                                                             \
  if (CUresult error_ = begin(__func__ __VA_OPT__(, ) __VA_ARGS__);            \
      error_ != CUDA_SUCCESS)                                                  \
  return error_

/// True when a range lies in one live block.
bool isDevice(CUdeviceptr pointer, size_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto after = blocks.upper_bound(pointer);
  if (after == blocks.begin())
    return false;
  auto block = std::prev(after);
  return pointer + bytes <= block->first + block->second.first;
}

int deviceCount() {
  const char *text = std::getenv("FAKE_CUDA_DEVICES");
  return text ? std::atoi(text) : 1;
}

char kContexts[64];

} // namespace

extern "C" {

void *fakeCudaHost(CUdeviceptr pointer) {
  return reinterpret_cast<void *>(pointer & ~kTag);
}
int fakeCudaLive() { return live; }
int fakeCudaHostBlocks() { return hostBlocks; }
const char *fakeCudaPtx() { return ptx.c_str(); }
int fakeCudaModulesLoaded() { return modulesLoaded; }
int fakeCudaAccessGiven() { return accessGiven; }
int fakeCudaPriority(CUstream stream) { return toStream(stream)->priority; }

CUresult cuInit(unsigned int) { return injected("cuInit"); }

CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  switch (error) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    *text = "out of memory";
    return CUDA_SUCCESS;
  case CUDA_ERROR_LAUNCH_FAILED:
    *text = "unspecified launch failure";
    return CUDA_SUCCESS;
  default:
    *text = "some error";
    return CUDA_SUCCESS;
  }
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  switch (error) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return CUDA_SUCCESS;
  case CUDA_ERROR_LAUNCH_FAILED:
    *text = "CUDA_ERROR_LAUNCH_FAILED";
    return CUDA_SUCCESS;
  case CUDA_ERROR_NOT_FOUND:
    *text = "CUDA_ERROR_NOT_FOUND";
    return CUDA_SUCCESS;
  case CUDA_ERROR_INVALID_VALUE:
    *text = "CUDA_ERROR_INVALID_VALUE";
    return CUDA_SUCCESS;
  default:
    *text = "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
  }
}

CUresult cuDeviceGetCount(int *count) {
  BEGIN(false);
  *count = deviceCount();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  BEGIN(false);
  *device = ordinal;
  return ordinal < deviceCount() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  std::strncpy(name, "Fake device", length);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  BEGIN(false);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 132;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = 9;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0;
    break;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    *value = 1;
    break;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  BEGIN(false);
  *can = device != peer;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  *bytes = size_t(80) << 30;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  BEGIN(false);
  ++live;
  *context = reinterpret_cast<CUcontext>(&kContexts[device]);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  --live;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  BEGIN();
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags,
                                    int priority) {
  BEGIN();
  if (flags != CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  ++live;
  *stream = reinterpret_cast<CUstream>(new Stream(priority));
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  --live;
  delete toStream(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  BEGIN();
  return toStream(stream)->isIdle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  BEGIN();
  std::shared_ptr<Recording> recording = toEvent(event).get();
  if (recording)
    toStream(stream)->push([recording] {
      std::unique_lock<std::mutex> lock(recording->mutex);
      recording->changed.wait(lock, [&] { return recording->done; });
    });
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned int) {
  BEGIN();
  ++live;
  *event = reinterpret_cast<CUevent>(new Event());
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  --live;
  delete &toEvent(event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  BEGIN();
  auto recording = std::make_shared<Recording>();
  {
    std::lock_guard<std::mutex> lock(toEvent(event).mutex);
    toEvent(event).last = recording;
  }
  toStream(stream)->push([recording] {
    std::lock_guard<std::mutex> lock(recording->mutex);
    recording->done = true;
    recording->time = std::chrono::steady_clock::now();
    recording->changed.notify_all();
  });
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  BEGIN();
  std::shared_ptr<Recording> recording = toEvent(event).get();
  return !recording || recording->isDone() ? CUDA_SUCCESS
                                           : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  BEGIN();
  std::shared_ptr<Recording> first = toEvent(start).get();
  std::shared_ptr<Recording> second = toEvent(end).get();
  if (!first || !second || !first->isDone() || !second->isDone())
    return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds =
      std::chrono::duration<float, std::milli>(second->time - first->time)
          .count();
  return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *) {
  BEGIN();
  ++live;
  *pool = reinterpret_cast<CUmemoryPool>(new Pool());
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc *access,
                            size_t count) {
  BEGIN();
  for (size_t i = 0; i < count; ++i)
    if (access[i].location.id < 0 || access[i].location.id >= deviceCount())
      return CUDA_ERROR_INVALID_VALUE;
  accessGiven += static_cast<int>(count);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  --live;
  // Its blocks may still be freed.
  reinterpret_cast<Pool *>(pool)->destroyed = true;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void *) {
  BEGIN();
  return CUDA_SUCCESS;
}

// As the true pool, gives memory out again that was freed earlier on the same
// stream, although the stream has not come there yet.
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes,
                                 CUmemoryPool handle, CUstream stream) {
  BEGIN();
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  auto *pool = reinterpret_cast<Pool *>(handle);
  size_t capacity = (bytes + 255) / 256 * 256;
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto range = pool->freed.equal_range(capacity);
  for (auto it = range.first; it != range.second; ++it)
    if (it->second.second == toStream(stream)) {
      *pointer = it->second.first;
      pool->freed.erase(it);
      blocks[*pointer] = {bytes, pool};
      ++live;
      return CUDA_SUCCESS;
    }
  void *memory = std::aligned_alloc(256, capacity);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xab, capacity);
  ++live;
  *pointer = reinterpret_cast<CUdeviceptr>(memory) | kTag;
  blocks[*pointer] = {bytes, pool};
  return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  BEGIN();
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto found = blocks.find(pointer);
  if (found == blocks.end())
    return CUDA_ERROR_INVALID_VALUE;
  size_t capacity = (found->second.first + 255) / 256 * 256;
  // Whoever still reads it finds this.
  toStream(stream)->push([pointer, capacity] {
    std::memset(fakeCudaHost(pointer), 0xdd, capacity);
  });
  found->second.second->freed.emplace(
      capacity, std::make_pair(pointer, toStream(stream)));
  blocks.erase(found);
  --live;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  BEGIN();
  if (std::getenv("FAKE_CUDA_HOST_ALLOC_WAITS") && !Stream::waitForAll())
    return CUDA_ERROR_INVALID_VALUE;
  ++live;
  ++hostBlocks;
  *pointer = std::malloc(bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer) {
  --live;
  --hostBlocks;
  std::free(pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr destination, const void *source,
                              size_t bytes, CUstream stream) {
  BEGIN();
  if (!isDevice(destination, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  toStream(stream)->push(
      [=] { std::memcpy(fakeCudaHost(destination), source, bytes); });
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *destination, CUdeviceptr source,
                              size_t bytes, CUstream stream) {
  BEGIN();
  if (!isDevice(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  toStream(stream)->push(
      [=] { std::memcpy(destination, fakeCudaHost(source), bytes); });
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr destination, CUdeviceptr source,
                              size_t bytes, CUstream stream) {
  BEGIN();
  if (!isDevice(source, bytes) || !isDevice(destination, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  toStream(stream)->push([=] {
    std::memcpy(fakeCudaHost(destination), fakeCudaHost(source), bytes);
  });
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr destination, unsigned char value,
                         size_t bytes, CUstream stream) {
  BEGIN();
  if (!isDevice(destination, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  toStream(stream)->push(
      [=] { std::memset(fakeCudaHost(destination), value, bytes); });
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  BEGIN();
  toStream(stream)->push([=] { function(data); });
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *data) {
  BEGIN();
  constexpr char kMagic[8] = FAKE_IMAGE_MAGIC;
  if (std::memcmp(data, "//", 2) == 0)
    ptx = static_cast<const char *>(data);
  if (std::memcmp(data, kMagic, sizeof(kMagic)) != 0)
    return CUDA_ERROR_INVALID_IMAGE;
  ++live;
  ++modulesLoaded;
  *module = reinterpret_cast<CUmodule>(const_cast<void *>(data));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) {
  --live;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  BEGIN();
  const auto *image = reinterpret_cast<const FakeImage *>(module);
  for (size_t i = 0; i < image->numKernels; ++i)
    if (std::strcmp(image->kernels[i].name, name) == 0) {
      *function = reinterpret_cast<CUfunction>(
          const_cast<FakeKernel *>(&image->kernels[i]));
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int value) {
  BEGIN();
  return value <= 227 * 1024 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gridX,
                        unsigned int gridY, unsigned int gridZ,
                        unsigned int blockX, unsigned int blockY,
                        unsigned int blockZ, unsigned int sharedBytes,
                        CUstream stream, void **parameters, void **) {
  BEGIN();
  const auto *kernel = reinterpret_cast<const FakeKernel *>(function);
  if (gridY > 65535 || gridZ > 65535 || blockX * blockY * blockZ > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<uint64_t> values(kernel->numParameters);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], parameters[i], sizeof(uint64_t));
  toStream(stream)->push([=]() mutable {
    if (deviceError != 0)
      return;
    std::vector<void *> pointers;
    for (uint64_t &value : values)
      pointers.push_back(&value);
    unsigned grid[] = {gridX, gridY, gridZ};
    unsigned block[] = {blockX, blockY, blockZ};
    if (int error = kernel->run(pointers.data(), grid, block, sharedBytes))
      deviceError = error;
  });
  return CUDA_SUCCESS;
}

} // extern "C"
