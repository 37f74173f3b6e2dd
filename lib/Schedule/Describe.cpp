//===- Describe.cpp - Schedules in words ----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Describe.h"
#include "AxisUtils.h"

using namespace mercury;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool runsOver(const OperatorModel::Tensor &tensor, size_t loop) {
  return tensor.dimOfLoop(static_cast<int>(loop)).has_value();
}

/// Names a list: one alone by the first of `several`, more by all of them.
static void nameList(std::vector<std::string> &names,
                     const std::vector<size_t> &which,
                     const std::vector<std::string> &several) {
  for (size_t i = 0; i < which.size(); ++i) {
    // From the inside outwards.
    size_t place = which.size() - 1 - i;
    names[which[i]] =
        place < several.size()
            ? several[place]
            : several.back() + " " + str(place - several.size() + 2);
  }
}

static void nameAttention(const OperatorModel &op, OperatorNames &names) {
  std::vector<size_t> shared, group, keys;
  std::optional<size_t> query;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    if (op.loops[l].reduction)
      keys.push_back(l);
    else if (runsOver(op.inputs[1], l))
      shared.push_back(l);
    else
      group.push_back(l);
  }
  // The innermost loop that keys do not have.
  if (!group.empty()) {
    query = op.mask ? op.mask->query : group.back();
    std::erase(group, *query);
    names.loops[*query] = "queries";
  }
  nameList(names.loops, shared, {"heads", "batch"});
  nameList(names.loops, group, {"head group"});
  nameList(names.loops, keys, {"keys"});
  const char *inputs[] = {"Q", "K", "V"};
  for (size_t i = 0; i < 3; ++i)
    names.inputs[i] = inputs[i];
}

static void nameContraction(const OperatorModel &op, OperatorNames &names) {
  std::vector<size_t> batch, rows, columns, reduction;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool a = runsOver(op.inputs[0], l), b = runsOver(op.inputs[1], l);
    (op.loops[l].reduction ? reduction
     : a && b              ? batch
     : b                   ? columns
                           : rows)
        .push_back(l);
  }
  nameList(names.loops, batch, {"batch"});
  nameList(names.loops, rows, {"rows"});
  nameList(names.loops, columns, {"columns"});
  nameList(names.loops, reduction, {"reduction"});
  names.inputs[0] = "A";
  names.inputs[1] = "B";
  if (names.results.size() == 1)
    names.results[0] = "C";
}

OperatorNames mercury::namesOf(const OperatorModel &op) {
  OperatorNames names;
  for (size_t l = 0; l < op.loops.size(); ++l)
    names.loops.push_back("loop " + str(l));
  for (size_t i = 0; i < op.inputs.size(); ++i)
    names.inputs.push_back("input " + str(i));
  for (size_t r = 0; r < op.results.size(); ++r)
    names.results.push_back("result " + str(r));
  bool reduces = std::any_of(op.loops.begin(), op.loops.end(),
                             [](const auto &loop) { return loop.reduction; });
  if (!op.coupled.empty() && op.inputs.size() >= 3)
    nameAttention(op, names);
  else if (reduces && op.inputs.size() == 2)
    nameContraction(op, names);
  return names;
}

//===----------------------------------------------------------------------===//
// Phrases
//===----------------------------------------------------------------------===//

/// "a", "a and b", "a, b and c".
static std::string listOf(const AxisList &axes) {
  std::string text;
  for (size_t i = 0; i < axes.size(); ++i)
    text += (i == 0                 ? ""
             : i + 1 == axes.size() ? " and "
                                    : ", ") +
            print(axes[i]);
  return text;
}

namespace {
/// What happens to tensors over axes, in the order in which it was first said.
class Phrases {
public:
  void add(const std::string &subject, const std::string &what,
           const AxisRef &axis) {
    for (Phrase &phrase : phrases)
      if (phrase.subject == subject && phrase.what == what) {
        if (!contains(phrase.axes, axis))
          phrase.axes.push_back(axis);
        return;
      }
    phrases.push_back({subject, what, {axis}});
  }

  /// Subjects to which the same happens are named together.
  void print(std::vector<std::string> &parts) {
    for (size_t i = 0; i < phrases.size(); ++i) {
      std::string subjects = phrases[i].subject;
      for (size_t j = i + 1; j < phrases.size();)
        if (phrases[j].what == phrases[i].what &&
            phrases[j].axes == phrases[i].axes) {
          subjects += "/" + phrases[j].subject;
          phrases.erase(phrases.begin() + j);
        } else {
          ++j;
        }
      parts.push_back(subjects + " " + phrases[i].what + " over " +
                      listOf(phrases[i].axes));
    }
  }

private:
  struct Phrase {
    std::string subject, what;
    AxisList axes;
  };
  std::vector<Phrase> phrases;
};
} // namespace

static std::string ringOf(const LoopPlan &loop) {
  size_t rings = 0;
  bool bothWays = false;
  for (const Factor &factor : loop) {
    rings += !factor.shifts.empty();
    bothWays |= factor.bidirectional;
  }
  return std::string(rings > 1 ? "nested rings" : "ring") +
         (bothWays ? " both ways" : "");
}

