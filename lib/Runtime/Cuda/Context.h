//===- Context.h - What one rank has ----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_CONTEXT_H
#define MERCURY_LIB_RUNTIME_CUDA_CONTEXT_H

#include "Account.h"
#include "Communicator.h"

#include <unordered_map>

namespace mercury::cuda {

class Products;

/// A kernel of a module.
struct Kernel {
  CUfunction function = nullptr;
  std::string name;
  /// Dynamic shared memory that the driver was asked to allow, bytes.
  int32_t sharedBytes = 0;
};

/// A device image that was loaded.
struct Module {
  host::LiveHandle handle;
  CUmodule module = nullptr;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;
};

/// The primary context of a device, given back at the end.
struct DeviceContext {
  ~DeviceContext();
  CUdevice device = 0;
  CUcontext handle = nullptr;
};

/// Page-locked host memory that is used again: the device gives it back.
class Staging {
public:
  ~Staging();
  /// At least `bytes` bytes; NULL and the reason in `result` when the driver
  /// refuses.
  char *take(size_t bytes, CUresult &result);
  /// May be called from a host function of a stream.
  void give(char *block);

private:
  std::mutex mutex;
  std::unordered_map<char *, size_t> sizes;
  std::multimap<size_t, char *> free;
};

} // namespace mercury::cuda

/// One rank of a launch. Except for what says otherwise, only the rank's own
/// thread uses it.
struct mercury_context {
  mercury_context(std::shared_ptr<mercury::cuda::Domain> domain, int64_t rank,
                  int device);
  ~mercury_context();

  /// Takes the device's primary context, makes the memory pool and the compute
  /// stream, and becomes that of the calling thread. Records an error.
  void open();
  /// Gives NCCL's communicators back, which all ranks do at the same time.
  void destroyCommunicators();
  /// Gives everything else back. Streams must be at their end.
  void close();
  /// Nothing is under way on any stream.
  bool isIdle();
  /// Makes the device context that of the calling thread.
  void makeCurrent() const;
  /// All streams that are there.
  std::vector<CUstream> allStreams() const;

  /// Records an error when `result` is not success; `call` names the function.
  bool check(CUresult result, const char *call);
  /// Records the first error of this rank, which ends the launch.
  void recordError(int32_t result, const std::string &what,
                   const std::string &text);
  /// Lets other devices of this process use what the pool holds.
  void shareWith(int firstDevice, int numDevices);
  /// A new stream, NULL after an error; `urgent`: of the highest priority.
  CUstream makeStream(bool urgent);
  /// Waits until the stream or event is at its end; false after an error.
  bool finish(CUstream stream);
  bool finish(CUevent event);
  /// Waits until all streams are; false after an error.
  bool drain();
  /// Memory in the order of the compute stream.
  void *allocate(int64_t bytes, int32_t memoryClass, int32_t owner);
  void release(void *pointer);

  const std::shared_ptr<mercury::cuda::Domain> domain;
  const int64_t rank;
  const int deviceNumber;
  /// Given back after all that is below.
  mercury::cuda::DeviceContext device;
  CUmemoryPool pool = nullptr;
  CUstream compute = nullptr;
  std::vector<std::unique_ptr<ncclComm>> communicators;
  /// NCCL's communicator of all ranks, from which the others are split.
  std::unique_ptr<ncclComm> everybody;
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
  /// Streams and events that the program made and has not destroyed.
  std::vector<CUstream> programStreams;
  std::vector<CUevent> programEvents;
  std::unordered_map<const void *, mercury::cuda::Module> modules;
  /// The last kernel launched: errors of the device come later.
  const mercury::cuda::Kernel *lastKernel = nullptr;
  int launchesSinceMark = 0;
  CUevent timer[2] = {nullptr, nullptr};
  mercury::host::Account account;
  /// Matrix products by cuBLASLt; made on first use.
  std::unique_ptr<mercury::cuda::Products> products;

  // Also used by other threads.
  mercury::cuda::EventPool eventPool;
  mercury::cuda::Marks marks;
  mercury::cuda::Staging staging;
  /// The device context is there.
  std::atomic<bool> isOpen{false};
  /// The rank's thread waits for the end of a stream or event.
  std::atomic<bool> waitsForDevice{false};

private:
  /// Asks `query` until it says something else than that it is not ready.
  bool poll(const std::function<CUresult()> &query, const char *call);

public:
  int32_t result = ncclSuccess;
  std::string errorText;
  int64_t bytesSent = 0;
  int64_t bytesReceived = 0;
  int64_t messages = 0;
  double waitSeconds = 0;
};

namespace mercury::cuda {

/// The context of the calling thread when it runs a rank_main, else NULL.
mercury_context *currentContext();
/// Sets it.
void setCurrentContext(mercury_context *context);

/// The address of device memory.
inline CUdeviceptr address(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// Adds the time of its life to the waiting time of a rank.
class WaitTimer {
public:
  explicit WaitTimer(mercury_context &context)
      : context(context), start(host::Clock::now()) {}
  ~WaitTimer() { context.waitSeconds += host::secondsSince(start); }
  WaitTimer(const WaitTimer &) = delete;
  WaitTimer &operator=(const WaitTimer &) = delete;

private:
  mercury_context &context;
  host::TimePoint start;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_CONTEXT_H
