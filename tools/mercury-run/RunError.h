//===- RunError.h - Why a run ended -----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_RUNERROR_H
#define MERCURY_TOOLS_MERCURY_RUN_RUNERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mercury::run {

/// How a run ended; the value is the exit code.
enum class Outcome {
  Success = 0, ///< verified, or ran where verification was not asked for
  WrongResult = 1,
  BadInput = 2,
  RuntimeFailure = 3,
  Unavailable = 77,  ///< this machine has not what the program runs on
  Interrupted = 130, ///< before it was finished, as shells have it
};

/// An error with its outcome. The message is lowercase without a period; it is
/// empty when diagnostics have already said everything.
class RunError : public llvm::ErrorInfo<RunError> {
public:
  static char ID;
  RunError(Outcome outcome, std::string message)
      : outcome(outcome), text(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  Outcome outcome;
  std::string text;
};

inline llvm::Error badInput(const llvm::Twine &message) {
  return llvm::make_error<RunError>(Outcome::BadInput, message.str());
}
inline llvm::Error runtimeFailure(const llvm::Twine &message) {
  return llvm::make_error<RunError>(Outcome::RuntimeFailure, message.str());
}

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_RUNERROR_H
