//===- Enumerator.cpp - All schedules of an operator ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit of axes takes one loop. From that follows what the other dimensions of
// each operand and result may do over the unit: a choice. A combination of
// choices, one per unit, says which time factors are needed; the schedule is
// built, and what verify() accepts is visited.
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Enumerator.h"
#include "AxisUnits.h"
#include "AxisUtils.h"
#include "Mercury/Schedule/Balance.h"
#include "UnitChoices.h"

#include <numeric>
#include <unordered_set>

using namespace mercury;

namespace {
/// A time factor that the choices ask for.
struct TimeFactor {
  /// One unit whose shards its steps run over.
  struct Member {
    size_t unit = 0;
    bool shifted = false;
    int64_t offset = 0;
    std::vector<const TensorChoice *> tensors; ///< that ask for it
  };
  size_t loop = 0;
  /// One, or several of the same size; the first gives the steps.
  std::vector<Member> members;
};

class Enumeration {
public:
  Enumeration(const OperatorModel &op, const TopologyModel &topology,
              const EnumeratorOptions &options,
              const std::function<bool(const Schedule &)> &visit)
      : op(op), topology(topology), options(options), visit(visit) {
    for (size_t l = 0; l < op.loops.size(); ++l)
      addChoices(op, l, options, choices);
  }

  void run() {
    if (!offer(Schedule::replicated(op)))
      return;
    for (std::vector<Unit> &cut : axisUnits(topology, options)) {
      units = std::move(cut);
      picked.clear();
      if (!units.empty() && !pickNext())
        return;
    }
  }

private:
  bool pickNext();
  bool mayRelay() const;
  bool isRedundant() const;
  bool addTime(std::vector<TimeFactor> &times, size_t loop, size_t unit,
               const TensorChoice &tensor) const;
  bool build();
  bool buildWith(std::vector<TimeFactor> times);
  void placeInput(OperandPlan &plan, size_t i,
                  const std::vector<TimeFactor> &times) const;
  void placeResult(ResultPlan &plan, size_t r,
                   const std::vector<TimeFactor> &times) const;
  AxisList rankAxesOf(size_t loop) const;
  bool offer(Schedule s);

  const OperatorModel &op;
  const TopologyModel &topology;
  const EnumeratorOptions &options;
  const std::function<bool(const Schedule &)> &visit;
  std::vector<Choice> choices;
  std::vector<Unit> units;
  std::vector<const Choice *> picked; ///< one per unit
  std::unordered_set<std::string> seen;
};
} // namespace

//===----------------------------------------------------------------------===//
// Combinations of choices
//===----------------------------------------------------------------------===//

/// Picks a choice for the next unit in every way; false to stop.
bool Enumeration::pickNext() {
  if (picked.size() == units.size())
    return isRedundant() || build();
  for (const Choice &choice : choices) {
    picked.push_back(&choice);
    if (!pickNext())
      return false;
    picked.pop_back();
  }
  return true;
}

/// Whether operands that are laid out anew may be so here.
bool Enumeration::mayRelay() const {
  size_t arriving = 0, relays = 0;
  bool reduces = true, together = true, stages = false, steps = false;
  for (const Choice *choice : picked) {
    arriving += choice->arriving;
    relays += choice->relays;
    together &= choice->relays == 0 || choice->relays == choice->running;
    for (const TensorChoice &c : choice->results) {
      reduces &= c.way == Way::Local;
      steps |= needsTime(c.way);
    }
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (needsTime(choice->inputs[i].way))
        (op.inputs[i].dimOfLoop(choice->loop) ? stages : steps) = true;
  }
  if (relays == 0 || options.relays == Relays::All)
    return true;
  if (options.relays == Relays::Together)
    return together && !(stages && steps);
  return arriving <= 1 && (picked.size() == 1 || reduces);
}

bool Enumeration::isRedundant() const {
  if (!mayRelay())
    return true;
  // Two units that do the same and nothing in rings are one unit.
  for (size_t u = 0; u < picked.size(); ++u)
    for (size_t v = 0; v < u; ++v)
      if (*picked[u] == *picked[v] && !travels(*picked[u]))
        return true;
  return false;
}

/// All tensors of a factor go in both directions, or none does.
static bool goesBoth(const TimeFactor::Member &m) {
  return m.tensors.front()->way == Way::RotateBoth;
}

/// Adds what `tensor` needs to the factor of `loop` for `unit`; false when the
/// factor would have to be staggered and not staggered.
bool Enumeration::addTime(std::vector<TimeFactor> &times, size_t loop,
                          size_t unit, const TensorChoice &tensor) const {
  bool shifted = tensor.way != Way::Broadcast;
  // A moving accumulator ends at its owner when it starts one rank further.
  int64_t offset = tensor.way == Way::Moving;
  for (TimeFactor &time : times)
    if (TimeFactor::Member &m = time.members.front();
        time.loop == loop && m.unit == unit) {
      m.offset = std::max(m.offset, offset);
      bool both = tensor.way == Way::RotateBoth;
      bool agrees = m.shifted == shifted && both == goesBoth(m);
      m.tensors.push_back(&tensor);
      return agrees;
    }
  times.push_back({loop, {{unit, shifted, offset, {&tensor}}}});
  return true;
}

