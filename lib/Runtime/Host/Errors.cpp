//===- Errors.cpp - Texts of result codes ---------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mercury::host;

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
  case ncclSuccess:
    return "no error";
  case ncclUnhandledCudaError:
    return "unhandled device error";
  case ncclSystemError:
    return "system error";
  case ncclInternalError:
    return "internal error";
  case ncclInvalidArgument:
    return "invalid argument";
  case ncclInvalidUsage:
    return "invalid usage";
  case ncclRemoteError:
    return "another rank failed or does not answer";
  case ncclInProgress:
    return "in progress";
  case ncclNumResults:
    break;
  }
  return "unknown result code";
}

const char *ncclGetLastError(ncclComm_t) { return lastErrorText().c_str(); }
