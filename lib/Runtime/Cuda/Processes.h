//===- Processes.h - How the processes of a job talk ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_PROCESSES_H
#define MERCURY_LIB_RUNTIME_CUDA_PROCESSES_H

#include "Environment.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mercury::cuda {

class Domain;
class Socket;

/// The processes of a job, each one rank. Process 0 has a connection to every
/// other one; NCCL moves the data, this only what it takes to start, to collect
/// results, and to fail together. A thread reads what the others send.
class Processes {
public:
  /// That of this process. Lives until the process ends.
  static Processes &get();

  /// Meets the others, once; returns what went wrong, empty when nothing.
  std::string connect(const Environment &environment);

  /// Failures that others tell go to `domain`, those of earlier ones at once;
  /// NULL: to nobody.
  void setDomain(Domain *domain);
  /// Tells all others; everything below returns false from now on.
  void tellFailure(const host::Failure &failure);
  /// The failure that all processes report, which process 0 chooses. Waits for
  /// it; false when it does not come.
  bool waitForVerdict(host::Failure &failure);

  /// All processes call these in the same order. False after a failure.
  /// `data` of process 0 comes to all.
  bool broadcast(void *data, size_t bytes);
  /// `bytes` bytes of each come to `destination` of process 0, in order.
  bool gather(const void *source, size_t bytes, void *destination);
  bool barrier();
  /// The last call: exchanges exit codes and disconnects. `code` and `text`
  /// become the lowest code that is not 0, or 0, and its text.
  void finish(int &code, std::string &text);

private:
  enum class Kind : uint32_t { Data, Failure, Verdict, Finish, Count };
  /// What precedes the bytes of a message.
  struct Header {
    Kind kind;
    uint32_t from;
    uint64_t bytes;
  };

  std::string listen();
  std::string dial();
  bool send(int to, Kind kind, const std::string &payload);
  /// The next message of a kind; false after a failure, or when the sender is
  /// gone or `seconds` are over (negative: never).
  bool receive(int from, Kind kind, std::string &payload, double seconds = -1);
  void read();
  void handle(int from, const Header &header, std::string payload);
  void lost(int from);
  /// Process 0 settles what is reported, and tells all.
  void settle(const host::Failure &failure);
  void tellDomain(const host::Failure &failure);

  Environment environment;
  bool connected = false;
  /// By process; process 0 has all but its own, the others only that to 0.
  std::vector<std::unique_ptr<Socket>> sockets;
  int wakeUp[2] = {-1, -1};
  std::thread reader;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, Kind>, std::deque<std::string>> inbox;
  std::vector<bool> gone, finished;
  bool failed = false;
  bool hasVerdict = false;
  bool closing = false;
  host::Failure verdict;
  host::Failure own;

  /// Held while a failure is told to the launch.
  std::mutex domainMutex;
  Domain *domain = nullptr;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_PROCESSES_H