/// The tensors that ask for a factor: inputs by number, results behind them.
static std::vector<size_t> servedBy(const TimeFactor &time,
                                    const std::vector<const Choice *> &picked) {
  std::vector<size_t> served;
  for (const TimeFactor::Member &m : time.members) {
    const Choice &choice = *picked[m.unit];
    for (const TensorChoice *c : m.tensors) {
      size_t i = 0;
      while (i < choice.inputs.size() && c != &choice.inputs[i])
        ++i;
      if (i == choice.inputs.size())
        i += c - choice.results.data();
      served.push_back(i);
    }
  }
  std::sort(served.begin(), served.end());
  return served;
}

/// The shards of a tensor are blocks where its factors stand outside all
/// others: puts the factors of a loop that serve more tensors outside; false
/// where some tensor does without an outer factor.
static bool nest(std::vector<TimeFactor> &times,
                 const std::vector<const Choice *> &picked) {
  auto key = [&](const TimeFactor &time) {
    return std::tuple(time.loop,
                      -static_cast<int64_t>(servedBy(time, picked).size()),
                      time.members.front().unit);
  };
  std::sort(times.begin(), times.end(),
            [&](const auto &a, const auto &b) { return key(a) < key(b); });
  for (size_t i = 1; i < times.size(); ++i) {
    if (times[i - 1].loop != times[i].loop)
      continue;
    std::vector<size_t> outer = servedBy(times[i - 1], picked);
    std::vector<size_t> inner = servedBy(times[i], picked);
    if (!std::includes(outer.begin(), outer.end(), inner.begin(), inner.end()))
      return false;
  }
  return true;
}

/// True when no tensor asks for both factors, so that one factor whose steps
/// both count may serve them (Cannon: A's tiles of k over one axis, B's over
/// the other).
static bool servesOthers(const TimeFactor &a, const TimeFactor &b,
                         const std::vector<const Choice *> &picked) {
  std::vector<size_t> ofA = servedBy(a, picked), ofB = servedBy(b, picked);
  return std::none_of(ofA.begin(), ofA.end(), [&](size_t tensor) {
    return std::binary_search(ofB.begin(), ofB.end(), tensor);
  });
}

/// True when the same tensors are fetched, or broadcast, at the steps of two
/// factors of a loop: either order has the same messages.
static bool sameSteps(const TimeFactor &a, const TimeFactor &b,
                      const std::vector<const Choice *> &picked) {
  auto all = [](const TimeFactor &time, Way way) {
    for (const TimeFactor::Member &m : time.members)
      for (const TensorChoice *c : m.tensors)
        if (c->way != way)
          return false;
    return true;
  };
  auto both = [&](Way way) { return all(a, way) && all(b, way); };
  return a.loop == b.loop && servedBy(a, picked) == servedBy(b, picked) &&
         (both(Way::Fetch) || both(Way::Broadcast));
}

