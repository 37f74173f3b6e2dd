//===- PointToPoint.cpp - Sends and receives between ranks of a device ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

using namespace mercury::cuda;
using mercury::host::format;

namespace {

/// Publishes its source with an event behind what fills it; when the receiver
/// has enqueued the copy, what follows on the stream waits for it.
class SendStep : public Step {
public:
  using Step::Step;

  void post() override {
    Queue queue = this->queue();
    message = std::make_shared<Message>();
    message->source = address(operation.source);
    message->bytes = operation.bytes();
    message->ready = queue.mark();
    message->done = queue.event();
    if (failed(queue))
      return;
    operation.comm->team->sends[{operation.comm->rank, operation.peer}]
        .push_back(message);
  }

  bool advance() override {
    if (!message->taken)
      return false;
    Queue queue = this->queue();
    queue.wait(message->done);
    EventPool &pool = operation.comm->context->eventPool;
    pool.give(message->ready);
    pool.give(message->done);
    done = !failed(queue);
    return true;
  }

  std::vector<int> missing() const override { return {operation.peer}; }

private:
  std::shared_ptr<Message> message;
};

/// Waits for the sender's event, copies, and records that it has.
class RecvStep : public Step {
public:
  using Step::Step;

  void post() override {}

  bool advance() override {
    auto &sends =
        operation.comm->team->sends[{operation.peer, operation.comm->rank}];
    if (sends.empty())
      return false;
    std::shared_ptr<Message> message = sends.front();
    sends.pop_front();
    if (message->bytes != operation.bytes()) {
      mismatch(
          format("%s sends %zu bytes",
                 operation.comm->team->describeRank(operation.peer).c_str(),
                 message->bytes));
      return true;
    }
    Queue queue = this->queue();
    queue.wait(message->ready);
    queue.copy(address(operation.destination), message->source, message->bytes);
    queue.record(message->done);
    done = !failed(queue);
    message->taken = done;
    return true;
  }

  std::vector<int> missing() const override { return {operation.peer}; }
};

} // namespace

std::unique_ptr<Step>
mercury::cuda::makePointToPoint(const Operation &operation) {
  if (operation.kind == host::Kind::Send)
    return std::make_unique<SendStep>(operation);
  return std::make_unique<RecvStep>(operation);
}
