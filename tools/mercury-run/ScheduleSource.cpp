//===- ScheduleSource.cpp - Where a schedule comes from -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSource.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/SuggestedSchedule.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "RunError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace mercury::run {

static constexpr llvm::StringLiteral defaultRule("default");
/// What the tuner chooses.
static constexpr llvm::StringLiteral automatic("auto");

/// The operators of `function` that lines of a schedule file are for, when
/// there are `count`: all that a schedule can distribute, those that reduce, or
/// contractions only; the others follow their producers. Those that have a
/// schedule count, unless `openOnly`. Nothing when no number agrees, with
/// `numbers` for the message.
static std::optional<SmallVector<Operation *>>
operatorsOf(func::FuncOp function, size_t count, bool openOnly,
            std::string &numbers) {
  // Each is a part of the one before, so that equal numbers mean equal lists.
  SmallVector<Operation *> all, reducing, contractions;
  function.walk([&](commir::DistributableOpInterface op) {
    if (openOnly && op->hasAttr(commir::kScheduleAttrName))
      return;
    all.push_back(op);
    if (!llvm::is_contained(op.getLoops(), utils::IteratorType::reduction))
      return;
    reducing.push_back(op);
    auto destination = dyn_cast<DestinationStyleOpInterface>(op.getOperation());
    if (destination && destination.getNumDpsInputs() > 1)
      contractions.push_back(op);
  });
  for (SmallVector<Operation *> *list : {&all, &reducing, &contractions})
    if (list->size() == count)
      return std::move(*list);
  numbers = std::to_string(contractions.size()) + " contractions, " +
            std::to_string(reducing.size()) + " operators with a reduction, " +
            std::to_string(all.size()) + " operators in all";
  return std::nullopt;
}

/// True when the input is scheduled or distributed already.
static bool isScheduled(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        auto forall = dyn_cast<scf::ForallOp>(op);
        // Operators of the dialect are input like linalg's.
        bool isInput =
            isa<commir::DistributableOpInterface, commir::DocumentRangesOp>(op);
        return op->hasAttr(commir::kScheduleAttrName) ||
                       (isa<commir::CommIRDialect>(op->getDialect()) &&
                        !isInput) ||
                       (forall && forall.getMapping())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static llvm::Expected<ScheduleChoice> applyScript(ModuleOp module,
                                                  llvm::StringRef path) {
  OwningOpRef<ModuleOp> script;
  if (failed(transform::detail::parseTransformModuleFromFile(
          module.getContext(), path, script)))
    return badInput("cannot parse the transform script '" + path + "'");
  Operation *entry =
      transform::detail::findTransformEntryPoint(module, *script);
  if (!entry || failed(transform::applyTransformNamedSequence(
                    module, entry, *script, transform::TransformOptions())))
    return badInput("cannot apply the transform script '" + path + "'");
  return ScheduleChoice{"", llvm::sys::path::filename(path).str()};
}

/// One schedule of a file: `loops [...] ...`, or that in
/// `#commir.schedule<"...">`.
static llvm::Expected<Schedule> parseLine(llvm::StringRef line,
                                          llvm::StringRef path, int number) {
  if (line.consume_front("#commir.schedule<")) {
    line.consume_back(">");
    line = line.trim("\"");
  }
  std::string reason;
  if (std::optional<Schedule> schedule = parseSchedule(line, reason))
    return *schedule;
  return badInput(path + ":" + llvm::Twine(number) + ": " + reason);
}

/// Those of `text`, a line each; `path` and `label` say where it is from.
static llvm::Expected<ScheduleChoice>
applyLines(ModuleOp module, func::FuncOp function, llvm::StringRef text,
           llvm::StringRef path, std::string label, bool promote) {
  std::vector<Schedule> schedules;
  SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (auto [i, written] : llvm::enumerate(lines)) {
    llvm::StringRef line = written.split("//").first.trim();
    if (line.empty())
      continue;
    llvm::Expected<Schedule> schedule = parseLine(line, path, i + 1);
    if (!schedule)
      return schedule.takeError();
    schedules.push_back(std::move(*schedule));
  }
  if (schedules.size() == 1)
    return ScheduleChoice{print(schedules.front()), label};
  std::string numbers, unused;
  auto find = [&](std::string &numbers) {
    auto found =
        operatorsOf(function, schedules.size(), /*openOnly=*/false, numbers);
    return found ? found
                 : operatorsOf(function, schedules.size(), /*openOnly=*/true,
                               unused);
  };
  std::optional<SmallVector<Operation *>> operators = find(numbers);
  if (!operators) {
    std::string name = function.getSymName().str();
    PassManager pm(module.getContext());
    buildOperators(pm, promote);
    if (failed(pm.run(module)))
      return badInput("");
    function = module.lookupSymbol<func::FuncOp>(name);
    operators = find(unused);
  }
  if (!operators)
    return badInput("'" + path + "' has " + llvm::Twine(schedules.size()) +
                    " schedules, but @" + function.getSymName() + " has " +
                    numbers);
  for (auto [op, schedule] : llvm::zip_equal(*operators, schedules))
    op->setAttr(commir::kScheduleAttrName,
                commir::ScheduleAttr::get(op->getContext(), schedule));
  return ScheduleChoice{"", label};
}

static llvm::Expected<ScheduleChoice> applyFile(ModuleOp module,
                                                func::FuncOp function,
                                                llvm::StringRef path,
                                                bool promote) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return badInput("cannot read '" + path +
                    "': " + buffer.getError().message());
  return applyLines(module, function, (*buffer)->getBuffer(), path,
                    llvm::sys::path::filename(path).str(), promote);
}

llvm::Expected<ScheduleChoice> resolveSchedule(ModuleOp module,
                                               func::FuncOp function,
                                               llvm::StringRef schedule,
                                               bool promote) {
  if (schedule.empty()) {
    if (auto suggested = function->getAttrOfType<StringAttr>(
            commir::kSuggestedScheduleAttrName))
      return ScheduleChoice{"", suggested.getValue().starts_with("loops")
                                    ? "of the input"
                                    : suggested.str()};
    if (isScheduled(function))
      return ScheduleChoice{"", "of the input"};
    return ScheduleChoice{defaultRule.str(), defaultRule.str()};
  }
  auto isNamed = [&](const NamedSchedule &s) {
    return schedule == llvm::StringRef(s.name);
  };
  if (schedule == defaultRule || schedule == automatic ||
      llvm::any_of(namedSchedules(), isNamed))
    return ScheduleChoice{schedule.str(), schedule.str()};
  if (schedule.contains('\n'))
    return applyLines(module, function, schedule, "--schedule",
                      "of the command line", promote);
  std::string reason;
  if (parseSchedule(schedule, reason))
    return ScheduleChoice{schedule.str(), "of the command line"};
  if (llvm::sys::fs::is_regular_file(schedule))
    return schedule.ends_with(".mlir")
               ? applyScript(module, schedule)
               : applyFile(module, function, schedule, promote);
  // Neither: a text with a mistake, a file that is missing, or a name.
  if (schedule.starts_with("loops"))
    return badInput("--schedule: " + reason);
  if (schedule.contains('/') || schedule.ends_with(".mlir"))
    return badInput("cannot read the schedule file '" + schedule + "'");
  Schedule unused;
  return badInput(
      makeNamedSchedule(schedule, unused, OperatorModel(), TopologyModel())
          .reason());
}

} // namespace mercury::run
