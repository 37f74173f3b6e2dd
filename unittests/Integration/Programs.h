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
#include "Mercury/Schedule/NamedSchedules.h"
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

/// Changes the inputs of a program that are not to be random.
using ChangeArguments = std::function<void(std::vector<run::HostTensor> &)>;

/// Computes the results of a program in another way, into tensors that have
/// their types.
using ComputeResults = std::function<void(const std::vector<run::HostTensor> &,
                                          std::vector<run::HostTensor> &)>;

/// What is seen of a run on ranks beside its results.
struct RunDetails {
  std::string stage3;                ///< the printed SPMD module
  std::vector<int64_t> bytesSent;    ///< per rank
  std::vector<int64_t> multiplyAdds; ///< per rank
  int64_t inputMultiplyAdds = 0;
};

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
  /// `text` has one function; inputs come from `seed`. The function on one rank
  /// has to give what `compute` says, with which all is compared then.
  Program(const std::string &text, uint64_t seed,
          const ChangeArguments &change = nullptr,
          const ComputeResults &compute = nullptr);

  /// The operator that schedules are for, as plain data: the last contraction
  /// (of attention its online form), or else the last operator.
  OperatorModel model();

  /// The local work of programs on ranks, and what these run on; see
  /// run::CompileOptions and run::LaunchOptions.
  std::string local = "loops";
  std::string balance = "auto";
  run::Target target = run::Target::CPU;
  EmulatedKernels kernels = EmulatedKernels::CPU;
  double jitterSeconds = 0;
  /// Bytes that each rank of the last program that ran held at most.
  int64_t peakBytes = 0;
  /// Changes a program for devices before it becomes calls; null: does not.
  std::function<void(mlir::Operation *)> changeDevice;

  /// Runs the function distributed by `schedule` (a name, or text) on ranks of
  /// `topology`, strictly, and compares results, and the bytes held with those
  /// counted. "" or what is wrong: diagnostics where it does not compile.
  /// `details` may be null.
  std::string runOnRanks(const std::string &schedule,
                         const std::string &topology,
                         RunDetails *details = nullptr);
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
                       const Observer &observer, bool verifyEach,
                       RunDetails *details = nullptr);
  std::string erase(mlir::ModuleOp stage2);
  std::string runOne(mlir::ModuleOp erased);
  std::string compare(const std::vector<run::HostTensor> &results);

  std::unique_ptr<mlir::MLIRContext> context;
  std::string said; ///< diagnostics since the last step began
  mlir::ScopedDiagnosticHandler diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<run::HostTensor> arguments, reference;
};

struct Case {
  std::string schedule, topology, balance = "auto";
};

/// Runs one program under all cases, on two threads, on ranks and, where
/// `erased` says so, on one device.
void runCases(const std::string &text, const std::vector<Case> &cases,
              bool erased, const ChangeArguments &change = nullptr,
              const ComputeResults &compute = nullptr);

/// Every named schedule of the scope, and those of any scope, on every
/// topology.
std::vector<Case> everySchedule(NamedSchedule::Scope scope,
                                const std::vector<std::string> &topologies);

/// C = A B with f32 elements, C from zero.
std::string matmulText(int64_t m, int64_t n, int64_t k);

/// Attention of f32 with `heads` KV heads, `group` query heads of each (1: that
/// loop is left out), `queries` and `keys` rows of `features` elements.
std::string attentionText(int64_t heads, int64_t group, int64_t queries,
                          int64_t keys, int64_t features);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H
