//===- Programs.h - Runs a schedule both ways -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H
#define MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H

#include "HostTensor.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace mercury::test {

/// A context with everything that a program passes through, without threads.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Changes the inputs of a program that are not to be random.
using ChangeArguments = std::function<void(std::vector<run::HostTensor> &)>;

/// What is seen of a run on ranks beside its results.
struct RunDetails {
  std::string stage3;             ///< the printed SPMD module
  std::vector<int64_t> bytesSent; ///< per rank
};

/// One function with its inputs and reference results, compared with many
/// schedules of it. Not safe for several threads.
class Program {
public:
  /// `text` has one function; inputs come from `seed`.
  Program(const std::string &text, uint64_t seed,
          const ChangeArguments &change = nullptr);

  /// The operator that schedules are for, as plain data: the last contraction,
  /// or else the last operator.
  OperatorModel model();

  /// The local work of programs on ranks; see run::CompileOptions.
  std::string local = "loops";

  /// Runs the function distributed by `schedule` (a name, or text) on ranks of
<<<<<<< HEAD
  /// `topology`, strictly, and compares. "" or what is wrong: diagnostics where
  /// it does not compile. `details` may be null.
=======
  /// `topology`, strictly, and compares results, and the bytes held with those
  /// counted. "" or what is wrong. `stage3`, when
  /// not null, receives the printed SPMD module.
>>>>>>> attbench
  std::string runOnRanks(const std::string &schedule,
                         const std::string &topology,
                         RunDetails *details = nullptr);
  /// The same with the placement erased, on one device.
  std::string runErased(const std::string &schedule,
                        const std::string &topology);

private:
  std::string compare(const std::vector<run::HostTensor> &results);

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<run::HostTensor> arguments, reference;
};

struct Case {
  std::string schedule, topology;
};

/// Runs one program under all cases, on two threads, on ranks and, where
/// `erased` says so, on one device.
void runCases(const std::string &text, const std::vector<Case> &cases,
              bool erased, const ChangeArguments &change = nullptr);

/// Every named schedule of the scope, and those of any scope, on every
/// topology.
std::vector<Case> everySchedule(NamedSchedule::Scope scope,
                                const std::vector<std::string> &topologies);

/// C = A B with f32 elements, C from zero.
std::string matmulText(int64_t m, int64_t n, int64_t k);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_PROGRAMS_H
