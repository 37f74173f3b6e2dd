//===- Operation.cpp - Communication calls, however they travel -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>
#include <tuple>

using namespace mercury::host;

const char *mercury::host::nameOf(Kind kind) {
  switch (kind) {
  case Kind::Send:
    return "send";
  case Kind::Recv:
    return "recv";
  case Kind::AllGather:
    return "all_gather";
  case Kind::ReduceScatter:
    return "reduce_scatter";
  case Kind::AllReduce:
    return "all_reduce";
  case Kind::Broadcast:
    return "broadcast";
  case Kind::Split:
    return "split";
  }
  return "unknown operation";
}

int64_t Operation::globalRank() const {
  int64_t global = team->globalRanks[rank];
  return global < 0 ? rank : global;
}

std::string Operation::describe() const {
  std::string text;
  switch (kind) {
  case Kind::Send:
  case Kind::Recv:
    text = format("%s of %zu bytes %s %s", nameOf(kind), bytes(),
                  kind == Kind::Send ? "to" : "from",
                  team->describeRank(peer).c_str());
    break;
  case Kind::Split:
    text = format("split with color %d", color);
    break;
  default:
    text = format("%s of %zu bytes", nameOf(kind), bytes());
    break;
  }
  return text + " on " + team->describe();
}

std::string mercury::host::difference(const Operation &operation,
                                      const Operation &other) {
  if (operation.kind != other.kind)
    return nameOf(operation.kind);
  if (operation.kind == Kind::Split)
    return "";
  if (operation.type != other.type)
    return std::string("type ") + nameOf(operation.type);
  if (operation.count != other.count)
    return format("count %zu", operation.count);
  bool reduces = operation.kind == Kind::AllReduce ||
                 operation.kind == Kind::ReduceScatter;
  if (reduces && operation.reduction != other.reduction)
    return std::string("reduction ") + nameOf(operation.reduction);
  if (operation.kind == Kind::Broadcast && operation.peer != other.peer)
    return format("root %d", operation.peer);
  return "";
}

Failure mercury::host::mismatch(const Operation &operation,
                                const Operation &first) {
  const Team &team = *operation.team;
  Failure error;
  error.rank = operation.globalRank();
  error.result = ncclInvalidUsage;
  if (operation.portion)
    error.what = operation.portion->batch->whatText();
  error.text =
      format("%s #%llu on %s: %s has %s, %s has %s", nameOf(operation.kind),
             static_cast<unsigned long long>(operation.sequence),
             team.describe().c_str(), team.describeRank(first.rank).c_str(),
             difference(first, operation).c_str(),
             team.describeRank(operation.rank).c_str(),
             difference(operation, first).c_str());
  return error;
}

Failure mercury::host::sizeMismatch(const Operation &receive, int peer,
                                    const std::string &sent, size_t bytes) {
  const Team &team = *receive.team;
  Failure error;
  error.rank = receive.globalRank();
  error.result = ncclInvalidUsage;
  error.what = receive.portion->batch->whatText();
  error.text = format(
      "%s sends %s and %s receives %zu bytes, message %llu of this pair on %s",
      team.describeRank(peer).c_str(), sent.c_str(),
      team.describeRank(receive.rank).c_str(), bytes,
      static_cast<unsigned long long>(receive.sequence),
      team.describe().c_str());
  return error;
}

std::pair<size_t, size_t> mercury::host::slice(const Operation &operation,
                                               int rank, int size) {
  // Slices are multiples of a cache line, so that ranks do not share one.
  size_t line = 64 / sizeOf(operation.type);
  size_t chunk = (operation.count + size - 1) / size;
  chunk = (chunk + line - 1) / line * line;
  size_t begin = std::min(operation.count, chunk * rank);
  return {begin, std::min(operation.count, begin + chunk)};
}

void mercury::host::countTransfer(const Operation &operation) {
  mercury_context *context = operation.context;
  int64_t size = operation.team->size();
  int64_t bytes = static_cast<int64_t>(operation.bytes());
  if (!context || size < 2)
    return;
  int64_t sent = 0, received = 0, messages = size - 1;
  switch (operation.kind) {
  case Kind::AllGather:
  case Kind::ReduceScatter:
    sent = received = (size - 1) * bytes;
    break;
  case Kind::AllReduce:
    sent = received = 2 * (size - 1) * bytes / size;
    messages = 2 * (size - 1);
    break;
  case Kind::Broadcast:
    sent = operation.rank == operation.peer ? bytes : 0;
    received = bytes - sent;
    messages = operation.rank == operation.peer ? 1 : 0;
    break;
  case Kind::Send:
    sent = operation.peer == operation.rank ? 0 : bytes;
    messages = operation.peer == operation.rank ? 0 : 1;
    break;
  case Kind::Recv:
    received = operation.peer == operation.rank ? 0 : bytes;
    messages = 0;
    break;
  case Kind::Split:
    return;
  }
  context->bytesSent += sent;
  context->bytesReceived += received;
  context->messages += messages;
}
