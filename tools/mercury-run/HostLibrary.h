//===- HostLibrary.h - The library that runs the ranks ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_HOSTLIBRARY_H
#define MERCURY_TOOLS_MERCURY_RUN_HOSTLIBRARY_H

#include "Mercury/Runtime/mercury_cuda.h"
#include "llvm/Support/Error.h"

namespace mercury::run {

/// What this tool calls of the library that runs the ranks: libmercury_host
/// (threads), libmercury_mpi_* (processes) or libmercury_cuda (either, on
/// devices). They export the same functions to programs, so that a process is
/// bound to one of them, and compiled programs with it.
struct HostLibrary {
  bool ranksAreProcesses = false;
  /// Memory of `alloc` is on a device: the host copies to and from it.
  bool onDevice() const { return toDevice != nullptr; }
  decltype(&mercury_host_config_init) configInit;
  decltype(&mercury_host_run) run;
  decltype(&mercury_host_barrier) barrier;
  decltype(&mercury_host_gather) gather;
  decltype(&mercury_host_get_stats) getStats;
  decltype(&mercury_host_processes) processes;
  decltype(&mercury_host_finish) finish;
  decltype(&mercury_rank) rank;
  decltype(&mercury_status) status;
  decltype(&mercury_synchronize) synchronize;
  decltype(&mercury_alloc) alloc;
  decltype(&mercury_free) free;
  // Of ranks on CPUs: see agree.
  decltype(&mercury_comm) comm = nullptr;
  decltype(&mercury_comm_stream) commStream = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&mercury_cuda_to_device) toDevice = nullptr;
  decltype(&mercury_cuda_to_host) toHost = nullptr;
  decltype(&mercury_cuda_fill) fill = nullptr;
};

/// Binds this process to the library for processes of that implementation of
/// MPI (mpich, openmpi), before anything asks for hostLibrary.
llvm::Error bindMPI(llvm::StringRef implementation);

/// Binds this process to the library for CUDA devices. Fails with
/// Outcome::Unavailable where there is no driver or no device.
llvm::Error bindCuda();

/// The library of this process: ranks are threads on CPUs unless another one
/// was bound. Ends the process when libmercury_host is missing.
const HostLibrary &hostLibrary();

/// The first fault of device code that libmercury_simt has run in this process
/// since the last call; "" when there is none, or no such library.
std::string takeKernelFault();

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_HOSTLIBRARY_H
