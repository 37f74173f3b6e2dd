//===- KernelRegistry.h - Kernels by name -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_LOCAL_KERNELREGISTRY_H
#define MERCURY_TRANSFORMS_LOCAL_KERNELREGISTRY_H

#include <string>
#include <vector>

namespace mercury {

/// One function, called by several ranks, threads of one process, at once. It
/// computes C += op(A) * op(B) for row-major matrices:
///
///   void symbol(int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,
///               const T *b, int64_t ldb, T *c, int64_t ldc);
///
/// C is m x n. lda, ldb and ldc count the elements from one stored row to the
/// next; elements of a row are contiguous. Or it continues attention of one
/// head from a state of type S, which is double where T is double, else float,
/// as `commir.online_attention` is defined:
///
///   void symbol(int64_t queries, int64_t keys, int64_t d, int64_t e,
///               double scale, const T *q, int64_t ldq, const T *k,
///               int64_t ldk, const T *v, int64_t ldv, S *accumulator,
///               int64_t lda, S *maximum, S *sum);
///
/// Q is queries x d, K keys x d, V keys x e, the accumulator queries x e. Under
/// a mask (`masked_attention`) two arguments follow, in which query i sees the
/// keys begin[i] to end[i] - 1, none where these are equal:
///
///               ..., S *maximum, S *sum, const int32_t *begin,
///               const int32_t *end);
struct Kernel {
  /// The forms of a kernel for attention.
  static constexpr const char *attention = "attention";
  static constexpr const char *maskedAttention = "masked_attention";
  /// How an operand lies in memory.
  enum class Layout {
    UnitStride, ///< rows are contiguous, any distance between them
    RowMajor    ///< rows follow each other without a gap
  };
  /// What users call it; several kernels may share a name, one for each form
  /// and type.
  std::string name;
  bool isAttention = false, isMasked = false;
  /// A is stored k x m rather than m x k; B is stored n x k rather than k x n.
  bool transposeA = false, transposeB = false;
  /// Element type T, as printed: "f32", "f64".
  std::string type;
  std::string symbol;
  Layout layout = Layout::UnitStride;
  /// "nn", "nt", "tn", "tt", "attention" or "masked_attention".
  std::string form() const;
  /// The type of C, or S.
  std::string stateType() const;
};

/// Registered kernels, in the order of registration. Copies are independent.
class KernelRegistry {
public:
  /// With the kernels that Mercury ships: "blas", f32 and f64, all forms.
  static KernelRegistry withShippedKernels();

  /// Returns an empty string, or why the kernel is refused: an empty name or
  /// symbol, or one of the same name, form and type exists.
  std::string registerKernel(Kernel kernel);

  const std::vector<Kernel> &kernels() const { return all; }
  /// The kernels called `name`.
  std::vector<const Kernel *> lookup(const std::string &name) const;

private:
  std::vector<Kernel> all;
};

/// The registry that `mercury-patch-kernels` starts from. Register before the
/// first pass runs: it is not guarded against concurrent changes.
KernelRegistry &globalKernelRegistry();

/// Registers with globalKernelRegistry(); see KernelRegistry::registerKernel().
std::string registerKernel(Kernel kernel);

/// Parses a form (Kernel::form) into the flags of `kernel`; false if it is
/// none.
bool parseForm(const std::string &form, Kernel &kernel);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_LOCAL_KERNELREGISTRY_H
