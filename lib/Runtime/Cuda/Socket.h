//===- Socket.h - A connection to another process ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_SOCKET_H
#define MERCURY_LIB_RUNTIME_CUDA_SOCKET_H

#include "Support.h"

#include <memory>
#include <mutex>

namespace mercury::cuda {

/// A TCP connection. Sends are whole messages, from any thread.
class Socket {
public:
  explicit Socket(int descriptor);
  ~Socket();
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;

  /// Listens on `port` of all addresses; NULL and the reason in `error`.
  static std::unique_ptr<Socket> listenOn(int port, std::string &error);
  /// Connects, trying again until `deadline`.
  static std::unique_ptr<Socket> connectTo(const std::string &address, int port,
                                           host::TimePoint deadline,
                                           std::string &error);
  /// The next connection of a listening one; NULL when `deadline` is over.
  std::unique_ptr<Socket> accept(host::TimePoint deadline);

  /// Sends both parts as one message; false when the connection is gone.
  bool send(const void *first, size_t firstBytes, const void *second,
            size_t secondBytes);
  /// Receives exactly `bytes` bytes.
  bool receive(void *data, size_t bytes);
  /// Receiving fails after this many seconds without data; 0: never.
  void setTimeout(double seconds);
  int getDescriptor() const { return descriptor; }

private:
  int descriptor;
  std::mutex sending;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_SOCKET_H
