//===- Tune.cpp - Schedules for the operators of a function ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/Tune.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Schedule/Describe.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <map>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Which operators
//===----------------------------------------------------------------------===//

static bool isContraction(Operation *op) {
  auto distributable = dyn_cast<DistributableOpInterface>(op);
  return distributable && op->getNumResults() &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         tensorInputs(distributable).size() >= 2 &&
         llvm::is_contained(distributable.getLoops(),
                            utils::IteratorType::reduction);
}

/// Whether a contraction, or an operator that has a schedule, is among what
/// `op` is computed from.
static bool follows(Operation *op, DenseMap<Operation *, bool> &known) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  bool result = false;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      result |= isContraction(producer) ||
                producer->hasAttr(kScheduleAttrName) ||
                follows(producer, known);
  return known[op] = result;
}

/// Contractions that do not follow another one: the others run where their
/// inputs are.
static SmallVector<DistributableOpInterface> leadersOf(func::FuncOp function) {
  SmallVector<DistributableOpInterface> leaders;
  DenseMap<Operation *, bool> known;
  for (Operation &op : function.front())
    if (isContraction(&op) && !op.hasAttr(kScheduleAttrName) &&
        !follows(&op, known))
      leaders.push_back(cast<DistributableOpInterface>(op));
  return leaders;
}

//===----------------------------------------------------------------------===//
// What is said of them
//===----------------------------------------------------------------------===//

