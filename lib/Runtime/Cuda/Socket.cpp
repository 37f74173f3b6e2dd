//===- Socket.cpp - A connection to another process -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

using namespace mercury::cuda;
using mercury::host::Clock;
using mercury::host::format;
using mercury::host::TimePoint;

Socket::Socket(int descriptor) : descriptor(descriptor) {
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Socket::~Socket() { close(descriptor); }

std::unique_ptr<Socket> Socket::listenOn(int port, std::string &error) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  name.sin_addr.s_addr = htonl(INADDR_ANY);
  if (descriptor >= 0 &&
      bind(descriptor, reinterpret_cast<sockaddr *>(&name), sizeof(name)) ==
          0 &&
      ::listen(descriptor, SOMAXCONN) == 0)
    return std::make_unique<Socket>(descriptor);
  error = format("cannot listen on port %d: %s", port, std::strerror(errno));
  if (descriptor >= 0)
    close(descriptor);
  return nullptr;
}

std::unique_ptr<Socket> Socket::connectTo(const std::string &address, int port,
                                          TimePoint deadline,
                                          std::string &error) {
  constexpr std::chrono::milliseconds kPause(50);
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  do {
    addrinfo *list = nullptr;
    int code = getaddrinfo(address.c_str(), std::to_string(port).c_str(),
                           &hints, &list);
    error = code ? gai_strerror(code) : "no address";
    for (addrinfo *entry = list; entry; entry = entry->ai_next) {
      int descriptor = socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (descriptor >= 0 &&
          connect(descriptor, entry->ai_addr, entry->ai_addrlen) == 0) {
        freeaddrinfo(list);
        return std::make_unique<Socket>(descriptor);
      }
      error = std::strerror(errno);
      if (descriptor >= 0)
        close(descriptor);
    }
    if (list)
      freeaddrinfo(list);
    std::this_thread::sleep_for(kPause);
  } while (Clock::now() < deadline);
  return nullptr;
}

std::unique_ptr<Socket> Socket::accept(TimePoint deadline) {
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                    deadline - Clock::now())
                    .count();
    pollfd entry = {descriptor, POLLIN, 0};
    int ready =
        poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 1000)));
    if (ready > 0) {
      int accepted = accept4(descriptor, nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted >= 0)
        return std::make_unique<Socket>(accepted);
    }
    if (left <= 0)
      return nullptr;
  }
}

/// Sends all bytes; `flags` are those of send.
static bool sendAll(int descriptor, const void *data, size_t bytes, int flags) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t sent = ::send(descriptor, next, bytes, flags | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    next += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool Socket::send(const void *first, size_t firstBytes, const void *second,
                  size_t secondBytes) {
  std::lock_guard<std::mutex> lock(sending);
  return sendAll(descriptor, first, firstBytes, secondBytes ? MSG_MORE : 0) &&
         sendAll(descriptor, second, secondBytes, 0);
}

bool Socket::receive(void *data, size_t bytes) {
  char *next = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t received = recv(descriptor, next, bytes, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return false;
    next += received;
    bytes -= static_cast<size_t>(received);
  }
  return true;
}

void Socket::setTimeout(double seconds) {
  timeval time;
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_usec = static_cast<suseconds_t>((seconds - time.tv_sec) * 1e6);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
}
