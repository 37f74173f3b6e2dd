//===- CommandLine.cpp - Options of mercury-run ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "RunError.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace cl = llvm::cl;

namespace mercury::run {

static constexpr llvm::StringLiteral overview =
    R"(Runs a tensor program on many ranks

Compiles a function of linalg ops for every rank of a topology, runs each rank
as a thread of this process, or as a process of an MPI job, and prints a table:
schedule, ranks, error, time, and per rank multiply-adds, bytes sent and the most
bytes held at once.
With --verify the result is compared with the function on one rank, accumulated
in f64.

EXAMPLES:
  Verify a file with the schedules and the topology that it names:
    mercury-run --verify examples/gemm.mlir
  Another topology, and a schedule by name (--list-schedules prints them):
    mercury-run --verify --topology=node=2,gpu=2 \
                --schedule=all_gather_gemm f.mlir
  A schedule of your own, one line per operator, or a transform script (.mlir):
    mercury-run --verify --schedule=mine.txt f.mlir
  Causal attention whose tokens stay in their order, or are dealt out:
    mercury-run --verify --schedule=ring --balance=none f.mlir
    mercury-run --verify --schedule=ring --balance=striped:16 f.mlir
  Inputs and results as NumPy files, the rest random from a seed:
    mercury-run --arg 0=a.npy --save 0=c.npy --seed=7 f.mlir
  Does communication hide behind compute on slower links? Median of 20 runs:
    mercury-run --link-bandwidth=4e9 --link-latency=2e-5 --repeat=20 f.mlir
  On GPUs; or compiled for them here, to be linked and run elsewhere:
    mercury-run --target=cuda --chip=sm_90a --verify f.mlir
    mercury-run --target=cuda --chip=sm_90a --save-object=f.o f.mlir
  The program for GPUs, its kernels on CPUs; as device code, thread by thread:
    mercury-run --target=emulated --verify f.mlir
    mercury-run --target=emulated --kernels=simt --chip=sm_80 --verify f.mlir
  Ranks as processes; mpirun is started, or starts this:
    mercury-run --ranks-as=mpi --verify f.mlir
    mpirun -n 4 mercury-run --ranks-as=mpi --topology=gpu=4 --verify f.mlir
  The loop nest over ranks that the schedule gives:
    mercury-run --emit=stage2 f.mlir

EXIT CODES: 0 verified (ran, without --verify), 1 wrong result, 2 bad input,
3 runtime failure, 77 no GPU here
)";

namespace {
enum class Local { Codegen, Blas, Loops, Library };
enum class RanksAs { Threads, MPI };

/// All options; made by parseCommandLine, so that a program that links this
/// library only to run programs has none of them.
struct Options {
  cl::OptionCategory category{"mercury-run options"};

