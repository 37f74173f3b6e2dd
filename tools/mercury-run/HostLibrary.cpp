//===- HostLibrary.cpp - The library that runs the ranks ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLibrary.h"
#include "Mercury/Runtime/mercury_simt.h"
#include "RunError.h"
#include "llvm/Support/ErrorHandling.h"
#include <dlfcn.h>
#include <optional>

namespace mercury::run {

static std::optional<HostLibrary> bound;

/// Loads the library so that compiled programs find its symbols, too.
static llvm::Error loadHostLibrary(const std::string &name) {
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    return badInput("cannot load '" + name + "': " + dlerror());
  HostLibrary library;
  bool complete = true;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, symbol));
    complete &= function != nullptr;
  };
  find(library.configInit, "mercury_host_config_init");
  find(library.run, "mercury_host_run");
  find(library.barrier, "mercury_host_barrier");
  find(library.gather, "mercury_host_gather");
  find(library.getStats, "mercury_host_get_stats");
  find(library.processes, "mercury_host_processes");
  find(library.finish, "mercury_host_finish");
  find(library.rank, "mercury_rank");
  find(library.status, "mercury_status");
  find(library.synchronize, "mercury_synchronize");
  find(library.alloc, "mercury_alloc");
  find(library.free, "mercury_free");
  if (!complete)
    return badInput("'" + name + "' is of another version of Mercury");
  bound = library;
  return llvm::Error::success();
}

llvm::Error bindMPI(llvm::StringRef implementation) {
  if (llvm::Error error =
          loadHostLibrary("libmercury_mpi_" + implementation.str() + ".so"))
    return error;
  bound->ranksAreProcesses = true;
  return llvm::Error::success();
}

const HostLibrary &hostLibrary() {
  if (!bound)
    if (llvm::Error error = loadHostLibrary("libmercury_host.so"))
      llvm::report_fatal_error(std::move(error), /*gen_crash_diag=*/false);
  return *bound;
}

std::string takeKernelFault() {
  auto error = reinterpret_cast<decltype(&mercury_simt_error)>(
      dlsym(RTLD_DEFAULT, "mercury_simt_error"));
  auto clear = reinterpret_cast<decltype(&mercury_simt_clear_error)>(
      dlsym(RTLD_DEFAULT, "mercury_simt_clear_error"));
  if (!error || !clear)
    return "";
  std::string fault = error();
  clear();
  return fault;
}

} // namespace mercury::run
