//===- Libraries.h - The driver, NCCL and cuBLASLt at run time --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_LIBRARIES_H
#define MERCURY_LIB_RUNTIME_CUDA_LIBRARIES_H

#include "Abi.h"
#include "CublasLtApi.h"
#include "DriverApi.h"
#include "Functions.h"

namespace mercury::cuda {

#define MERCURY_MEMBER(name) decltype(&::name) name = nullptr;
/// The functions of the driver.
struct Driver {
  MERCURY_DRIVER_FUNCTIONS(MERCURY_MEMBER)
};

/// Those of the true NCCL, whose names this library exports, too.
struct Nccl {
  MERCURY_NCCL_FUNCTIONS(MERCURY_MEMBER)
};

/// Those of cuBLASLt.
struct CublasLt {
  MERCURY_CUBLASLT_FUNCTIONS(MERCURY_MEMBER)
};
#undef MERCURY_MEMBER

/// Each opens its library at the first call, the driver is also initialized;
/// the answer stays the same as long as the process lives. NULL, and a sentence
/// in `error`, when the machine does not have it.
const Driver *loadDriver(std::string &error);
const Nccl *loadNccl(std::string &error);
const CublasLt *loadCublasLt(std::string &error);

/// The driver, after loadDriver has found it.
const Driver &driver();

/// "cuInit: out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
std::string describe(const char *call, CUresult result);

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_LIBRARIES_H
