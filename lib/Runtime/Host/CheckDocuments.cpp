//===- CheckDocuments.cpp - Checks of documents on CPUs -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Documents.h"

using namespace mercury::host;

void mercury_check_documents(mercury_context *context, cudaStream_t stream,
                             const int32_t *values, int64_t sequences,
                             int64_t count, int64_t keys, int32_t areSegments,
                             const char *what) {
  DocumentCheck check{sequences, count, keys, areSegments != 0};
  auto run = [context, check, values, what] {
    Domain &domain = *context->domain;
    // What it would read has not come.
    if (domain.hasFailed())
      return;
    Failure failure;
    failure.text = check.problem(values);
    if (failure.text.empty())
      return;
    failure.rank = context->rank;
    failure.result = ncclInvalidArgument;
    failure.what = what ? what : "";
    Domain::Lock lock(domain.mutex);
    domain.fail(std::move(failure));
  };
  if (!stream)
    return run();
  if (!reinterpret_cast<Stream *>(stream)->push(run))
    context->recordError(ncclSystemError, what ? what : "",
                         "the system refused a thread for a stream");
}
