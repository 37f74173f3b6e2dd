/*===- mercury_cuda.h - Ranks on CUDA devices --------------------*- C -*-===*
 *
 * Part of the Mercury project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Launches the ranks of a topology on CUDA devices and gives each a
 * mercury_context (libmercury_cuda). Neither a driver nor CUDA is needed to
 * build or load the library: libcuda.so.1, libnccl.so.2 and libcublasLt.so are
 * opened when first used. The environment variables MERCURY_CUDA_LIBRARY,
 * MERCURY_NCCL_LIBRARY and MERCURY_CUBLASLT_LIBRARY name other files.
 *
 * Ranks are threads of one process, or processes: the latter when torchrun
 * (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT) or mpirun
 * (OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK; PMI_RANK, PMI_SIZE,
 * MPI_LOCALRANKID) says that there is more than one. Processes meet at rank 0
 * on MASTER_ADDR, port MASTER_PORT + 1; without these at 127.0.0.1, port 29501.
 * They wait for each other 60 s, or MERCURY_RENDEZVOUS_SECONDS. A process that
 * CUDA_VISIBLE_DEVICES leaves one device takes that, else the one of its local
 * rank.
 *
 * Matrix products of cuBLASLt keep f32 as it is, unless MERCURY_ALLOW_TF32
 * is 1.
 *
 *===----------------------------------------------------------------------===*/
#ifndef MERCURY_RUNTIME_MERCURY_CUDA_H
#define MERCURY_RUNTIME_MERCURY_CUDA_H

#include "Mercury/Runtime/mercury_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Result when the machine has no driver, no device, too few devices, or not the
 * library that was asked for. Tools exit with it. */
#define MERCURY_CUDA_UNAVAILABLE 77

/* How ranks exchange data. */
typedef enum {
  /* NCCL when each rank has a device of its own, else copies. */
  MERCURY_CUDA_AUTO = 0,
  /* libnccl; a device for each rank. */
  MERCURY_CUDA_NCCL = 1,
  /* All ranks are threads of this process and share one device: copies on their
   * streams, reductions on the host. */
  MERCURY_CUDA_COPIES = 2
} mercury_cuda_transport;

typedef struct {
  /* As in mercury_host_config; bandwidth and latency are not looked at. */
  const mercury_host_level *levels;
  int32_t num_levels;
  const mercury_host_communicator *communicators;
  int32_t num_communicators;
  mercury_cuda_transport transport;
  /* The first device, 0 by default: ranks that are threads have this one and
   * those after it, or all share it. Processes add their local rank. */
  int32_t first_device;
  /* Seconds without progress after which the launch fails and says who waits
   * where; 0: no watchdog. */
  double watchdog_seconds;
  /* Bytes that a rank may hold at once; 0: what the device has. */
  int64_t memory_limit;
} mercury_cuda_config;

/* Fills in the defaults: AUTO, device 0, watchdog 300 s (one kernel may take
 * long), no limit. */
void mercury_cuda_config_init(mercury_cuda_config *config);

/* As mercury_host_run: runs `rank_main` once per rank, waits until the streams
 * of all ranks are at their end, and returns 0 or the first error of any rank
 * with its text, the same in all processes. MERCURY_CUDA_UNAVAILABLE when the
 * ranks cannot run here. `error` as in mercury_host_run. */
int mercury_cuda_run(const mercury_cuda_config *config,
                     mercury_host_main rank_main, void *user, char *error,
                     size_t error_size);

/* Devices of this process, 0 with the result MERCURY_CUDA_UNAVAILABLE and a
 * sentence in `error` when there are none. */
int mercury_cuda_devices(int32_t *num_devices, char *error, size_t error_size);

/* As mercury_host_processes and mercury_host_finish; the environment tells. */
int mercury_cuda_processes(int32_t *process, int32_t *num_processes,
                           char *error, size_t error_size);
int mercury_cuda_finish(int code, const char *text, char *error,
                        size_t error_size);

/* Waits until every rank of the launch has arrived. Says nothing about what is
 * on streams: mercury_synchronize does. */
void mercury_cuda_barrier(mercury_context *ctx);

/* As mercury_host_gather; `source` and `destination` are host memory. */
int mercury_cuda_gather(mercury_context *ctx, const void *source, size_t bytes,
                        void *destination);

/* Copies between host and device memory, and fills device memory with bytes of
 * `value`, after all that is on the compute stream. Return when it is done, the
 * status of the rank. */
int mercury_cuda_to_device(mercury_context *ctx, void *device, const void *host,
                           size_t bytes);
int mercury_cuda_to_host(mercury_context *ctx, void *host, const void *device,
                         size_t bytes);
int mercury_cuda_fill(mercury_context *ctx, void *device, int value,
                      size_t bytes);

/* Measures on the device what is enqueued on the compute stream between the two
 * calls. The second waits for the compute stream and returns seconds, negative
 * after an error. */
void mercury_cuda_timer_start(mercury_context *ctx);
double mercury_cuda_timer_stop(mercury_context *ctx);

/* Name, compute capability, memory, multiprocessors and driver of the rank's
 * device, one line. */
void mercury_cuda_device_text(mercury_context *ctx, char *text,
                              size_t text_size);

/* Counters as of mercury_host_stats: memory is device memory, wait_seconds the
 * time that the rank's own thread waited for streams and other ranks. */
void mercury_cuda_get_stats(mercury_context *ctx, mercury_host_stats *stats);
void mercury_cuda_reset_stats(mercury_context *ctx);

/* Streams, events, modules and communicators alive in this process, made by
 * this library. For leak tests. */
int64_t mercury_cuda_live_handles(void);

#ifdef __cplusplus
}
#endif
#endif /* MERCURY_RUNTIME_MERCURY_CUDA_H */
