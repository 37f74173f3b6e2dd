//===- Libraries.cpp - The driver, NCCL and cuBLASLt at run time ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries.h"

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace mercury::cuda;
using mercury::host::format;

namespace {

/// A library that may be there.
template <typename Functions> struct Library {
  Functions functions;
  bool present = false;
  std::string error;
};

/// Opens the file that `variable` names; without it the first of `names` that
/// the loader or the toolkit's folder has.
void *openLibrary(const char *variable, const std::vector<std::string> &names,
                  int flags, std::string &error) {
  if (const char *path = std::getenv(variable); path && *path) {
    void *handle = dlopen(path, flags);
    if (!handle)
      error = format("%s: %s", variable, dlerror());
    return handle;
  }
  for (const std::string &name : names) {
    if (void *handle = dlopen(name.c_str(), flags))
      return handle;
    error = dlerror();
  }
  for (const char *root : {"CUDA_HOME", "CUDA_PATH", "NCCL_HOME"}) {
    const char *folder = std::getenv(root);
    if (!folder)
      continue;
    for (const char *below : {"/lib64/", "/lib/"})
      for (const std::string &name : names)
        if (void *handle = dlopen((folder + (below + name)).c_str(), flags))
          return handle;
  }
  return nullptr;
}

/// Finds a function; the first that is missing is told.
template <typename F>
void find(void *handle, const char *symbol, F &function, std::string &error) {
  function = reinterpret_cast<F>(dlsym(handle, symbol));
  if (!function && error.empty())
    error = format("it has no function %s", symbol);
}

#define MERCURY_FIND(name)                                                     \
  find(handle, #name, library.functions.name, library.error);

/// Tries the driver out: it may be there without a device.
void initialize(Library<Driver> &library) {
  const Driver &functions = library.functions;
  CUresult result = functions.cuInit(0);
  if (result != CUDA_SUCCESS) {
    const char *text = nullptr;
    functions.cuGetErrorString(result, &text);
    library.error = result == CUDA_ERROR_STUB_LIBRARY
                        ? "it is the stub that programs are linked with"
                        : (text ? text : format("error %d", result));
  }
}

Library<Driver> openDriver() {
  Library<Driver> library;
  void *handle = openLibrary("MERCURY_CUDA_LIBRARY", {"libcuda.so.1"},
                             RTLD_NOW | RTLD_LOCAL, library.error);
  if (handle) {
    library.error.clear();
    MERCURY_DRIVER_FUNCTIONS(MERCURY_FIND)
    if (library.error.empty())
      initialize(library);
  }
  library.present = library.error.empty();
  if (!library.present)
    library.error = "no CUDA driver can be used here: " + library.error;
  return library;
}

Library<Nccl> openNccl() {
  Library<Nccl> library;
  // NCCL calls itself by names that this library exports, too: they must not
  // reach us. (Sanitizers do not work with it.)
#if defined(RTLD_DEEPBIND) && !defined(MERCURY_NO_DEEPBIND)
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#else
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#endif
  void *handle = openLibrary("MERCURY_NCCL_LIBRARY", {"libnccl.so.2"}, kFlags,
                             library.error);
  if (handle) {
    library.error.clear();
    MERCURY_NCCL_FUNCTIONS(MERCURY_FIND)
  }
  library.present = library.error.empty();
  if (!library.present)
    library.error = "NCCL cannot be used here: " + library.error;
  return library;
}

Library<CublasLt> openCublasLt() {
  Library<CublasLt> library;
  void *handle = openLibrary("MERCURY_CUBLASLT_LIBRARY",
                             {"libcublasLt.so.13", "libcublasLt.so.12"},
                             RTLD_NOW | RTLD_LOCAL, library.error);
  if (handle) {
    library.error.clear();
    MERCURY_CUBLASLT_FUNCTIONS(MERCURY_FIND)
  }
  library.present = library.error.empty();
  if (!library.present)
    library.error = "cuBLASLt cannot be used here: " + library.error;
  return library;
}

/// What a load function returns.
template <typename Functions>
const Functions *answer(const Library<Functions> &library, std::string &error) {
  error = library.error;
  return library.present ? &library.functions : nullptr;
}

const Library<Driver> &driverLibrary() {
  static const Library<Driver> library = openDriver();
  return library;
}

} // namespace

const Driver *mercury::cuda::loadDriver(std::string &error) {
  return answer(driverLibrary(), error);
}

const Nccl *mercury::cuda::loadNccl(std::string &error) {
  static const Library<Nccl> library = openNccl();
  return answer(library, error);
}

const CublasLt *mercury::cuda::loadCublasLt(std::string &error) {
  static const Library<CublasLt> library = openCublasLt();
  return answer(library, error);
}

const Driver &mercury::cuda::driver() { return driverLibrary().functions; }

std::string mercury::cuda::describe(const char *call, CUresult result) {
  const char *name = nullptr;
  const char *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  return format("%s: %s (%s)", call, text ? text : "unknown error",
                name ? name : std::to_string(result).c_str());
}
