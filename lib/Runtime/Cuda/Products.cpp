//===- Products.cpp - Matrix products by cuBLASLt -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// cuBLASLt counts column by column. The transpose of a row-major matrix is that
// matrix counted column by column, so C += A B is computed as C^T += B^T A^T:
// its first operand is B, its second A, and a matrix that is stored by rows
// needs no transposition.

#include "Products.h"

#include "Context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mercury::cuda;
using mercury::host::format;

/// Scratch memory of a product, bytes: the largest that the documentation of
/// cublasSetWorkspace recommends for any device (Hopper).
static constexpr size_t kWorkspaceBytes = 32 << 20;

/// Descriptors of a problem and the algorithm chosen for it.
struct Products::Plan {
  explicit Plan(const CublasLt &library) : library(library) {}
  ~Plan() {
    for (cublasLtMatrixLayout_t layout : {first, second, output})
      if (layout)
        library.cublasLtMatrixLayoutDestroy(layout);
    if (operation)
      library.cublasLtMatmulDescDestroy(operation);
  }
  const CublasLt &library;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t first = nullptr;
  cublasLtMatrixLayout_t second = nullptr;
  cublasLtMatrixLayout_t output = nullptr;
  cublasLtMatmulHeuristicResult_t choice = {};
  bool isDouble = false;
};

namespace {

/// A matrix counted column by column.
struct Columns {
  int64_t rows, columns, lead;
  /// It is the transpose of what the problem calls the matrix's transpose.
  bool isTransposed;
};

/// How cuBLASLt sees a matrix of `rows` x `columns`; false when neither stride
/// is 1.
bool toColumns(int64_t rows, int64_t columns, int64_t rowStride,
               int64_t columnStride, Columns &result) {
  if (columnStride == 1 || columns == 1)
    result = {columns, rows, std::max(rowStride, columns), false};
  else if (rowStride == 1 || rows == 1)
    result = {rows, columns, std::max(columnStride, rows), true};
  else
    return false;
  // The stride of a single column or row may be anything.
  if (result.columns == 1)
    result.lead = result.rows;
  return true;
}

bool toDataType(int64_t type, cudaDataType_t &result) {
  switch (type) {
  case ncclFloat16:
    result = CUDA_R_16F;
    return true;
  case ncclBfloat16:
    result = CUDA_R_16BF;
    return true;
  case ncclFloat32:
    result = CUDA_R_32F;
    return true;
  case ncclFloat64:
    result = CUDA_R_64F;
    return true;
  }
  return false;
}

/// Bytes that the address is a multiple of, at most 256.
uint32_t alignmentOf(const void *pointer) {
  auto bits = reinterpret_cast<uintptr_t>(pointer) | 256;
  return static_cast<uint32_t>(bits & -bits);
}

/// The same product for the transposed result.
mercury_matmul_problem transposed(const mercury_matmul_problem &p) {
  return {p.batches,
          p.n,
          p.m,
          p.k,
          p.column_stride_b,
          p.row_stride_b,
          p.batch_stride_b,
          p.column_stride_a,
          p.row_stride_a,
          p.batch_stride_a,
          p.column_stride_c,
          p.row_stride_c,
          p.batch_stride_c,
          p.input_type,
          p.output_type};
}

/// True when single precision may be cut to 10 bits of mantissa.
bool allowsTF32() {
  const char *text = std::getenv("MERCURY_ALLOW_TF32");
  return text && std::strcmp(text, "1") == 0;
}

} // namespace

Products::Products(const CublasLt &library, cublasLtHandle_t handle)
    : library(library), handle(handle) {}

Products::~Products() {
  plans.clear();
  library.cublasLtDestroy(handle);
}

bool Products::check(cublasStatus_t status, const char *call,
                     std::string &error) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return true;
  error = format("%s: %s", call, library.cublasLtGetStatusString(status));
  return false;
}

std::unique_ptr<Products> Products::make(std::string &error) {
  const CublasLt *library = loadCublasLt(error);
  if (!library)
    return nullptr;
  cublasLtHandle_t handle = nullptr;
  cublasStatus_t status = library->cublasLtCreate(&handle);
  if (status != CUBLAS_STATUS_SUCCESS) {
    error =
        format("cublasLtCreate: %s", library->cublasLtGetStatusString(status));
    return nullptr;
  }
  return std::make_unique<Products>(*library, handle);
}

