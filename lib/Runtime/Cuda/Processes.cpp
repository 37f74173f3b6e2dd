//===- Processes.cpp - How the processes of a job talk --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include "Domain.h"
#include "Socket.h"

#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace mercury::cuda;
using mercury::host::after;
using mercury::host::Clock;
using mercury::host::Failure;
using mercury::host::format;

namespace {

/// What a process says first.
struct Hello {
  char magic[8];
  int32_t process;
  int32_t processes;
};
constexpr char kMagic[8] = {'m', 'e', 'r', 'c', 'u', 'r', 'y', '1'};

/// Seconds that a stranger may take to say who it is.
constexpr double kStrangerSeconds = 2;
/// Seconds that a failure may take to come around.
constexpr double kFailureSeconds = 10;
/// A message longer than this does not come from us.
constexpr uint64_t kMaxBytes = uint64_t(1) << 40;

std::string pack(const Failure &failure) {
  std::string text(sizeof(int64_t) + sizeof(int32_t), '\0');
  std::memcpy(text.data(), &failure.rank, sizeof(int64_t));
  std::memcpy(text.data() + sizeof(int64_t), &failure.result, sizeof(int32_t));
  return text + failure.what + '\0' + failure.text;
}

Failure unpack(const std::string &text) {
  Failure failure;
  constexpr size_t kFixed = sizeof(int64_t) + sizeof(int32_t);
  if (text.size() < kFixed)
    return failure;
  std::memcpy(&failure.rank, text.data(), sizeof(int64_t));
  std::memcpy(&failure.result, text.data() + sizeof(int64_t), sizeof(int32_t));
  size_t middle = text.find('\0', kFixed);
  failure.what = text.substr(kFixed, middle - kFixed);
  if (middle != std::string::npos)
    failure.text = text.substr(middle + 1);
  return failure;
}

} // namespace

Processes &Processes::get() {
  // Never destroyed: its thread may outlive main.
  static Processes *instance = new Processes();
  return *instance;
}

std::string Processes::connect(const Environment &given) {
  if (connected)
    return "";
  environment = given;
  sockets.resize(environment.processes);
  gone.resize(environment.processes);
  finished.resize(environment.processes);
  std::string error = environment.process == 0 ? listen() : dial();
  if (error.empty() && pipe2(wakeUp, O_CLOEXEC) != 0)
    error = "the system refused a pipe";
  if (!error.empty())
    return format("process %d of %d: ", environment.process,
                  environment.processes) +
           error;
  connected = true;
  reader = std::thread([this] { read(); });
  return "";
}

std::string Processes::listen() {
  std::string error;
  std::unique_ptr<Socket> listener = Socket::listenOn(environment.port, error);
  if (!listener)
    return error;
  host::TimePoint deadline = after(Clock::now(), environment.patience);
  for (int missing = environment.processes - 1; missing > 0;) {
    std::unique_ptr<Socket> socket = listener->accept(deadline);
    if (!socket) {
      std::string names;
      for (int other = 1; other < environment.processes; ++other)
        if (!sockets[other])
          names += (names.empty() ? "" : ", ") + std::to_string(other);
      return format("of processes %s nothing was heard on port %d in %g s",
                    names.c_str(), environment.port, environment.patience);
    }
    Hello hello;
    socket->setTimeout(kStrangerSeconds);
    if (!socket->receive(&hello, sizeof(hello)) ||
        std::memcmp(hello.magic, kMagic, sizeof(kMagic)) != 0)
      continue; // somebody else
    if (hello.processes != environment.processes || hello.process < 1 ||
        hello.process >= environment.processes)
      return format("a process says that it is %d of %d", hello.process,
                    hello.processes);
    if (sockets[hello.process])
      return format("two processes say that they are %d of %d", hello.process,
                    hello.processes);
    socket->setTimeout(0);
    sockets[hello.process] = std::move(socket);
    --missing;
  }
  for (int other = 1; other < environment.processes; ++other)
    sockets[other]->send(kMagic, sizeof(kMagic), nullptr, 0);
  return "";
}

