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

namespace {
/// A library that is loaded so that compiled programs find its symbols, too.
class LoadedLibrary {
public:
  explicit LoadedLibrary(std::string name)
      : name(std::move(name)),
        handle(dlopen(this->name.c_str(), RTLD_NOW | RTLD_GLOBAL)) {}

  template <typename T> void find(T &function, const char *symbol) {
    if (handle)
      function = reinterpret_cast<T>(dlsym(handle, symbol));
    complete &= function != nullptr;
  }
  /// What compiled programs call, too.
  void findCommon(HostLibrary &library) {
    find(library.rank, "mercury_rank");
    find(library.status, "mercury_status");
    find(library.synchronize, "mercury_synchronize");
    find(library.alloc, "mercury_alloc");
    find(library.free, "mercury_free");
  }
  llvm::Error check() const {
    if (!handle)
      return badInput("cannot load '" + name + "': " + dlerror());
    if (!complete)
      return badInput("'" + name + "' is of another version of Mercury");
    return llvm::Error::success();
  }

private:
  std::string name;
  void *handle;
  bool complete = true;
};
} // namespace

static llvm::Error loadHostLibrary(const std::string &name) {
  LoadedLibrary loaded(name);
  HostLibrary library;
  loaded.findCommon(library);
  loaded.find(library.configInit, "mercury_host_config_init");
  loaded.find(library.run, "mercury_host_run");
  loaded.find(library.barrier, "mercury_host_barrier");
  loaded.find(library.gather, "mercury_host_gather");
  loaded.find(library.getStats, "mercury_host_get_stats");
  loaded.find(library.processes, "mercury_host_processes");
  loaded.find(library.finish, "mercury_host_finish");
  loaded.find(library.comm, "mercury_comm");
  loaded.find(library.commStream, "mercury_comm_stream");
  loaded.find(library.broadcast, "ncclBroadcast");
  if (llvm::Error error = loaded.check())
    return error;
  bound = library;
  return llvm::Error::success();
}

static decltype(&mercury_cuda_config_init) cudaConfigInit;
static decltype(&mercury_cuda_run) cudaRun;

/// The settings that devices have, too.
static int runOnCuda(const mercury_host_config *config, mercury_host_main main,
                     void *user, char *error, size_t errorSize) {
  mercury_cuda_config cuda;
  cudaConfigInit(&cuda);
  cuda.levels = config->levels;
  cuda.num_levels = config->num_levels;
  cuda.communicators = config->communicators;
  cuda.num_communicators = config->num_communicators;
  cuda.watchdog_seconds = config->watchdog_seconds;
  cuda.memory_limit = config->memory_limit;
  return cudaRun(&cuda, main, user, error, errorSize);
}

static void initialize(mercury_host_config *config) {
  *config = mercury_host_config();
}

llvm::Error bindCuda() {
  LoadedLibrary loaded("libmercury_cuda.so");
  HostLibrary library;
  loaded.findCommon(library);
  loaded.find(cudaConfigInit, "mercury_cuda_config_init");
  loaded.find(cudaRun, "mercury_cuda_run");
  library.configInit = initialize;
  library.run = runOnCuda;
  loaded.find(library.barrier, "mercury_cuda_barrier");
  loaded.find(library.gather, "mercury_cuda_gather");
  loaded.find(library.getStats, "mercury_cuda_get_stats");
  loaded.find(library.processes, "mercury_cuda_processes");
  loaded.find(library.finish, "mercury_cuda_finish");
  loaded.find(library.toDevice, "mercury_cuda_to_device");
  loaded.find(library.toHost, "mercury_cuda_to_host");
  loaded.find(library.fill, "mercury_cuda_fill");
  decltype(&mercury_cuda_devices) devices = nullptr;
  loaded.find(devices, "mercury_cuda_devices");
  if (llvm::Error error = loaded.check())
    return error;
  char problem[1024] = "";
  int32_t count = 0;
  if (devices(&count, problem, sizeof(problem)))
    return llvm::make_error<RunError>(Outcome::Unavailable, problem);
  int32_t process, processes;
  if (library.processes(&process, &processes, problem, sizeof(problem)))
    return runtimeFailure(problem);
  library.ranksAreProcesses = processes > 1;
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
