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

/* Checks numbers that give the documents of `sequences` sequences, `count` of
 * each: segments of its keys, which must not decrease, or else lengths of its
 * documents, which must not be negative, and sum to `keys` unless that is -1.
 * Where it is not so, all ranks fail with an error that names the sequence and
 * the values, after `what` as of mercury_check. With a stream, `values` are
 * read when the stream comes to it, and are device memory where ranks are on
 * devices; the status is known when the stream is at its end. Without one, at
 * once. */
void mercury_check_documents(mercury_context *ctx, cudaStream_t stream,
                             const int32_t *values, int64_t sequences,
                             int64_t count, int64_t keys, int32_t are_segments,
                             const char *what);

/* Programs for devices with streams: `f` returns when all is enqueued, and its
 * results are there when the compute stream has come to its end, as arguments
 * have to be when it starts. Memory is allocated and freed in the order of the
 * compute stream. */

/* The stream that kernels are launched on; made on first use. */
cudaStream_t mercury_compute_stream(mercury_context *ctx);

/* The kernel `name` of a device image of `bytes` bytes, a constant of the
 * program, loaded on first use. Returns NULL and records an error when the
 * device refuses it. */
void *mercury_kernel(mercury_context *ctx, const void *image, int64_t bytes,
                     const char *name);

/* Waits until all streams of the rank are at their end. Returns the status. */
int32_t mercury_synchronize(mercury_context *ctx);

/* C[i][j] += sum over p of A[i][p] B[p][j], for `batches` matrices of m x n and
 * k; strides in elements, of rows and columns one is 1. */
typedef struct {
  int64_t batches, m, n, k;
  int64_t row_stride_a, column_stride_a, batch_stride_a;
  int64_t row_stride_b, column_stride_b, batch_stride_b;
  int64_t row_stride_c, column_stride_c, batch_stride_c;
  int64_t input_type, output_type; /* ncclDataType_t */
} mercury_matmul_problem;

/* Enqueues a matrix product of the device's library on the compute stream. */
int32_t mercury_matmul(mercury_context *ctx,
                       const mercury_matmul_problem *problem, const void *a,
                       const void *b, void *c);

/* Streams and events, named and typed as upstream's gpu lowering calls them. */
void *mgpuStreamCreate(void);
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);
void *mgpuEventCreate(void);
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);

/* Enqueues a kernel. `parameters` points to `num_parameters` pointers, each to
 * an aligned slot of 8 bytes that holds a pointer or a number and is read
 * before the call returns. Errors are recorded in the context of the calling
 * thread. */
void mgpuLaunchKernel(void *kernel, intptr_t grid_x, intptr_t grid_y,
                      intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                      intptr_t block_z, int32_t shared_bytes, void *stream,
                      void **parameters, void **extra, size_t num_parameters);

#ifdef __cplusplus
}
#endif
#endif /* MERCURY_RUNTIME_MERCURY_RUNTIME_H */
