//===- NcclCheck.cpp - One rank through NCCL ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclCheck.h"
#include "Mercury/Runtime/mercury_cuda.h"
#include "PackageFile.h"
#include <cstring>

using namespace mercury::check;

static int onRank(mercury_context *ctx, void *) {
  constexpr int64_t kCount = 1 << 20;
  std::vector<char> input = randomElements(Element::F32, kCount, 1);
  void *from = mercury_alloc(ctx, input.size(), MERCURY_OWN_SHARD, 0);
  void *to = mercury_alloc(ctx, input.size(), MERCURY_OWN_SHARD, 1);
  ncclComm_t comm = mercury_comm(ctx, 0);
  cudaStream_t stream = mercury_comm_stream(ctx, 0);
  if (!from || !to || !comm || !stream)
    return mercury_status(ctx);
  if (int status =
          mercury_cuda_to_device(ctx, from, input.data(), input.size()))
    return status;

  auto expect = [&](const char *what, auto &&communicate) -> int {
    if (int status = mercury_cuda_fill(ctx, to, 0xff, input.size()))
      return status;
    mercury_check(ctx, communicate(), what);
    if (int status = mercury_synchronize(ctx))
      return status;
    std::vector<char> output(input.size());
    if (int status =
            mercury_cuda_to_host(ctx, output.data(), to, output.size()))
      return status;
    if (output != input)
      mercury_check(ctx, ncclInternalError, what);
    return mercury_status(ctx);
  };
  if (int status = expect("a send to itself", [&] {
        ncclGroupStart();
        ncclSend(from, kCount, ncclFloat32, 0, comm, stream);
        ncclRecv(to, kCount, ncclFloat32, 0, comm, stream);
        return ncclGroupEnd();
      }))
    return status;
  if (int status = expect("an all-gather of one rank", [&] {
        return ncclAllGather(from, to, kCount, ncclFloat32, comm, stream);
      }))
    return status;
  return expect("an all-reduce of one rank", [&] {
    return ncclAllReduce(from, to, kCount, ncclFloat32, ncclSum, comm, stream);
  });
}

int mercury::check::checkNccl(std::string &error) {
  mercury_host_level level = {"gpu", 1, 0, 0};
  int32_t levels[] = {0};
  mercury_host_communicator communicator = {levels, 1};
  mercury_cuda_config config;
  mercury_cuda_config_init(&config);
  config.levels = &level;
  config.num_levels = 1;
  config.communicators = &communicator;
  config.num_communicators = 1;
  config.transport = MERCURY_CUDA_NCCL;
  char text[4096] = "";
  int status = mercury_cuda_run(&config, onRank, nullptr, text, sizeof(text));
  error = text;
  return status;
}
