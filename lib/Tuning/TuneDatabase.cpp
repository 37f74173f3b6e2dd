//===- TuneDatabase.cpp - Problems of a function as keys ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneDatabase.h"
#include "Mercury/Schedule/Describe.h"
#include "ValidRange.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// How much slower than the best a schedule may be in the range of its entry.
static constexpr double kRangeGap = 0.05;

/// Objective, limit, local code and placements, as text.
static std::string goalOf(const TuneOptions &options) {
  std::string goal = print(options.objective);
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
  return {describeProblem(costProblemOf(op)), fingerprint(topology),
          goalOf(options)};
}

TuneDatabase::TuneDatabase(const TopologyModel &topology,
                           const TuneOptions &options,
                           const std::string &machine)
    : topology(topology), options(options), machine(machine),
      isUsed(!options.database.empty()), machineKey(fingerprint(topology)),
      goal(goalOf(options)) {}

LogicalResult TuneDatabase::open(func::FuncOp function) {
  if (!isUsed)
    return success();
  std::string remark;
  if (Verdict verdict = file.open(options.database, remark); !verdict)
    return function.emitError() << verdict.reason();
  if (!remark.empty())
    function.emitRemark() << remark;
  return success();
}

void TuneDatabase::setOperators(ArrayRef<DistributableOpInterface> ops) {
  others.clear();
  if (!isUsed || ops.size() < 2)
    return;
  std::string text;
  for (DistributableOpInterface op : ops)
    text += describeProblem(costProblemOf(op)) + "\n";
  others = " of " + std::to_string(ops.size()) + " operators " +
           llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                           /*Width=*/16);
}

TuningKey TuneDatabase::keyOf(const CostProblem &problem, size_t number,
                              const Placements &known) const {
  TuningKey key{describeProblem(problem), machineKey, goal};
  if (!others.empty())
    key.goal += ", number " + std::to_string(number + 1) + others;
  if (std::string enters = print(known); !enters.empty())
    key.goal += ", inputs live in " + enters;
  return key;
}

std::optional<TuneDatabase::Hit> TuneDatabase::find(DistributableOpInterface op,
                                                    size_t number,
                                                    OperatorTuner &tuner,
                                                    const Placements &known) {
  if (!isUsed)
    return std::nullopt;
  auto refuse = [&](const std::string &reason) {
    if (!reason.empty() && said.emplace(number, reason).second)
      op->emitRemark() << reason;
    return std::nullopt;
  };
  std::string reason;
  std::optional<TuningHit> hit =
      file.find(keyOf(tuner.problem(), number, known), tuner.problem().op,
                topology, reason);
  if (!hit)
    return refuse(reason);
  std::optional<FoundSchedule> found = tuner.enter(hit->schedule, known);
  if (!found)
    return refuse("the database's schedule does not fit, or not where inputs "
                  "live: " +
                  print(hit->schedule));
  std::string source =
      "the schedule is that of the database '" + options.database + "'";
  if (!hit->isExact)
    source += " for " + hit->entry.validFor + ", found to be at most " +
              std::to_string(std::lround(hit->entry.gap * 100)) +
              "% from the best there wherever extents were doubled";
  return Hit{std::move(*found), std::move(source)};
}

LogicalResult TuneDatabase::findRange(DistributableOpInterface op,
                                      OperatorTuner &tuner,
                                      const Placements &known,
                                      const FoundSchedule &found,
                                      TuningEntry &entry) {
  const CostProblem &problem = tuner.problem();
  OperatorNames names = namesOf(problem.op);
  ValidRangeOptions range;
  for (size_t l = 0; l < names.loops.size(); ++l)
    if (llvm::is_contained(options.validFor, "all") ||
        llvm::is_contained(options.validFor, names.loops[l]))
      range.loops.push_back(l);
  for (const std::string &name : options.validFor)
    if (name != "all" && !llvm::is_contained(names.loops, name))
      return op->emitError()
             << "valid-for: no loop is called '" << name << "'; there are "
             << llvm::join(names.loops, ", ");
  if (range.loops.empty())
    return success();
  if (!others.empty()) {
    op->emitRemark() << "valid-for: schedules of several operators are chosen "
                        "for each other; the entry is for these extents alone";
    return success();
  }
  if (!canScale(problem, range.loops)) {
    op->emitRemark() << "valid-for: expressions of loops index its tensors; "
                        "the entry is for these extents alone";
    return success();
  }
  range.search = tuner.searchOptions(known);
  range.gap = kRangeGap;
  range.budget = options.budget;
  entry.validFor =
      describeProblem(problem, findValidRange(found.schedule, problem,
                                              tuner.memoryModel().getProblem(),
                                              topology, range));
  entry.gap = kRangeGap;
  // Nothing but the problem itself.
  if (entry.validFor == describeProblem(problem))
    entry.validFor.clear();
  return success();
}

LogicalResult TuneDatabase::add(DistributableOpInterface op, size_t number,
                                OperatorTuner &tuner, const Placements &known,
                                const FoundSchedule &found, double measured) {
  if (!isUsed)
    return success();
  TuningEntry entry{machine,  print(found.schedule), found.seconds,
                    measured, /*validFor=*/"",       /*gap=*/0};
  if (measured == 0 && failed(findRange(op, tuner, known, found, entry)))
    return failure();
  file.set(keyOf(tuner.problem(), number, known), std::move(entry));
  return success();
}

void TuneDatabase::save(func::FuncOp function) {
  if (!isUsed)
    return;
  if (Verdict verdict = file.save(); !verdict)
    function.emitRemark() << verdict.reason();
}
