//===- Environment.cpp - Which process of a job this is -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Environment.h"

#include <cstdlib>

using namespace mercury::cuda;
using mercury::host::format;

/// Value of a variable, NULL when it is not set or empty.
static const char *valueOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text && *text ? text : nullptr;
}

/// Reads a number that is at least 0 and at most `most`; one that is not set
/// stays as it is.
static std::string readNumber(const char *variable, int most, int &number) {
  const char *text = valueOf(variable);
  if (!text)
    return "";
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  if (*end || value < 0 || value > most)
    return format("%s is '%s', expected a number from 0 to %d", variable, text,
                  most);
  number = static_cast<int>(value);
  return "";
}

std::string mercury::cuda::readEnvironment(Environment &environment) {
  constexpr int kMaxProcesses = 1 << 20;
  // The names that Open MPI, MPICH and torchrun give to the same three numbers.
  constexpr const char *kNames[][3] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
       "OMPI_COMM_WORLD_LOCAL_RANK"},
      {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"},
      {"WORLD_SIZE", "RANK", "LOCAL_RANK"}};
  for (const auto &[size, rank, localRank] : kNames) {
    if (!valueOf(size) || !valueOf(rank))
      continue;
    std::string error = readNumber(size, kMaxProcesses, environment.processes);
    if (error.empty())
      error = readNumber(rank, kMaxProcesses, environment.process);
    environment.localRank = environment.process;
    if (error.empty())
      error = readNumber(localRank, kMaxProcesses, environment.localRank);
    if (error.empty() && environment.process >= environment.processes)
      error = format("%s is %d and %s is %d", rank, environment.process, size,
                     environment.processes);
    if (!error.empty())
      return error;
    break;
  }
  if (const char *address = valueOf("MASTER_ADDR"))
    environment.address = address;
  int port = environment.port - 1;
  std::string error = readNumber("MASTER_PORT", 65534, port);
  environment.port = port + 1;
  int patience = static_cast<int>(environment.patience);
  if (error.empty())
    error = readNumber("MERCURY_RENDEZVOUS_SECONDS", 86400, patience);
  environment.patience = patience;
  return error;
}
