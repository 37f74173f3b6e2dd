/*===- mercury_simt.h - Device code on CPUs ----------------------*- C -*-===*
 *
 * Part of the Mercury project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Runs a grid of threads, each a fiber with a stack of its own, on the calling
 * thread: what mercury-emulate-kernels makes of device code calls this. Blocks
 * run one after the other; a thread of a block runs until it waits at a barrier
 * or a shuffle, or ends, and then the next one does, in an order that can be
 * chosen. Shared memory is full of ones (NaN) when a block starts.
 *
 * Faults end the kernel and are recorded with kernel, block, thread and op:
 * threads that wait at different barriers, or for threads that have ended;
 * lanes at different shuffles, and values from lanes that are not there; and,
 * where the code was made with checks, indices outside of a buffer, addresses
 * that do not have the promised alignment, and races: two threads of a block at
 * one byte without a barrier in between, or two blocks at one byte, one of them
 * writing.
 *
 * Several threads of the process may run kernels at once.
 *
 *===----------------------------------------------------------------------===*/
#ifndef MERCURY_RUNTIME_MERCURY_SIMT_H
#define MERCURY_RUNTIME_MERCURY_SIMT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a warp. */
enum { MERCURY_SIMT_WARP = 32 };

/*===--- For programs -----------------------------------------------------===*/

/* The order in which threads of a block, and blocks, take turns: "ascending",
 * "descending", or "random:SEED" with a number. Without a call it is that of
 * the environment variable MERCURY_SIMT_ORDER, or ascending. Returns 0, or 1
 * and changes nothing when the text is none of these. */
int32_t mercury_simt_set_order(const char *order);

/* The first fault since the start or the last mercury_simt_clear_error, of any
 * thread; "" when there is none. Stays valid until the latter. */
const char *mercury_simt_error(void);
void mercury_simt_clear_error(void);

/*===--- For generated code -----------------------------------------------===*/

/* A running thread of a grid. */
typedef struct mercury_simt_thread mercury_simt_thread;

/* What one thread does. `parameters` are those of mercury_simt_run, `shared` is
 * the memory of the block, aligned to 256 bytes. */
typedef void (*mercury_simt_body)(mercury_simt_thread *thread,
                                  const void *parameters, void *shared,
                                  int64_t thread_x, int64_t thread_y,
                                  int64_t thread_z, int64_t block_x,
                                  int64_t block_y, int64_t block_z);

/* Runs the kernel called `name` and returns at its end, or at a fault. A block
 * has 1 to 1024 threads. */
void mercury_simt_run(const char *name, mercury_simt_body body,
                      const void *parameters, int64_t grid_x, int64_t grid_y,
                      int64_t grid_z, int64_t block_x, int64_t block_y,
                      int64_t block_z, int64_t shared_bytes);

/* `op`, here and below, is the text of the op that calls, a constant by whose
 * address ops are told apart. */

/* Returns when all threads of the block are here. */
void mercury_simt_barrier(mercury_simt_thread *thread, const char *op);

/* As in gpu::ShuffleMode. */
enum {
  MERCURY_SIMT_XOR = 0,
  MERCURY_SIMT_DOWN = 1,
  MERCURY_SIMT_UP = 2,
  MERCURY_SIMT_INDEX = 3
};

/* Returns when all threads of the warp that have not ended are here: in the low
 * half the `value` of the lane that `mode` and `offset` say, in the high half
 * 1; or the thread's own value and 0 when there is no such lane in a warp. */
int64_t mercury_simt_shuffle(mercury_simt_thread *thread, int32_t value,
                             int32_t offset, int32_t mode, const char *op);

enum { MERCURY_SIMT_WRITE = 1, MERCURY_SIMT_SHARED = 2 };

/* `bytes` bytes at `address` are read, or with MERCURY_SIMT_WRITE in `kind`
 * written; with MERCURY_SIMT_SHARED they have to be the block's memory. The
 * address is to be a multiple of `alignment`. */
void mercury_simt_access(mercury_simt_thread *thread, int64_t address,
                         int64_t bytes, int64_t alignment, int32_t kind,
                         const char *op);

/* `index`, and `count` - 1 after it, do not all lie in a dimension of `extent`.
 * Does not return. */
void mercury_simt_out_of_range(mercury_simt_thread *thread, int64_t index,
                               int64_t count, int64_t extent, const char *op);

#ifdef __cplusplus
}
#endif
#endif /* MERCURY_RUNTIME_MERCURY_SIMT_H */
