//===- mercury-check.cpp - Checks packages on CUDA devices ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Runtime/mercury_cuda.h"
#include "NcclCheck.h"
#include "PackageFile.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace mercury::check;

static constexpr const char *kUsage =
    R"(usage: mercury-check [--repeat=N] [--nccl] PACKAGE[=BASELINE]...

Runs packages (mercury-run --save-package) on the CUDA devices of this machine,
compares each with the reference that it holds, and prints a table: ranks, error
(the largest relative Frobenius norm of a result), time (median of N rounds, by
events of the device, one program call a round after one that is not counted),
rate, and how fast it is in parts of BASELINE, another package. Arguments without
a file are random.

With --nccl, one rank on one device first sends and reduces through NCCL.

Exit codes: 0 all verified, 1 wrong result, 2 bad input, 3 runtime failure,
77 there is no device
)";

enum { Verified = 0, WrongResult = 1, BadInput = 2, RuntimeFailure = 3 };

namespace {

/// One package, opened.
struct Program {
  PackageFile file;
  int (*packed)(mercury_context *, void **) = nullptr;
};

/// What the ranks of one launch find out together.
struct Run {
  const Program &program;
  int repeat;
  std::mutex mutex;
  std::vector<double> seconds; ///< per round, of the slowest rank
  /// Per result, over all ranks.
  std::vector<double> errorSquares, referenceSquares;
  bool hasReference = false;
  std::string device;

  explicit Run(const Program &program, int repeat)
      : program(program), repeat(repeat), seconds(repeat),
        errorSquares(program.file.results.size()),
        referenceSquares(program.file.results.size()) {}

  int onRank(mercury_context *ctx);
  double error() const;
  bool isRight() const;
  double medianSeconds() const;

private:
  int compare(mercury_context *ctx, size_t index, const void *device);
};
} // namespace

static std::optional<Program> open(const std::string &folder,
                                   std::string &error) {
  std::optional<PackageFile> file = readPackage(folder, error);
  if (!file)
    return std::nullopt;
  std::string path = folder + "/program.so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string symbol = file->function + "_packed";
  void *function = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (!function) {
    error = dlerror();
    return std::nullopt;
  }
  Program program;
  program.file = std::move(*file);
  program.packed =
      reinterpret_cast<int (*)(mercury_context *, void **)>(function);
  return program;
}

/// Adds the shard of this rank to the sums.
int Run::compare(mercury_context *ctx, size_t index, const void *device) {
  const Value &value = program.file.results[index];
  auto expected = readFile(program.file.resultPath(mercury_rank(ctx), index));
  if (!expected)
    return 0;
  std::vector<char> result(value.bytes);
  if (int status =
          mercury_cuda_to_host(ctx, result.data(), device, result.size()))
    return status;
  if (expected->size() != size_t(value.count()) * sizeof(double)) {
    mercury_check(ctx, ncclInvalidArgument,
                  "a file of a result has another size than the result");
    return ncclInvalidArgument;
  }
  double errors = 0, references = 0;
  for (int64_t i = 0; i < value.count(); ++i) {
    double reference = elementAt(Element::F64, expected->data(), i);
    if (std::isnan(reference)) // padding
      continue;
    double difference = elementAt(value.element, result.data(), i) - reference;
    errors += difference * difference;
    references += reference * reference;
  }
  std::lock_guard<std::mutex> lock(mutex);
  hasReference = true;
  errorSquares[index] += errors;
  referenceSquares[index] += references;
  return 0;
}