std::string Processes::dial() {
  std::string error;
  host::TimePoint deadline = after(Clock::now(), environment.patience);
  std::unique_ptr<Socket> socket =
      Socket::connectTo(environment.address, environment.port, deadline, error);
  if (!socket)
    return format("cannot reach process 0 at %s port %d in %g s: ",
                  environment.address.c_str(), environment.port,
                  environment.patience) +
           error;
  Hello hello;
  std::memcpy(hello.magic, kMagic, sizeof(kMagic));
  hello.process = environment.process;
  hello.processes = environment.processes;
  char answer[sizeof(kMagic)];
  socket->setTimeout(environment.patience + kStrangerSeconds);
  if (!socket->send(&hello, sizeof(hello), nullptr, 0) ||
      !socket->receive(answer, sizeof(answer)) ||
      std::memcmp(answer, kMagic, sizeof(kMagic)) != 0)
    return format("process 0 at %s port %d gave up",
                  environment.address.c_str(), environment.port);
  socket->setTimeout(0);
  sockets[0] = std::move(socket);
  return "";
}

void Processes::setDomain(Domain *launch) {
  Failure earlier;
  {
    std::lock_guard<std::mutex> told(domainMutex);
    domain = launch;
    std::lock_guard<std::mutex> lock(mutex);
    if (!launch || !failed)
      return;
    earlier = hasVerdict ? verdict : own;
  }
  launch->agree(std::move(earlier));
}

void Processes::tellDomain(const Failure &failure) {
  std::lock_guard<std::mutex> told(domainMutex);
  if (domain)
    domain->agree(failure);
}

void Processes::tellFailure(const Failure &failure) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (failed)
      return;
    failed = true;
    own = failure;
  }
  changed.notify_all();
  if (environment.process == 0)
    settle(failure);
  else
    send(0, Kind::Failure, pack(failure));
}

void Processes::settle(const Failure &failure) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (hasVerdict)
      return;
    hasVerdict = failed = true;
    verdict = failure;
  }
  changed.notify_all();
  for (int other = 1; other < environment.processes; ++other)
    send(other, Kind::Verdict, pack(failure));
}

bool Processes::waitForVerdict(Failure &failure) {
  std::unique_lock<std::mutex> lock(mutex);
  bool came = changed.wait_until(lock, after(Clock::now(), kFailureSeconds),
                                 [&] { return hasVerdict || gone[0]; });
  if (!came || !hasVerdict)
    return false;
  failure = verdict;
  return true;
}

bool Processes::send(int to, Kind kind, const std::string &payload) {
  Header header = {kind, static_cast<uint32_t>(environment.process),
                   payload.size()};
  return sockets[to]->send(&header, sizeof(header), payload.data(),
                           payload.size());
}

bool Processes::receive(int from, Kind kind, std::string &payload,
                        double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  auto &queue = inbox[{from, kind}];
  auto ready = [&] {
    return !queue.empty() || gone[from] || (failed && kind == Kind::Data);
  };
  if (seconds < 0)
    changed.wait(lock, ready);
  else
    changed.wait_until(lock, after(Clock::now(), seconds), ready);
  if (queue.empty() || (failed && kind == Kind::Data))
    return false;
  payload = std::move(queue.front());
  queue.pop_front();
  return true;
}

void Processes::read() {
  std::vector<pollfd> entries;
  std::vector<int> owners;
  while (true) {
    entries.assign(1, {wakeUp[0], POLLIN, 0});
    owners.assign(1, -1);
    for (size_t other = 0; other < sockets.size(); ++other)
      if (sockets[other] && !gone[other]) {
        entries.push_back({sockets[other]->getDescriptor(), POLLIN, 0});
        owners.push_back(static_cast<int>(other));
      }
    if (poll(entries.data(), entries.size(), -1) < 0)
      continue;
    if (entries[0].revents)
      return;
    for (size_t i = 1; i < entries.size(); ++i) {
      if (!entries[i].revents)
        continue;
      Header header;
      Socket &socket = *sockets[owners[i]];
      std::string payload;
      bool whole = socket.receive(&header, sizeof(header)) &&
                   header.kind < Kind::Count && header.bytes < kMaxBytes;
      if (whole) {
        payload.resize(header.bytes);
        whole = socket.receive(payload.data(), payload.size());
      }
      if (whole)
        handle(owners[i], header, std::move(payload));
      else
        lost(owners[i]);
    }
  }
}

