//===- mercury-run.cpp - Runs a tensor program on many ranks --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Jit.h"
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Npy.h"
#include "Reference.h"
#include "Report.h"
#include "RunError.h"
#include "Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mercury::run;
using llvm::Error;
using llvm::Expected;

/// The schedules that have a name, and what each is.
static void listSchedules() {
  for (const mercury::NamedSchedule &schedule : mercury::namedSchedules()) {
    bool isAttention =
        schedule.scope == mercury::NamedSchedule::Scope::Attention;
    llvm::outs() << schedule.name << "\n    "
                 << (isAttention ? "attention: " : "") << schedule.summary
                 << '\n';
  }
}

/// Prints the module at the stage asked for, even if a later step fails.
static Expected<Outcome> emit(mlir::ModuleOp module, CommandLine &line) {
  bool printed = false;
  line.compile.observer = [&](Stage stage, mlir::Operation *op) {
    if (stage != *line.emit || printed)
      return;
    op->print(llvm::outs());
    llvm::outs() << '\n';
    printed = true;
  };
  CompiledProgram program;
  auto lowered = lowerProgram(module, line.compile, *line.emit, program);
  if (!lowered)
    return lowered.takeError();
  return Outcome::Success;
}

/// Positions of --arg and --save must exist.
static Error checkPositions(mlir::ModuleOp module, const CommandLine &line) {
  auto entry = findEntry(module, line.compile.entry);
  if (!entry)
    return entry.takeError();
  auto check = [&](const std::map<unsigned, std::string> &files, unsigned count,
                   const char *option, const char *what) -> Error {
    for (const auto &[index, path] : files)
      if (index >= count)
        return badInput(llvm::Twine(option) + " " + llvm::Twine(index) + ": @" +
                        entry->getSymName() + " has " + llvm::Twine(count) +
                        " " + what);
    return Error::success();
  };
  if (Error error = check(line.argumentFiles, entry->getNumArguments(), "--arg",
                          "arguments"))
    return error;
  return check(line.resultFiles, entry->getNumResults(), "--save", "results");
}

static Expected<std::vector<HostTensor>>
readArguments(const std::vector<TensorSpec> &specs, const CommandLine &line) {
  std::vector<HostTensor> arguments;
  for (size_t i = 0; i < specs.size(); ++i) {
    auto file = line.argumentFiles.find(i);
    if (file == line.argumentFiles.end()) {
      arguments.push_back(makeArgument(specs[i], line.seed, i));
      continue;
    }
    Expected<HostTensor> tensor = readNpy(file->second, specs[i]);
    if (!tensor)
      return tensor.takeError();
    arguments.push_back(std::move(*tensor));
  }
  return arguments;
}

static Error writeResults(const std::vector<HostTensor> &results,
                          const CommandLine &line) {
  for (const auto &[index, path] : line.resultFiles)
    if (Error error = writeNpy(path, results[index]))
      return error;
  return Error::success();
}

/// The reference: the input on one rank. Needs its global shapes.
static Expected<std::vector<HostTensor>>
computeReference(mlir::ModuleOp module, const CompiledProgram &program,
                 const std::vector<HostTensor> &arguments) {
  ReferenceOptions options;
  options.entry = program.entry;
  auto entry = findEntry(module, program.entry);
  if (!entry)
    return entry.takeError();
  Expected<Signature> signature = signatureOf(*entry);
  if (!signature)
    return signature.takeError();
  if (signature->arguments != program.globalArguments())
    return badInput("--verify: @" + program.entry +
                    " has local shapes; the reference needs the function "
                    "before distribution");
  return mercury::run::computeReference(module, options, arguments);
}

/// Adds what a repetition found; the largest error counts, a text once.
static void merge(Verification &all, const Verification &one) {
  all.error = std::max(all.error, one.error);
  for (auto [to, from] : {std::pair(&all.failures, &one.failures),
                          std::pair(&all.notes, &one.notes)})
    for (const std::string &text : *from)
      if (!llvm::is_contained(*to, text))
        to->push_back(text);
}

static Expected<Outcome> run(mlir::ModuleOp module, CommandLine &line) {
  Progress progress(llvm::errs());
  line.compile.phase = [&](llvm::StringRef phase) { progress.enter(phase); };
  if (Error error = checkPositions(module, line))
    return std::move(error);
  for (const std::string &library : line.libraries)
    if (Error error = loadSymbols(library))
      return std::move(error);
  Expected<CompiledProgram> program = compileProgram(module, line.compile);
  if (!program)
    return program.takeError();
  if (line.verify && program->results.empty())
    return badInput("--verify: @" + program->entry + " has no results");
  progress.enter("making the arguments");
  auto arguments = readArguments(program->globalArguments(), line);
  if (!arguments)
    return arguments.takeError();

  std::optional<Verification> verification;
  std::vector<HostTensor> reference;
  if (line.verify) {
    progress.enter("computing the reference on one rank");
    auto computed = computeReference(module, *program, *arguments);
    if (!computed)
      return computed.takeError();
    reference = std::move(*computed);
    verification.emplace();
    line.launch.onRepetition =
        [&](int64_t, const std::vector<HostTensor> &results,
            const std::vector<std::string> &divergences) {
          merge(*verification, verifyResults(results, reference, divergences,
                                             program->leastBound));
        };
  }
  progress.enter("running");
  Expected<RunResult> result = runProgram(*program, *arguments, line.launch);
  if (!result)
    return result.takeError();
  progress.enter("writing the results");
  if (Error error = writeResults(result->results, line))
    return std::move(error);

  Report report{*program, *result, verification};
  if (line.json)
    printJSON(llvm::outs(), report);
  else
    printReport(llvm::outs(), report, line.stats);
  llvm::outs().flush();
  if (!verification)
    return Outcome::Success;
  for (const std::string &note : verification->notes)
    llvm::errs() << "mercury-run: note: " << note << '\n';
  for (const std::string &failure : verification->failures)
    llvm::errs() << "mercury-run: wrong result: " << failure << '\n';
  return verification->verified() ? Outcome::Success : Outcome::WrongResult;
}

static Expected<Outcome> mercuryRun(int argc, char **argv) {
  Expected<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return line.takeError();
  if (line->listSchedules) {
    listSchedules();
    return Outcome::Success;
  }
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(line->file, sources, &context);
  if (!module)
    return badInput("cannot parse '" + line->file + "'");
  return line->emit ? emit(*module, *line) : run(*module, *line);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Expected<Outcome> outcome = mercuryRun(argc, argv);
  if (outcome)
    return static_cast<int>(*outcome);
  auto code = static_cast<int>(Outcome::RuntimeFailure);
  llvm::handleAllErrors(
      outcome.takeError(),
      [&](const RunError &error) {
        code = static_cast<int>(error.outcome);
        if (!error.text.empty())
          llvm::errs() << "mercury-run: error: " << error.text << '\n';
      },
      [&](const llvm::ErrorInfoBase &error) {
        llvm::errs() << "mercury-run: error: " << error.message() << '\n';
      });
  return code;
}
