//===- Plan.cpp - Checked configurations of launches ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace mercury::host;

/// More ranks than this are a mistake in a size.
static constexpr int64_t kMaxRanks = 4096;

std::string mercury::host::makePlan(const mercury_host_config &config,
                                    Plan &plan) {
  int64_t ranks = 1;
  if (config.num_levels < 0 || (config.num_levels > 0 && !config.levels))
    return format("%d levels at a NULL pointer", config.num_levels);
  for (int32_t i = 0; i < config.num_levels; ++i) {
    const mercury_host_level &given = config.levels[i];
    Level level;
    level.name = given.name ? given.name : format("level%d", i);
    level.size = given.size;
    level.bandwidth = given.bandwidth;
    level.latency = given.latency;
    if (given.size < 1)
      return format("level '%s' has size %lld, expected at least 1",
                    level.name.c_str(), static_cast<long long>(given.size));
    if (!(given.bandwidth >= 0) || !(given.latency >= 0))
      return format("level '%s' has bandwidth %g and latency %g, expected "
                    "figures that are not negative",
                    level.name.c_str(), given.bandwidth, given.latency);
    if (given.size > kMaxRanks / ranks)
      return format("more than %lld ranks", static_cast<long long>(kMaxRanks));
    ranks *= given.size;
    plan.levels.push_back(std::move(level));
  }
  if (config.num_communicators < 0 ||
      (config.num_communicators > 0 && !config.communicators))
    return format("%d communicators at a NULL pointer",
                  config.num_communicators);
  for (int32_t i = 0; i < config.num_communicators; ++i) {
    const mercury_host_communicator &given = config.communicators[i];
    if (given.num_levels < 0 || (given.num_levels > 0 && !given.levels))
      return format("communicator %d has %d levels at a NULL pointer", i,
                    given.num_levels);
    std::vector<int> levels(given.levels, given.levels + given.num_levels);
    std::set<int> seen;
    for (int level : levels) {
      if (level < 0 || level >= config.num_levels)
        return format("communicator %d names level %d of %d", i, level,
                      config.num_levels);
      if (!seen.insert(level).second)
        return format("communicator %d names level %d twice", i, level);
    }
    plan.communicators.push_back(std::move(levels));
  }
  if (config.mode != MERCURY_EAGER && config.mode != MERCURY_RENDEZVOUS)
    return format("unknown mode %d", static_cast<int>(config.mode));
  if (!(config.time_scale >= 0) || !(config.watchdog_seconds >= 0) ||
      config.memory_limit < 0)
    return format("time scale %g, watchdog %g s and memory limit %lld must "
                  "not be negative",
                  config.time_scale, config.watchdog_seconds,
                  static_cast<long long>(config.memory_limit));
  if (!(config.jitter_seconds >= 0))
    return format("jitter of %g s must not be negative", config.jitter_seconds);
  if (config.clock && (config.emulate_links || config.mode == MERCURY_EAGER ||
                       !(config.time_scale > 0)))
    return format("a clock needs a positive time scale, got %g, sends that are "
                  "not eager, and links that nothing else emulates",
                  config.time_scale);
  plan.settings.mode = config.mode;
  plan.settings.strict = config.strict != 0;
  plan.settings.emulateLinks = config.emulate_links != 0;
  plan.settings.timeScale = config.time_scale;
  plan.settings.watchdogSeconds = config.watchdog_seconds;
  plan.settings.memoryLimit = config.memory_limit;
  plan.settings.jitterSeconds = config.jitter_seconds;
  plan.settings.clock = config.clock;
  return "";
}

void mercury::host::copyText(const std::string &text, char *error,
                             size_t errorSize) {
  if (!error || errorSize == 0)
    return;
  size_t length = std::min(text.size(), errorSize - 1);
  std::memcpy(error, text.data(), length);
  error[length] = '\0';
}
