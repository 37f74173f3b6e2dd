//===- Tune.cpp - Schedules for the operators of a function ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans are extended operator by operator: of each, the best schedules that
// leave its results in different places; of plans that agree on all placements
// that are still read, the best ones are kept.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/Tune.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/ScheduleChooser.h"
#include "OperatorTuner.h"
#include "PlanRow.h"
#include "TuneDatabase.h"
#include "Wishes.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Plans that are kept; ways of an operator that each is extended by, beside
/// those that an operator that follows wishes; wishes of each.
static constexpr size_t kPlans = 12, kAlternatives = 4, kWishes = 3;

namespace {
/// A contraction that is to get a schedule.
struct Target {
  DistributableOpInterface op;
  std::unique_ptr<OperatorTuner> tuner;
  /// Where what follows would have its results.
  std::vector<Placements> wishes;
};

/// Schedules for the function so far.
struct Plan {
  ScheduleChooser chooser;
  double score = 0;   ///< of contractions by the objective, else seconds
  double seconds = 0; ///< of all operators
  /// Per target: what it gets, where its inputs live then, and whether it comes
  /// from the database.
  struct Pick {
    FoundSchedule found;
    Placements known;
    std::string source;
  };
  std::vector<Pick> picks;

  bool isKnown() const {
    return llvm::all_of(picks,
                        [](const Pick &pick) { return !pick.source.empty(); });
  }
};

class FunctionTuner {
public:
  FunctionTuner(func::FuncOp function, const TopologyModel &topology,
                const TuneOptions &options, TuneDatabase &database)
      : function(function), topology(topology), options(options),
        database(database) {}

  LogicalResult findTargets();
  /// The best ones, as many as are asked for, at least one.
  FailureOr<std::vector<Plan>> run();
  const std::vector<Target> &found() const { return targets; }
  /// Seconds of the default rule; 0 where it does not fit or is no choice.
  double defaultSeconds = 0;

private:
  void makeWishes();
  LogicalResult extend(size_t number, std::vector<Plan> &plans);
  std::optional<Plan> grant(const Plan &plan, size_t number, size_t wish);
  std::optional<Plan> follow(const Plan &plan, size_t number);
  void add(Plan &plan, size_t number, Plan::Pick pick);
  LogicalResult visit(Plan &plan, Operation &op);
  void prune(std::vector<Plan> &plans, Operation *last);
  std::vector<Plan> distinct(std::vector<Plan> plans);
  /// Plans that are kept of those that agree on all placements.
  size_t each() const { return std::max<size_t>(options.plans, 1); }

  func::FuncOp function;
  const TopologyModel &topology;
  const TuneOptions &options;
  TuneDatabase &database;
  std::vector<Target> targets;
  bool hasWishes = false;
};
} // namespace

/// Bytes of a value that are still summed without overflow.
static constexpr double kMostBytes = 0x1p54;

/// A value of `op` that has more; null: there is none.
static Value firstUncountableValue(Operation *op) {
  auto isUncountable = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat())
      return false;
    double bytes = type.getElementTypeBitWidth() / 8.0;
    for (int64_t extent : type.getShape())
      bytes *= double(extent);
    return bytes > kMostBytes;
  };
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (isUncountable(value))
        return value;
  return nullptr;
}

LogicalResult FunctionTuner::findTargets() {
  SmallVector<DistributableOpInterface> ops;
  for (Operation &op : function.front()) {
    auto distributable = dyn_cast<DistributableOpInterface>(op);
    if (!distributable || !op.getNumResults() ||
        !isa<RankedTensorType>(op.getResult(0).getType()))
      continue;
    if (Value dynamic = firstDynamicValue(&op))
      return op.emitError()
             << "has a dynamic extent in a value of type " << dynamic.getType()
             << "; only static shapes are tuned";
    if (Value large = firstUncountableValue(&op))
      return op.emitError() << "has a value of type " << large.getType()
                            << ", which no machine holds";
    if (!op.hasAttr(kScheduleAttrName) &&
        isContraction(buildOperatorModel(distributable)))
      ops.push_back(distributable);
  }
  bool isAlone = ops.size() == 1;
  for (DistributableOpInterface op : ops)
    targets.push_back(
        {op,
         std::make_unique<OperatorTuner>(op, topology, options,
                                         !feedsContraction(op), isAlone),
         {}});
  return success();
}

