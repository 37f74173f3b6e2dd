//===- ProgressBar.cpp - How far a long task is ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressBar.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <algorithm>

using namespace mercury::tune;

ProgressBar::ProgressBar()
    : isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {
  begin(0);
}

void ProgressBar::begin(double seconds) {
  clear();
  budget = seconds;
  start = std::chrono::steady_clock::now();
  shownAt = isTerminal ? -1 : 0;
}

double ProgressBar::elapsed() const {
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  return seconds.count();
}

/// 0:07 or 12:34
static std::string clockText(double seconds) {
  auto whole = static_cast<int64_t>(seconds);
  return llvm::formatv("{0}:{1,0+2}", whole / 60, whole % 60);
}

void ProgressBar::show(double part, llvm::StringRef text) {
  double now = elapsed();
  if (now - shownAt < (isTerminal ? 0.1 : 30))
    return;
  shownAt = now;
  constexpr size_t width = 20;
  part = std::clamp(part, 0.0, 1.0);
  std::string line =
      isTerminal ? "[" + std::string(part * width, '#') +
                       std::string(width - size_t(part * width), '.') + "] "
                 : std::string("mercury-tune: ");
  line += llvm::formatv("{0,3}%  {1}", int(part * 100), clockText(now));
  if (budget > 0)
    line += " of " + clockText(budget);
  line += "  " + text.str();
  if (!isTerminal) {
    llvm::errs() << line << '\n';
    return;
  }
  size_t columns = llvm::sys::Process::StandardErrColumns();
  line.resize(std::min(line.size(), columns > 1 ? columns - 1 : 79));
  llvm::errs() << "\r\033[K" << line;
  isShown = true;
}

void ProgressBar::clear() {
  if (isShown)
    llvm::errs() << "\r\033[K";
  isShown = false;
}
