//===- CandidateMask.cpp - What a mask leaves of candidates ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateMask.h"
#include "Mercury/Schedule/Balance.h"

#include <bit>
#include <numeric>

using namespace mercury;

size_t CandidateMask::Hash::operator()(const std::vector<uint64_t> &key) const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t word : key) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

template <typename Visitor>
void CandidateMask::forEachDim(const Candidate &c, size_t loop,
                               Visitor visit) const {
  for (size_t t = 0; t < op.inputs.size() + op.results.size(); ++t) {
    const OperatorModel::Tensor &model =
        t < op.inputs.size() ? op.inputs[t] : op.results[t - op.inputs.size()];
    if (std::optional<size_t> dim = model.dimOfLoop(loop)) {
      visit(c.tensors[t].nest[*dim], true);
      visit(c.tensors[t].entry[*dim], false);
    }
  }
}

int64_t CandidateMask::balanceParts(const Division &division,
                                    const Candidate &c) const {
  int64_t parts = 1;
  for (size_t l : {op.mask->query, op.mask->key}) {
    parts = std::lcm(parts, division.sizeOf(c.ranks[l]));
    forEachDim(c, l, [&](const AxisSequence &axes, bool) {
      parts = std::lcm(parts, division.sizeOf(axes));
    });
  }
  return parts;
}

bool CandidateMask::isDivided(const Candidate &c, size_t loop,
                              bool whileLoopsRun) const {
  bool divided = c.ranks[loop] != 0;
  forEachDim(c, loop, [&](const AxisSequence &axes, bool isNest) {
    divided |= !axes.empty() && (isNest || !whileLoopsRun);
  });
  return divided;
}

std::optional<StepTable> CandidateMask::make(const Division &division,
                                             const Candidate &c,
                                             int64_t parts) const {
  Schedule s = scheduleOf(op, division, c);
  if (parts > 1) {
    int64_t natural = slowestWork(s, op, topology);
    if (!placeOrder(s, op, TokenOrder::zigzag(parts)) ||
        slowestWork(s, op, topology) >= natural)
      return std::nullopt;
  }
  return makeStepTable(s, op, topology);
}

/// What the loops have in common decides, not which axes do it: those that are
/// met first have the first numbers.
void CandidateMask::readKey(const Division &division, const Candidate &c,
                            const int64_t *padded, int64_t parts) {
  const LoopMask &mask = *op.mask;
  uint64_t numbers[20] = {}, met = 0;
  key.assign({uint64_t(parts), uint64_t(padded[mask.query]),
              uint64_t(padded[mask.key])});
  auto add = [&](AxisMask axes) {
    for (; axes != 0; axes &= axes - 1) {
      int axis = std::countr_zero(axes);
      if (numbers[axis] == 0)
        numbers[axis] = ++met;
      key.push_back(numbers[axis] << 32 | uint64_t(division.sizes[axis]));
    }
    key.push_back(0);
  };
  // Loops that are not divided keep the natural order.
  if (parts > 1)
    key.push_back(uint64_t(isDivided(c, mask.query, true)) << 1 |
                  uint64_t(isDivided(c, mask.key, true)));
  add(c.ranks[mask.query]);
  add(c.ranks[mask.key]);
  for (size_t order = 0; order < c.times.size(); ++order) {
    uint64_t place[maxLoops] = {}; // among the factors of its loop
    for (const Candidate::Time &time : c.times) {
      if (time.loop != mask.query && time.loop != mask.key)
        continue;
      uint64_t at = place[time.loop]++;
      if (time.order != order)
        continue;
      key.push_back(at << 16 | uint64_t(time.loop) << 8 |
                    time.members.size() << 1 | uint64_t(time.bothDirections));
      for (const Candidate::Time::Member &m : time.members) {
        key.push_back(uint64_t(m.offset) << 1 | uint64_t(m.shifted));
        add(division.units[m.unit]);
      }
    }
  }
}

const StepTable *CandidateMask::of(const Division &division, const Candidate &c,
                                   const int64_t *padded, int64_t parts) {
  readKey(division, c, padded, parts);
  auto it = known.find(key);
  if (it == known.end())
    it = known.emplace(key, make(division, c, parts)).first;
  return it->second ? &*it->second : nullptr;
}