/// Of an operator that is none of the targets, with its inputs brought to where
/// it reads them; 0 where the model says nothing of it.
static double secondsOf(DistributableOpInterface op, Schedule schedule,
                        const Placements &known,
                        const TopologyModel &topology) {
  if (tensorInputs(op).empty())
    return 0;
  CostModel cost(costProblemOf(op), topology);
  Schedule entered = schedule;
  for (auto [plan, placement] : llvm::zip(entered.inputs, known))
    if (placement)
      plan.entry = *placement;
  return cost.seconds(verify(entered, cost.problem().op, topology) ? entered
                                                                   : schedule);
}

LogicalResult FunctionTuner::visit(Plan &plan, Operation &op) {
  auto distributable = dyn_cast<DistributableOpInterface>(op);
  Placements known, inits;
  if (distributable)
    plan.chooser.placementsOf(distributable, known, inits);
  if (failed(plan.chooser.visit(op)))
    return failure();
  auto it = plan.chooser.schedules().find(&op);
  if (it == plan.chooser.schedules().end())
    return success();
  double seconds = secondsOf(distributable, it->second, known, topology);
  plan.seconds += seconds;
  if (options.objective.kind == Objective::Kind::Time)
    plan.score += seconds;
  return success();
}

void FunctionTuner::add(Plan &plan, size_t number, Plan::Pick pick) {
  plan.chooser.take(targets[number].op, pick.found.schedule);
  plan.seconds += pick.found.seconds;
  plan.score += targets[number].tuner->score(pick.found);
  plan.picks.push_back(std::move(pick));
}

/// The plan with what mercury-set-schedule would choose; nothing where that
/// does not fit.
std::optional<Plan> FunctionTuner::follow(const Plan &plan, size_t number) {
  const Target &target = targets[number];
  Plan next = plan;
  Placements known, inits;
  next.chooser.placementsOf(target.op, known, inits);
  if (failed(next.chooser.visit(*target.op)))
    return std::nullopt;
  Schedule schedule = next.chooser.schedules().lookup(target.op);
  std::optional<FoundSchedule> found = target.tuner->enter(schedule, known);
  if (!found)
    return std::nullopt;
  next.chooser = plan.chooser;
  add(next, number, {std::move(*found), std::move(known), ""});
  return next;
}

/// The plan in which the operator does as the first, second, ... wish says, and
/// what is best for itself where there is none.
std::optional<Plan> FunctionTuner::grant(const Plan &plan, size_t number,
                                         size_t wish) {
  const Target &target = targets[number];
  Placements known, inits;
  plan.chooser.placementsOf(target.op, known, inits);
  std::vector<Placements> wishes;
  if (wish < target.wishes.size())
    wishes.push_back(target.wishes[wish]);
  std::vector<FoundSchedule> ways =
      target.tuner->alternatives(known, 1, 1, wishes);
  if (ways.empty())
    return std::nullopt;
  Plan next = plan;
  add(next, number, {std::move(ways.front()), std::move(known), ""});
  return next;
}

LogicalResult FunctionTuner::extend(size_t number, std::vector<Plan> &plans) {
  const Target &target = targets[number];
  OperatorTuner &tuner = *target.tuner;
  bool isFree =
      print(tuner.givenInputs()).empty() && print(tuner.givenResults()).empty();
  std::vector<Plan> next;
  Placements first;
  for (Plan &plan : plans) {
    Placements known, inits;
    plan.chooser.placementsOf(target.op, known, inits);
    if (first.empty())
      first = known;
    if (std::optional<TuneDatabase::Hit> hit =
            database.find(target.op, number, tuner, known)) {
      next.push_back(plan);
      add(next.back(), number, {hit->found, known, hit->source});
      continue;
    }
    if (targets.size() > 1 && !std::exchange(hasWishes, true))
      makeWishes();
    size_t several = targets.size() > 1 ? kAlternatives : 1;
    std::vector<FoundSchedule> ways =
        tuner.alternatives(known, several, each(), target.wishes);
    bool isNone = ways.empty();
    for (FoundSchedule &found : ways) {
      next.push_back(plan);
      add(next.back(), number, {std::move(found), known, ""});
    }
    if (isFree && (targets.size() > 1 || isNone))
      if (std::optional<Plan> followed = follow(plan, number))
        next.push_back(std::move(*followed));
  }
  if (next.empty())
    return tuner.fail(first);
  plans = std::move(next);
  return success();
}

/// Whether something behind `last` reads the value.
static bool isLive(Value value, Operation *last) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *here = last->getBlock()->findAncestorOpInBlock(*user);
    return here && last->isBeforeInBlock(here);
  });
}

