//===- UnitChoices.cpp - What tensors do over the axes of a loop ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "UnitChoices.h"

#include <algorithm>

using namespace mercury;

bool mercury::needsTime(Way way) {
  return way == Way::Broadcast || way == Way::Rotate || way == Way::Fetch ||
         way == Way::Moving;
}

bool mercury::travels(const Choice &choice) {
  auto moves = [](const TensorChoice &c) {
    return c.way == Way::Rotate || c.way == Way::Moving;
  };
  return std::any_of(choice.inputs.begin(), choice.inputs.end(), moves) ||
         std::any_of(choice.results.begin(), choice.results.end(), moves);
}

/// What an input may do over axes that take `loop`.
static std::vector<TensorChoice>
inputChoices(const OperatorModel::Tensor &input, size_t loop) {
  std::vector<TensorChoice> list = {{Way::Local, 0}};
  bool runs = input.mapped && input.dimOfLoop(loop);
  for (size_t d = 0; d < input.loopOfDim.size(); ++d) {
    bool timed = input.mapped && input.loopOfDim[d] >= 0;
    if (runs) {
      // It is needed along the loop and may enter along another dimension.
      if (d == *input.dimOfLoop(loop))
        continue;
      list.push_back({Way::AllToAll, d});
      if (timed)
        list.push_back({Way::Fetch, d});
      continue;
    }
    list.push_back({Way::Gather, d});
    if (timed)
      for (Way way : {Way::Broadcast, Way::Rotate, Way::Fetch})
        list.push_back({way, d});
  }
  return list;
}

static std::vector<TensorChoice>
resultChoices(const OperatorModel::Tensor &result, bool reduction) {
  std::vector<TensorChoice> list = {{Way::Local, 0}};
  if (reduction && result.mapped)
    for (size_t d = 0; d < result.loopOfDim.size(); ++d)
      if (result.loopOfDim[d] >= 0) {
        list.push_back({Way::Scatter, d});
        list.push_back({Way::Moving, d});
      }
  return list;
}

void mercury::addChoices(const OperatorModel &op, size_t loop,
                         std::vector<Choice> &choices) {
  std::vector<Choice> list(1);
  list.front().loop = loop;
  for (const OperatorModel::Tensor &input : op.inputs) {
    std::vector<Choice> longer;
    for (const Choice &choice : list)
      for (const TensorChoice &c : inputChoices(input, loop)) {
        Choice next = choice;
        next.inputs.push_back(c);
        next.arriving += c.way != Way::Local;
        next.relays |=
            c.way != Way::Local && input.mapped && input.dimOfLoop(loop);
        longer.push_back(std::move(next));
      }
    list = std::move(longer);
  }
  for (const OperatorModel::Tensor &result : op.results) {
    std::vector<Choice> longer;
    for (const Choice &choice : list)
      for (const TensorChoice &c :
           resultChoices(result, op.loops[loop].reduction)) {
        longer.push_back(choice);
        longer.back().results.push_back(c);
      }
    list = std::move(longer);
  }
  choices.insert(choices.end(), list.begin(), list.end());
}
