//===- MercuryBlas.c - OpenBLAS behind Mercury's kernel ABI ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// void mercury_blas_{s,d}gemm_{nn,nt,tn,tt}(m, n, k, a, lda, b, ldb, c, ldc)
// adds op(A) * op(B) to the row-major m x n matrix C. First letter: A is stored
// m x k (n) or k x m (t); second: B is stored k x n (n) or n x k (t). lda, ldb,
// ldc are the elements from one stored row to the next. The ABI is that of
// Mercury/Transforms/Local/KernelRegistry.h.
//
//===----------------------------------------------------------------------===//

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Declared here: distributions put the header into different places.
enum { RowMajor = 101, NoTrans = 111, Trans = 112 };
void openblas_set_num_threads(int);
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int,
                 const float *, int, float, float *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int,
                 const double *, int, double, double *, int);

// A rank is one thread; ranks share the cores.
__attribute__((constructor)) static void useOneThread(void) {
  openblas_set_num_threads(1);
}

// OpenBLAS counts in int.
static int toInt(int64_t value) {
  if (value < 0 || value > INT_MAX) {
    fprintf(stderr, "mercury_blas: extent or stride %lld does not fit int\n",
            (long long)value);
    abort();
  }
  return (int)value;
}

// A leading dimension of a matrix with one row may be anything; cblas wants at
// least the length of a row.
static int lead(int64_t stride, int64_t columns) {
  return toInt(stride > columns ? stride : columns > 0 ? columns : 1);
}

#define DEFINE_GEMM(letter, type, form, transA, transB)                        \
  void mercury_blas_##letter##gemm_##form(                                     \
      int64_t m, int64_t n, int64_t k, const type *a, int64_t lda,             \
      const type *b, int64_t ldb, type *c, int64_t ldc) {                      \
    cblas_##letter##gemm(RowMajor, transA, transB, toInt(m), toInt(n),         \
                         toInt(k), 1, a, lead(lda, transA == Trans ? m : k),   \
                         b, lead(ldb, transB == Trans ? k : n), 1, c,          \
                         lead(ldc, n));                                        \
  }
#define DEFINE_FORMS(letter, type)                                             \
  DEFINE_GEMM(letter, type, nn, NoTrans, NoTrans)                              \
  DEFINE_GEMM(letter, type, nt, NoTrans, Trans)                                \
  DEFINE_GEMM(letter, type, tn, Trans, NoTrans)                                \
  DEFINE_GEMM(letter, type, tt, Trans, Trans)

DEFINE_FORMS(s, float)
DEFINE_FORMS(d, double)
