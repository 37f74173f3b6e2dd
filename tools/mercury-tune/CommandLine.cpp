//===- CommandLine.cpp - Options of mercury-tune --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "RunError.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

namespace mercury::tune {

using run::badInput;

static constexpr llvm::StringLiteral overview =
    R"(Finds schedules for the operators of a function on a machine

Predicts what each schedule of the space costs in time and memory, and prints the
best ones: what they do in words, what bounds them, what they send and hold.

EXAMPLES:
  The best schedules, and the known designs beside them:
    mercury-tune f.mlir --topology=node=2,gpu=4 --against=all
  The sequence is sharded on entry and exit, whatever happens between:
    mercury-tune f.mlir --topology=h100-sxm:node=2,gpu=4 \
                 --inputs='[{}, {}, {node, gpu}, {}]' \
                 --results='[{}, {}, {node, gpu}, {}]'
  Within a memory limit, as a schedule that mercury-run takes:
    mercury-tune f.mlir --topology=gpu=4 --memory-limit=8GiB --emit=schedule \
                 -o best.txt
    mercury-run f.mlir --topology=gpu=4 --schedule=best.txt --verify
  As a transform script that mercury-opt or mercury-run applies:
    mercury-tune f.mlir --topology=gpu=4 --emit=transform -o best.mlir
  As a page with pictures:
    mercury-tune f.mlir --topology=node=2,gpu=4 --against=all --emit=html -o f.html
  The figures of this machine as a topology:
    mercury-tune --calibrate -o host.mlir
  Run the best three on CPU ranks, too; what is interrupted goes on later:
    mercury-tune f.mlir --topology=host.mlir --measure=3 --resume=runs.json
  The same on processes, and the topology's figures as these correct it:
    mercury-tune f.mlir --topology=host.mlir --measure=3 --ranks-as=mpi \
                 --correct=corrected.mlir
  A rehearsal for a machine that is not here:
    mercury-tune f.mlir --topology=h100-sxm:node=2,gpu=4 --measure=3 \
                 --ranks-as=emulated

EXIT CODES: 0 found, 2 bad input or nothing fits, 3 runtime failure, 77 the
ranks that are asked for are not here, 130 interrupted (the best so far is
printed)
)";

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// All options; made by parseCommandLine.
struct Options {
  cl::OptionCategory category{"mercury-tune options"};

