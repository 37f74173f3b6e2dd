//===- Worker.cpp - One process of a launch, for ProcessesTest ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// cuda-worker MODE: `version` prints the version of NCCL; the others run a
// launch of as many ranks as there are processes and print what came of it.
// Exits with the code that all processes agree on.

#include "CudaTest.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace mercury::test;

static std::string mode;

/// What one rank does.
static int runRank(mercury_context *context) {
  int64_t rank = mercury_rank(context);
  ncclComm_t comm = mercury_comm(context, 0);
  cudaStream_t stream = mercury_comm_stream(context, 0);
  float *p = reinterpret_cast<float *>(64);
  if (mode == "good") {
    std::vector<int64_t> all(2);
    for (int64_t i = 0; i < 20; ++i) {
      int64_t value = 100 * i + rank;
      mercury_cuda_barrier(context);
      RETURN_IF_FAILED(
          mercury_cuda_gather(context, &value, sizeof(value), all.data()));
      if (rank == 0 && (all[0] != 100 * i || all[1] != 100 * i + 1))
        return ncclInternalError;
    }
    RETURN_IF_FAILED(ncclAllGather(p, p, 6, ncclFloat32, comm, stream));
    return mercury_synchronize(context);
  }
  if (mode == "error" && rank == 1) {
    mercury_check(context, ncclInvalidUsage, "tile at f.mlir:3");
    return mercury_status(context);
  }
  if (mode == "exit" && rank == 1)
    _exit(3);
  if (mode == "async")
    mercury_check(context, ncclAllGather(p, p, 6, ncclFloat32, comm, stream),
                  "hop at f.mlir:5");
  else if (mode != "finish")
    // Rank 0 waits for one that does not come.
    mercury_cuda_barrier(context);
  return mercury_synchronize(context);
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "";
  if (mode == "version") {
    int version = 0;
    int code = ncclGetVersion(&version);
    std::printf("%d version %d%s\n", code, version,
                code ? ncclGetLastError(nullptr) : "");
    return code;
  }
  char error[4096];
  int32_t process = 0, processes = 1;
  int code = mercury_cuda_processes(&process, &processes, error, sizeof(error));
  if (!code) {
    Outcome outcome = Launch(processes).run(runRank);
    code = outcome.code;
    std::snprintf(error, sizeof(error), "%s", outcome.text.c_str());
  }
  std::printf("process %d of %d: %d %s\n", process, processes, code, error);
  if (mode == "finish" && process == 1) {
    code = 5;
    std::strcpy(error, "the results differ");
  }
  char agreed[4096];
  code = mercury_cuda_finish(code, error, agreed, sizeof(agreed));
  std::printf("process %d agreed on %d %s\n", process, code, agreed);
  return code;
}
