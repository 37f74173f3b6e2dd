//===- RuntimeTest.h - What the runtime's tests share -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_RUNTIME_RUNTIMETEST_H
#define MERCURY_UNITTESTS_RUNTIME_RUNTIMETEST_H

#include "Mercury/Runtime/mercury_host.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace mercury::test {

/// Where ranks are processes, each of them runs the tests, and only launches of
/// as many ranks as there are processes run. 1 where ranks are threads.
inline int64_t processCount() {
  static const int64_t count = [] {
    int32_t process, processes;
    mercury_host_processes(&process, &processes, nullptr, 0);
    return processes;
  }();
  return count;
}

/// Result of a launch. One that did not run is whatever is expected.
struct Outcome {
  /// What the launch returned.
  struct Code {
    int value;
    bool ran;
    friend bool operator==(const Code &code, int expected) {
      return !code.ran || code.value == expected;
    }
    friend std::ostream &operator<<(std::ostream &os, const Code &code) {
      return os << code.value;
    }
  };
  Code code{0, false};
  std::string text;
  /// True when the text contains `part`.
  bool has(const std::string &part) const {
    return !code.ran || text.find(part) != std::string::npos;
  }
};

/// One launch: the levels, the communicators (level indices), and the body that
/// every rank runs.
struct Launch {
  std::vector<mercury_host_level> levels;
  std::vector<std::vector<int32_t>> communicators;
  mercury_host_config config;

  /// `size` ranks on one level with one communicator.
  explicit Launch(int64_t size) : Launch({{"gpu", size, 0, 0}}, {{0}}) {}
  Launch(std::vector<mercury_host_level> levels,
         std::vector<std::vector<int32_t>> communicators)
      : levels(std::move(levels)), communicators(std::move(communicators)) {
    mercury_host_config_init(&config);
  }
  /// Sets the mode.
  Launch &mode(mercury_host_mode mode) {
    config.mode = mode;
    return *this;
  }
  /// Sets the watchdog.
  Launch &watchdog(double seconds) {
    config.watchdog_seconds = seconds;
    return *this;
  }
  /// Turns the strict mode on.
  Launch &strict() {
    config.strict = 1;
    return *this;
  }
  /// Runs `body` on every rank.
  Outcome run(const std::function<int(mercury_context *)> &body) {
    int64_t ranks = 1;
    for (const mercury_host_level &level : levels)
      ranks *= level.size;
    if (processCount() > 1 && ranks != processCount())
      return {};
    std::vector<mercury_host_communicator> list;
    for (const auto &communicator : communicators)
      list.push_back(
          {communicator.data(), static_cast<int32_t>(communicator.size())});
    config.levels = levels.data();
    config.num_levels = static_cast<int32_t>(levels.size());
    config.communicators = list.data();
    config.num_communicators = static_cast<int32_t>(list.size());
    char text[8192];
    int code = mercury_host_run(
        &config,
        [](mercury_context *context, void *user) {
          return (*static_cast<const std::function<int(mercury_context *)> *>(
              user))(context);
        },
        const_cast<std::function<int(mercury_context *)> *>(&body), text,
        sizeof(text));
    return {{code, true}, text};
  }
};

/// Fails the test, with its text, when a launch returned an error.
#define EXPECT_RUNS(outcome)                                                   \
  do {                                                                         \
    mercury::test::Outcome result_ = (outcome);                                \
    EXPECT_EQ(result_.code, 0) << result_.text;                                \
    EXPECT_EQ(result_.text, "");                                               \
  } while (0)

/// Inside of a rank: returns the code of a call that failed.
#define RETURN_IF_FAILED(call)                                                 \
  do {                                                                         \
    int code_ = (call);                                                        \
    mercury_check(context, code_, #call);                                      \
    if (code_ != 0)                                                            \
      return code_;                                                            \
  } while (0)

/// True under ThreadSanitizer, where tests repeat less.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MERCURY_THREAD_SANITIZER 1
#endif
#endif
#if defined(MERCURY_THREAD_SANITIZER) || defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

/// An id of ncclGetUniqueId that all ranks have, through communicator 0. Empty
/// after an error.
inline ncclUniqueId shareUniqueId(mercury_context *context) {
  ncclUniqueId id = {};
  if (mercury_rank(context) == 0)
    EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  EXPECT_EQ(ncclBroadcast(&id, &id, sizeof(id), ncclUint8, 0,
                          mercury_comm(context, 0), nullptr),
            ncclSuccess);
  return id;
}

/// The two ways that a send may complete; a legal program works with both.
inline const mercury_host_mode kModes[] = {MERCURY_EAGER, MERCURY_RENDEZVOUS};

/// Threads of this process, 0 when the system does not tell.
inline int64_t threadCount() {
  std::error_code error;
  std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : std::distance(begin(tasks), end(tasks));
}

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_RUNTIME_RUNTIMETEST_H
