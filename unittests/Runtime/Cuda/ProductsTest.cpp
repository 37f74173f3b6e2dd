//===- ProductsTest.cpp - Matrix products by cuBLASLt ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include "ReduceReference.h"

#include <algorithm>

using namespace mercury::test;

namespace {

/// How the elements of one operand lie.
struct Matrix {
  int64_t rows, columns;
  bool byColumns;
  int64_t padding;
  int64_t rowStride() const { return byColumns ? 1 : columns + padding; }
  int64_t columnStride() const { return byColumns ? rows + padding : 1; }
  int64_t batchStride() const {
    return (byColumns ? columns : rows) *
               std::max(rowStride(), columnStride()) +
           padding;
  }
};

template <typename T>
void check(int64_t batches, int64_t m, int64_t n, int64_t k, int layouts,
           int64_t padding, mercury_context *context) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  Matrix a{m, k, (layouts & 1) != 0, padding};
  Matrix b{k, n, (layouts & 2) != 0, padding};
  Matrix c{m, n, (layouts & 4) != 0, padding};
  std::vector<T> av = randomValues<T>(1, batches * a.batchStride());
  std::vector<T> bv = randomValues<T>(2, batches * b.batchStride());
  std::vector<C> cv = randomValues<C>(3, batches * c.batchStride());
  DeviceVector<T> da(context, av), db(context, bv);
  DeviceVector<C> dc(context, cv);
  mercury_matmul_problem problem = {batches,
                                    m,
                                    n,
                                    k,
                                    a.rowStride(),
                                    a.columnStride(),
                                    a.batchStride(),
                                    b.rowStride(),
                                    b.columnStride(),
                                    b.batchStride(),
                                    c.rowStride(),
                                    c.columnStride(),
                                    c.batchStride(),
                                    typeOf<T>(),
                                    typeOf<C>()};
  EXPECT_EQ(mercury_matmul(context, &problem, da.get(), db.get(), dc.get()), 0)
      << mercury_error(context);
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        auto at = [&](const Matrix &matrix, int64_t row, int64_t column) {
          return batch * matrix.batchStride() + row * matrix.rowStride() +
                 column * matrix.columnStride();
        };
        double sum = cv[at(c, i, j)];
        for (int64_t p = 0; p < k; ++p)
          sum += double(static_cast<C>(av[at(a, i, p)])) *
                 double(static_cast<C>(bv[at(b, p, j)]));
        cv[at(c, i, j)] = static_cast<C>(sum);
      }
  // The padding, too, is as it was.
  EXPECT_TRUE(same(dc.read(), cv))
      << batches << " " << m << " " << n << " " << k << " " << layouts;
}

TEST(CudaProducts, AllLayouts) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    for (int layouts = 0; layouts < 8; ++layouts)
      for (int64_t padding : {0, 3}) {
        check<float>(1, 5, 7, 3, layouts, padding, context);
        check<float>(3, 4, 2, 6, layouts, padding, context);
        check<BFloat>(2, 5, 7, 3, layouts, padding, context);
        check<Half>(2, 3, 1, 4, layouts, padding, context);
        check<double>(2, 1, 4, 1, layouts, padding, context);
        check<float>(1, 1, 1, 5, layouts, padding, context);
      }
    mercury_host_stats stats;
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_WORKSPACE], 32 << 20);
    return mercury_status(context);
  }));
}

TEST(CudaProducts, Errors) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    mercury_matmul_problem problem = {1, 2, 2, 2, 8, 2,           0,          2,
                                      1, 0, 2, 1, 0, ncclFloat32, ncclFloat32};
    DeviceVector<float> values(context, std::vector<float>(64));
    return mercury_matmul(context, &problem, values.get(), values.get(),
                          values.get());
  });
  EXPECT_EQ(outcome.text, "rank 0: matrix product of a matrix without a stride "
                          "of 1, 1 x (2 x 2 x 2)");
  outcome = Launch(1).run([](mercury_context *context) {
    mercury_matmul_problem problem = {1, 2, 2, 2, 2, 1,           0,          2,
                                      1, 0, 2, 1, 0, ncclFloat64, ncclFloat32};
    DeviceVector<float> values(context, std::vector<float>(64));
    return mercury_matmul(context, &problem, values.get(), values.get(),
                          values.get());
  });
  EXPECT_TRUE(outcome.has("cublasLtMatmulAlgoGetHeuristic: not supported"))
      << outcome.text;
  // Nothing to add: nothing is called.
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    mercury_matmul_problem problem = {};
    return mercury_matmul(context, &problem, nullptr, nullptr, nullptr);
  }));
}

} // namespace
