//===- UnitChoices.cpp - What tensors do over the axes of a loop ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/UnitChoices.h"

#include <algorithm>

using namespace mercury;

bool mercury::needsTime(Way way) {
  return way == Way::Broadcast || way == Way::Rotate ||
         way == Way::RotateBoth || way == Way::Fetch || way == Way::Moving;
}

bool mercury::travels(const Choice &choice) {
  auto moves = [](const TensorChoice &c) {
    return c.way == Way::Rotate || c.way == Way::RotateBoth ||
           c.way == Way::Moving;
  };
  return std::any_of(choice.inputs.begin(), choice.inputs.end(), moves) ||
         std::any_of(choice.results.begin(), choice.results.end(), moves);
}

/// Which tensors the loop indexes, inputs first.
static std::vector<bool> indexedBy(const OperatorModel &op, size_t loop) {
  std::vector<bool> list;
  for (const OperatorModel::Tensor &tensor : op.inputs)
    list.push_back(tensor.dimOfLoop(loop).has_value());
  for (const OperatorModel::Tensor &tensor : op.results)
    list.push_back(tensor.dimOfLoop(loop).has_value());
  return list;
}

/// Every tensor has a part of the loop.
static bool isBatch(const OperatorModel &op, size_t loop) {
  std::vector<bool> indexed = indexedBy(op, loop);
  return std::find(indexed.begin(), indexed.end(), false) == indexed.end();
}

/// True when a tensor is cut along its dimension `dim` over axes that do not
/// take the loop: of loops that make no difference the last one.
static bool isCutAlong(const OperatorModel &op,
                       const OperatorModel::Tensor &tensor, size_t dim) {
  int loop = tensor.loopOfDim[dim];
  if (loop < 0)
    return !tensor.mapped;
  for (int other : tensor.loopOfDim)
    if (other >= 0 && isBatch(op, loop) && !isBatch(op, other))
      return false;
  for (size_t l = loop + 1; l < op.loops.size(); ++l)
    if (op.loops[l].reduction == op.loops[loop].reduction &&
        indexedBy(op, l) == indexedBy(op, loop))
      return false;
  return true;
}

/// What an input may do over axes that take `loop`.
static std::vector<TensorChoice>
inputChoices(const OperatorModel &op, size_t i, size_t loop,
             const EnumeratorOptions &options) {
  const OperatorModel::Tensor &input = op.inputs[i];
  std::vector<TensorChoice> list = {{Way::Local, 0}};
  bool runs = input.mapped && input.dimOfLoop(loop);
  for (size_t d = 0; d < input.loopOfDim.size(); ++d) {
    int along = input.loopOfDim[d];
    bool timed = input.mapped && along >= 0;
    if (!options.equivalents && !isCutAlong(op, input, d))
      continue;
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
    if (timed && options.bothDirections && op.loops[along].reduction)
      list.push_back({Way::RotateBoth, d});
  }
  return list;
}

static std::vector<TensorChoice>
resultChoices(const OperatorModel &op, size_t r, size_t loop,
              const EnumeratorOptions &options) {
  const OperatorModel::Tensor &result = op.results[r];
  std::vector<TensorChoice> list = {{Way::Local, 0}};
  if (op.loops[loop].reduction && result.mapped)
    for (size_t d = 0; d < result.loopOfDim.size(); ++d)
      if (result.loopOfDim[d] >= 0 &&
          (options.equivalents || isCutAlong(op, result, d))) {
        list.push_back({Way::Scatter, d});
        list.push_back({Way::Moving, d});
      }
  return list;
}

/// The tensors in groups whose members do the same, by number.
using Groups = std::vector<std::vector<size_t>>;

/// Inputs that the same loops index go alike.
static Groups inputGroups(const OperatorModel &op, bool equivalents) {
  auto loopsOf = [&](size_t i) {
    std::vector<int> loops = op.inputs[i].loopOfDim;
    std::sort(loops.begin(), loops.end());
    loops.erase(loops.begin(), std::lower_bound(loops.begin(), loops.end(), 0));
    return loops;
  };
  Groups groups;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    auto alike = [&](const std::vector<size_t> &group) {
      size_t first = group.front();
      return !equivalents && op.inputs[i].mapped && op.inputs[first].mapped &&
             loopsOf(i) == loopsOf(first);
    };
    auto it = std::find_if(groups.begin(), groups.end(), alike);
    if (it == groups.end())
      groups.push_back({i});
    else
      it->push_back(i);
  }
  return groups;
}

static Groups resultGroups(const OperatorModel &op) {
  Groups groups = op.coupled;
  for (size_t r = 0; r < op.results.size(); ++r)
    if (std::none_of(groups.begin(), groups.end(), [&](const auto &group) {
          return std::count(group.begin(), group.end(), r) != 0;
        }))
      groups.push_back({r});
  return groups;
}

/// What the members of `group` do when its first one does `c`; nothing where
/// one of them cannot.
static std::optional<std::vector<TensorChoice>>
choicesOf(const std::vector<size_t> &group, const TensorChoice &c,
          const std::vector<OperatorModel::Tensor> &tensors) {
  std::vector<TensorChoice> list;
  for (size_t member : group) {
    list.push_back(c);
    if (c.way == Way::Local || member == group.front())
      continue;
    std::optional<size_t> dim =
        tensors[member].dimOfLoop(tensors[group.front()].loopOfDim[c.dim]);
    if (!dim)
      return std::nullopt;
    list.back().dim = *dim;
  }
  return list;
}

void mercury::addChoices(const OperatorModel &op, size_t loop,
                         const EnumeratorOptions &options,
                         std::vector<Choice> &choices) {
  Choice first;
  first.loop = loop;
  first.inputs.resize(op.inputs.size());
  first.results.resize(op.results.size());
  std::vector<Choice> list = {first};
  for (const std::vector<size_t> &group :
       inputGroups(op, options.equivalents)) {
    const OperatorModel::Tensor &input = op.inputs[group.front()];
    std::vector<Choice> longer;
    for (const Choice &choice : list)
      for (const TensorChoice &c :
           inputChoices(op, group.front(), loop, options)) {
        std::optional<std::vector<TensorChoice>> all =
            choicesOf(group, c, op.inputs);
        if (!all)
          continue;
        Choice next = choice;
        for (size_t i = 0; i < group.size(); ++i)
          next.inputs[group[i]] = (*all)[i];
        next.arriving += c.way != Way::Local;
        bool runs = input.mapped && input.dimOfLoop(loop);
        next.running += runs;
        next.relays += runs && c.way != Way::Local;
        longer.push_back(std::move(next));
      }
    list = std::move(longer);
  }
  for (const std::vector<size_t> &group : resultGroups(op)) {
    std::vector<Choice> longer;
    for (const Choice &choice : list)
      for (const TensorChoice &c :
           resultChoices(op, group.front(), loop, options)) {
        std::optional<std::vector<TensorChoice>> all =
            choicesOf(group, c, op.results);
        if (!all)
          continue;
        longer.push_back(choice);
        for (size_t i = 0; i < group.size(); ++i)
          longer.back().results[group[i]] = (*all)[i];
      }
    list = std::move(longer);
  }
  choices.insert(choices.end(), list.begin(), list.end());
}