bool Enumeration::build() {
  std::vector<TimeFactor> times;
  for (size_t u = 0; u < units.size(); ++u) {
    auto add = [&](const std::vector<TensorChoice> &tensors,
                   const std::vector<OperatorModel::Tensor> &models) {
      for (size_t i = 0; i < tensors.size(); ++i)
        if (needsTime(tensors[i].way) &&
            !addTime(times, models[i].loopOfDim[tensors[i].dim], u, tensors[i]))
          return false;
      return true;
    };
    if (!add(picked[u]->inputs, op.inputs) ||
        !add(picked[u]->results, op.results))
      return true;
  }
  if (!buildWith(times))
    return false;
  for (size_t i = 0; i < times.size(); ++i)
    for (size_t j = i + 1; j < times.size(); ++j) {
      const Unit &a = units[times[i].members.front().unit];
      const Unit &b = units[times[j].members.front().unit];
      if (times[i].loop != times[j].loop ||
          goesBoth(times[i].members.front()) !=
              goesBoth(times[j].members.front()) ||
          topology.sizeOf(a) != topology.sizeOf(b) ||
          !servesOthers(times[i], times[j], picked))
        continue;
      std::vector<TimeFactor> shared = times;
      shared[i].members.push_back(times[j].members.front());
      shared.erase(shared.begin() + j);
      if (!buildWith(shared))
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

AxisList Enumeration::rankAxesOf(size_t loop) const {
  AxisList axes;
  for (size_t u = 0; u < units.size(); ++u)
    if (picked[u]->loop == loop)
      append(axes, units[u]);
  sortByTopology(axes, topology);
  return axes;
}

/// Appends the axes of the time factors of `loop` which `wants(unit)`.
template <typename Predicate>
static void appendTimes(AxisList &axes, size_t loop,
                        const std::vector<TimeFactor> &times,
                        const std::vector<Unit> &units, Predicate wants) {
  for (const TimeFactor &time : times)
    if (time.loop == loop)
      for (const TimeFactor::Member &m : time.members)
        if (wants(m.unit))
          append(axes, units[m.unit]);
}

void Enumeration::placeInput(OperandPlan &plan, size_t i,
                             const std::vector<TimeFactor> &times) const {
  const OperatorModel::Tensor &tensor = op.inputs[i];
  plan.entry = plan.nest = Placement::replicated(tensor.loopOfDim.size());
  auto choiceOf = [&](size_t u) { return picked[u]->inputs[i]; };
  for (size_t d = 0; d < tensor.loopOfDim.size(); ++d) {
    AxisList behind;
    for (size_t u = 0; u < units.size(); ++u) {
      TensorChoice c = choiceOf(u);
      if ((c.way == Way::Gather || c.way == Way::AllToAll) && c.dim == d)
        append(behind, units[u]);
    }
    sortByTopology(behind, topology);
    AxisList &nest = plan.nest.dims[d], &entry = plan.entry.dims[d];
    if (int loop = tensor.loopOfDim[d]; tensor.mapped && loop >= 0) {
      nest = rankAxesOf(loop);
      AxisList elsewhere, moved;
      for (size_t u = 0; u < units.size(); ++u)
        if (picked[u]->loop == static_cast<size_t>(loop)) {
          if (choiceOf(u).way == Way::Fetch)
            append(elsewhere, units[u]);
          else if (choiceOf(u).way == Way::AllToAll)
            append(moved, units[u]);
        }
      remove(nest, elsewhere);
      appendTimes(nest, loop, times, units, [&](size_t u) {
        return needsTime(choiceOf(u).way) && choiceOf(u).dim == d;
      });
      entry = nest;
      remove(entry, moved);
    }
    append(entry, behind);
  }
  for (size_t u = 0; u < units.size(); ++u)
    if (choiceOf(u).way == Way::Fetch)
      append(plan.fetch, units[u]);
}

void Enumeration::placeResult(ResultPlan &plan, size_t r,
                              const std::vector<TimeFactor> &times) const {
  const OperatorModel::Tensor &tensor = op.results[r];
  plan.nest = Placement::replicated(tensor.loopOfDim.size());
  for (size_t d = 0; d < tensor.loopOfDim.size(); ++d) {
    int loop = tensor.loopOfDim[d];
    if (!tensor.mapped || loop < 0)
      continue;
    plan.nest.dims[d] = rankAxesOf(loop);
    auto chose = [&](size_t u, Way way) {
      return picked[u]->results[r] == TensorChoice{way, d};
    };
    appendTimes(plan.nest.dims[d], loop, times, units,
                [&](size_t u) { return chose(u, Way::Moving); });
    AxisList scattered;
    for (size_t u = 0; u < units.size(); ++u)
      if (chose(u, Way::Scatter))
        append(scattered, units[u]);
    sortByTopology(scattered, topology);
    append(plan.nest.dims[d], scattered);
  }
  plan.exit = plan.nest;
}

bool Enumeration::buildWith(std::vector<TimeFactor> times) {
  if (!nest(times, picked))
    return true;
  Schedule s = Schedule::replicated(op);
  for (size_t l = 0; l < s.loops.size(); ++l)
    if (AxisList axes = rankAxesOf(l); !axes.empty()) {
      Factor factor;
      factor.axes = std::move(axes);
      s.loops[l].push_back(std::move(factor));
    }
  std::vector<Factor *> factors;
  for (const TimeFactor &time : times)
    s.loops[time.loop].reserve(times.size() + 1);
  for (const TimeFactor &time : times) {
    Factor factor;
    factor.kind = Factor::Kind::Time;
    factor.axes = units[time.members.front().unit];
    factor.bidirectional = goesBoth(time.members.front());
    for (const TimeFactor::Member &m : time.members)
      if (m.shifted)
        factor.shifts.push_back({units[m.unit], 1, m.offset});
    s.loops[time.loop].push_back(std::move(factor));
    factors.push_back(&s.loops[time.loop].back());
  }
  for (size_t i = 0; i < s.inputs.size(); ++i)
    placeInput(s.inputs[i], i, times);
  for (size_t r = 0; r < s.results.size(); ++r)
    placeResult(s.results[r], r, times);
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  auto isRenumbered = [&] {
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (order[j] > order[i] &&
            sameSteps(times[order[i]], times[order[j]], picked))
          return true;
    return false;
  };
  do {
    for (size_t i = 0; i < order.size(); ++i)
      factors[order[i]]->order = i;
    if (!isRenumbered() && !offer(s))
      return false;
  } while (std::next_permutation(order.begin(), order.end()));
  return true;
}

/// Visits the schedule when it is legal and new, and beside it the balanced one
/// where a mask gains by it; false to stop.
bool Enumeration::offer(Schedule s) {
  if (!verify(s, op, topology))
    return true;
  mergeSubAxes(s, topology);
  if (!seen.insert(print(s)).second)
    return true;
  Schedule balanced = s;
  if (!visit(s))
    return false;
  balance(balanced, op, topology);
  return balanced == s || visit(balanced);
}

void mercury::enumerateSchedules(
    const OperatorModel &op, const TopologyModel &topology,
    const EnumeratorOptions &options,
    const std::function<bool(const Schedule &)> &visit) {
  Enumeration(op, topology, options, visit).run();
}
