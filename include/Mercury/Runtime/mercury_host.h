/*===- mercury_host.h - Ranks on CPUs ----------------------------*- C -*-===*
 *
 * Part of the Mercury project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Launches the ranks of a topology and gives each a mercury_context. Also the
 * settings that only the host library has: link emulation, eager/rendezvous/
 * strict modes, and the watchdog.
 *
 * Several libraries export these functions: in libmercury_host ranks are
 * threads of this process, in libmercury_mpi_mpich and libmercury_mpi_openmpi
 * each process of an MPI job is one rank. A process uses one of them.
 *
 *===----------------------------------------------------------------------===*/
#ifndef MERCURY_RUNTIME_MERCURY_HOST_H
#define MERCURY_RUNTIME_MERCURY_HOST_H

#include "Mercury/Runtime/mercury_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A level of the machine, or of a factored one. bandwidth in bytes/s (0: not
 * emulated), latency in seconds. */
typedef struct {
  const char *name;
  int64_t size;
  double bandwidth;
  double latency;
} mercury_host_level;

/* A communicator: the levels it spans by index into `levels`, in the order
 * that ranks inside it count (first = major). */
typedef struct {
  const int32_t *levels;
  int32_t num_levels;
} mercury_host_communicator;

typedef enum {
  /* A send is complete once its bytes are buffered (small messages in NCCL). */
  MERCURY_EAGER = 0,
  /* A send is complete when the receiver has the bytes. The default. */
  MERCURY_RENDEZVOUS = 1
} mercury_host_mode;

/* What takes time on a machine that is emulated. */
typedef enum {
  MERCURY_KERNEL = 0, /* of one rank */
  MERCURY_MESSAGE,    /* from ranks[0] to ranks[1] */
  MERCURY_ALL_GATHER, /* collectives of all `ranks`: */
  MERCURY_REDUCE_SCATTER,
  MERCURY_ALL_REDUCE,
  MERCURY_BROADCAST
} mercury_host_work_kind;

typedef struct {
  mercury_host_work_kind kind;
  const int64_t *ranks;
  int32_t num_ranks;
  /* Of communication: of the message, or of the whole tensor. */
  int64_t bytes;
  /* Of a kernel: how many the rank has launched before. */
  int64_t index;
} mercury_host_work;

/* Says how long work takes on another machine, where it may share what it
 * needs. Calls come one at a time; `now` is in seconds of that machine, from
 * the start of the launch on, and never decreases. */
typedef struct {
  void *user;
  /* Work begins. Returns its number: they count from 0. Or -1, with the reason
   * in `error`: the launch fails. */
  int64_t (*begin)(void *user, const mercury_host_work *work, double now,
                   char *error, size_t error_size);
  /* Writes the numbers of work that has ended, at most `capacity`, and returns
   * how many there are; `next` is when the next may end, infinity when nothing
   * is under way. */
  int32_t (*advance)(void *user, double now, int64_t *ended, int32_t capacity,
                     double *next);
} mercury_host_clock;

typedef struct {
  const mercury_host_level *levels;
  int32_t num_levels;
  const mercury_host_communicator *communicators;
  int32_t num_communicators;
  mercury_host_mode mode;
  /* Runs one communication call (or group) of a rank at a time, in issue order,
   * over all of its streams: what would hang on a GPU is then reported. */
  int32_t strict;
  /* Nonzero: links sleep for latency + bytes / bandwidth, times time_scale. */
  int32_t emulate_links;
  double time_scale;
  /* Seconds without progress after which the watchdog reports who waits for
   * whom and every call returns an error; 0: no watchdog. */
  double watchdog_seconds;
  /* Bytes a rank may hold at once; 0: no limit. */
  int64_t memory_limit;
  /* Between threads: a stream waits at random, up to so many seconds, before a
   * kernel or a communication call, so that an order that no event makes shows.
   */
  double jitter_seconds;
  /* Not NULL, between threads: communication takes, and kernels that are
   * launched are replaced by waiting for, the time that it says, times
   * time_scale. Sends are then not eager. */
  const mercury_host_clock *clock;
} mercury_host_config;

/* Counters of one rank, since the context was made or last reset. */
typedef struct {
  int64_t bytes_sent;
  int64_t bytes_received;
  int64_t messages;
  int64_t current_bytes;
  int64_t peak_bytes;
  int64_t class_peak_bytes[MERCURY_NUM_CLASSES];
  double wait_seconds; /* time that the rank's own thread waited */
} mercury_host_stats;

/* Fills in the defaults: rendezvous, not strict, no emulation, time scale 1,
 * watchdog 30 s, no jitter. */
void mercury_host_config_init(mercury_host_config *config);

/* Runs `rank_main` once per rank, each on a thread of its own, and joins them.
 * Over MPI, `rank_main` runs on the calling thread for the rank that this
 * process is; all processes call this with the same configuration, whose number
 * of ranks is that of the processes, and without emulated links. Returns 0, or
 * the first nonzero result (of rank_main or recorded by mercury_check), the
 * same in all processes. `error`, when not NULL, receives a text of at most
 * error_size - 1 characters. */
typedef int (*mercury_host_main)(mercury_context *ctx, void *user);
int mercury_host_run(const mercury_host_config *config,
                     mercury_host_main rank_main, void *user, char *error,
                     size_t error_size);

/* Waits until every rank of the launch has arrived. */
void mercury_host_barrier(mercury_context *ctx);

/* Copies `bytes` bytes of every rank to `destination` of rank 0, rank after
 * rank; the other ranks may give NULL. All ranks call it, in the same order as
 * barriers. Uses no emulated link and is not counted. Returns mercury_status.
 */
int mercury_host_gather(mercury_context *ctx, const void *source, size_t bytes,
                        void *destination);

/* Which of how many processes this is: 0 of 1 where ranks are threads. Over MPI
 * the first call initializes MPI. Returns 0, or an error and its text as
 * mercury_host_run does. */
int mercury_host_processes(int32_t *process, int32_t *num_processes,
                           char *error, size_t error_size);

/* The last call of every process: waits for the others, ends MPI, and returns
 * the exit code of all: the lowest that is not 0, or 0. A nonzero `code` comes
 * with its reason in `text`; processes that wait for this one in a launch then
 * fail with it. `error` receives the reason of the code returned. */
int mercury_host_finish(int code, const char *text, char *error,
                        size_t error_size);

void mercury_host_get_stats(mercury_context *ctx, mercury_host_stats *stats);
void mercury_host_reset_stats(mercury_context *ctx);

/* Handles alive in this process: communicators, streams, events, operations
 * queued. For leak tests. */
int64_t mercury_host_live_handles(void);

#ifdef __cplusplus
}
#endif
#endif /* MERCURY_RUNTIME_MERCURY_HOST_H */
