//===- CheckDocuments.cpp - Checks of documents on devices ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "Documents.h"

using namespace mercury::cuda;

void mercury_check_documents(mercury_context *context, cudaStream_t stream,
                             const int32_t *values, int64_t sequences,
                             int64_t count, int64_t keys, int32_t areSegments,
                             const char *what) {
  if (context->domain->hasFailed())
    return;
  host::DocumentCheck check{sequences, count, keys, areSegments != 0};
  Queue queue(*context, stream);
  char *copy = queue.staging(check.bytes());
  queue.toHost(copy, address(values), check.bytes());
  // On a thread of the driver, which goes on with the stream afterwards: who
  // waits for the stream finds what it says.
  queue.call([context, check, copy, what] {
    host::Failure failure;
    failure.text = check.problem(reinterpret_cast<const int32_t *>(copy));
    context->staging.give(copy);
    if (failure.text.empty() || context->domain->hasFailed())
      return;
    failure.rank = context->rank;
    failure.result = ncclInvalidArgument;
    failure.what = what ? what : "";
    context->domain->fail(std::move(failure));
  });
  if (!queue.getError().empty())
    context->recordError(ncclUnhandledCudaError, what ? what : "",
                         queue.getError());
}