void Processes::handle(int from, const Header &header, std::string payload) {
  if (header.kind == Kind::Failure) {
    Failure failure = unpack(payload);
    settle(failure);
    std::unique_lock<std::mutex> lock(mutex);
    failure = verdict;
    lock.unlock();
    return tellDomain(failure);
  }
  if (header.kind == Kind::Verdict) {
    Failure failure = unpack(payload);
    {
      std::lock_guard<std::mutex> lock(mutex);
      failed = hasVerdict = true;
      verdict = failure;
    }
    changed.notify_all();
    return tellDomain(failure);
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (header.kind == Kind::Finish)
      finished[from] = true;
    inbox[{from, header.kind}].push_back(std::move(payload));
  }
  changed.notify_all();
}

void Processes::lost(int from) {
  bool isExpected;
  {
    std::lock_guard<std::mutex> lock(mutex);
    gone[from] = true;
    isExpected = finished[from] || closing;
  }
  if (!isExpected) {
    Failure failure;
    failure.rank = from;
    failure.result = ncclRemoteError;
    failure.text = "its process has ended without a word";
    tellDomain(failure);
    tellFailure(failure);
  }
  changed.notify_all();
}

bool Processes::broadcast(void *data, size_t bytes) {
  if (environment.process == 0) {
    std::string payload(static_cast<const char *>(data), bytes);
    for (int other = 1; other < environment.processes; ++other)
      send(other, Kind::Data, payload);
    std::lock_guard<std::mutex> lock(mutex);
    return !failed;
  }
  std::string payload;
  if (!receive(0, Kind::Data, payload) || payload.size() != bytes)
    return false;
  std::memcpy(data, payload.data(), bytes);
  return true;
}

bool Processes::gather(const void *source, size_t bytes, void *destination) {
  if (environment.process > 0)
    return send(0, Kind::Data,
                std::string(static_cast<const char *>(source), bytes));
  char *next = static_cast<char *>(destination);
  if (bytes > 0)
    std::memcpy(next, source, bytes);
  for (int other = 1; other < environment.processes; ++other) {
    std::string payload;
    if (!receive(other, Kind::Data, payload) || payload.size() != bytes)
      return false;
    if (bytes > 0)
      std::memcpy(next + other * bytes, payload.data(), bytes);
  }
  return true;
}

bool Processes::barrier() {
  char nothing = 0;
  return gather(&nothing, 0, &nothing) && broadcast(&nothing, 0);
}

void Processes::finish(int &code, std::string &text) {
  if (!connected)
    return;
  auto packed = [&] {
    return std::string(reinterpret_cast<const char *>(&code), sizeof(code)) +
           text;
  };
  auto unpackInto = [&](const std::string &payload) {
    std::memcpy(&code, payload.data(), sizeof(code));
    text = payload.substr(sizeof(code));
  };
  std::string payload;
  if (environment.process == 0) {
    for (int other = 1; other < environment.processes; ++other) {
      std::unique_lock<std::mutex> lock(mutex);
      double patience = failed ? kFailureSeconds : -1;
      lock.unlock();
      bool came = receive(other, Kind::Finish, payload, patience) &&
                  payload.size() >= sizeof(code);
      // Of one that is gone only that is known.
      int theirs = code ? code : 1;
      if (came)
        std::memcpy(&theirs, payload.data(), sizeof(theirs));
      else
        payload = std::string(reinterpret_cast<const char *>(&theirs),
                              sizeof(theirs)) +
                  format("process %d has ended without a word", other);
      if (theirs != 0 && (code == 0 || theirs < code))
        unpackInto(payload);
    }
    for (int other = 1; other < environment.processes; ++other)
      send(other, Kind::Finish, packed());
  } else if (send(0, Kind::Finish, packed()) &&
             receive(0, Kind::Finish, payload) &&
             payload.size() >= sizeof(code)) {
    unpackInto(payload);
  } else if (code == 0) {
    code = 1;
    text = "process 0 has ended without a word";
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    closing = true;
  }
  char stop = 0;
  if (write(wakeUp[1], &stop, 1) == 1)
    reader.join();
  sockets.clear();
  connected = false;
}
