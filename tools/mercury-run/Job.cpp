//===- Job.cpp - This process as one of an MPI job ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "Compile.h"
#include "HostLibrary.h"
#include "Interrupt.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/TopologyOption.h"
#include "RunError.h"
#include "Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace mercury::run {

namespace {
/// An implementation of MPI; `mpirun` is empty when the build lacks it.
struct Implementation {
  llvm::StringLiteral name, mpirun;
  /// Set by its mpirun for each process.
  llvm::StringLiteral rankVariable;
  /// Which its mpirun hands on to ranks without ending them.
  int interrupt;
};
} // namespace

static constexpr Implementation implementations[] = {
    {"mpich", MERCURY_MPIRUN_MPICH, "PMI_RANK", SIGTERM},
    {"openmpi", MERCURY_MPIRUN_OPENMPI, "OMPI_COMM_WORLD_RANK", SIGUSR1}};

/// The implementation whose mpirun started this process, NULL when none has.
static const Implementation *startedBy() {
  // Others may set PMI_RANK, too.
  for (const Implementation &one : llvm::reverse(implementations))
    if (std::getenv(one.rankVariable.data()))
      return &one;
  return nullptr;
}

bool isPartOfJob() { return startedBy() != nullptr; }

llvm::Expected<std::string> chooseMPI(llvm::StringRef wanted) {
  const Implementation *job = startedBy();
  if (wanted.empty() && job)
    wanted = job->name;
  std::string available;
  for (const Implementation &one : implementations) {
    if (one.mpirun.empty())
      continue;
    available += (available.empty() ? "" : ", ") + one.name.str();
    if (!wanted.empty() && wanted != one.name)
      continue;
    if (job && job != &one)
      return badInput("--mpi=" + wanted +
                      ", but this process was started by the mpirun of " +
                      job->name);
    return one.name.str();
  }
  if (available.empty())
    return badInput("--ranks-as=mpi: no MPI was found when this was built");
  return badInput("--mpi=" + wanted + ": this was built with " + available);
}

static std::string programPath() {
  return llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&isPartOfJob));
}

/// "mercury-run: error: "
static std::string errorPrefix() {
  return llvm::sys::path::filename(programPath()).str() + ": error: ";
}

/// Starts a child. It ends, by `signal`, when this process does.
static llvm::Expected<pid_t> startChild(int signal) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0)
    return runtimeFailure(llvm::Twine("cannot start a process: ") +
                          std::strerror(errno));
  if (child > 0)
    return child;
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent)
    _exit(static_cast<int>(Outcome::RuntimeFailure));
#endif
  (void)signal, (void)parent;
  return 0;
}

llvm::Expected<int64_t> countRanks(mlir::ModuleOp module,
                                   const CompileOptions &options) {
  llvm::StringRef text = options.topology;
  commir::TopologyOp topology;
  if (text.consume_front("@")) {
    topology = module.lookupSymbol<commir::TopologyOp>(text);
  } else if (!text.empty()) {
    std::string error;
    auto model = commir::readTopology(text, module.getContext(), error);
    if (!model)
      return badInput(error);
    return model->numRanks();
  } else {
    auto entry = findEntry(module, options.entry);
    if (!entry)
      return entry.takeError();
    topology = commir::lookupTopology(*entry);
  }
  if (!topology)
    return badInput("no topology tells how many processes to start: give one "
                    "with --topology=gpu=4");
  return topology.getModel().numRanks();
}

static int waitForChild(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

llvm::Expected<int> launchJob(llvm::StringRef implementation, int64_t numRanks,
                              llvm::ArrayRef<std::string> arguments) {
  const Implementation *mpi = llvm::find_if(
      implementations, [&](auto &one) { return one.name == implementation; });
  std::vector<std::string> words = {mpi->mpirun.str()};
  // More ranks than cores are allowed, and mpirun speaks up only where we do
  // not.
  if (implementation == "openmpi") {
    llvm::append_values(words, "--oversubscribe", "--quiet", "--bind-to",
                        "none");
    if (geteuid() == 0)
      words.push_back("--allow-run-as-root");
  }
  llvm::append_values(words, "-n", std::to_string(numRanks), programPath());
  llvm::append_range(words, arguments);
  words.push_back("--mpi=" + implementation.str());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);

  llvm::Expected<pid_t> child = startChild(SIGTERM);
  if (!child)
    return child.takeError();
  if (*child == 0) {
    // A terminal interrupts this process alone.
    if (catchesInterrupts())
      setpgid(0, 0);
    execvp(pointers[0], pointers.data());
    llvm::errs() << errorPrefix() << "cannot start '" << words[0]
                 << "': " << std::strerror(errno) << '\n';
    _exit(static_cast<int>(Outcome::BadInput));
  }
  passInterrupts(*child, mpi->interrupt);
  int status = waitForChild(*child);
  // An mpirun may end ranks that are asked to end before they do.
  if (isInterrupted())
    return static_cast<int>(Outcome::Interrupted);
  if (WIFEXITED(status) &&
      WEXITSTATUS(status) <= static_cast<int>(Outcome::RuntimeFailure))
    return WEXITSTATUS(status);
  return runtimeFailure(
      "'" + words[0] + "' was ended by " +
      (WIFEXITED(status) ? "a process of the job, with exit code " +
                               llvm::Twine(WEXITSTATUS(status)).str()
                         : "signal " + llvm::Twine(WTERMSIG(status)).str()));
}

/// Set by the rank for its supervisor: it has ended together with the others.
static volatile bool *hasFinished = nullptr;

llvm::Error superviseRank() {
  void *shared = mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return runtimeFailure(llvm::Twine("cannot share memory: ") +
                          std::strerror(errno));
  hasFinished = static_cast<volatile bool *>(shared);
  llvm::Expected<pid_t> child = startChild(SIGKILL);
  if (!child)
    return child.takeError();
  if (*child == 0)
    return llvm::Error::success();
  passInterrupts(*child, SIGTERM);
  int status = waitForChild(*child);
  if (WIFEXITED(status) && *hasFinished)
    _exit(WEXITSTATUS(status));
  const char *rank = std::getenv(startedBy()->rankVariable.data());
  llvm::errs() << errorPrefix() << "rank " << rank << " (process " << *child
               << ") ";
  if (WIFSIGNALED(status))
    llvm::errs() << "was killed by signal " << WTERMSIG(status) << " ("
                 << strsignal(WTERMSIG(status)) << ")\n";
  else
    llvm::errs() << "has ended before the others, with exit code "
                 << WEXITSTATUS(status) << '\n';
  // MPICH's mpirun drops what it has not forwarded yet when it hears of the
  // end.
  usleep(500000);
  _exit(static_cast<int>(Outcome::RuntimeFailure));
}

llvm::Expected<int> processNumber() {
  int32_t process, processes;
  char problem[1024] = "";
  if (hostLibrary().processes(&process, &processes, problem, sizeof(problem)))
    return runtimeFailure(problem);
  return process;
}

llvm::Expected<int> joinJob(llvm::StringRef wanted) {
  llvm::Expected<std::string> mpi = chooseMPI(wanted);
  if (!mpi)
    return mpi.takeError();
  if (llvm::Error error = superviseRank())
    return std::move(error);
  if (llvm::Error error = bindMPI(*mpi))
    return std::move(error);
  return processNumber();
}

int finishJob(int code, std::string &text) {
  char reason[1024] = "";
  int agreed = hostLibrary().finish(code, text.c_str(), reason, sizeof(reason));
  if (code == 0)
    text = reason;
  if (hasFinished)
    *hasFinished = true;
  return agreed;
}

} // namespace mercury::run
