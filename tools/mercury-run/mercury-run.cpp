//===- mercury-run.cpp - Runs a tensor program on many ranks --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Emulation.h"
#include "HostLibrary.h"
#include "Jit.h"
#include "Job.h"
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Tuning/MemoryModel.h"
#include "Npy.h"
#include "Object.h"
#include "Package.h"
#include "Predict.h"
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
static Expected<Outcome> emit(mlir::ModuleOp module, CommandLine &line,
                              llvm::raw_ostream &os) {
  bool printed = false;
  line.compile.observer = [&](Stage stage, mlir::Operation *op) {
    if (stage != *line.emit || printed)
      return;
    op->print(os);
    os << '\n';
    printed = true;
  };
  CompiledProgram program;
  auto lowered = lowerProgram(module, line.compile, *line.emit, program);
  if (!lowered)
    return lowered.takeError();
  return Outcome::Success;
}

/// Writes the program as an object file.
static Expected<Outcome> saveObject(mlir::ModuleOp module,
                                    const CommandLine &line) {
  CompiledProgram program;
  auto lowered = lowerProgram(module, line.compile, Stage::LLVM, program);
  if (!lowered)
    return lowered.takeError();
  // The host part for GPUs computes nothing, and may run on another machine.
  if (Error error =
          emitObject(**lowered, line.compile.optLevel,
                     line.compile.target == Target::CUDA, line.objectFile))
    return std::move(error);
  return Outcome::Success;
}

