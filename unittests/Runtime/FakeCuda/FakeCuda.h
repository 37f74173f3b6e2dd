//===- FakeCuda.h - A CUDA driver without a device --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_RUNTIME_FAKECUDA_FAKECUDA_H
#define MERCURY_UNITTESTS_RUNTIME_FAKECUDA_FAKECUDA_H

//
// The fake driver has the functions of the driver that the runtime calls. Every
// stream is a thread, so that what is not ordered by events happens in any
// order; "device memory" is host memory at addresses that fault when the host
// uses them. Environment variables:
//   FAKE_CUDA_DEVICES=N       devices, 1 by default
//   FAKE_CUDA_JITTER=N        tasks of streams wait up to N microseconds
//   FAKE_CUDA_FAIL=NAME:K:E   call number K (from 1) of a function fails with E
//   FAKE_CUDA_HOST_ALLOC_WAITS=1  page-locked memory is given when all streams
//                             have been idle, as the true driver may do
//   FAKE_NCCL_ERROR=R:K:E     communicator of rank R has the error E from its
//                             operation number K on
//   FAKE_NCCL_HANG=1          operations of NCCL end only when aborted

#include "DriverApi.h"

#include <string>
#include <vector>

/// A kernel of a fake image. `run` gets the parameters as the device would,
/// and what it returns, unless 0, is the error of the device from then on.
struct FakeKernel {
  const char *name;
  size_t numParameters;
  int (*run)(void **parameters, const unsigned *grid, const unsigned *block,
             unsigned sharedBytes);
};

/// What cuModuleLoadData accepts.
struct FakeImage {
  char magic[8];
  const FakeKernel *kernels;
  size_t numKernels;
};
#define FAKE_IMAGE_MAGIC {'f', 'a', 'k', 'e', 'c', 'u', 'b', '\0'}

extern "C" {
/// The host address of device memory; for kernels.
void *fakeCudaHost(CUdeviceptr pointer);
/// Objects that were made and not destroyed: contexts retained, streams,
/// events, pools, blocks, host blocks and modules.
int fakeCudaLive();
/// Those of them that are host blocks.
int fakeCudaHostBlocks();
/// The PTX loaded last, up to its zero.
const char *fakeCudaPtx();
/// Modules loaded so far.
int fakeCudaModulesLoaded();
/// Times that a pool was made accessible to another device.
int fakeCudaAccessGiven();
/// Priority of a stream.
int fakeCudaPriority(CUstream stream);
}

/// Calls of the fake NCCL so far, "ncclSend 4 7 1 comm 2 of rank 0".
std::vector<std::string> fakeNcclCalls();
/// Changes what the variables say: FAKE_NCCL_ERROR and FAKE_NCCL_HANG.
void fakeNcclConfigure(const char *error, bool hang);

#endif // MERCURY_UNITTESTS_RUNTIME_FAKECUDA_FAKECUDA_H
