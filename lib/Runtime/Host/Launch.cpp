//===- Launch.cpp - What launches of ranks have in common -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

using namespace mercury::host;

void mercury_host_config_init(mercury_host_config *config) {
  *config = mercury_host_config();
  config->mode = MERCURY_RENDEZVOUS;
  config->time_scale = 1;
  config->watchdog_seconds = 30;
}

void mercury::host::runRank(mercury_context &context,
                            mercury_host_main rankMain, void *user) {
  ThreadCount count;
  setCurrentContext(&context);
  int result = ncclSuccess;
  try {
    result = rankMain(&context, user);
  } catch (...) {
    context.recordError(ncclInternalError, "", "rank_main threw an exception");
  }
  if (leaveGroup())
    context.recordError(ncclInvalidUsage, "",
                        "rank_main returned inside of a group");
  if (result != ncclSuccess && context.result == ncclSuccess &&
      !context.domain->hasFailed())
    context.recordError(result, "",
                        format("rank_main returned %d: %s", result,
                               lastErrorText(result).c_str()));
  context.drain();
  context.domain->rankReturned(context.rank);
  context.destroyStreams();
  setCurrentContext(nullptr);
}

Failure mercury::host::lostMessage(const Undelivered &message) {
  Failure lost;
  lost.result = ncclInvalidUsage;
  lost.text =
      format("rank %lld sent %zu bytes to rank %lld on %s, which never "
             "received them",
             static_cast<long long>(message.from), message.bytes,
             static_cast<long long>(message.to), message.communicator.c_str());
  return lost;
}
