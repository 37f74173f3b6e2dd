//===- Environment.h - Which process of a job this is -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_ENVIRONMENT_H
#define MERCURY_LIB_RUNTIME_CUDA_ENVIRONMENT_H

#include "Support.h"

namespace mercury::cuda {

/// What mpirun or torchrun says; one process when nobody does.
struct Environment {
  int process = 0;
  int processes = 1;
  /// Number of this process on its machine.
  int localRank = 0;
  /// Where process 0 listens.
  std::string address = "127.0.0.1";
  int port = 29501;
  /// Seconds that processes wait for each other at the start.
  double patience = 60;
};

/// Reads the environment; returns what is wrong with it, empty when nothing is.
std::string readEnvironment(Environment &environment);

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_ENVIRONMENT_H
