//===- ProgressBar.h - How far a long task is -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_PROGRESSBAR_H
#define MERCURY_TOOLS_MERCURY_TUNE_PROGRESSBAR_H

#include "llvm/ADT/StringRef.h"
#include <chrono>

namespace mercury::tune {

/// How far a task is, on the standard error: on a terminal in one line that
/// changes, else in a line every half minute.
class ProgressBar {
public:
  ProgressBar();
  ~ProgressBar() { clear(); }

  /// A task begins that may take `budget` seconds; 0: nobody knows.
  void begin(double budget);
  /// `part` of it is done, 0 to 1, and now it does what `text` says. Calls cost
  /// nothing where they follow each other soon.
  void show(double part, llvm::StringRef text);
  /// Nothing is left on the terminal.
  void clear();
  /// Seconds since the task began.
  double elapsed() const;

private:
  bool isTerminal, isShown = false;
  double budget = 0, shownAt = 0;
  std::chrono::steady_clock::time_point start;
};

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_PROGRESSBAR_H