  cl::opt<std::string> file{cl::Positional, cl::desc("<input file>"),
                            cl::init(""), cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to run (default: the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> topology{
      "topology",
      cl::desc("Machine, as levels (node=2,gpu=2), by name "
               "(h100-sxm:node=2,gpu=4,net=100Gbps-roce), a file with one "
               "commir.topology, or the symbol of one (default: the module's)"),
      cl::value_desc("levels|machine|FILE.mlir|@symbol"), cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Schedule for operators that have none: a name, auto (what the "
               "tuner finds), a text, a file of texts, or a transform script "
               "(default: the input's, else 'default')"),
      cl::value_desc("name|file"), cl::cat(category)};
  cl::opt<std::string> balance{
      "balance",
      cl::desc("Order of tokens of operators with a mask: none, zigzag, "
               "striped[:N], table:N,..., or auto, zigzag where it lessens the "
               "work of the rank that has most (default: auto)"),
      cl::value_desc("order"), cl::init("auto"), cl::cat(category)};
  cl::opt<bool> listSchedules{"list-schedules",
                              cl::desc("Print the named schedules and exit"),
                              cl::cat(category)};
  cl::opt<bool> verify{"verify",
                       cl::desc("Compare with the function on one rank"),
                       cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of random inputs (default: 0)"),
                         cl::init(0), cl::cat(category)};
  cl::list<std::string> arguments{
      "arg", cl::desc("Read argument N from a .npy file"),
      cl::value_desc("N=file.npy"), cl::cat(category)};
  cl::list<std::string> results{
      "save", cl::desc("Write result N to a .npy file"),
      cl::value_desc("N=file.npy"), cl::cat(category)};
  cl::opt<int64_t> repeat{
      "repeat", cl::desc("Run so often, report the median time (default: 1)"),
      cl::init(1), cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> stats{
      "stats",
      cl::desc("Also print messages, waiting time, bytes per memory class, and "
               "the time of each phase of the compiler"),
      cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print everything as JSON instead"),
                     cl::cat(category)};
  cl::opt<Target> target{
      "target", cl::desc("What ranks run on:"), cl::init(Target::CPU),
      cl::values(clEnumValN(Target::CPU, "cpu", "CPUs (default)"),
                 clEnumValN(Target::CUDA, "cuda",
                            "GPUs: threads of this process, or the processes "
                            "that torchrun or mpirun started"),
                 clEnumValN(Target::Emulated, "emulated",
                            "GPUs, whose streams and kernels CPUs emulate")),
      cl::cat(category)};
  cl::opt<EmulatedKernels> kernels{
      "kernels", cl::desc("Kernels of emulated GPUs:"),
      cl::init(EmulatedKernels::CPU),
      cl::values(
          clEnumValN(EmulatedKernels::CPU, "cpu",
                     "the same computation, compiled for CPUs (default)"),
          clEnumValN(EmulatedKernels::SIMT, "simt",
                     "device code, whose threads take turns: slow")),
      cl::cat(category)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("GPU that device code is for: sm_80, sm_89, sm_90a (default) or "
               "sm_100"),
      cl::value_desc("chip"), cl::init("sm_90a"), cl::cat(category)};
  cl::opt<Local> local{
      "local", cl::desc("Compute inside a rank:"), cl::init(Local::Codegen),
      cl::values(
          clEnumValN(Local::Codegen, "codegen",
                     "generated, vectorized (default)"),
          clEnumValN(Local::Blas, "blas", "calls of a BLAS library"),
          clEnumValN(Local::Loops, "loops", "plain loops, compiles fast"),
          clEnumValN(Local::Library, "library",
                     "of GPUs: contractions are calls of cuBLASLt")),
      cl::cat(category)};
  cl::opt<unsigned> optLevel{
      "O", cl::desc("LLVM's optimization level, 0 to 3 (default: 3)"),
      cl::init(3), cl::Prefix, cl::cat(category)};
  cl::opt<int64_t> chunks{
      "chunks", cl::desc("Pieces that each hop is cut into (default: 1)"),
      cl::init(1), cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> noPromote{
      "no-promote",
      cl::desc("Accumulate f16 and bf16 in themselves, not in f32"),
      cl::cat(category)};
  cl::opt<Stage> emit{
      "emit", cl::desc("Print the module at the end of a stage and exit:"),
      cl::values(clEnumValN(Stage::Scheduled, "stage1", "scheduled operators"),
                 clEnumValN(Stage::Distributed, "stage2",
                            "distributed loop nest, global shapes"),
                 clEnumValN(Stage::SPMD, "stage3", "one rank, local shapes"),
                 clEnumValN(Stage::Gpu, "gpu",
                            "of GPUs: kernels, launches and events"),
                 clEnumValN(Stage::LLVM, "llvm", "the llvm dialect")),
      cl::cat(category)};
  cl::opt<std::string> saveObject{
      "save-object",
      cl::desc("Write the program as an object file and exit: f, f_packed and "
               "f_requirements of mercury_runtime.h"),
      cl::value_desc("file.o"), cl::cat(category)};
  cl::opt<std::string> savePackage{
      "save-package",
      cl::desc(
          "Write the program as an object file, with its arguments and the "
          "reference where --verify asks for them, to a folder, for "
          "mercury-check on another machine, and exit"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> predict{
      "predict",
      cl::desc("Print the time that a simulation of the program on devices "
               "gives, with the topology's figures, and exit"),
      cl::cat(category)};
  cl::opt<std::string> timeline{
      "timeline",
      cl::desc("With --predict: write what every stream does when, as JSON "
               "that Perfetto shows"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> emulate{
      "emulate",
      cl::desc("Run the program for devices on the clock of this machine (as "
               "--topology): links take the time that its figures say, kernels "
               "wait for as long as they are predicted to take"),
      cl::value_desc("levels|@symbol"), cl::cat(category)};
  cl::opt<RanksAs> ranksAs{
      "ranks-as", cl::desc("What ranks are:"), cl::init(RanksAs::Threads),
      cl::values(clEnumValN(RanksAs::Threads, "threads",
                            "threads of this process (default)"),
                 clEnumValN(RanksAs::MPI, "mpi",
                            "processes: those of the mpirun that started this, "
                            "or of one that this starts")),
      cl::cat(category)};
  cl::opt<std::string> mpi{
      "mpi",
      cl::desc(
          "Implementation of MPI (default: that of the mpirun that started "
          "this, else the first there is)"),
      cl::value_desc("mpich|openmpi"), cl::cat(category)};
  cl::opt<bool> strict{
      "strict",
      cl::desc("One communication call of a rank at a time, in issue order: "
               "what would hang on GPUs is reported"),
      cl::cat(category)};
  cl::opt<bool> eager{
      "eager", cl::desc("Sends are buffered, not held until they are received"),
      cl::cat(category)};
  cl::opt<bool> emulateLinks{
      "emulate-links",
      cl::desc("Links take the time that the topology's figures say"),
      cl::cat(category)};
  cl::opt<double> linkBandwidth{
      "link-bandwidth",
      cl::desc("Emulate links of this bandwidth, whatever the topology says"),
      cl::value_desc("bytes/s"), cl::init(-1), cl::cat(category)};
  cl::opt<double> linkLatency{
      "link-latency",
      cl::desc("Emulate links of this latency, whatever the topology says"),
      cl::value_desc("seconds"), cl::init(-1), cl::cat(category)};
  cl::opt<double> timeScale{
      "time-scale",
      cl::desc("Factor on emulated time (default: 1; of --emulate: so that the "
               "program takes a second)"),
      cl::value_desc("factor"), cl::init(1), cl::cat(category)};
  cl::opt<double> watchdog{
      "watchdog",
      cl::desc("Give up after so long without progress and say who waits for "
               "whom, 0: never (default: 30)"),
      cl::value_desc("seconds"), cl::init(30), cl::cat(category)};
  cl::opt<int64_t> memoryLimit{
      "memory-limit",
      cl::desc("Bytes that a rank may hold at once (default: no limit)"),
      cl::value_desc("bytes"), cl::init(0), cl::cat(category)};
  cl::opt<bool> enforceMemory{
      "enforce-memory",
      cl::desc(
          "A rank may hold no more at once than the topology's device lets "
          "a program reserve"),
      cl::cat(category)};
  cl::opt<double> jitter{
      "jitter",
      cl::desc("Streams wait at random, up to so long, before a kernel or a "
               "communication call (default: 0)"),
      cl::value_desc("seconds"), cl::init(0), cl::cat(category)};
  cl::list<std::string> libraries{
      "load", cl::desc("Shared library with kernels that the program calls"),
      cl::value_desc("library"), cl::cat(category)};
};
} // namespace

/// Parses `N=path` of the option `name`.
static llvm::Error parseFiles(llvm::StringRef name,
                              const cl::list<std::string> &values,
                              std::map<unsigned, std::string> &files) {
  for (llvm::StringRef value : values) {
    auto [number, path] = value.split('=');
    unsigned index;
    if (number.getAsInteger(10, index) || path.empty())
      return badInput("--" + name + " expects N=file.npy, but got '" + value +
                      "'");
    if (!files.try_emplace(index, path.str()).second)
      return badInput("--" + name + " names " + llvm::Twine(index) + " twice");
  }
  return llvm::Error::success();
}

/// Options that only some targets have.
static llvm::Error checkTarget(const Options &options) {
  bool emulated = options.target == Target::Emulated;
  bool simt = emulated && options.kernels == EmulatedKernels::SIMT;
  bool cuda = options.target == Target::CUDA;
  if (options.kernels.getNumOccurrences() && !emulated)
    return badInput("--kernels needs --target=emulated");
  if (options.chip.getNumOccurrences() && !simt && !cuda)
    return badInput("--chip needs --target=cuda, or --target=emulated "
                    "--kernels=simt");
  if (options.local.getNumOccurrences() && simt)
    return badInput("--local is of kernels for CPUs, not of --kernels=simt");
  if ((options.local == Local::Library) != cuda &&
      options.local != Local::Codegen)
    return badInput(cuda ? "--target=cuda has --local=codegen and library"
                         : "--local=library needs --target=cuda");
  if (options.emit.getNumOccurrences() && options.emit == Stage::Gpu &&
      options.target == Target::CPU)
    return badInput("--emit=gpu needs --target=cuda or emulated");
  if (options.savePackage.getNumOccurrences() && !cuda)
    return badInput("--save-package needs --target=cuda");
  if (!cuda)
    return llvm::Error::success();
  if (options.ranksAs == RanksAs::MPI)
    return badInput(
        "--ranks-as=mpi is of ranks on CPUs; with --target=cuda the "
        "processes are those that torchrun or mpirun started");
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &options.strict, &options.eager, &options.emulateLinks,
           &options.linkBandwidth, &options.linkLatency, &options.jitter})
    if (option->getNumOccurrences())
      return badInput("--" + option->ArgStr +
                      " is of ranks on CPUs, not of --target=cuda");
  return llvm::Error::success();
}

/// What does not go with --emulate.
static llvm::Error checkEmulation(const Options &options) {
  if (!options.emulate.getNumOccurrences())
    return llvm::Error::success();
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &options.topology, &options.target, &options.kernels, &options.chip,
           &options.local, &options.verify, std::addressof(options.results),
           &options.eager, &options.emulateLinks, &options.linkBandwidth,
           &options.linkLatency, &options.jitter, &options.ranksAs,
           &options.emit, &options.saveObject, &options.savePackage,
           &options.predict})
    if (option->getNumOccurrences())
      return badInput("--" + option->ArgStr +
                      " does not go with --emulate, where kernels compute "
                      "nothing");
  if (options.timeScale.getNumOccurrences() && options.timeScale == 0)
    return badInput("--time-scale must be positive with --emulate");
  return llvm::Error::success();
}

/// Numbers that LLVM's parser takes and that make no sense.
static llvm::Error checkNumbers(const Options &options) {
  for (const cl::opt<int64_t> *option : {&options.repeat, &options.chunks})
    if (*option < 1)
      return badInput("--" + option->ArgStr + " must be positive, got " +
                      llvm::Twine(option->getValue()));
  if (options.optLevel > 3)
    return badInput("-O must be 0, 1, 2 or 3, got " +
                    llvm::Twine(options.optLevel.getValue()));
  if (options.memoryLimit < 0)
    return badInput("--memory-limit must not be negative, got " +
                    llvm::Twine(options.memoryLimit.getValue()));
  if (options.enforceMemory && options.memoryLimit.getNumOccurrences())
    return badInput("--enforce-memory takes the limit from the topology, "
                    "--memory-limit gives another one");
  for (const cl::opt<double> *option :
       {&options.linkBandwidth, &options.linkLatency, &options.timeScale,
        &options.watchdog, &options.jitter}) {
    double value = *option;
    if (option->getNumOccurrences() && !(value >= 0 && std::isfinite(value)))
      return badInput("--" + option->ArgStr +
                      " must be a finite number that is not negative, got " +
                      llvm::formatv("{0}", value).str());
  }
  return llvm::Error::success();
}

llvm::Expected<CommandLine> parseCommandLine(int argc, char **argv) {
  // LLVM's own --stats is about its passes; two of a name are a fatal error.
  if (cl::Option *theirs = cl::getRegisteredOptions().lookup("stats"))
    theirs->removeArgument();
  static Options options;
  cl::HideUnrelatedOptions(options.category);
  // With a stream for errors, a mistake is returned instead of ending the
  // process with another exit code.
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return badInput("");
  CommandLine line;
  line.file = options.file;
  line.listSchedules = options.listSchedules;
  if (line.file.empty() && !line.listSchedules)
    return badInput("no input file; --help explains");
  CompileOptions &compile = line.compile;
  compile.entry = options.entry;
  compile.topology = options.topology;
  compile.schedule = options.schedule;
  compile.balance = options.balance;
  static constexpr llvm::StringLiteral locals[] = {"codegen", "blas", "loops",
                                                   "library"};
  compile.local = locals[static_cast<int>(options.local.getValue())];
  compile.target = options.target;
  compile.kernels = options.kernels;
  compile.chip = options.chip;
  compile.chunks = options.chunks;
  compile.promote = !options.noPromote;
  compile.optLevel = options.optLevel;
  LaunchOptions &launch = line.launch;
  launch.repeat = options.repeat;
  launch.strict = options.strict;
  launch.eager = options.eager;
  launch.emulateLinks = options.emulateLinks;
  launch.linkBandwidth = options.linkBandwidth;
  launch.linkLatency = options.linkLatency;
  launch.timeScale = options.timeScale;
  launch.watchdogSeconds = options.watchdog;
  launch.memoryLimit = options.memoryLimit;
  launch.jitterSeconds = options.jitter;
  launch.poison = options.verify;
  if (llvm::Error error = checkNumbers(options))
    return std::move(error);
  if (llvm::Error error = checkTarget(options))
    return std::move(error);
  if (llvm::Error error = checkEmulation(options))
    return std::move(error);
  if (options.emulate.getNumOccurrences()) {
    line.emulate = true;
    compile.topology = options.emulate;
    compile.target = Target::Emulated;
    // No kernel runs.
    compile.local = "loops";
    compile.optLevel = 0;
    // 0: chosen later.
    launch.timeScale =
        options.timeScale.getNumOccurrences() ? options.timeScale : 0;
    launch.poison = false;
  }
  line.ranksAreProcesses = options.ranksAs == RanksAs::MPI;
  line.mpi = options.mpi;
  line.enforceMemory = options.enforceMemory;
  if (line.ranksAreProcesses && launch.jitterSeconds > 0)
    return badInput("streams have jitter between threads, not with "
                    "--ranks-as=mpi");
  if (line.ranksAreProcesses &&
      (launch.emulateLinks || launch.linkBandwidth >= 0 ||
       launch.linkLatency >= 0))
    return badInput("links are emulated between threads, not with "
                    "--ranks-as=mpi");
  if (!line.ranksAreProcesses && !line.mpi.empty())
    return badInput("--mpi=" + line.mpi + " needs --ranks-as=mpi");
  line.objectFile = options.saveObject;
  line.packageFolder = options.savePackage;
  line.predict = options.predict;
  line.timelineFile = options.timeline;
  if (!line.timelineFile.empty() && !line.predict)
    return badInput("--timeline needs --predict");
  line.verify = options.verify;
  line.json = options.json;
  line.stats = options.stats;
  line.seed = options.seed;
  line.libraries = options.libraries;
  if (options.emit.getNumOccurrences())
    line.emit = options.emit;
  if (llvm::Error error =
          parseFiles("arg", options.arguments, line.argumentFiles))
    return std::move(error);
  if (llvm::Error error = parseFiles("save", options.results, line.resultFiles))
    return std::move(error);
  return line;
}

} // namespace mercury::run