void FunctionTuner::prune(std::vector<Plan> &plans, Operation *last) {
  std::multimap<double, Plan *> byScore; // of equal ones the first stays so
  for (Plan &plan : plans)
    byScore.emplace(plan.score, &plan);
  SmallVector<Value> live;
  for (BlockArgument argument : function.getArguments())
    if (isLive(argument, last))
      live.push_back(argument);
  for (Operation &op : function.front()) {
    for (Value result : op.getResults())
      if (isLive(result, last))
        live.push_back(result);
    if (&op == last)
      break;
  }
  std::vector<Plan> kept;
  std::map<std::string, size_t> seen;
  for (auto [score, plan] : byScore) {
    Placements placements;
    for (Value value : live)
      placements.push_back(plan->chooser.placementOf(value));
    std::string key = print(placements);
    if (!seen.count(key) && seen.size() == kPlans)
      continue;
    if (seen[key]++ < each())
      kept.push_back(std::move(*plan));
  }
  plans = std::move(kept);
}

/// The best of those that differ, best first; of equal ones the first stays so.
std::vector<Plan> FunctionTuner::distinct(std::vector<Plan> plans) {
  llvm::stable_sort(
      plans, [](const Plan &a, const Plan &b) { return a.score < b.score; });
  std::vector<Plan> best;
  std::set<std::string> seen;
  for (Plan &plan : plans) {
    std::string text;
    for (const Plan::Pick &pick : plan.picks)
      text += print(pick.found.schedule) + "\n";
    if (best.size() < each() && seen.insert(text).second)
      best.push_back(std::move(plan));
  }
  return best;
}

/// Once something is to be searched for.
void FunctionTuner::makeWishes() {
  llvm::SetVector<Operation *> producers;
  for (const Target &target : targets)
    producers.insert(target.op);
  for (const Target &target : targets)
    for (const Schedule &schedule : target.tuner->favourites(kWishes))
      for (const auto &[op, wished] :
           findWishes(target.op, schedule, producers, topology)) {
        auto isOfProducer = [&](const Target &other) { return other.op == op; };
        std::vector<Placements> &wishes =
            llvm::find_if(targets, isOfProducer)->wishes;
        if (wishes.size() < kWishes && !llvm::is_contained(wishes, wished))
          wishes.push_back(wished);
      }
}

FailureOr<std::vector<Plan>> FunctionTuner::run() {
  std::vector<Plan> plans{
      {ScheduleChooser(function, topology, "default"), 0, 0, {}}};
  // The default rule alone is a plan that is kept to the end.
  std::optional<Plan> rule = plans.front();
  // So are those that do what is wished: what it costs comes before what it
  // saves.
  std::vector<std::optional<Plan>> granted(targets.size() > 1 ? kWishes : 0,
                                           plans.front());
  size_t number = 0;
  for (Operation &op : function.front()) {
    bool isTarget = number < targets.size() && targets[number].op == &op;
    if (isTarget) {
      if (failed(extend(number, plans)))
        return failure();
      if (rule)
        rule = follow(*rule, number);
      for (auto [wish, plan] : llvm::enumerate(granted))
        plan = plan && hasWishes ? grant(*plan, number, wish) : std::nullopt;
      prune(plans, &op);
      ++number;
      continue;
    }
    for (Plan &plan : plans)
      if (failed(visit(plan, op)))
        return failure();
    for (std::optional<Plan> &plan : granted)
      if (plan && failed(visit(*plan, op)))
        return failure();
    if (rule && failed(visit(*rule, op)))
      return failure();
  }
  for (std::optional<Plan> &plan : granted)
    if (plan)
      plans.push_back(std::move(*plan));
  bool isAsked = options.inputs || options.results;
  if (rule && !isAsked) {
    defaultSeconds = rule->seconds;
    // What a database has may have been measured.
    if (targets.size() > 1 && !plans.front().isKnown())
      plans.push_back(std::move(*rule));
  }
  return distinct(std::move(plans));
}

/// What is said of plans, and of the schedules of theirs that are not said of
/// operators yet.
static void reportPlans(ArrayRef<Plan> plans, ArrayRef<Target> targets,
                        Report &report) {
  report.plans.title = "all operators together";
  report.plans.isSearched = false;
  for (const Plan &plan : plans) {
    std::vector<ReportRow> rows;
    for (auto [target, pick, entry] :
         llvm::zip_equal(targets, plan.picks, report.operators)) {
      rows.push_back(target.tuner->rowOf(pick.found.schedule));
      auto isSame = [&](const ReportRow &row) {
        return row.schedule == rows.back().schedule;
      };
      if (llvm::none_of(entry.found, isSame))
        entry.found.push_back(rows.back());
    }
    report.plans.found.push_back(joinRows(rows, plan.seconds));
  }
}