int Run::onRank(mercury_context *ctx) {
  const PackageFile &file = program.file;
  int64_t rank = mercury_rank(ctx);
  if (rank == 0) {
    char text[256];
    mercury_cuda_device_text(ctx, text, sizeof(text));
    device = text;
  }
  std::vector<void *> buffers;
  std::vector<std::vector<char>> contents;
  int32_t owner = 0;
  for (size_t i = 0; i < file.arguments.size(); ++i) {
    auto content = readFile(file.argumentPath(rank, i));
    if (!content)
      content = randomElements(file.arguments[i].element,
                               file.arguments[i].count(), 100 * rank + i);
    if (content->size() != size_t(file.arguments[i].bytes)) {
      mercury_check(ctx, ncclInvalidArgument,
                    "a file of an argument has another size than the argument");
      return ncclInvalidArgument;
    }
    contents.push_back(std::move(*content));
    if (file.arguments[i].isNumber) {
      buffers.push_back(contents.back().data());
      continue;
    }
    buffers.push_back(mercury_alloc(ctx, file.arguments[i].bytes,
                                    MERCURY_OWN_SHARD, owner++));
    if (!buffers.back())
      return mercury_status(ctx);
    if (int status =
            mercury_cuda_to_device(ctx, buffers.back(), contents.back().data(),
                                   contents.back().size()))
      return status;
  }
  for (const Value &result : file.results) {
    buffers.push_back(
        mercury_alloc(ctx, result.bytes, MERCURY_OWN_SHARD, owner++));
    if (!buffers.back())
      return mercury_status(ctx);
    // NaN where nothing is written.
    if (int status = mercury_cuda_fill(ctx, buffers.back(), 0xff, result.bytes))
      return status;
  }
  mercury_cuda_barrier(ctx);
  int status = program.packed(ctx, buffers.data());
  if (!status)
    status = mercury_synchronize(ctx);
  for (size_t i = 0; !status && i < file.results.size(); ++i)
    status = compare(ctx, i, buffers[file.arguments.size() + i]);
  for (int round = 0; !status && round < repeat; ++round) {
    mercury_cuda_barrier(ctx);
    mercury_cuda_timer_start(ctx);
    status = program.packed(ctx, buffers.data());
    double took = mercury_cuda_timer_stop(ctx);
    if (!status)
      status = mercury_status(ctx);
    std::lock_guard<std::mutex> lock(mutex);
    seconds[round] = std::max(seconds[round], took);
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (i >= file.arguments.size() || !file.arguments[i].isNumber)
      mercury_free(ctx, buffers[i]);
  return status;
}

double Run::error() const {
  double largest = 0;
  for (size_t i = 0; i < errorSquares.size(); ++i) {
    double norm = std::sqrt(referenceSquares[i]);
    double error = std::sqrt(errorSquares[i]) / (norm > 0 ? norm : 1);
    if (std::isnan(error))
      return error;
    largest = std::max(largest, error);
  }
  return largest;
}

bool Run::isRight() const {
  for (size_t i = 0; i < errorSquares.size(); ++i) {
    double norm = std::sqrt(referenceSquares[i]);
    double error = std::sqrt(errorSquares[i]) / (norm > 0 ? norm : 1);
    if (!(error <= program.file.results[i].bound))
      return false;
  }
  return true;
}

double Run::medianSeconds() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

static int launch(Run &run, std::string &error) {
  const PackageFile &file = run.program.file;
  std::vector<mercury_host_level> levels;
  for (const Level &level : file.levels)
    levels.push_back({level.name.c_str(), level.size, 0, 0});
  std::vector<mercury_host_communicator> communicators;
  for (const std::vector<int32_t> &set : file.communicators)
    communicators.push_back({set.data(), static_cast<int32_t>(set.size())});
  mercury_cuda_config config;
  mercury_cuda_config_init(&config);
  config.levels = levels.data();
  config.num_levels = static_cast<int32_t>(levels.size());
  config.communicators = communicators.data();
  config.num_communicators = static_cast<int32_t>(communicators.size());
  char text[4096] = "";
  int status = mercury_cuda_run(
      &config,
      [](mercury_context *ctx, void *user) {
        return static_cast<Run *>(user)->onRank(ctx);
      },
      &run, text, sizeof(text));
  error = text;
  return status;
}

static std::string nameOf(const std::string &folder) {
  size_t end = folder.find_last_not_of('/');
  size_t slash = folder.rfind('/', end);
  size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return folder.substr(begin, end + 1 - begin);
}

/// Checks one package and prints its row. Returns an exit code.
static int check(const std::string &folder, const std::string &baseline,
                 int repeat, bool &printedDevice) {
  std::string error;
  auto fail = [&](const std::string &what, int code) {
    std::printf("%-36s %s\n", nameOf(what).c_str(), error.c_str());
    std::fflush(stdout);
    return code;
  };
  std::optional<Program> program = open(folder, error);
  if (!program)
    return fail(folder, BadInput);
  Run run(*program, repeat);
  if (int status = launch(run, error))
    return fail(folder, status == MERCURY_CUDA_UNAVAILABLE
                            ? MERCURY_CUDA_UNAVAILABLE
                            : RuntimeFailure);
  if (!printedDevice) {
    std::printf("%s\n\n%-36s %5s %9s %12s %10s %9s  %s\n", run.device.c_str(),
                "package", "ranks", "error", "time us", "GFLOP/s", "baseline",
                "result");
    printedDevice = true;
  }
  std::string ratio = "-";
  if (!baseline.empty()) {
    std::optional<Program> other = open(baseline, error);
    Run otherRun(other ? *other : *program, repeat);
    if (!other || launch(otherRun, error)) {
      ratio = "skipped";
    } else {
      char text[32];
      std::snprintf(text, sizeof(text), "%.3f",
                    otherRun.medianSeconds() / run.medianSeconds());
      ratio = text;
    }
  }
  double seconds = run.medianSeconds();
  double flops = 2.0 * program->file.multiplyAdds * program->file.numRanks();
  bool isRight = !run.hasReference || run.isRight();
  std::printf(
      "%-36s %5lld %9.2g %12.1f %10.1f %9s  %s\n", nameOf(folder).c_str(),
      static_cast<long long>(program->file.numRanks()), run.error(),
      seconds * 1e6, seconds > 0 ? flops / seconds * 1e-9 : 0, ratio.c_str(),
      !run.hasReference ? "no reference"
      : isRight         ? "verified"
                        : "WRONG");
  if (ratio == "skipped")
    std::printf("  baseline: %s\n", error.c_str());
  std::fflush(stdout);
  return isRight ? Verified : WrongResult;
}

int main(int argc, char **argv) {
  int repeat = 5;
  bool nccl = false;
  std::vector<std::string> packages;
  for (int i = 1; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--repeat=", 9))
      repeat = std::max(1, std::atoi(argv[i] + 9));
    else if (!std::strcmp(argv[i], "--nccl"))
      nccl = true;
    else if (argv[i][0] == '-') {
      std::fputs(kUsage, std::strcmp(argv[i], "--help") ? stderr : stdout);
      return std::strcmp(argv[i], "--help") ? BadInput : 0;
    } else
      packages.push_back(argv[i]);
  }
  if (packages.empty()) {
    std::fputs(kUsage, stderr);
    return BadInput;
  }
  char text[1024] = "";
  int32_t devices = 0;
  if (int status = mercury_cuda_devices(&devices, text, sizeof(text))) {
    std::fprintf(stderr, "mercury-check: %s\n", text);
    return status == MERCURY_CUDA_UNAVAILABLE ? status : RuntimeFailure;
  }
  int worst = 0;
  if (nccl) {
    std::string error;
    int status = checkNccl(error);
    bool isAbsent = status == MERCURY_CUDA_UNAVAILABLE;
    std::printf("NCCL with one rank: %s%s%s\n",
                !status    ? "verified"
                : isAbsent ? "skipped"
                           : "FAILED",
                error.empty() ? "" : ": ", error.c_str());
    worst = status && !isAbsent ? RuntimeFailure : 0;
  }
  bool printedDevice = false;
  for (const std::string &package : packages) {
    size_t equals = package.find('=');
    worst = std::max(worst, check(package.substr(0, equals),
                                  equals == std::string::npos
                                      ? std::string()
                                      : package.substr(equals + 1),
                                  repeat, printedDevice));
  }
  return worst;
}