std::string Products::makePlan(const mercury_matmul_problem &p, const Key &key,
                               Plan &plan) {
  cudaDataType_t input, output;
  if (!toDataType(p.input_type, input) || !toDataType(p.output_type, output))
    return format("matrix product of types %lld and %lld",
                  static_cast<long long>(p.input_type),
                  static_cast<long long>(p.output_type));
  plan.isDouble = input == CUDA_R_64F;
  cudaDataType_t scale = plan.isDouble ? CUDA_R_64F : CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  if (plan.isDouble)
    compute = CUBLAS_COMPUTE_64F;
  else if (input == CUDA_R_32F && allowsTF32())
    compute = CUBLAS_COMPUTE_32F_FAST_TF32;

  Columns first, second, result;
  if (!toColumns(p.k, p.n, p.row_stride_b, p.column_stride_b, first) ||
      !toColumns(p.m, p.k, p.row_stride_a, p.column_stride_a, second) ||
      !toColumns(p.m, p.n, p.row_stride_c, p.column_stride_c, result) ||
      result.isTransposed)
    return "matrix product of a matrix without a stride of 1";

  std::string error;
  auto makeLayout = [&](cublasLtMatrixLayout_t &layout, cudaDataType_t type,
                        const Columns &matrix, int64_t batchStride) {
    if (!check(library.cublasLtMatrixLayoutCreate(&layout, type, matrix.rows,
                                                  matrix.columns, matrix.lead),
               "cublasLtMatrixLayoutCreate", error))
      return false;
    int32_t batches = static_cast<int32_t>(p.batches);
    return check(library.cublasLtMatrixLayoutSetAttribute(
                     layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches,
                     sizeof(batches)),
                 "cublasLtMatrixLayoutSetAttribute", error) &&
           check(library.cublasLtMatrixLayoutSetAttribute(
                     layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                     &batchStride, sizeof(batchStride)),
                 "cublasLtMatrixLayoutSetAttribute", error);
  };
  auto setTransposed = [&](cublasLtMatmulDescAttributes_t which,
                           const Columns &matrix) {
    int32_t value = matrix.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    return check(library.cublasLtMatmulDescSetAttribute(plan.operation, which,
                                                        &value, sizeof(value)),
                 "cublasLtMatmulDescSetAttribute", error);
  };
  if (!makeLayout(plan.first, input, first, p.batch_stride_b) ||
      !makeLayout(plan.second, input, second, p.batch_stride_a) ||
      !makeLayout(plan.output, output, result, p.batch_stride_c) ||
      !check(library.cublasLtMatmulDescCreate(&plan.operation, compute, scale),
             "cublasLtMatmulDescCreate", error) ||
      !setTransposed(CUBLASLT_MATMUL_DESC_TRANSA, first) ||
      !setTransposed(CUBLASLT_MATMUL_DESC_TRANSB, second))
    return error;

  cublasLtMatmulPreference_t preference = nullptr;
  if (!check(library.cublasLtMatmulPreferenceCreate(&preference),
             "cublasLtMatmulPreferenceCreate", error))
    return error;
  auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
    return check(library.cublasLtMatmulPreferenceSetAttribute(
                     preference, which, &value, sizeof(value)),
                 "cublasLtMatmulPreferenceSetAttribute", error);
  };
  auto alignment = [&](int matrix) {
    return static_cast<uint32_t>(key[15 + matrix]);
  };
  int found = 0;
  if (prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
             uint64_t(kWorkspaceBytes)) &&
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(1)) &&
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(0)) &&
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(2)) &&
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(2)) &&
      check(library.cublasLtMatmulAlgoGetHeuristic(
                handle, plan.operation, plan.first, plan.second, plan.output,
                plan.output, preference, 1, &plan.choice, &found),
            "cublasLtMatmulAlgoGetHeuristic", error) &&
      found == 0)
    error = "cuBLASLt has no algorithm";
  library.cublasLtMatmulPreferenceDestroy(preference);
  return error;
}

std::string Products::enqueue(mercury_context &context,
                              const mercury_matmul_problem &problem,
                              const void *a, const void *b, void *c) {
  mercury_matmul_problem p = problem;
  if (p.column_stride_c != 1 && p.n != 1) {
    // Stored by columns: its transpose is stored by rows.
    p = transposed(p);
    std::swap(a, b);
  }
  Key key = {p.batches,
             p.m,
             p.n,
             p.k,
             p.row_stride_a,
             p.column_stride_a,
             p.batch_stride_a,
             p.row_stride_b,
             p.column_stride_b,
             p.batch_stride_b,
             p.row_stride_c,
             p.column_stride_c,
             p.batch_stride_c,
             p.input_type,
             p.output_type,
             alignmentOf(a),
             alignmentOf(b),
             alignmentOf(c)};
  std::unique_ptr<Plan> &plan = plans[key];
  if (!plan) {
    auto made = std::make_unique<Plan>(library);
    std::string error = makePlan(p, key, *made);
    if (!error.empty())
      return error + format(", %lld x (%lld x %lld x %lld)",
                            static_cast<long long>(problem.batches),
                            static_cast<long long>(problem.m),
                            static_cast<long long>(problem.n),
                            static_cast<long long>(problem.k));
    plan = std::move(made);
  }
  if (plan->choice.workspaceSize > 0 && !workspace) {
    workspace = context.allocate(kWorkspaceBytes, MERCURY_WORKSPACE, -1);
    if (!workspace)
      return host::lastErrorText();
  }
  const float one = 1;
  const double oneDouble = 1;
  const void *factor = plan->isDouble ? static_cast<const void *>(&oneDouble)
                                      : static_cast<const void *>(&one);
  std::string error;
  check(library.cublasLtMatmul(
            handle, plan->operation, factor, b, plan->first, a, plan->second,
            factor, c, plan->output, c, plan->output, &plan->choice.algo,
            workspace, workspace ? kWorkspaceBytes : 0, context.compute),
        "cublasLtMatmul", error);
  return error;
}

int32_t mercury_matmul(mercury_context *context,
                       const mercury_matmul_problem *problem, const void *a,
                       const void *b, void *c) {
  // Sums of nothing change nothing.
  if (problem->batches == 0 || problem->m == 0 || problem->n == 0 ||
      problem->k == 0)
    return ncclSuccess;
  if (context->domain->hasFailed())
    return mercury_status(context);
  std::string error;
  if (!context->products)
    context->products = Products::make(error);
  if (context->products)
    error = context->products->enqueue(*context, *problem, a, b, c);
  if (error.empty())
    return ncclSuccess;
  mercury::host::setLastError(ncclUnhandledCudaError, error);
  context->recordError(ncclUnhandledCudaError, "", error);
  return ncclUnhandledCudaError;
}
