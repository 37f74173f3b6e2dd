//===- Context.cpp - What one rank has ------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace mercury::host;

static thread_local mercury_context *threadContext = nullptr;

mercury_context *mercury::host::currentContext() { return threadContext; }

void mercury::host::setCurrentContext(mercury_context *context) {
  threadContext = context;
}

mercury_context::mercury_context(
    std::shared_ptr<Domain> domain, int64_t rank,
    const std::vector<std::vector<int>> &communicatorLevels)
    : domain(std::move(domain)), rank(rank),
      communicatorLevels(communicatorLevels),
      allocator(rank, this->domain->settings.memoryLimit) {
  communicators.resize(communicatorLevels.size());
  streams.resize(communicatorLevels.size());
}

mercury_context::~mercury_context() { destroyStreams(); }

ncclComm *mercury_context::getCommunicator(int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= communicators.size()) {
    setLastError(ncclInvalidArgument,
                 format("communicator %d asked for, the launch has %zu", index,
                        communicators.size()));
    recordError(ncclInvalidArgument, "", lastErrorText(ncclInvalidArgument));
    return nullptr;
  }
  if (communicators[index])
    return communicators[index].get();

  const Members members =
      domain->topology.membersOf(rank, communicatorLevels[index]);
  std::shared_ptr<Team> team;
  {
    Domain::Lock lock(domain->mutex);
    std::weak_ptr<Team> &known = domain->teams[{index, members.ranks[0]}];
    team = known.lock();
    if (!team) {
      team = std::make_shared<Team>(domain, members.name, members.ranks);
      team->number = index + 1;
      known = team;
    }
  }
  communicators[index] = std::make_unique<ncclComm>(
      std::move(team), members.mine, this, /*owned=*/true);
  return communicators[index].get();
}

void mercury_context::drain() {
  if (computeStream)
    computeStream->synchronize();
  for (const auto &stream : streams)
    if (stream)
      stream->synchronize();
  for (Stream *stream : programStreams)
    stream->synchronize();
}

void mercury_context::destroyStreams() {
  computeStream.reset();
  for (auto &stream : streams)
    stream.reset();
  for (Stream *stream : programStreams)
    delete stream;
  programStreams.clear();
}

void mercury_context::recordError(int32_t code, const std::string &what,
                                  const std::string &text) {
  Failure error;
  error.rank = rank;
  error.result = code;
  error.what = what;
  error.text = text;
  if (result == ncclSuccess) {
    result = code;
    errorText = error.describe();
  }
  Domain::Lock lock(domain->mutex);
  domain->noteError(std::move(error));
}

int64_t mercury_rank(mercury_context *context) { return context->rank; }

ncclComm_t mercury_comm(mercury_context *context, int32_t index) {
  return context->getCommunicator(index);
}

cudaStream_t mercury_comm_stream(mercury_context *context, int32_t index) {
  if (!context->getCommunicator(index))
    return nullptr;
  auto &stream = context->streams[index];
  if (!stream)
    stream = std::make_unique<Stream>(context->domain);
  return reinterpret_cast<cudaStream_t>(stream.get());
}

void *mercury_event(mercury_context *context, int32_t index) {
  if (index < 0) {
    context->recordError(ncclInvalidArgument, "",
                         format("event %d asked for", index));
    return nullptr;
  }
  if (static_cast<size_t>(index) >= context->events.size())
    context->events.resize(index + 1);
  auto &event = context->events[index];
  if (!event)
    event = std::make_unique<Event>();
  return event.get();
}

void *mercury_alloc(mercury_context *context, int64_t bytes,
                    int32_t memoryClass, int32_t owner) {
  std::string error;
  void *pointer = context->allocator.allocate(bytes, memoryClass, owner, error);
  if (!pointer) {
    setLastError(ncclSystemError, error);
    context->recordError(ncclSystemError, "", error);
  }
  return pointer;
}

void mercury_free(mercury_context *context, void *pointer) {
  std::string error;
  Allocator::Freed freed;
  if (!context->allocator.release(pointer, freed, error))
    return context->recordError(ncclInvalidArgument, "", error);
  auto reuse = [context, freed] { context->allocator.reuse(freed); };
  // What the compute stream was given may still use it.
  if (!context->computeStream || !context->computeStream->push(reuse))
    reuse();
}

void mercury_check(mercury_context *context, int32_t result, const char *what) {
  if (result != ncclSuccess) {
    context->recordError(result, what ? what : "", lastErrorText(result));
    return;
  }
  // The call may still fail on its stream: then its name is wanted there.
  if (std::shared_ptr<Batch> batch = lastBatch())
    batch->what.store(what, std::memory_order_release);
}

void mercury_progress(mercury_context *context) { context->domain->poll(); }

int32_t mercury_status(mercury_context *context) {
  context->domain->poll();
  if (context->result != ncclSuccess || !context->domain->hasFailed())
    return context->result;
  Domain::Lock lock(context->domain->mutex);
  const Failure &failure = context->domain->getFailure();
  context->result = context->domain->resultFor(context->rank);
  context->errorText = failure.describe();
  return context->result;
}

const char *mercury_error(mercury_context *context) {
  mercury_status(context);
  return context->errorText.c_str();
}

void mercury_host_barrier(mercury_context *context) {
  context->domain->barrier(context->rank);
}

void mercury_host_get_stats(mercury_context *context,
                            mercury_host_stats *stats) {
  *stats = mercury_host_stats();
  context->allocator.getStats(*stats);
  stats->wait_seconds = context->waitNanoseconds.load() * 1e-9;
  Domain::Lock lock(context->domain->mutex);
  stats->bytes_sent = context->bytesSent;
  stats->bytes_received = context->bytesReceived;
  stats->messages = context->messages;
}

void mercury_host_reset_stats(mercury_context *context) {
  context->allocator.resetPeaks();
  context->waitNanoseconds = 0;
  Domain::Lock lock(context->domain->mutex);
  context->bytesSent = 0;
  context->bytesReceived = 0;
  context->messages = 0;
}

int64_t mercury_host_live_handles(void) { return LiveHandle::count(); }