/// "commir.online_attention: batch 4, heads 32, queries 4096, keys 4096, bf16".
static std::string titleOf(const CostProblem &problem) {
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

namespace {
/// Everything that is asked of one operator.
class OperatorTuner {
public:
  OperatorTuner(DistributableOpInterface op, const TopologyModel &topology,
                const TuneOptions &options)
      : op(op), topology(topology), options(options),
        cost(costProblemOf(op, options, topology.device, remarks), topology),
        memory(memoryProblemOf(op, options.local), topology) {}

  FailureOr<Schedule> run(ReportOperator &report);

private:
  ReportRow rowOf(const Schedule &schedule);
  void addDesigns(ReportOperator &report);
  int64_t limit() const {
    return options.memoryLimit > 0 ? options.memoryLimit
                                   : availableBytes(topology.device);
  }

  DistributableOpInterface op;
  const TopologyModel &topology;
  const TuneOptions &options;
  std::vector<std::string> remarks; ///< on kernels
  CostModel cost;
  MemoryModel memory;
};
} // namespace

ReportRow OperatorTuner::rowOf(const Schedule &schedule) {
  const OperatorModel &model = cost.problem().op;
  Cost found = cost.estimate(schedule);
  MemoryEstimate bytes = memory.estimate(schedule);
  ReportRow row;
  row.schedule = print(schedule);
  row.words = describe(schedule, model, topology);
  row.seconds = found.seconds;
  row.interval =
      found.seconds > 0 ? (found.high - found.low) / 2 / found.seconds : 0;
  row.bound = boundOf(found, topology);
  row.memory = bytes.peak();
  for (size_t level = 0; level < found.traffic.size(); ++level)
    if (found.traffic[level].bytes > 0)
      row.traffic.push_back({topology.levels[level].name,
                             found.traffic[level].bytes,
                             found.traffic[level].service});
  TopologyModel limited = topology;
  if (limit() > 0)
    limited.device.reservable = limited.device.memory = limit();
  if (Verdict verdict = fits(bytes, limited); !verdict)
    row.overLimit = verdict.reason();
  return row;
}

void OperatorTuner::addDesigns(ReportOperator &report) {
  const OperatorModel &model = cost.problem().op;
  bool all = llvm::is_contained(options.against, "all");
  for (const NamedSchedule &design : namedSchedules()) {
    if (!(all ? concerns(design, model)
              : llvm::is_contained(options.against, design.name)))
      continue;
    Schedule schedule;
    Verdict verdict = makeNamedSchedule(design.name, schedule, model, topology);
    ReportRow row;
    if (verdict) {
      cost.chooseKernel(schedule);
      row = rowOf(schedule);
    } else {
      row.reason = verdict.reason();
    }
    row.name = design.name;
    report.designs.push_back(std::move(row));
  }
}

/// The placement for those tensors whose rank it has, and the same for tensors
/// that run over the same loops and no others.
static std::vector<std::optional<Placement>>
placementsOf(const std::vector<OperatorModel::Tensor> &tensors,
             const std::optional<Placement> &given) {
  std::vector<std::optional<Placement>> placements(tensors.size());
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

FailureOr<Schedule> OperatorTuner::run(ReportOperator &report) {
  auto start = std::chrono::steady_clock::now();
  report.title = titleOf(cost.problem());
  SearchOptions search;
  search.objective = options.objective;
  search.space = spaceFor(cost.problem().op);
  search.memoryLimit = limit();
  search.top = std::max<size_t>(options.top, 1);
  search.budget = options.budget;
  search.progress = options.progress;
  search.entries = placementsOf(cost.problem().op.inputs, options.inputs);
  search.exits = placementsOf(cost.problem().op.results, options.results);
  SearchResult result = findSchedules(cost, memory, topology, search);
  report.visited = result.visited;
  report.pruned = result.pruned;
  report.overLimit = result.overLimit;
  report.lowerBound = result.lowerBound;
  report.gap = result.gap();
  report.isProven = result.isProven;
  report.remarks = cost.assumptions();
  llvm::append_range(report.remarks, remarks);
  for (const FoundSchedule &point : result.pareto)
    report.pareto.emplace_back(point.seconds, point.bytes);
  if (result.best.empty() && !result.smallest)
    return op->emitError() << "no schedule has its "
                           << (options.inputs ? "inputs placed "
                                              : "results placed ")
                           << print(options.inputs ? *options.inputs
                                                   : *options.results);
  if (result.best.empty()) {
    InFlightDiagnostic error = op->emitError()
                               << "no schedule fits: each rank may hold "
                               << bytesText(limit());
    if (result.smallest)
      error << "; the smallest needs " << bytesText(result.smallest->bytes)
            << " and takes " << timeText(result.smallest->seconds) << " ("
            << describe(result.smallest->schedule, cost.problem().op, topology)
            << ")";
    return failure();
  }
  for (const FoundSchedule &found : result.best) {
    ReportRow row = rowOf(found.schedule);
    row.isPareto = llvm::any_of(result.pareto, [&](const FoundSchedule &point) {
      return point.schedule == found.schedule;
    });
    report.found.push_back(std::move(row));
  }
  addDesigns(report);
  // A schedule that is a known design says so.
  for (ReportRow &row : report.found)
    for (const ReportRow &design : report.designs)
      if (row.name.empty() && row.schedule == design.schedule)
        row.name = design.name;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  report.tuningSeconds = seconds.count();
  return result.best.front().schedule;
}

/// Objective, limit, local code and placements, as text.
static std::string goalOf(const TuneOptions &options) {
  std::string goal;
  switch (options.objective.kind) {
  case Objective::Kind::Time:
    goal = "time";
    break;
  case Objective::Kind::Memory:
    goal = "memory";
    break;
  case Objective::Kind::Both:
    goal = "both:" + std::to_string(options.objective.weight);
    break;
  }
  goal += ", limit " + std::to_string(options.memoryLimit);
  // What kernels hold beside tensors decides what fits.
  goal += ", local " + std::to_string(static_cast<int>(options.local));
  for (const std::string &kernel : options.kernels)
    goal += ", kernel " + kernel;
  if (options.inputs)
    goal += ", inputs " + print(*options.inputs);
  if (options.results)
    goal += ", results " + print(*options.results);
  return goal;
}

TuningKey mercury::tuningKeyOf(DistributableOpInterface op,
                               const TopologyModel &topology,
                               const TuneOptions &options) {
  CostProblem problem = costProblemOf(op);
  return {describeProblem(problem.op, problem.type), fingerprint(topology),
          goalOf(options)};
}

LogicalResult mercury::tuneFunction(func::FuncOp function,
                                    const TopologyModel &topology,
                                    const TuneOptions &options,
                                    Report &report) {
  TuningDatabase database;
  if (!options.database.empty()) {
    std::string remark;
    if (Verdict verdict = database.open(options.database, remark); !verdict)
      return function.emitError() << verdict.reason();
    if (!remark.empty())
      function.emitRemark() << remark;
  }
  for (const std::optional<Placement> &given :
       {options.inputs, options.results})
    if (given)
      if (Verdict verdict = verify(*given, topology, given->dims.size());
          !verdict)
        return function.emitError()
               << "placement " << print(*given) << ": " << verdict.reason();
  SmallVector<std::pair<Operation *, Schedule>> chosen;
  for (DistributableOpInterface op : leadersOf(function)) {
    if (Value dynamic = firstDynamicValue(op))
      return op->emitError()
             << "has a dynamic extent in a value of type " << dynamic.getType()
             << "; only static shapes are tuned";
    CostProblem problem = costProblemOf(op);
    TuningKey key = tuningKeyOf(op, topology, options);
    ReportOperator &entry = report.operators.emplace_back();
    if (!options.database.empty()) {
      std::string reason;
      std::optional<Schedule> known =
          database.find(key, problem.op, topology, reason);
      if (!reason.empty())
        op->emitRemark() << reason;
      if (known) {
        entry.title = titleOf(problem);
        entry.remarks.push_back("the schedule is that of the database '" +
                                options.database + "'");
        chosen.emplace_back(op, std::move(*known));
        continue;
      }
    }
    FailureOr<Schedule> found = OperatorTuner(op, topology, options).run(entry);
    if (failed(found))
      return failure();
    database.set(
        key, {report.machine, print(*found), entry.found.front().seconds, 0});
    chosen.emplace_back(op, std::move(*found));
  }
  if (chosen.empty())
    function.emitRemark() << "no operator of @" << function.getSymName()
                          << " is to be tuned: it has no contraction without "
                             "a schedule";
  if (!options.database.empty())
    if (Verdict verdict = database.save(); !verdict)
      function.emitRemark() << verdict.reason();
  for (auto &[op, schedule] : chosen)
    op->setAttr(kScheduleAttrName,
                ScheduleAttr::get(op->getContext(), schedule));
  return success();
}
