//===- EmulatedDevice.cpp - Programs for devices, executed on CPUs --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host part of programs for devices runs as it is: calls, streams and
// events are those that a GPU would be given. Kernels are the same computation
// for the CPU, or the device code, thread by thread. Streams are late at
// random, so that what no event orders comes in another order. Results are
// compared with the function on one rank, and the bytes held with those that
// the program says.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Programs.h"
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace mercury;
using namespace mercury::test;

static const std::vector<std::string> kTopologies = {"gpu=4", "node=2,gpu=2"};

/// `text`, a program on f32, with elements of `type`.
static std::string withElements(std::string text, const std::string &type) {
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos;
       at += type.size())
    text.replace(at, 3, type);
  return text;
}

/// Runs a program under every case on emulated devices.
static void runOnDevices(const std::string &text,
                         const std::vector<Case> &cases,
                         EmulatedKernels kernels, double jitterSeconds) {
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    Program program(text, 11);
    program.target = run::Target::Emulated;
    program.kernels = kernels;
    program.jitterSeconds = jitterSeconds;
    for (size_t i; (i = next++) < cases.size();) {
      const auto &[schedule, topology, balance] = cases[i];
      program.balance = balance;
      std::string wrong = program.runOnRanks(schedule, topology);
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_EQ(wrong, "") << schedule << " on " << topology << "\n" << text;
    }
  };
  std::thread other(work);
  work();
  other.join();
}

/// Every schedule of the scope on all topologies with elements of both types.
static void runEverySchedule(NamedSchedule::Scope scope,
                             const std::string &text) {
  std::vector<Case> cases = everySchedule(scope, kTopologies);
  ASSERT_GE(cases.size(), 10u);
  for (const char *type : {"f32", "bf16"})
    runOnDevices(withElements(text, type), cases, EmulatedKernels::CPU,
                 /*jitterSeconds=*/0.0005);
}

TEST(EmulatedDevice, EveryContractionSchedule) {
  runEverySchedule(NamedSchedule::Scope::Contraction, matmulText(24, 24, 24));
}

TEST(EmulatedDevice, EveryAttentionSchedule) {
  runEverySchedule(NamedSchedule::Scope::Attention,
                   attentionText(4, 1, 16, 16, 8));
}

// Ranges of keys are a kernel in each step; tokens in zigzag order travel
// before and after.
TEST(EmulatedDevice, EveryCausalSchedule) {
  runOnDevices(maskedText("right 0", 4, 16, 16).attention(),
               everySchedule(NamedSchedule::Scope::Attention, kTopologies),
               EmulatedKernels::CPU, /*jitterSeconds=*/0.0005);
}

// The ring ends early; ranks that have nothing to do in a step launch nothing.
TEST(EmulatedDevice, Windows) {
  runOnDevices(maskedText("left 5 right 0", 4, 32, 32).attention(),
               {{"ring", "gpu=4", "none"},
                {"ring", "node=2,gpu=2", "zigzag"},
                {"double_ring", "node=2,gpu=2", "none"},
                {"ulysses", "gpu=4", "zigzag"}},
               EmulatedKernels::CPU, /*jitterSeconds=*/0.0005);
}

// A constant that ranks have parts of, or that travels, is a buffer, which the
// program counts.
TEST(EmulatedDevice, ConstantOperand) {
  std::string rows;
  for (int row = 0; row < 8; ++row)
    rows += (row ? ", [" : "[") + std::to_string(row) + ".0, -1.0, 0.5, 2.0]";
  runOnDevices("func.func @f(%a: tensor<8x8xf32>) -> tensor<8x4xf32> {\n"
               "  %b = arith.constant dense<[" +
                   rows +
                   "]> : tensor<8x4xf32>\n"
                   "  %z = arith.constant dense<0.0> : tensor<8x4xf32>\n"
                   "  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, "
                   "tensor<8x4xf32>) outs(%z : tensor<8x4xf32>) -> "
                   "tensor<8x4xf32>\n"
                   "  return %0 : tensor<8x4xf32>\n"
                   "}",
               everySchedule(NamedSchedule::Scope::Contraction, kTopologies),
               EmulatedKernels::CPU, /*jitterSeconds=*/0.0005);
}

// Where streams wait for nothing, results are wrong: the tests above can fail.
TEST(EmulatedDevice, WrongWithoutEvents) {
  Program program(matmulText(24, 24, 24), 11);
  program.target = run::Target::Emulated;
  program.jitterSeconds = 0.002;
  program.changeDevice = [](mlir::Operation *module) {
    module->walk([](commir::WaitEventOp wait) { wait.erase(); });
  };
  bool isWrong = false;
  for (int i = 0; i < 20 && !isWrong; ++i)
    isWrong = !program.runOnRanks("all_gather_gemm_shifted", "gpu=4").empty();
  EXPECT_TRUE(isWrong);
}

// Device code, with edges that no tile divides.
TEST(EmulatedDevice, ContractionsAsDeviceCode) {
  std::vector<Case> cases;
  for (const char *schedule : {"all_gather_gemm", "gemm_reduce_scatter"})
    for (const std::string &topology : kTopologies)
      cases.push_back({schedule, topology});
  for (const char *type : {"f32", "bf16"})
    runOnDevices(withElements(matmulText(36, 20, 44), type), cases,
                 EmulatedKernels::SIMT, /*jitterSeconds=*/0.0005);
}

TEST(EmulatedDevice, AttentionAsDeviceCode) {
  std::vector<Case> cases;
  for (const char *schedule : {"ring", "ulysses", "double_ring"})
    cases.push_back({schedule, "node=2,gpu=2"});
  for (const char *type : {"f32", "bf16"})
    runOnDevices(withElements(attentionText(4, 2, 12, 20, 8), type), cases,
                 EmulatedKernels::SIMT, /*jitterSeconds=*/0.0005);
}

TEST(EmulatedDevice, MaskedAttentionAsDeviceCode) {
  runOnDevices(
      maskedText("right 0", 2, 20, 20, /*group=*/2).attention(),
      {{"ring", "gpu=4", "none"}, {"double_ring", "node=2,gpu=2", "zigzag"}},
      EmulatedKernels::SIMT, /*jitterSeconds=*/0.0005);
  AttentionText window = maskedText("left 3 right 1", 4, 20, 20);
  window.type = window.outType = "bf16";
  runOnDevices(window.attention(),
               {{"ring", "gpu=4"}, {"ulysses", "node=2,gpu=2"}},
               EmulatedKernels::SIMT, /*jitterSeconds=*/0.0005);
}
