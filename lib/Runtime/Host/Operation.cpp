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
  if (!operation.context)
    return;
  Traffic traffic =
      trafficOf(operation.kind, operation.rank, operation.team->size(),
                operation.peer, static_cast<int64_t>(operation.bytes()));
  operation.context->bytesSent += traffic.sent;
  operation.context->bytesReceived += traffic.received;
  operation.context->messages += traffic.messages;
}
