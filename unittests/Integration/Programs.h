//===- Programs.h - Runs a schedule both ways -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H
#define MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H

#include "Compile.h"
#include "HostTensor.h"
#include "Mercury/Schedule/Schedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <mutex>
#include <set>

namespace mercury::test {

/// A context with everything that a program passes through, without threads.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Programs that have been seen, by their text. Safe for several threads.
class SeenPrograms {
public:
  /// True for a new one.
  bool insert(const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    return texts.insert(text).second;
  }
  size_t size() const { return texts.size(); }

private:
  std::mutex mutex;
  std::set<std::string> texts;
};

/// One function with its inputs and reference results, compared with many
/// schedules of it. Not safe for several threads.
class Program {
public:
  /// `text` has one function; inputs come from `seed`.
  Program(const std::string &text, uint64_t seed);

  /// The operator that schedules are for, as plain data: the last contraction
  /// (of attention its online form), or else the last operator.
  OperatorModel model();

  /// Runs the function distributed by `schedule` (a name, or text) on ranks of
  /// `topology`, strictly, and compares. "" or what is wrong. `stage3`, when
  /// not null, receives the printed SPMD module.
  std::string runOnRanks(const std::string &schedule,
                         const std::string &topology,
                         std::string *stage3 = nullptr);
  /// The same with the placement erased, on one device.
  std::string runErased(const std::string &schedule,
                        const std::string &topology);

  /// Both, distributed once. Schedules that differ in how operands arrive alone
  /// are the same program when erased: one that `erased` has is not run again.
  std::string runBoth(const std::string &schedule, const std::string &topology,
                      SeenPrograms &erased, std::string *stage3 = nullptr);

private:
  using Observer = std::function<void(run::Stage, mlir::Operation *)>;
  std::string runRanks(const std::string &schedule, const std::string &topology,
                       const Observer &observer, bool verifyEach);
  std::string erase(mlir::ModuleOp stage2);
  std::string runOne(mlir::ModuleOp erased);
  std::string compare(const std::vector<run::HostTensor> &results);

  std::unique_ptr<mlir::MLIRContext> context;
  std::string said; ///< diagnostics since the last step began
  mlir::ScopedDiagnosticHandler diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<run::HostTensor> arguments, reference;
};

/// C = A B with f32 elements, C from zero.
std::string matmulText(int64_t m, int64_t n, int64_t k);

/// Attention of f32 with `heads` KV heads, `group` query heads of each (1: that
/// loop is left out), `queries` and `keys` rows of `features` elements.
std::string attentionText(int64_t heads, int64_t group, int64_t queries,
                          int64_t keys, int64_t features);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H
