//===- ProcessesTest.cpp - Ranks that are processes -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

/// What a process printed, and its exit code.
struct Printed {
  int code = -1;
  std::string text;
  /// True when the text contains `part`.
  bool has(const std::string &part) const {
    return text.find(part) != std::string::npos;
  }
};

/// Runs the worker with variables in front of the command.
Printed runWorker(const std::string &variables, const std::string &mode) {
  std::string command =
      "env " + variables + " " MERCURY_CUDA_WORKER " " + mode + " 2>&1";
  Printed printed;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return printed;
  char buffer[4096];
  while (size_t bytes = fread(buffer, 1, sizeof(buffer), pipe))
    printed.text.append(buffer, bytes);
  int status = pclose(pipe);
  printed.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return printed;
}

/// A port that nobody listens on.
int freePort() {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  int port = 0;
  if (bind(descriptor, reinterpret_cast<sockaddr *>(&name), size) == 0 &&
      getsockname(descriptor, reinterpret_cast<sockaddr *>(&name), &size) == 0)
    port = ntohs(name.sin_port);
  close(descriptor);
  return port;
}

const std::string kFakes =
    "MERCURY_CUDA_LIBRARY=" MERCURY_FAKE_CUDA
    " MERCURY_NCCL_LIBRARY=" MERCURY_FAKE_NCCL " FAKE_CUDA_DEVICES=2";

/// Runs two processes as torchrun starts them, or as MPICH's mpirun does.
std::vector<Printed> runTwo(const std::string &mode,
                            const std::string &more = "",
                            bool likeMPI = false) {
  std::string port = std::to_string(freePort() - 1);
  std::vector<Printed> printed(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      std::string number = std::to_string(rank);
      std::string variables = kFakes + " " + more + " MASTER_PORT=" + port;
      if (likeMPI)
        variables +=
            " PMI_SIZE=2 PMI_RANK=" + number + " MPI_LOCALRANKID=" + number;
      else
        variables += " MASTER_ADDR=localhost WORLD_SIZE=2 RANK=" + number +
                     " LOCAL_RANK=" + number;
      printed[rank] = runWorker(variables, mode);
    });
  for (std::thread &thread : threads)
    thread.join();
  return printed;
}

/// Both processes print `text` and exit with `code`.
void expectBoth(const std::vector<Printed> &printed, int code,
                const std::string &text) {
  for (const Printed &one : printed) {
    EXPECT_EQ(one.code, code) << one.text;
    EXPECT_TRUE(one.has(text)) << one.text;
  }
}

TEST(CudaProcesses, Torchrun) {
  std::vector<Printed> printed = runTwo("good");
  expectBoth(printed, 0, "");
  EXPECT_EQ(printed[0].text, "process 0 of 2: 0 \nprocess 0 agreed on 0 \n");
  EXPECT_EQ(printed[1].text, "process 1 of 2: 0 \nprocess 1 agreed on 0 \n");
}

TEST(CudaProcesses, MPI) {
  expectBoth(runTwo("good", "", /*likeMPI=*/true), 0, "agreed on 0");
}

TEST(CudaProcesses, OneDeviceVisible) {
  expectBoth(runTwo("good", "FAKE_CUDA_DEVICES=1 CUDA_VISIBLE_DEVICES=3"), 0,
             "agreed on 0");
}

TEST(CudaProcesses, ErrorOfOne) {
  expectBoth(runTwo("error"), 5, "5 rank 1: tile at f.mlir:3: invalid usage\n");
}

TEST(CudaProcesses, AsyncErrorOfNccl) {
  expectBoth(runTwo("async", "FAKE_NCCL_ERROR=1:1:6 FAKE_NCCL_HANG=1"), 6,
             "6 rank 1: hop at f.mlir:5: NCCL on communicator 'gpu' {0,1}: a "
             "fake error: the fake's last error\n");
}

TEST(CudaProcesses, OneThatDies) {
  std::vector<Printed> printed = runTwo("exit");
  EXPECT_EQ(printed[1].code, 3);
  EXPECT_EQ(printed[0].code, 6);
  EXPECT_TRUE(printed[0].has("process 0 of 2: 6 rank 1: its process has ended "
                             "without a word"))
      << printed[0].text;
}

TEST(CudaProcesses, OneCodeForAll) {
  expectBoth(runTwo("finish"), 5, "agreed on 5 the results differ\n");
}

TEST(CudaProcesses, NobodyElseComes) {
  std::string variables = kFakes +
                          " MASTER_PORT=" + std::to_string(freePort() - 1) +
                          " MERCURY_RENDEZVOUS_SECONDS=1 WORLD_SIZE=2";
  Printed printed = runWorker(variables + " RANK=1 LOCAL_RANK=1", "good");
  EXPECT_EQ(printed.code, 2);
  EXPECT_TRUE(printed.has("process 1 of 2: cannot reach process 0 at 127.0.0.1 "
                          "port"))
      << printed.text;
  printed = runWorker(variables + " RANK=0", "good");
  EXPECT_EQ(printed.code, 2);
  EXPECT_TRUE(printed.has("of processes 1 nothing was heard on port"))
      << printed.text;
}

TEST(CudaProcesses, BadEnvironment) {
  Printed printed = runWorker(kFakes + " WORLD_SIZE=2 RANK=two", "good");
  EXPECT_EQ(printed.code, 4);
  EXPECT_TRUE(printed.has("RANK is 'two', expected a number from 0"))
      << printed.text;
  printed = runWorker(kFakes + " WORLD_SIZE=2 RANK=2", "good");
  EXPECT_TRUE(printed.has("RANK is 2 and WORLD_SIZE is 2")) << printed.text;
}

TEST(CudaProcesses, NoDriver) {
  Printed printed =
      runWorker("MERCURY_CUDA_LIBRARY=/nowhere/libcuda.so.1", "good");
  EXPECT_EQ(printed.code, 77);
  EXPECT_TRUE(printed.has("no CUDA driver can be used here: "
                          "MERCURY_CUDA_LIBRARY: /nowhere/libcuda.so.1"))
      << printed.text;
}

TEST(CudaProcesses, NoNccl) {
  Printed printed = runWorker(
      kFakes + " MERCURY_NCCL_LIBRARY=/nowhere/libnccl.so.2 WORLD_SIZE=2 "
               "RANK=0",
      "good");
  EXPECT_EQ(printed.code, 77);
  EXPECT_TRUE(printed.has("NCCL cannot be used here: ")) << printed.text;
}

// The stub of the toolkit has every function that we look for.
TEST(CudaProcesses, Stub) {
#ifdef MERCURY_CUDA_STUB
  Printed printed =
      runWorker("MERCURY_CUDA_LIBRARY=" MERCURY_CUDA_STUB, "good");
  EXPECT_EQ(printed.code, 77);
  EXPECT_TRUE(printed.has("no CUDA driver can be used here: it is the stub "
                          "that programs are linked with"))
      << printed.text;
#else
  GTEST_SKIP() << "the stub of libcuda was not found";
#endif
}

// The names that we export reach the true NCCL.
TEST(CudaProcesses, TrueNccl) {
#ifdef MERCURY_TRUE_NCCL
  Printed printed =
      runWorker("MERCURY_NCCL_LIBRARY=" MERCURY_TRUE_NCCL, "version");
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.text,
            "0 version " + std::to_string(MERCURY_NCCL_VERSION) + "\n");
#else
  GTEST_SKIP() << "libnccl was not found";
#endif
}

} // namespace
