//===- Plan.h - Checked configurations of launches --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_PLAN_H
#define MERCURY_LIB_RUNTIME_HOST_PLAN_H

#include "Links.h"

namespace mercury::host {

/// How a launch runs; the fields are those of mercury_host_config.
struct Settings {
  mercury_host_mode mode = MERCURY_RENDEZVOUS;
  bool strict = false;
  bool emulateLinks = false;
  double timeScale = 1;
  double watchdogSeconds = 30;
  int64_t memoryLimit = 0;
  double jitterSeconds = 0;
  const mercury_host_clock *clock = nullptr; ///< owned by the caller
};

/// A checked configuration.
struct Plan {
  Settings settings;
  std::vector<Level> levels;
  std::vector<std::vector<int>> communicators;
};

/// Checks and copies `config`; returns what is wrong, empty when nothing is.
std::string makePlan(const mercury_host_config &config, Plan &plan);

/// Copies `text` into the caller's buffer, cut to its size.
void copyText(const std::string &text, char *error, size_t errorSize);

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_PLAN_H
