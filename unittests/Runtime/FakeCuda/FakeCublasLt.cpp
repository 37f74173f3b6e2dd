//===- FakeCublasLt.cpp - A cuBLASLt of plain loops -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Computes on the fake driver's streams what the descriptors say, column by
// column, in f64.

#include "FakeCuda.h"

#include "CublasLtApi.h"

#include <cstring>
#include <functional>

namespace {

struct Layout {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t lead;
  int32_t batches;
  int64_t offset;
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct Descriptor {
  cublasComputeType_t compute;
  int32_t transposed[2];
};

const Layout &toLayout(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<Layout *>(layout);
}

double load(const void *base, cudaDataType_t type, int64_t index) {
  switch (type) {
  case CUDA_R_32F:
    return static_cast<const float *>(base)[index];
  case CUDA_R_64F:
    return static_cast<const double *>(base)[index];
  case CUDA_R_16F:
    return static_cast<double>(static_cast<const _Float16 *>(base)[index]);
  case CUDA_R_16BF: {
    uint32_t bits = uint32_t(static_cast<const uint16_t *>(base)[index]) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  }
  return 0;
}

/// Element (row, column) of op(matrix).
int64_t place(const Layout &layout, bool transposed, int64_t row,
              int64_t column, int64_t batch) {
  return batch * layout.offset +
         (transposed ? row * layout.lead + column : column * layout.lead + row);
}

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

const char *cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "an error";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *descriptor,
                                        cublasComputeType_t compute,
                                        cudaDataType_t) {
  *descriptor = new cublasLtMatmulDescOpaque_t();
  reinterpret_cast<Descriptor *>(*descriptor)->compute = compute;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                               cublasLtMatmulDescAttributes_t which,
                               const void *value, size_t) {
  std::memcpy(&reinterpret_cast<Descriptor *>(descriptor)
                   ->transposed[which == CUBLASLT_MATMUL_DESC_TRANSB],
              value, sizeof(int32_t));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType_t type, uint64_t rows,
                                          uint64_t columns, int64_t lead) {
  if (rows == 0 || columns == 0 || lead < static_cast<int64_t>(rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new cublasLtMatrixLayoutOpaque_t();
  *reinterpret_cast<Layout *>(*layout) = {type, rows, columns, lead, 1, 0};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                 cublasLtMatrixLayoutAttribute_t which,
                                 const void *value, size_t bytes) {
  auto *own = reinterpret_cast<Layout *>(layout);
  if (which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof(int32_t))
    std::memcpy(&own->batches, value, bytes);
  else if (which == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET &&
           bytes == sizeof(int64_t))
    std::memcpy(&own->offset, value, bytes);
  else
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = new cublasLtMatmulPreferenceOpaque_t();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                     cublasLtMatmulPreferenceAttributes_t,
                                     const void *, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t results[],
    int *found) {
  // Asked for once a problem.
  ++*reinterpret_cast<int *>(handle);
  if (toLayout(a).type == CUDA_R_64F && toLayout(c).type != CUDA_R_64F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  results[0] = {};
  results[0].algo.data[0] =
      static_cast<uint64_t>(*reinterpret_cast<int *>(handle));
  results[0].workspaceSize = 4096;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t descriptor,
                              const void *alpha, const void *a,
                              cublasLtMatrixLayout_t layoutA, const void *b,
                              cublasLtMatrixLayout_t layoutB, const void *beta,
                              const void *c, cublasLtMatrixLayout_t layoutC,
                              void *d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspaceBytes, cudaStream_t stream) {
  const auto &own = *reinterpret_cast<Descriptor *>(descriptor);
  bool isDouble = own.compute == CUBLAS_COMPUTE_64F;
  auto factor = [&](const void *value) {
    return isDouble ? *static_cast<const double *>(value)
                    : *static_cast<const float *>(value);
  };
  if (factor(alpha) != 1 || factor(beta) != 1 || c != d || algo->data[0] == 0 ||
      !workspace || workspaceBytes < 4096)
    return CUBLAS_STATUS_INVALID_VALUE;
  auto *task = new std::function<void()>(
      [=, transA = own.transposed[0] == CUBLAS_OP_T,
       transB = own.transposed[1] == CUBLAS_OP_T, la = toLayout(layoutA),
       lb = toLayout(layoutB), lc = toLayout(layoutC)] {
        auto host = [](const void *pointer) {
          return fakeCudaHost(reinterpret_cast<CUdeviceptr>(pointer));
        };
        int64_t depth = static_cast<int64_t>(transA ? la.rows : la.columns);
        for (int64_t batch = 0; batch < lc.batches; ++batch)
          for (int64_t j = 0; j < static_cast<int64_t>(lc.columns); ++j)
            for (int64_t i = 0; i < static_cast<int64_t>(lc.rows); ++i) {
              int64_t at = place(lc, false, i, j, batch);
              double sum = load(host(d), lc.type, at);
              for (int64_t p = 0; p < depth; ++p)
                sum += load(host(a), la.type, place(la, transA, i, p, batch)) *
                       load(host(b), lb.type, place(lb, transB, p, j, batch));
              if (lc.type == CUDA_R_64F)
                static_cast<double *>(host(d))[at] = sum;
              else
                static_cast<float *>(host(d))[at] = static_cast<float>(sum);
            }
      });
  auto run = [](void *data) {
    auto *owned = static_cast<std::function<void()> *>(data);
    (*owned)();
    delete owned;
  };
  return cuLaunchHostFunc(stream, run, task) == CUDA_SUCCESS
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_NOT_INITIALIZED;
}

} // extern "C"
