//===- CudaApiTable.h - CUDA's declarations as text -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_RUNTIME_CUDA_CUDAAPITABLE_H
#define MERCURY_UNITTESTS_RUNTIME_CUDA_CUDAAPITABLE_H

#include <map>
#include <string>

namespace mercury::test {

/// Names with their values, sizes or types as text.
using ApiTable = std::map<std::string, std::string>;

/// The tables of our declarations.
ApiTable driverTableOurs();
ApiTable cublasLtTableOurs();

/// Those of cuda.h and cublasLt.h; defined only where these are present.
ApiTable driverTableTheirs();
ApiTable cublasLtTableTheirs();

/// The type as the compiler prints it.
template <typename T> std::string typeText() {
  std::string text = __PRETTY_FUNCTION__;
  return text.substr(text.find('='));
}

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_RUNTIME_CUDA_CUDAAPITABLE_H