/// Of results that are coupled: follows when the program is distributed, so
/// that it runs before they leave.
static bool finishesCoupled(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value value) {
    auto source = value.getDefiningOp<DistributableOpInterface>();
    return source && !buildOperatorModel(source).coupled.empty();
  });
}

/// Returns the operators that had none.
static SmallVector<Operation *> setAttributes(const ScheduleChooser &chooser) {
  SmallVector<Operation *> ops;
  for (const auto &[op, schedule] : chooser.schedules()) {
    if (finishesCoupled(op))
      continue;
    if (!op->hasAttr(kScheduleAttrName))
      ops.push_back(op);
    op->setAttr(kScheduleAttrName,
                ScheduleAttr::get(op->getContext(), schedule));
  }
  return ops;
}

FailureOr<TunedOperators> mercury::tuneFunction(func::FuncOp function,
                                                const TopologyModel &topology,
                                                const TuneOptions &options,
                                                Report &report) {
  if (Verdict verdict = verify(options.objective, topology); !verdict)
    return function.emitError() << verdict.reason();
  for (const std::optional<Placement> &given :
       {options.inputs, options.results})
    if (given)
      if (Verdict verdict = verify(*given, topology, given->dims.size());
          !verdict)
        return function.emitError()
               << "placement " << print(*given) << ": " << verdict.reason();
  if (isDistributed(function)) {
    function.emitRemark() << "no operator of @" << function.getSymName()
                          << " is to be tuned: it is distributed already";
    return TunedOperators();
  }
  TuneDatabase database(topology, options, report.machine);
  FunctionTuner tuner(function, topology, options, database);
  if (failed(database.open(function)) || failed(tuner.findTargets()))
    return failure();
  TunedOperators tuned;
  for (const Target &target : tuner.found())
    tuned.contractions.push_back(target.op);
  database.setOperators(tuned.contractions);
  FailureOr<std::vector<Plan>> plans = tuner.run();
  if (failed(plans))
    return failure();
  const Plan *plan = &plans->front();
  if (tuned.contractions.empty())
    function.emitRemark() << "no operator of @" << function.getSymName()
                          << " is to be tuned: it has no contraction without "
                             "a schedule";
  report.seconds += plan->seconds;
  report.defaultSeconds += tuner.defaultSeconds;
  for (auto [number, target] : llvm::enumerate(tuner.found())) {
    const Plan::Pick &pick = plan->picks[number];
    ReportOperator &entry = report.operators.emplace_back();
    if (pick.source.empty()) {
      target.tuner->report(pick.found, pick.known, entry);
      if (failed(database.add(target.op, number, *target.tuner, pick.known,
                              pick.found)))
        return failure();
    } else {
      target.tuner->reportKnown(pick.found, pick.known, entry);
      entry.remarks.push_back(pick.source);
    }
  }
  if (options.plans > 0 && tuned.contractions.size() > 1)
    reportPlans(*plans, tuner.found(), report);
  database.save(function);
  for (Operation *op : setAttributes(plan->chooser))
    if (!llvm::is_contained(tuned.contractions, op))
      tuned.followers.push_back(op);
  return tuned;
}

LogicalResult
mercury::setSchedules(const TunedOperators &tuned, func::FuncOp function,
                      const TopologyModel &topology, const TuneOptions &options,
                      const std::string &machine, ArrayRef<Schedule> schedules,
                      double measured) {
  for (Operation *op : tuned.contractions)
    op->removeAttr(kScheduleAttrName);
  for (Operation *op : tuned.followers)
    op->removeAttr(kScheduleAttrName);
  TuneDatabase database(topology, options, machine);
  if (failed(database.open(function)))
    return failure();
  database.setOperators(tuned.contractions);
  bool isAlone = schedules.size() == 1;
  ScheduleChooser chooser(function, topology, "default");
  size_t number = 0;
  for (Operation &op : function.front()) {
    if (number == schedules.size() || tuned.contractions[number] != &op) {
      if (failed(chooser.visit(op)))
        return failure();
      continue;
    }
    DistributableOpInterface target = tuned.contractions[number];
    Placements known, inits;
    chooser.placementsOf(target, known, inits);
    OperatorTuner tuner(target, topology, options, !feedsContraction(target),
                        isAlone);
    chooser.take(target, schedules[number]);
    std::optional<FoundSchedule> found = tuner.enter(schedules[number], known);
    if (found && failed(database.add(target, number, tuner, known, *found,
                                     isAlone ? measured : 0)))
      return failure();
    ++number;
  }
  setAttributes(chooser);
  database.save(function);
  return success();
}
