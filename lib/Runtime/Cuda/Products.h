//===- Products.h - Matrix products by cuBLASLt -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_PRODUCTS_H
#define MERCURY_LIB_RUNTIME_CUDA_PRODUCTS_H

#include "Libraries.h"

#include <array>
#include <map>
#include <memory>

namespace mercury::cuda {

/// The matrix products of one rank: what cuBLASLt was asked about a problem is
/// kept.
class Products {
public:
  /// Takes over `handle`; see make.
  Products(const CublasLt &library, cublasLtHandle_t handle);
  ~Products();
  Products(const Products &) = delete;
  Products &operator=(const Products &) = delete;

  /// Opens cuBLASLt; NULL and the reason in `error` when that fails.
  static std::unique_ptr<Products> make(std::string &error);
  /// Enqueues c += a b on the compute stream. Returns what is wrong, empty when
  /// nothing.
  std::string enqueue(mercury_context &context,
                      const mercury_matmul_problem &problem, const void *a,
                      const void *b, void *c);

private:
  struct Plan;
  /// Numbers of a problem, and alignments of its matrices.
  using Key = std::array<int64_t, 18>;
  std::string makePlan(const mercury_matmul_problem &problem, const Key &key,
                       Plan &plan);
  bool check(cublasStatus_t status, const char *call, std::string &error) const;

  const CublasLt &library;
  cublasLtHandle_t handle;
  std::map<Key, std::unique_ptr<Plan>> plans;
  void *workspace = nullptr;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_PRODUCTS_H
