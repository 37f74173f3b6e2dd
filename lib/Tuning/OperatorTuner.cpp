//===- OperatorTuner.cpp - Schedules for one operator ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTuner.h"
#include "Mercury/Schedule/AxisSpelling.h"
#include "Mercury/Schedule/Describe.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Wishes.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <set>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Schedules that a search keeps where what follows chooses among them.
static constexpr size_t kKept = 24;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string mercury::print(const Placements &placements) {
  std::string text;
  bool isAny = false;
  for (const std::optional<Placement> &placement : placements) {
    isAny |= placement.has_value();
    text += (text.empty() ? "" : " ") + (placement ? print(*placement) : "-");
  }
  return isAny ? text : "";
}

std::string mercury::titleOf(const CostProblem &problem) {
  OperatorNames names = namesOf(problem.op);
  std::string title = problem.op.name + ":";
  for (size_t l = 0; l < problem.op.loops.size(); ++l)
    title += " " + names.loops[l] + " " +
             std::to_string(problem.op.loops[l].extent) + ",";
  if (problem.headDim)
    title += " head dimension " + std::to_string(problem.headDim) + ",";
  if (problem.op.mask)
    title += " visible <" + print(problem.op.mask->mask) + ">,";
  return title + " " + problem.type;
}

static std::string boundOf(const Cost &cost, const TopologyModel &topology) {
  return cost.bound == Cost::Bound::Link ? topology.levels[cost.boundLevel].name
                                         : std::string(stringify(cost.bound));
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// The placement for those tensors whose rank it has, and the same for tensors
/// that run over the same loops and no others.
static Placements
placementsOf(const std::vector<OperatorModel::Tensor> &tensors,
             const std::optional<Placement> &given) {
  Placements placements(tensors.size());
  if (!given)
    return placements;
  std::map<int, AxisList> axesOf;
  for (auto [tensor, placement] : llvm::zip(tensors, placements)) {
    if (given->dims.size() != tensor.loopOfDim.size())
      continue;
    placement = given;
    for (auto [loop, axes] : llvm::zip(tensor.loopOfDim, given->dims))
      if (loop >= 0)
        axesOf[loop] = axes;
  }
  for (auto [tensor, placement] : llvm::zip(tensors, placements)) {
    auto isKnown = [&](int loop) { return axesOf.count(loop) != 0; };
    if (placement || !llvm::all_of(tensor.loopOfDim, isKnown))
      continue;
    placement.emplace();
    for (int loop : tensor.loopOfDim)
      placement->dims.push_back(axesOf[loop]);
  }
  return placements;
}

OperatorTuner::OperatorTuner(DistributableOpInterface op,
                             const TopologyModel &topology,
                             const TuneOptions &options, bool isLast,
                             bool isAlone)
    : op(op), topology(topology), options(options),
      cost(costProblemOf(op, options, topology.device, remarks), topology),
      memory(memoryProblemOf(op, options.local), topology),
      entries(placementsOf(cost.problem().op.inputs, options.inputs)),
      exits(placementsOf(cost.problem().op.results,
                         isLast ? options.results : std::nullopt)),
      goal(options.objective, cost.problem(), topology), isAlone(isAlone) {}

int64_t OperatorTuner::limit() const {
  return options.memoryLimit > 0 ? options.memoryLimit
                                 : availableBytes(topology.device);
}

/// Every placement is a slice of what all ranks have: such inputs are free.
Placements OperatorTuner::entriesFor(const Placements &known) const {
  Placements all = entries;
  for (auto [entry, placement] : llvm::zip(all, known))
    if (placement)
      entry = placement->isReplicated() ? std::nullopt : placement;
  return all;
}

SearchOptions OperatorTuner::searchOptions(const Placements &known,
                                           const Placements &wished) const {
  SearchOptions search;
  search.objective = options.objective;
  search.space = spaceFor(problem().op);
  search.memoryLimit = limit();
  search.top = isAlone ? options.top : std::max(options.top, kKept);
  search.budget = options.budget;
  search.progress = options.progress;
  search.entries = entriesFor(known);
  search.exits = print(exits).empty() ? wished : exits;
  return search;
}

const SearchResult &OperatorTuner::search(const Placements &known,
                                          const Placements &wished) {
  SearchOptions search = searchOptions(known, wished);
  auto [it, isNew] = searches.try_emplace(print(search.entries) + " to " +
                                          print(search.exits));
  if (!isNew)
    return it->second;
  if (!isAlone && options.budget > 0) {
    // The first one, of free inputs, has more to choose from than the others.
    search.budget = options.budget / (searches.size() > 1 ? 8 : 3);
    search.budget = std::min(search.budget, options.budget - spent);
    if (search.budget <= 0)
      return it->second;
  }
  auto start = std::chrono::steady_clock::now();
  it->second = findSchedules(cost, memory, topology, search);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  spent += seconds.count();
  return it->second;
}

/// Cuts the schedule's axes so that none is a part of another one.
static void cutAxes(Schedule &schedule, const TopologyModel &topology) {
  std::vector<AxisList *> lists;
  for (LoopPlan &loop : schedule.loops)
    for (Factor &factor : loop) {
      lists.push_back(&factor.axes);
      for (Shift &shift : factor.shifts)
        lists.push_back(&shift.axes);
    }
  std::vector<Placement *> placements;
  for (OperandPlan &plan : schedule.inputs) {
    lists.push_back(&plan.fetch);
    placements.insert(placements.end(), {&plan.entry, &plan.nest});
  }
  for (ResultPlan &plan : schedule.results)
    placements.insert(placements.end(), {&plan.nest, &plan.exit});
  // Lists of axes are placements of one dimension.
  std::vector<Placement> listed;
  for (AxisList *list : lists)
    listed.push_back({{*list}, {}});
  for (Placement &placement : listed)
    placements.push_back(&placement);
  spellAlike(placements, topology);
  for (auto [list, placement] : llvm::zip(lists, listed))
    *list = placement.dims.front();
}

std::optional<FoundSchedule> OperatorTuner::enter(Schedule schedule,
                                                  const Placements &known) {
  for (auto [plan, placement] : llvm::zip(schedule.inputs, entries))
    if (placement)
      plan.entry = *placement;
  for (auto [plan, placement] : llvm::zip(schedule.inputs, known))
    if (placement)
      plan.entry = *placement;
  if (!verify(schedule, problem().op, topology))
    cutAxes(schedule, topology);
  if (!verify(schedule, problem().op, topology))
    return std::nullopt;
  FoundSchedule found;
  found.schedule = std::move(schedule);
  found.seconds = cost.seconds(found.schedule);
  found.bytes = memory.estimate(found.schedule).peak();
  found.goal = goal.of(found.schedule, found.seconds, found.bytes);
  if (!isWithinLimit(found.bytes))
    return std::nullopt;
  return found;
}

static std::string exitsOf(const Schedule &schedule) {
  Placements exits;
  for (const ResultPlan &plan : schedule.results)
    exits.emplace_back(plan.exit);
  return print(exits);
}

std::vector<FoundSchedule>
OperatorTuner::alternatives(const Placements &known, size_t several,
                            size_t each,
                            const std::vector<Placements> &wishes) {
  std::multimap<double, FoundSchedule> all; // of equal ones the first stays so
  auto add = [&](const SearchResult &result) {
    for (const FoundSchedule &found : result.best)
      if (std::optional<FoundSchedule> entered = enter(found.schedule, known))
        all.emplace(score(*entered), std::move(*entered));
  };
  std::vector<FoundSchedule> differing;
  std::map<std::string, std::set<std::string>> seen; // schedules of each exit
  // Of those in `all` the best, with at most so many exits that are new.
  auto take = [&](size_t exits) {
    for (auto &[score, found] : all) {
      std::string exit = exitsOf(found.schedule);
      if (!seen.count(exit) && exits-- == 0)
        break;
      std::set<std::string> &same = seen[exit];
      if (same.size() < each && same.insert(print(found.schedule)).second)
        differing.push_back(std::move(found));
    }
    all.clear();
  };
  for (const Placements &wished : wishes) {
    add(search(known, wished));
    if (auto plain = enter(scheduleFor(problem().op, wished), known))
      all.emplace(score(*plain), std::move(*plain));
    if (all.empty())
      continue;
    std::string exit = exitsOf(all.begin()->second.schedule);
    std::erase_if(all, [&](const auto &other) {
      return exitsOf(other.second.schedule) != exit;
    });
    take(1);
  }
  add(search(known));
  // What is best wherever inputs live may be worth moving them for.
  if (print(entriesFor(known)) != print(entries))
    add(search({}));
  take(several);
  return differing;
}

std::vector<Schedule> OperatorTuner::favourites(size_t several) {
  std::vector<Schedule> differing;
  std::set<std::string> seen;
  for (const FoundSchedule &found : search({}).best) {
    Placements enters;
    for (const OperandPlan &plan : found.schedule.inputs)
      enters.emplace_back(plan.entry);
    if (differing.size() < several && seen.insert(print(enters)).second)
      differing.push_back(found.schedule);
  }
  return differing;
}

//===----------------------------------------------------------------------===//
// What is said of them
//===----------------------------------------------------------------------===//

LogicalResult OperatorTuner::fail(const Placements &known) {
  const SearchResult &result = search(known);
  const SearchResult &free = search({});
  const std::optional<FoundSchedule> &smallest =
      result.smallest ? result.smallest : free.smallest;
  if (!smallest && !options.inputs && !options.results)
    return op->emitError() << "the search ended before it found a schedule; "
                              "give it more time than "
                           << timeText(options.budget);
  if (!smallest)
    return op->emitError() << "no schedule has its "
                           << (options.inputs ? "inputs placed "
                                              : "results placed ")
                           << print(options.inputs ? *options.inputs
                                                   : *options.results);
  return op->emitError() << "no schedule fits: each rank may hold "
                         << bytesText(limit()) << "; the smallest needs "
                         << bytesText(smallest->bytes) << " and takes "
                         << timeText(smallest->seconds) << " ("
                         << describe(smallest->schedule, problem().op, topology)
                         << ")";
}

ReportRow OperatorTuner::rowOf(const Schedule &schedule) {
  Cost found = cost.estimate(schedule);
  MemoryEstimate bytes = memory.estimate(schedule);
  if (!sensitivity)
    sensitivity.emplace(problem(), topology);
  std::vector<double> slowdowns = sensitivity->of(schedule);
  ReportRow row;
  row.schedule = print(schedule);
  row.words = describe(schedule, problem().op, topology);
  row.seconds = found.seconds;
  row.interval =
      found.seconds > 0 ? (found.high - found.low) / 2 / found.seconds : 0;
  row.bound = boundOf(found, topology);
  row.memory = bytes.peak();
  for (size_t level = 0; level < found.traffic.size(); ++level)
    if (found.traffic[level].bytes > 0)
      row.traffic.push_back({topology.levels[level].name,
                             found.traffic[level].bytes,
                             found.traffic[level].service, slowdowns[level]});
  if (std::optional<size_t> slowest = slowestLevel(cost.links()))
    row.slowestBytes = found.traffic[*slowest].bytes;
  row.energy = energyOf(found.seconds, topology);
  TopologyModel limited = topology;
  if (limit() > 0)
    limited.device.reservable = limited.device.memory = limit();
  if (Verdict verdict = fits(bytes, limited); !verdict)
    row.overLimit = verdict.reason();
  return row;
}

void OperatorTuner::addDesigns(const Placements &known,
                               ReportOperator &report) {
  bool all = llvm::is_contained(options.against, "all");
  for (const NamedSchedule &design : namedSchedules()) {
    if (!(all ? concerns(design, problem().op)
              : llvm::is_contained(options.against, design.name)))
      continue;
    Schedule schedule;
    Verdict verdict =
        makeNamedSchedule(design.name, schedule, problem().op, topology);
    ReportRow row;
    if (verdict) {
      cost.chooseKernel(schedule);
      Schedule entered = schedule;
      for (auto [plan, placement] : llvm::zip(entered.inputs, known))
        if (placement)
          plan.entry = *placement;
      row = rowOf(verify(entered, problem().op, topology) ? entered : schedule);
    } else {
      row.reason = verdict.reason();
    }
    row.name = design.name;
    report.designs.push_back(std::move(row));
  }
}

void OperatorTuner::report(const FoundSchedule &chosen, const Placements &known,
                           ReportOperator &report) {
  const SearchResult &result = search(known);
  report.title = titleOf(problem());
  report.visited = result.visited;
  report.pruned = result.pruned;
  report.overLimit = result.overLimit;
  report.tuningSeconds = spent;
  report.remarks = cost.assumptions();
  llvm::append_range(report.remarks, remarks);
  for (const FoundSchedule &point : result.pareto)
    report.pareto.emplace_back(point.seconds, point.bytes);
  std::vector<FoundSchedule> rows{chosen};
  for (const FoundSchedule &found : result.best)
    if (std::optional<FoundSchedule> entered = enter(found.schedule, known);
        entered && !(entered->schedule == chosen.schedule))
      rows.push_back(std::move(*entered));
  rows.resize(std::min(rows.size(), options.top));
  for (const FoundSchedule &found : rows) {
    ReportRow row = rowOf(found.schedule);
    row.isPareto = llvm::any_of(result.pareto, [&](const FoundSchedule &point) {
      std::optional<FoundSchedule> entered = enter(point.schedule, known);
      return entered && entered->schedule == found.schedule;
    });
    report.found.push_back(std::move(row));
  }
  bool isFirst = rows.size() < 2 || score(chosen) <= score(rows[1]);
  bool isFound = llvm::any_of(result.best, [&](const FoundSchedule &found) {
    std::optional<FoundSchedule> entered = enter(found.schedule, known);
    return entered && entered->schedule == chosen.schedule;
  });
  report.isProven = result.isProven && isFirst && isFound;
  const SearchResult &bounding = isFound ? result : search({});
  report.gap = report.isProven ? 0 : bounding.gapOf(chosen.goal);
  // Of other objectives the bound is one of bytes, or of other machines.
  if (options.objective == Objective())
    report.lowerBound = bounding.lowerBound;
  if (!isFirst)
    report.remarks.push_back(
        "the first is not the best by itself: it leaves its results where what "
        "follows is faster for it");
  if (std::string enters = print(known); !enters.empty())
    report.remarks.push_back("inputs live as others leave or read them: " +
                             enters);
  addDesigns(known, report);
  // A schedule that is a known design says so.
  for (ReportRow &row : report.found)
    for (const ReportRow &design : report.designs)
      if (row.name.empty() && row.schedule == design.schedule)
        row.name = design.name;
}

void OperatorTuner::reportKnown(const FoundSchedule &chosen,
                                const Placements &known,
                                ReportOperator &report) {
  report.title = titleOf(problem());
  report.isSearched = false;
  report.found.push_back(rowOf(chosen.schedule));
  addDesigns(known, report);
  report.remarks = cost.assumptions();
  llvm::append_range(report.remarks, remarks);
}
