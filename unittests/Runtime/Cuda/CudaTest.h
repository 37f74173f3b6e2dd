//===- CudaTest.h - What the tests of libmercury_cuda share -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_RUNTIME_CUDA_CUDATEST_H
#define MERCURY_UNITTESTS_RUNTIME_CUDA_CUDATEST_H

#include "FakeCuda/FakeCuda.h"

#include "Mercury/Runtime/mercury_cuda.h"

#include "gtest/gtest.h"

#include <functional>
#include <string>
#include <vector>

namespace mercury::test {

/// Result of a launch.
struct Outcome {
  int code;
  std::string text;
  /// True when the text contains `part`.
  bool has(const std::string &part) const {
    return text.find(part) != std::string::npos;
  }
};

/// One launch on fake devices: the levels, the communicators (level indices),
/// and the body that every rank runs.
struct Launch {
  std::vector<mercury_host_level> levels;
  std::vector<std::vector<int32_t>> communicators;
  mercury_cuda_config config;

  /// `size` ranks on one level with one communicator.
  explicit Launch(int64_t size) : Launch({{"gpu", size, 0, 0}}, {{0}}) {}
  Launch(std::vector<mercury_host_level> levels,
         std::vector<std::vector<int32_t>> communicators)
      : levels(std::move(levels)), communicators(std::move(communicators)) {
    mercury_cuda_config_init(&config);
    config.watchdog_seconds = 20;
  }
  /// Sets the transport.
  Launch &transport(mercury_cuda_transport transport) {
    config.transport = transport;
    return *this;
  }
  /// Sets the watchdog.
  Launch &watchdog(double seconds) {
    config.watchdog_seconds = seconds;
    return *this;
  }
  /// Runs `body` on every rank; nothing may be left afterwards.
  Outcome run(const std::function<int(mercury_context *)> &body) {
    std::vector<mercury_host_communicator> list;
    for (const auto &communicator : communicators)
      list.push_back(
          {communicator.data(), static_cast<int32_t>(communicator.size())});
    config.levels = levels.data();
    config.num_levels = static_cast<int32_t>(levels.size());
    config.communicators = list.data();
    config.num_communicators = static_cast<int32_t>(list.size());
    char text[8192];
    int code = mercury_cuda_run(
        &config,
        [](mercury_context *context, void *user) {
          return (*static_cast<const std::function<int(mercury_context *)> *>(
              user))(context);
        },
        const_cast<std::function<int(mercury_context *)> *>(&body), text,
        sizeof(text));
    return {code, text};
  }
};

/// Fails the test, with its text, when a launch returned an error or left
/// something on the device.
#define EXPECT_RUNS(outcome)                                                   \
  do {                                                                         \
    mercury::test::Outcome result_ = (outcome);                                \
    EXPECT_EQ(result_.code, 0) << result_.text;                                \
    EXPECT_EQ(result_.text, "");                                               \
    EXPECT_EQ(fakeCudaLive(), 0);                                              \
    EXPECT_EQ(mercury_cuda_live_handles(), 0);                                 \
  } while (0)

/// Inside of a rank: returns the code of a call that failed.
#define RETURN_IF_FAILED(call)                                                 \
  do {                                                                         \
    int code_ = (call);                                                        \
    mercury_check(context, code_, #call);                                      \
    if (code_ != 0)                                                            \
      return code_;                                                            \
  } while (0)

/// Device memory of a rank with the contents of a vector.
template <typename T> class DeviceVector {
public:
  DeviceVector(mercury_context *context, const std::vector<T> &values)
      : context(context), size(values.size()),
        memory(mercury_alloc(context, static_cast<int64_t>(size * sizeof(T)),
                             MERCURY_OWN_SHARD, -1)) {
    mercury_cuda_to_device(context, memory, values.data(), size * sizeof(T));
  }
  ~DeviceVector() { mercury_free(context, memory); }
  DeviceVector(const DeviceVector &) = delete;
  DeviceVector &operator=(const DeviceVector &) = delete;
  /// The address on the device.
  T *get() const { return static_cast<T *>(memory); }
  /// What is there when all streams are at their end.
  std::vector<T> read() const {
    mercury_synchronize(context);
    std::vector<T> values(size);
    mercury_cuda_to_host(context, values.data(), memory, size * sizeof(T));
    return values;
  }

private:
  mercury_context *context;
  size_t size;
  void *memory;
};

/// The image of the test kernels:
///   add(pointer, count, value)  adds to each of `count` floats
///   slow(pointer, count, value) as add, after 20 ms
///   fail()                      error of the device
const FakeImage &testImage();

/// Launches a kernel of the test image with these parameters.
void launchKernel(mercury_context *context, const char *name, void *stream,
                  float *pointer, int64_t count, double value);

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_RUNTIME_CUDA_CUDATEST_H
