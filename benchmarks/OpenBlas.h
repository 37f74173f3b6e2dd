//===- OpenBlas.h - OpenBLAS with its best kernel for this CPU -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenBLAS' own choice of a kernel for a CPU newer than itself can be one of
// twenty years ago. Benchmarks that compare with it try each core type first
// and run in a process that starts with the fastest.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_OPENBLAS_H
#define MERCURY_BENCHMARKS_OPENBLAS_H

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <unistd.h>
#include <vector>

// OpenBLAS, declared here: its header is not at the same place everywhere.
extern "C" {
void openblas_set_num_threads(int);
int openblas_get_num_threads();
char *openblas_get_corename();
char *openblas_get_config();
void cblas_sgemm(int order, int transA, int transB, int m, int n, int k,
                 float alpha, const float *a, int lda, const float *b, int ldb,
                 float beta, float *c, int ldc);
void cblas_dgemm(int order, int transA, int transB, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b,
                 int ldb, double beta, double *c, int ldc);
}

namespace mercury::bench {

/// Row-major C = A * B + beta * C of contiguous rows.
inline void gemm(int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
                 const float *b, int64_t ldb, float beta, float *c,
                 int64_t ldc) {
  cblas_sgemm(101, 111, 111, m, n, k, 1.0f, a, lda, b, ldb, beta, c, ldc);
}

/// Seconds of this thread's processor time: what others do on the machine
/// counts less than by the clock on the wall.
inline double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// Seconds for one sgemm of 768^3, the best of some.
inline double probeOpenBlas() {
  constexpr int64_t n = 768;
  std::vector<float> a(n * n, 1), b(n * n, 1), c(n * n);
  double best = 1e9;
  for (int i = 0; i < 8; ++i) {
    double start = threadSeconds();
    gemm(n, n, n, a.data(), n, b.data(), n, 0, c.data(), n);
    best = std::min(best, threadSeconds() - start);
  }
  return best;
}

/// The core type whose sgemm is fastest here; empty for OpenBLAS' own choice.
/// It reads the variable when it is loaded, so each try is a process.
inline std::string findBestCore(const std::string &self) {
  std::string best;
  double bestSeconds = 1e9;
  for (const char *core : {
           "",
#ifdef __x86_64__
           "Haswell",
           "Zen",
           "SkylakeX",
           "Cooperlake",
           "SapphireRapids",
#else
           "NeoverseN1",
           "NeoverseV1",
           "ARMV8",
#endif
       }) {
    std::string command = "env -u OPENBLAS_CORETYPE ";
    if (*core)
      command += std::string("OPENBLAS_CORETYPE=") + core + " ";
    command += "'" + self + "' --probe 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    double time = 0;
    if (!pipe)
      continue;
    if (fscanf(pipe, "%lf", &time) == 1 && time > 0 && time < bestSeconds) {
      best = core;
      bestSeconds = time;
    }
    pclose(pipe);
  }
  return best;
}

/// To be called first in main: makes OpenBLAS use one thread per caller and the
/// kernel of `--core=NAME`, or else its fastest. Starts the program again where
/// that takes another process, and ends it where it was started to be timed.
inline void selectOpenBlasCore(int argc, char **argv) {
  openblas_set_num_threads(1);
  std::string core;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--probe") {
      printf("%.9f\n", probeOpenBlas());
      exit(0);
    }
    if (argument.consume_front("--core="))
      core = argument.str();
  }
  constexpr const char *chosen = "MERCURY_BENCH_CORE_CHOSEN";
  if (getenv(chosen))
    return;
  std::string self = llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&probeOpenBlas));
  if (core.empty())
    core = findBestCore(self);
  core.empty() ? unsetenv("OPENBLAS_CORETYPE")
               : setenv("OPENBLAS_CORETYPE", core.c_str(), 1);
  setenv(chosen, "1", 1);
  execv(self.c_str(), argv);
}

/// The setting, for the output.
inline std::string describeOpenBlas() {
  const char *core = getenv("OPENBLAS_CORETYPE");
  return std::string("OpenBLAS core type ") + openblas_get_corename() + " (" +
         (core ? std::string("OPENBLAS_CORETYPE=") + core
               : "OPENBLAS_CORETYPE unset") +
         "), " + std::to_string(openblas_get_num_threads()) +
         " thread per rank";
}

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_OPENBLAS_H