  cl::opt<std::string> file{cl::Positional, cl::desc("<input file>"),
                            cl::init(""), cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to tune (default: the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> topology{
      "topology",
      cl::desc(
          "Machine, as levels (node=2,gpu=2), a machine by name "
          "(h100-sxm:node=2,gpu=4), a file of mercury-tune --calibrate, or "
          "the symbol of a commir.topology (default: the module's)"),
      cl::value_desc("machine"), cl::cat(category)};
  cl::opt<std::string> objective{
      "objective",
      cl::desc(
          "What is best: time (default), memory, both, weighed alike or as in "
          "both:0.3 (memory by 0.3), bytes (over the slowest level), or "
          "slowdown:node=2 or worst:2 (time where a level, or any, is slower)"),
      cl::value_desc("what"), cl::init("time"), cl::cat(category)};
  cl::opt<std::string> inputs{
      "inputs",
      cl::desc("Where inputs enter that have as many dimensions, as in "
               "'[{}, {gpu}, {}]' (default: as each schedule wants them)"),
      cl::value_desc("placement"), cl::cat(category)};
  cl::opt<std::string> results{"results",
                               cl::desc("The same, of where results leave"),
                               cl::value_desc("placement"), cl::cat(category)};
  cl::opt<std::string> memoryLimit{
      "memory-limit",
      cl::desc("Bytes that a rank may hold (8GiB, 76e9; default: what the "
               "device can reserve)"),
      cl::value_desc("bytes"), cl::cat(category)};
  cl::opt<uint64_t> top{"top", cl::desc("Schedules to print (default: 5)"),
                        cl::init(5), cl::value_desc("N"), cl::cat(category)};
  cl::list<std::string> against{
      "against", cl::CommaSeparated,
      cl::desc("Known designs to print beside them: all, or names"),
      cl::value_desc("names"), cl::cat(category)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc(
          "Time for the search, for each operator, for --measure (30s, 2min; "
          "default: 30s), and for --calibrate (default: 1min); the best so far "
          "is what it ends with"),
      cl::value_desc("time"), cl::init("30s"), cl::cat(category)};
  cl::opt<uint64_t> measure{"measure", cl::desc("Run the best N on ranks, too"),
                            cl::value_desc("N"), cl::init(0),
                            cl::cat(category)};
  cl::opt<uint64_t> variants{
      "variants",
      cl::desc("With --measure: run each in up to N other ways that figures do "
               "not tell apart, too: blocks of generated code, and kernels of "
               "--kernels without achieved rates"),
      cl::value_desc("N"), cl::init(0), cl::cat(category)};
  cl::opt<RanksAs> ranksAs{
      "ranks-as", cl::desc("What ranks of --measure are:"),
      cl::init(RanksAs::Threads),
      cl::values(
          clEnumValN(RanksAs::Threads, "threads",
                     "threads of this process (default)"),
          clEnumValN(RanksAs::MPI, "mpi",
                     "processes: those of the mpirun that started this, "
                     "or of one that this starts"),
          clEnumValN(RanksAs::Emulated, "emulated",
                     "threads on the clock of the topology's machine, as "
                     "--emulate of mercury-run"),
          clEnumValN(RanksAs::CUDA, "cuda",
                     "GPUs, each with a thread of this process")),
      cl::cat(category)};
  cl::opt<std::string> mpi{
      "mpi",
      cl::desc(
          "Implementation of MPI (default: that of the mpirun that started "
          "this, else the first there is)"),
      cl::value_desc("mpich|openmpi"), cl::cat(category)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("GPU that device code is for: sm_80, sm_89, sm_90a (default) or "
               "sm_100"),
      cl::value_desc("chip"), cl::init("sm_90a"), cl::cat(category)};
  cl::opt<std::string> resume{
      "resume",
      cl::desc(
          "File of --measure's runs: they are kept there, and those that "
          "stand there count (default: beside the database, where there is "
          "one: FILE.runs)"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> correct{
      "correct",
      cl::desc("With --measure: write the topology to this file, with the "
               "figures that the runs correct"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> local{
      "local",
      cl::desc("Compute inside a rank: codegen (default), blas or loops"),
      cl::value_desc("kind"), cl::init("codegen"), cl::cat(category)};
  cl::list<std::string> kernels{
      "kernels", cl::CommaSeparated,
      cl::desc("Registered kernels (blas, ...) that a schedule may patch in "
               "where achieved rates of the device say that it is faster so "
               "(default: none)"),
      cl::value_desc("names"), cl::cat(category)};
  cl::opt<std::string> database{
      "database",
      cl::desc(
          "File of schedules: what stands there is not searched for again, "
          "what is found is added"),
      cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> validFor{
      "valid-for", cl::CommaSeparated,
      cl::desc("With --database: other extents of these loops (rows, keys, "
               "...; all) for which the schedule is near the best, too"),
      cl::value_desc("loops"), cl::cat(category)};
  cl::opt<Form> form{
      "emit", cl::desc("What to print:"), cl::init(Form::Table),
      cl::values(clEnumValN(Form::Table, "table", "a table (default)"),
                 clEnumValN(Form::Schedule, "schedule",
                            "the best schedule of each contraction, a line "
                            "each, for --schedule of mercury-run"),
                 clEnumValN(Form::Transform, "transform",
                            "a transform script that gives these schedules"),
                 clEnumValN(Form::Json, "json", "everything, for programs"),
                 clEnumValN(Form::Html, "html", "a page with pictures"),
                 clEnumValN(Form::Timeline, "timeline",
                            "what ranks do when, as Perfetto reads it")),
      cl::cat(category)};
  cl::opt<bool> sensitivity{
      "sensitivity",
      cl::desc("The table also says what times would be at half the bandwidth "
               "of each level, bytes over the slowest level, and energy where "
               "the device's power is known"),
      cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("Output file (default: standard "
                                       "output)"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<bool> calibrate{
      "calibrate",
      cl::desc("Measure this machine and print it as a commir.topology"),
      cl::cat(category)};
  cl::opt<uint64_t> ranks{
      "ranks", cl::desc("Ranks of --calibrate (default: one a core)"),
      cl::value_desc("N"), cl::init(0), cl::cat(category)};
};
} // namespace

llvm::StringRef stringify(RanksAs ranksAs) {
  switch (ranksAs) {
  case RanksAs::Threads:
    return "threads";
  case RanksAs::MPI:
    return "mpi";
  case RanksAs::Emulated:
    return "emulated";
  case RanksAs::CUDA:
    return "cuda";
  }
  llvm_unreachable("a kind of rank");
}

/// What does not go with what is measured, and how.
static llvm::Error checkMeasure(const Options &options) {
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &options.ranksAs, &options.mpi, &options.resume, &options.correct,
           &options.variants})
    if (option->getNumOccurrences() && options.measure == 0)
      return badInput("--" + option->ArgStr + " needs --measure");
  if (options.mpi.getNumOccurrences() && options.ranksAs != RanksAs::MPI)
    return badInput("--mpi=" + options.mpi + " needs --ranks-as=mpi");
  if (options.chip.getNumOccurrences() && options.ranksAs != RanksAs::CUDA)
    return badInput("--chip needs --ranks-as=cuda");
  if (options.ranksAs == RanksAs::MPI && options.file == "-")
    return badInput("--ranks-as=mpi: each process reads the input file, which "
                    "cannot be '-'");
  if (options.ranksAs == RanksAs::Emulated &&
      options.correct.getNumOccurrences())
    return badInput("--correct needs ranks that are measured; those of "
                    "--ranks-as=emulated take the time that the topology says");
  if (options.variants > 0 && options.ranksAs != RanksAs::Threads &&
      options.ranksAs != RanksAs::MPI)
    return badInput("--variants are of code for CPUs that is run, not of "
                    "--ranks-as=" +
                    stringify(options.ranksAs));
  if (options.ranksAs == RanksAs::CUDA && options.local != "codegen")
    return badInput("--local=" + options.local +
                    " is of ranks on CPUs, not of --ranks-as=cuda");
  return llvm::Error::success();
}

/// What does not go with the machine's calibration, or with a file to tune.
static llvm::Error checkCalibrate(const Options &options) {
  if (!options.calibrate)
    return options.ranks.getNumOccurrences()
               ? badInput("--ranks needs --calibrate")
               : llvm::Error::success();
  if (!options.file.empty())
    return badInput("--calibrate takes no input file");
  if (options.ranks.getNumOccurrences() && options.ranks == 0)
    return badInput("--ranks must be at least 1");
  const cl::Option *taken[] = {&options.calibrate, &options.ranks,
                               &options.budget, &options.output};
  for (const auto &entry : cl::getRegisteredOptions()) {
    const cl::Option *option = entry.second;
    if (option->getNumOccurrences() && !llvm::is_contained(taken, option) &&
        llvm::is_contained(option->Categories, &options.category))
      return badInput("--calibrate takes no --" + option->ArgStr);
  }
  return llvm::Error::success();
}

llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  std::string problems;
  llvm::raw_string_ostream os(problems);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &os)) {
    llvm::StringRef text = llvm::StringRef(problems).trim();
    text.consume_front(llvm::StringRef(argv[0]).str() + ": ");
    return badInput(text.split('\n').first);
  }
  CommandLine line;
  line.file = options.file;
  line.entry = options.entry;
  line.topology = options.topology;
  line.form = options.form;
  line.output = options.output;
  line.sensitivity = options.sensitivity;
  line.calibrate = options.calibrate;
  line.ranks = options.ranks;
  line.measure = options.measure;
  line.variants = options.variants;
  line.ranksAs = options.ranksAs;
  line.mpi = options.mpi;
  line.chip = options.chip;
  line.resume = !options.resume.empty() || options.database.empty()
                    ? options.resume
                    : options.database + ".runs";
  line.correct = options.correct;
  line.local = options.local;
  if (llvm::Error problem = checkMeasure(options))
    return std::move(problem);
  if (llvm::Error problem = checkCalibrate(options))
    return std::move(problem);
  if (line.calibrate) {
    std::string budget = "1min";
    if (options.budget.getNumOccurrences())
      budget = options.budget;
    std::optional<double> seconds = parseSeconds(budget);
    if (!seconds || *seconds <= 0)
      return badInput("--budget expects a time above zero, such as 30s, got '" +
                      budget + "'");
    line.measureBudget = *seconds;
    return line;
  }
  if (line.file.empty())
    return badInput("no input file; see --help");
  TuneTexts texts;
  texts.objective = options.objective;
  texts.inputs = options.inputs;
  texts.results = options.results;
  texts.memoryLimit = options.memoryLimit;
  texts.budget = options.budget;
  texts.local = options.local;
  texts.database = options.database;
  texts.against = options.against;
  texts.kernels = options.kernels;
  texts.validFor = options.validFor;
  texts.top = options.top;
  std::string error;
  std::optional<TuneOptions> tuning = parseTuneOptions(texts, "--", error);
  if (!tuning)
    return badInput(error);
  line.tuning = std::move(*tuning);
  line.measureBudget = line.tuning.budget;
  return line;
}

} // namespace mercury::tune