/// Simulates the program.
static Expected<Outcome> predictTime(mlir::ModuleOp module,
                                     const CommandLine &line,
                                     llvm::raw_ostream &os) {
  Expected<Prediction> prediction = predict(module, line.compile);
  if (!prediction)
    return prediction.takeError();
  if (line.json)
    printPredictionJSON(os, *prediction);
  else
    printPrediction(os, *prediction);
  if (!line.timelineFile.empty())
    if (Error error = writeTimeline(*prediction, line.timelineFile))
      return std::move(error);
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

/// Makes the device's memory the limit of each rank.
static Error enforceMemory(const CompiledProgram &program,
                           LaunchOptions &launch) {
  launch.memoryLimit = mercury::availableBytes(program.topology.device);
  if (launch.memoryLimit > 0)
    return Error::success();
  return badInput("--enforce-memory: the topology of @" + program.entry +
                  " does not say how much memory its device has; write "
                  "device <memory BYTES> into it");
}

/// Seconds that an emulated program takes where no time scale is given.
static constexpr double kEmulatedSeconds = 1;

/// Runs the program on the clock of another machine, beside its prediction.
static Expected<Outcome> emulate(mlir::ModuleOp module, CommandLine &line,
                                 llvm::raw_ostream &log) {
  Progress progress(log);
  line.compile.phase = [&](llvm::StringRef phase) { progress.enter(phase); };
  Expected<Prediction> prediction = predict(module, line.compile);
  if (!prediction)
    return prediction.takeError();
  double predicted = prediction->simulation.seconds;
  if (line.launch.timeScale == 0)
    line.launch.timeScale = predicted > 0 ? kEmulatedSeconds / predicted : 1;
  Expected<CompiledProgram> program = compileProgram(module, line.compile);
  if (!program)
    return program.takeError();
  if (line.enforceMemory)
    if (Error error = enforceMemory(*program, line.launch))
      return std::move(error);
  progress.enter("making the arguments");
  auto arguments = readArguments(program->globalArguments(), line);
  if (!arguments)
    return arguments.takeError();
  progress.enter("running");
  EmulatedMachine machine(*prediction);
  line.launch.clock = machine.clock();
  Expected<RunResult> result = runProgram(*program, *arguments, line.launch);
  if (!result)
    return result.takeError();
  if (Error error = machine.check(line.launch.repeat))
    return std::move(error);
  std::vector<double> seconds;
  for (double wall : result->seconds)
    seconds.push_back(wall / line.launch.timeScale);
  result->seconds = std::move(seconds);
  if (line.json)
    printEmulationJSON(llvm::outs(), *prediction, *result,
                       line.launch.timeScale);
  else
    printEmulation(llvm::outs(), *prediction, *result, line.launch.timeScale);
  return Outcome::Success;
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

/// Writes the program as a package. Arguments and reference are part of it
/// where
/// --verify asks for a comparison.
static Expected<Outcome> savePackage(mlir::ModuleOp module,
                                     const CommandLine &line) {
  CompiledProgram program;
  auto lowered = lowerProgram(module, line.compile, Stage::LLVM, program);
  if (!lowered)
    return lowered.takeError();
  std::vector<HostTensor> arguments, reference;
  if (line.verify) {
    auto made = readArguments(program.globalArguments(), line);
    if (!made)
      return made.takeError();
    arguments = std::move(*made);
    auto computed = computeReference(module, program, arguments);
    if (!computed)
      return computed.takeError();
    reference = std::move(*computed);
  }
  if (Error error =
          writePackage(line.packageFolder, program, arguments, reference))
    return std::move(error);
  if (Error error =
          emitObject(**lowered, line.compile.optLevel,
                     /*portable=*/true, line.packageFolder + "/program.o"))
    return std::move(error);
  return Outcome::Success;
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

/// Runs the program; the process of rank 0 (`reports`) also verifies, writes
/// the results and prints.
static Expected<Outcome> run(mlir::ModuleOp module, CommandLine &line,
                             llvm::raw_ostream &log, bool reports) {
  Progress progress(log);
  line.compile.phase = [&](llvm::StringRef phase) { progress.enter(phase); };
  if (Error error = checkPositions(module, line))
    return std::move(error);
  for (const std::string &library : line.libraries)
    if (Error error = loadSymbols(library))
      return std::move(error);
  Expected<CompiledProgram> program = compileProgram(module, line.compile);
  if (!program)
    return program.takeError();
  if (line.enforceMemory)
    if (Error error = enforceMemory(*program, line.launch))
      return std::move(error);
  if (line.verify && program->results.empty())
    return badInput("--verify: @" + program->entry + " has no results");
  progress.enter("making the arguments");
  auto arguments = readArguments(program->globalArguments(), line);
  if (!arguments)
    return arguments.takeError();

  std::optional<Verification> verification;
  std::vector<HostTensor> reference;
  if (line.verify && reports) {
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
                                             program->leastBound,
                                             program->hasRowsWithoutKeys));
        };
  }
  progress.enter("running");
  Expected<RunResult> result = runProgram(*program, *arguments, line.launch);
  if (!result)
    return result.takeError();
  if (!reports)
    return Outcome::Success;
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

/// `speaks`: says what is wrong, which one process of a job does.
static Expected<Outcome> runFile(CommandLine &line, bool speaks,
                                 llvm::ArrayRef<std::string> arguments) {
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  llvm::raw_ostream &log = speaks ? llvm::errs() : llvm::nulls();
  mlir::SourceMgrDiagnosticHandler handler(sources, &context, log);
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(line.file, sources, &context);
  if (!module)
    return badInput("cannot parse '" + line.file + "'");
  if (line.emit)
    return emit(*module, line, speaks ? llvm::outs() : llvm::nulls());
  if (line.predict)
    return predictTime(*module, line, speaks ? llvm::outs() : llvm::nulls());
  if (line.emulate)
    return emulate(*module, line, log);
  if (!line.objectFile.empty())
    return saveObject(*module, line);
  if (!line.packageFolder.empty())
    return savePackage(*module, line);
  if (!line.ranksAreProcesses || isPartOfJob())
    return run(*module, line, log, speaks);
  Expected<std::string> mpi = chooseMPI(line.mpi);
  if (!mpi)
    return mpi.takeError();
  Expected<int64_t> ranks = countRanks(*module, line.compile);
  if (!ranks)
    return ranks.takeError();
  Expected<int> code = launchJob(*mpi, *ranks, arguments);
  if (!code)
    return code.takeError();
  return static_cast<Outcome>(*code);
}

/// Whether the ranks, or this process as one of them, run on CUDA devices.
static bool runsOnCuda(const CommandLine &line) {
  return line.compile.target == Target::CUDA && !line.emit && !line.predict &&
         line.objectFile.empty() && line.packageFolder.empty();
}

/// Becomes a rank of the job that this process is part of, or the only process;
/// returns its number.
static Expected<int> becomeRank(const CommandLine &line) {
  if (runsOnCuda(line)) {
    if (Error error = bindCuda())
      return std::move(error);
    return processNumber();
  }
  return joinJob(line.mpi);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::string text;
  auto describe = [&](Error failure) {
    auto code = Outcome::RuntimeFailure;
    llvm::handleAllErrors(
        std::move(failure),
        [&](const RunError &error) {
          code = error.outcome;
          text = error.text;
        },
        [&](const llvm::ErrorInfoBase &error) { text = error.message(); });
    return static_cast<int>(code);
  };
  auto say = [&] {
    if (!text.empty())
      llvm::errs() << "mercury-run: error: " << text << '\n';
  };
  auto codeOf = [&](Expected<Outcome> outcome) {
    return outcome ? static_cast<int>(*outcome) : describe(outcome.takeError());
  };

  Expected<CommandLine> line = parseCommandLine(argc, argv);
  int code = 0;
  if (!line) {
    code = describe(line.takeError());
    say();
    return code;
  }
  if (line->listSchedules) {
    listSchedules();
    return 0;
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!runsOnCuda(*line) && (!line->ranksAreProcesses || !isPartOfJob())) {
    code = codeOf(runFile(*line, /*speaks=*/true, arguments));
    say();
    return code;
  }
  Expected<int> rank = becomeRank(*line);
  if (!rank) {
    code = describe(rank.takeError());
    say();
    return code;
  }
  code = codeOf(runFile(*line, /*speaks=*/*rank == 0, arguments));
  if (code != 0 && *rank == 0)
    say();
  bool own = code != 0;
  code = finishJob(code, text);
  if (!own && *rank == 0)
    say();
  return code;
}
