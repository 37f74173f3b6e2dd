//===- ScheduleTest.h - Operators and helpers of the tests ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_SCHEDULE_SCHEDULETEST_H
#define MERCURY_UNITTESTS_SCHEDULE_SCHEDULETEST_H

#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Schedule/Primitives.h"
#include "gtest/gtest.h"

namespace mercury::test {

/// C(m, n) += A(m, k) * B(k, n); loops m, n, k.
inline OperatorModel gemm(int64_t m = 16, int64_t n = 24, int64_t k = 32) {
  OperatorModel op;
  op.name = "linalg.matmul";
  op.loops = {{false, m}, {false, n}, {true, k}};
  op.inputs = {{{0, 2}}, {{2, 1}}};
  op.results = {{{0, 1}}};
  op.hasCombiner = {true};
  op.neutralInit = {true};
  return op;
}

/// The same with both operands transposed.
inline OperatorModel transposedGemm() {
  OperatorModel op = gemm();
  op.name = "linalg.contract";
  op.inputs = {{{2, 0}}, {{1, 2}}};
  return op;
}

/// Loops batch, m, n, k.
inline OperatorModel batchGemm(int64_t b = 4, int64_t m = 16, int64_t n = 24,
                               int64_t k = 32) {
  OperatorModel op;
  op.name = "linalg.batch_matmul";
  op.loops = {{false, b}, {false, m}, {false, n}, {true, k}};
  op.inputs = {{{0, 1, 3}}, {{0, 3, 2}}};
  op.results = {{{0, 1, 2}}};
  op.hasCombiner = {true};
  op.neutralInit = {true};
  return op;
}

/// Online attention: Q(h, m, -), K(h, n, -), V(h, n, -) and a state of three
/// results; loops h, m, n.
inline OperatorModel attention(int64_t h = 4, int64_t m = 8, int64_t n = 8) {
  OperatorModel op;
  op.name = "commir.online_attention";
  op.loops = {{false, h}, {false, m}, {true, n}};
  op.inputs = {{{0, 1, -1}}, {{0, 2, -1}}, {{0, 2, -1}}};
  op.results = {{{0, 1, -1}}, {{0, 1}}, {{0, 1}}};
  op.hasCombiner = op.hasCollective = op.neutralInit = {true, true, true};
  op.coupled = {{0, 1, 2}};
  return op;
}

/// The same with g query heads of each KV head; loops h, g, m, n.
inline OperatorModel groupedAttention(int64_t h = 2, int64_t g = 2,
                                      int64_t m = 8, int64_t n = 8) {
  OperatorModel op = attention();
  op.loops = {{false, h}, {false, g}, {false, m}, {true, n}};
  op.inputs = {{{0, 1, 2, -1}}, {{0, 3, -1}}, {{0, 3, -1}}};
  op.results = {{{0, 1, 2, -1}}, {{0, 1, 2}}, {{0, 1, 2}}};
  return op;
}

/// D(i, j) = X(i, j) + bias(j).
inline OperatorModel biasAdd(int64_t i = 16, int64_t j = 24) {
  OperatorModel op;
  op.name = "linalg.add";
  op.loops = {{false, i}, {false, j}};
  op.inputs = {{{0, 1}}, {{1}}};
  op.results = {{{0, 1}}};
  op.hasCombiner = {true};
  op.neutralInit = {true};
  return op;
}

inline TopologyModel topology(std::string_view text) {
  std::string error;
  std::optional<TopologyModel> parsed = parseTopology(text, error);
  EXPECT_TRUE(parsed) << error;
  return parsed.value_or(TopologyModel());
}

inline Placement placement(std::string_view text) {
  TextCursor cursor(text);
  Placement parsed;
  std::string error;
  EXPECT_TRUE(parse(cursor, parsed, error)) << error;
  return parsed;
}

inline Schedule schedule(std::string_view text) {
  std::string error;
  std::optional<Schedule> parsed = parseSchedule(text, error);
  EXPECT_TRUE(parsed) << error;
  return parsed.value_or(Schedule());
}

/// The reason why the schedule is illegal for `op`, "" when it is legal.
inline std::string why(std::string_view text, std::string_view on,
                       const OperatorModel &op = gemm()) {
  return verify(schedule(text), op, topology(on)).reason();
}

} // namespace mercury::test

#define EXPECT_OK(verdict)                                                     \
  do {                                                                         \
    ::mercury::Verdict v = (verdict);                                          \
    EXPECT_TRUE(v) << v.reason();                                              \
  } while (false)

#endif // MERCURY_UNITTESTS_SCHEDULE_SCHEDULETEST_H
