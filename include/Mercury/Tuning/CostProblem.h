//===- CostProblem.h - What is computed, as data ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_COSTPROBLEM_H
#define MERCURY_TUNING_COSTPROBLEM_H

#include "Mercury/Schedule/Schedule.h"
#include "Mercury/Tuning/LocalTimes.h"

namespace mercury {

/// An operator and what its model does not say. Also of forms that the compiler
/// does not build yet (backward).
struct CostProblem {
  OperatorModel op;
  LocalWork::Kind kind = LocalWork::Kind::Gemm;
  /// Per input and per result the extents of all dimensions; those that run
  /// over a loop have its extent.
  std::vector<std::vector<int64_t>> inputShapes, resultShapes;
  std::string type; ///< element type of the products
  /// Whose kernel computes a tile where a schedule patches none in, as curves
  /// of the device name it; "": generated code.
  std::string library;
  /// Registered kernels that schedules may patch in.
  std::vector<std::string> kernels;
  /// Kernels fill what they add to, and divide the state of attention, inside:
  /// not so in programs that Mercury compiles.
  bool isForeign = false;
  int64_t headDim = 0;  ///< attention: of queries and keys
  int64_t valueDim = 0; ///< attention: of values
  /// Attention: element bytes of the output, which the state becomes when the
  /// loops have ended, before it is moved; 0: results are moved as they are.
  int64_t finishedBytes = 0;
  /// The log-sum-exp is returned, too, in the type of the state.
  bool returnsLogSumExp = false;
  enum class Direction { Forward, Backward, Both };
  Direction direction = Direction::Forward;
  /// Element bytes of gradients that travel or are summed; 0: those of the
  /// tensor.
  int64_t gradientBytes = 0;
  /// Times that the state of a reduction is read or written per step besides
  /// the kernel's own, where partial results are merged by other kernels; 0 for
  /// kernels that carry the state.
  double mergePasses = 0;
  /// Element bytes of the state that is merged so.
  int64_t stateBytes = 4;
  /// Work and communication of a step are one kernel: chunks cost no launch.
  bool isFused = false;
};

/// C(m, n) += A(m, k) * B(k, n).
CostProblem gemmProblem(int64_t m, int64_t n, int64_t k, std::string type,
                        int64_t elementBytes);

struct AttentionShape {
  int64_t batch = 1;
  int64_t kvHeads = 1;
  int64_t group = 1; ///< query heads of each KV head
  int64_t queries = 1, keys = 1;
  int64_t headDim = 1, valueDim = 1;
};
/// Attention in its online form: loops batch, KV heads, (query heads of each,)
/// queries, keys; results accumulator, maximum and sum of `resultBytes` an
/// element.
CostProblem attentionProblem(const AttentionShape &shape,
                             std::optional<Mask> mask, std::string type,
                             int64_t elementBytes, int64_t resultBytes = 4);

/// The work of one tile but for its amount, done by `kernel` (Schedule::patch).
LocalWork workOf(const CostProblem &problem, const std::string &kernel);

/// The kernels that times tell apart: "", and those of the problem that the
/// device has a curve of.
std::vector<std::string> comparableKernels(const CostProblem &problem,
                                           const DeviceModel &device);

/// Fills shapes from the operator's loops where each dimension runs over one;
/// others take the entries of `features` in turn, the last of which is
/// repeated.
void fillShapes(CostProblem &problem, const std::vector<int64_t> &features);

} // namespace mercury

#endif // MERCURY_TUNING_COSTPROBLEM_H
