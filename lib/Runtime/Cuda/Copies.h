//===- Copies.h - Communication of ranks that share a device ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_COPIES_H
#define MERCURY_LIB_RUNTIME_CUDA_COPIES_H

#include "Context.h"

namespace mercury::cuda {

/// Enqueues on one stream of a rank; after the first error nothing more.
class Queue {
public:
  Queue(mercury_context &context, CUstream stream)
      : context(context), stream(stream) {}
  /// What follows waits for `event`.
  void wait(CUevent event);
  /// Records `event` behind what is enqueued.
  void record(CUevent event);
  /// A new event that is not recorded yet.
  CUevent event();
  /// A new event, recorded behind what is enqueued.
  CUevent mark();
  /// Copies in device memory; nothing when both are the same.
  void copy(CUdeviceptr destination, CUdeviceptr source, size_t bytes);
  void toHost(void *destination, CUdeviceptr source, size_t bytes);
  void toDevice(CUdeviceptr destination, const void *source, size_t bytes);
  /// Runs `function` on a thread of the driver; it must call nothing of it.
  void call(std::function<void()> function);
  /// Host memory of the context.
  char *staging(size_t bytes);
  /// What went wrong, or empty.
  const std::string &getError() const { return error; }

private:
  bool check(CUresult result, const char *call);
  mercury_context &context;
  CUstream stream;
  std::string error;
};

/// An operation on its way through the meetings of the ranks' threads. All
/// under the domain's lock.
class Step {
public:
  explicit Step(const Operation &operation) : operation(operation) {}
  virtual ~Step() = default;
  /// Shows the operation to the other ranks.
  virtual void post() = 0;
  /// Enqueues what can be: true when something was.
  virtual bool advance() = 0;
  /// Ranks of the team that this waits for.
  virtual std::vector<int> missing() const = 0;
  /// Everything is enqueued.
  bool isDone() const { return done; }
  /// What is wrong, or empty: the result code and the text.
  const std::string &getError() const { return error; }
  ncclResult_t getResult() const { return result; }
  const Operation &getOperation() const { return operation; }

protected:
  /// Takes over what `queue` says; true when that is an error.
  bool failed(const Queue &queue);
  /// The ranks do not fit together.
  void mismatch(std::string text);
  /// The caller's queue on the operation's stream.
  Queue queue() const { return {*operation.comm->context, operation.stream}; }

  const Operation &operation;
  bool done = false;
  ncclResult_t result = ncclSuccess;
  std::string error;
};

/// The step of a send or receive, and of a collective or split.
std::unique_ptr<Step> makePointToPoint(const Operation &operation);
std::unique_ptr<Step> makeCollective(const Operation &operation);

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_COPIES_H
