//===- Agreement.cpp - What rank 0 says, in all processes -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Agreement.h"
#include "HostLibrary.h"
#include "RunError.h"

namespace mercury::run {

/// Broadcasts over the communicator of all ranks.
static int broadcast(mercury_context *ctx, void *data, size_t bytes) {
  const HostLibrary &host = hostLibrary();
  int result = host.broadcast(data, data, bytes, ncclUint8, /*root=*/0,
                              host.comm(ctx, 0), host.commStream(ctx, 0));
  return result ? result : host.synchronize(ctx);
}

llvm::Expected<std::string> agree(std::string text) {
  const HostLibrary &host = hostLibrary();
  if (!host.ranksAreProcesses)
    return text;
  if (!host.broadcast)
    return badInput("ranks on GPUs agree within one process only: start this "
                    "without torchrun or mpirun");
  int32_t process, processes;
  char problem[1024] = "";
  if (host.processes(&process, &processes, problem, sizeof(problem)))
    return runtimeFailure(problem);
  mercury_host_level level = {"process", processes, 0, 0};
  int32_t first = 0;
  mercury_host_communicator all = {&first, 1};
  mercury_host_config config;
  host.configInit(&config);
  config.levels = &level;
  config.num_levels = 1;
  config.communicators = &all;
  config.num_communicators = 1;
  int status = host.run(
      &config,
      [](mercury_context *ctx, void *user) {
        std::string &text = *static_cast<std::string *>(user);
        uint64_t size = text.size();
        if (int status = broadcast(ctx, &size, sizeof(size)))
          return status;
        text.resize(size);
        return size ? broadcast(ctx, text.data(), size) : 0;
      },
      &text, problem, sizeof(problem));
  if (status)
    return runtimeFailure(problem);
  return text;
}

} // namespace mercury::run