static std::string phraseOf(Arrival arrival, const LoopPlan &loop) {
  switch (arrival) {
  case Arrival::Local:
    return "";
  case Arrival::Gather:
    return "gathered";
  case Arrival::Broadcast:
    return "broadcast each step";
  case Arrival::AllToAll:
    return "all-to-all";
  case Arrival::Rotate:
    return ringOf(loop);
  case Arrival::Fetch:
    return "fetched each step";
  }
  return "";
}

static std::string phraseOf(Ending ending) {
  switch (ending) {
  case Ending::AllReduce:
    return "all-reduced";
  case Ending::ReduceScatter:
    return "reduce-scattered";
  case Ending::Moving:
    return "moving";
  }
  return "";
}

/// How inputs arrive.
static void describeInputs(const Schedule &s, const OperatorModel &op,
                           const OperatorNames &names, Phrases &phrases) {
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    AxisList axes = s.inputs[i].entry.axes();
    for (const AxisRef &axis : s.inputs[i].nest.axes())
      if (!contains(axes, axis))
        axes.push_back(axis);
    for (const AxisRef &axis : axes) {
      std::optional<size_t> dim = s.inputs[i].nest.dimOf(axis);
      int loop = dim ? op.inputs[i].loopOfDim[*dim] : -1;
      std::string what = phraseOf(arrivalOf(s, op, i, axis),
                                  loop < 0 ? LoopPlan() : s.loops[loop]);
      if (!what.empty())
        phrases.add(names.inputs[i], what, axis);
    }
  }
}

/// How reductions end, and where results move when they have.
static void describeResults(const Schedule &s, const OperatorModel &op,
                            const OperatorNames &names, Phrases &phrases) {
  for (const AxisRef &axis : reductionAxes(s, op))
    for (size_t r = 0; r < s.results.size(); ++r)
      phrases.add("partial sums", phraseOf(endingOf(s, op, r, axis)), axis);
  for (size_t r = 0; r < s.results.size(); ++r) {
    // Coupled results are one thing to a reader.
    std::string name = s.results.size() == 1 ? names.results[r] : "result";
    const ResultPlan &plan = s.results[r];
    for (const AxisRef &axis : plan.nest.axes()) {
      std::optional<size_t> to = plan.exit.dimOf(axis);
      if (to == plan.nest.dimOf(axis))
        continue;
      phrases.add(name, to ? "all-to-all" : "gathered", axis);
    }
  }
}

/// The time loops from the outside inwards, where they do not stand as written.
static std::string describeOrder(const Schedule &s,
                                 const OperatorNames &names) {
  std::vector<std::pair<size_t, size_t>> order = timeLoops(s);
  if (std::is_sorted(order.begin(), order.end()))
    return "";
  std::string text;
  for (auto [loop, factor] : order)
    text += (text.empty() ? "steps of " : " outside ") + names.loops[loop] +
            " over " + listOf(s.loops[loop][factor].axes);
  return text;
}

std::string mercury::describe(const Schedule &s, const OperatorModel &op,
                              const TopologyModel &topology) {
  OperatorNames names = namesOf(op);
  std::vector<std::string> parts;
  AxisList used;
  for (size_t l = 0; l < s.loops.size(); ++l) {
    AxisList axes;
    for (const Factor &factor : s.loops[l])
      if (factor.kind == Factor::Kind::Rank)
        append(axes, factor.axes);
    if (!axes.empty())
      parts.push_back(names.loops[l] + " over " + listOf(axes));
    append(used, axes);
  }
  Phrases phrases;
  describeInputs(s, op, names, phrases);
  describeResults(s, op, names, phrases);
  phrases.print(parts);
  if (std::string order = describeOrder(s, names); !order.empty())
    parts.push_back(order);

  std::string idle;
  for (const Level &level : topology.levels) {
    int64_t taken = 1;
    for (const AxisRef &axis : used)
      taken *= axis.level == level.name ? topology.sizeOf(axis) : 1;
    if (taken < level.size)
      idle += (idle.empty() ? "" : " and ") +
              std::string(taken > 1 ? "part of " : "") + level.name;
  }
  if (!idle.empty())
    parts.push_back("repeated over " + idle);
  for (size_t l = 0; l < s.loops.size(); ++l) {
    TokenOrder order = s.orderOf(l);
    std::string text = order.isNatural() ? "" : print(order);
    text = text.substr(0, text.find(' '));
    if (!text.empty() &&
        std::find(parts.begin(), parts.end(), text) == parts.end())
      parts.push_back(text);
  }
  if (s.chunks > 1)
    parts.push_back(str(s.chunks) + " chunks a step");
  std::string blocks;
  for (size_t l = 0; l < s.tile.size(); ++l)
    if (s.tile[l] > 0)
      blocks +=
          (blocks.empty() ? "" : " x ") + str(s.tile[l]) + " " + names.loops[l];
  if (!blocks.empty())
    parts.push_back("blocks of " + blocks);
  if (!s.patch.empty())
    parts.push_back("kernel " + s.patch);
  if (parts.empty())
    return "on one rank";
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}
