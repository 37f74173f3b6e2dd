//===- Attention.h - The roles of attention's loops ----------- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_ATTENTION_H
#define MERCURY_LIB_SCHEDULE_ATTENTION_H

#include "Mercury/Schedule/NamedSchedules.h"

namespace mercury {

/// The loops of attention in its online form, found by which operands index
/// them: inputs query, key, value; results that are reduced together over keys.
struct Attention {
  enum Operand { Query = 0, Key = 1, Value = 2 };
  std::vector<size_t> batch;  ///< of query and key or value: batch, KV heads
  std::vector<size_t> groups; ///< of the query alone: heads of one KV head
  size_t query = 0, key = 0;
};

/// The roles of the loops of attention, or nothing for another operator.
std::optional<Attention> matchAttention(const OperatorModel &op);

/// The schedules of attention.
const std::vector<NamedSchedule> &attentionSchedules();

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_ATTENTION_H
