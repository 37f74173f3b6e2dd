/*===- mercury_runtime.h - What compiled programs call -----------*- C -*-===*
 *
 * Part of the Mercury project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The calling convention of a compiled function `f`, and the functions that
 * generated code calls beside those of mercury_nccl.h. C11, no LLVM.
 *
 *   int f(mercury_context *ctx, void *arg0, ..., void *result0, ...);
 *   int f_packed(mercury_context *ctx, void **arguments_then_results);
 *   const char f_requirements[];     // JSON, see docs/CommIRSpec.md
 *
 * Buffers are local (the shard of this rank), contiguous and row-major.
 * Padding elements of an argument are zero, those of a result unspecified.
 * The return value is 0 or the first ncclResult_t that was not ncclSuccess.
 *
 *===----------------------------------------------------------------------===*/
#ifndef MERCURY_RUNTIME_MERCURY_RUNTIME_H
#define MERCURY_RUNTIME_MERCURY_RUNTIME_H

#include "Mercury/Runtime/mercury_nccl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's context: made by the launcher, never by a program. It carries the
 * rank, the communicators (by index into the list of axis sets that the
 * program's requirements name), one communication stream a communicator, events
 * by index, and the allocator. */
typedef struct mercury_context mercury_context;

/* What an allocation is for; accounted separately. The owner is the index of
 * the argument or result on whose behalf the bytes are held, -1 for none. */
typedef enum {
  MERCURY_OWN_SHARD = 0,
  MERCURY_TRAVELLING = 1,
  MERCURY_STAGING = 2,
  MERCURY_WORKSPACE = 3,
  MERCURY_HELD_FOR_OTHERS = 4,
  MERCURY_NUM_CLASSES = 5
} mercury_memory_class;

/* Linear rank: coordinates in row-major order of the topology's levels,
 * outermost first. */
int64_t mercury_rank(mercury_context *ctx);

/* The communicator at `index`, and the stream that its calls are issued on. */
ncclComm_t mercury_comm(mercury_context *ctx, int32_t index);
cudaStream_t mercury_comm_stream(mercury_context *ctx, int32_t index);

/* The event at `index`; made on first use, lives as long as the context. */
void *mercury_event(mercury_context *ctx, int32_t index);

/* 64-byte aligned memory of `bytes` bytes (0 is allowed), counted under
 * `memory_class` and `owner`. Returns NULL and records an error when the limit
 * of the context is exceeded. */
void *mercury_alloc(mercury_context *ctx, int64_t bytes, int32_t memory_class,
                    int32_t owner);
void mercury_free(mercury_context *ctx, void *pointer);

/* Lets communication move on that is under way; called between pieces of
 * computation. Where streams have threads it does nothing. */
void mercury_progress(mercury_context *ctx);

/* Records the first result that is not ncclSuccess together with `what` (the
 * operation and its source location, a string constant of the program). */
void mercury_check(mercury_context *ctx, int32_t result, const char *what);

/* 0, or the first result recorded; generated code returns it. */
int32_t mercury_status(mercury_context *ctx);

/* Text of the first error recorded, "" when there is none. */
const char *mercury_error(mercury_context *ctx);

/* Streams and events, named and typed as upstream's gpu lowering calls them. */
void *mgpuStreamCreate(void);
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);
void *mgpuEventCreate(void);
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);

#ifdef __cplusplus
}
#endif
#endif /* MERCURY_RUNTIME_MERCURY_RUNTIME_H */
