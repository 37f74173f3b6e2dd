//===- Main.cpp - Runs the tests, where ranks are processes in each -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstdio>

namespace {

/// Says on the standard error what has failed in a process that is not the
/// first, which says everything.
class Failures : public testing::EmptyTestEventListener {
public:
  explicit Failures(int process) : process(process) {}
  void OnTestPartResult(const testing::TestPartResult &result) override {
    if (result.failed())
      std::fprintf(stderr, "process %d, %s:%d: %s\n", process,
                   result.file_name(), result.line_number(), result.message());
  }

private:
  int process;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  int32_t process = 0, processes = 1;
  char error[256] = "";
  // Listing tests needs no other process.
  if (!testing::GTEST_FLAG(list_tests) &&
      mercury_host_processes(&process, &processes, error, sizeof(error))) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  testing::TestEventListeners &listeners =
      testing::UnitTest::GetInstance()->listeners();
  if (process > 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures(process));
  }
  int code = RUN_ALL_TESTS();
  return mercury_host_finish(code, "tests have failed", error, sizeof(error));
}
