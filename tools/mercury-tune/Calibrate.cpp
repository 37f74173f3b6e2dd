//===- Calibrate.cpp - The figures of this machine ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small programs are compiled and run as any program is, so that the figures
// are those of what the tuner predicts.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "RankRunner.h"
#include "RunError.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <thread>
#include <unistd.h>

using namespace mercury;
using namespace mercury::tune;

namespace {
/// Four digits: more were never measured.
double rounded(double value) {
  if (value <= 0)
    return value;
  double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

/// Seconds of a program.
struct Timing {
  double median = 0;
  double spread = 0; ///< half of the middle half of the runs, relative
};

class Calibration {
public:
  Calibration(mlir::MLIRContext &context, const CalibrateOptions &options)
      : context(context), options(options),
        ranks(options.ranks > 0
                  ? options.ranks
                  : std::max(1u, std::thread::hardware_concurrency())) {}

  llvm::Expected<TopologyModel> run();

private:
  llvm::Expected<Timing> time(const std::string &text, int64_t numRanks);
  llvm::Expected<Timing> timeOperation(llvm::StringRef result,
                                       llvm::StringRef operation,
                                       int64_t elements);
  llvm::Error measureDevice(DeviceModel &device);
  llvm::Error measureMemory(DeviceModel &device);
  llvm::Error measureLinks(Level &level);

  mlir::MLIRContext &context;
  const CalibrateOptions &options;
  int64_t ranks;
};
} // namespace

llvm::Expected<Timing> Calibration::time(const std::string &text,
                                         int64_t numRanks) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return run::runtimeFailure("a program of the calibration does not parse");
  run::CompileOptions compile;
  compile.topology = "gpu=" + std::to_string(numRanks);
  compile.schedule = "replicated";
  llvm::Expected<run::CompiledProgram> program =
      run::compileProgram(*module, compile);
  if (!program)
    return program.takeError();
  run::LaunchOptions launch;
  launch.repeat = options.repeat + 1; // the first one warms up
  launch.poison = false;
  llvm::Expected<run::RunResult> result = run::runProgram(
      *program, run::makeArguments(program->globalArguments(), /*seed=*/1),
      launch);
  if (!result)
    return result.takeError();
  std::vector<double> seconds(result->seconds.begin() + 1,
                              result->seconds.end());
  std::sort(seconds.begin(), seconds.end());
  size_t count = seconds.size();
  Timing timing;
  timing.median = seconds[count / 2];
  timing.spread = std::min(
      (seconds[count - 1 - count / 4] - seconds[count / 4]) / 2 / timing.median,
      1.0);
  return timing;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static std::string matmulText(int64_t size) {
  std::string type = llvm::formatv("tensor<{0}x{0}xf32>", size);
  return llvm::formatv(R"(
func.func @f(%a: {0}, %b: {0}, %c: {0}) -> {0} {{
  %0 = linalg.matmul ins(%a, %b : {0}, {0}) outs(%c : {0}) -> {0}
  return %0 : {0}
})",
                       type);
}

static std::string attentionText(int64_t tokens, int64_t headDim) {
  std::string type = llvm::formatv("tensor<1x{0}x{1}xf32>", tokens, headDim);
  return llvm::formatv(R"(
func.func @f(%q: {0}, %k: {0}, %v: {0}) -> {0} {{
  %init = tensor.empty() : {0}
  %0 = commir.attention maps [
         affine_map<(h, m, n, d, e) -> (h, m, d)>,
         affine_map<(h, m, n, d, e) -> (h, n, d)>,
         affine_map<(h, m, n, d, e) -> (h, n, e)>,
         affine_map<(h, m, n, d, e) -> (h, m, e)>] scale 0.125
         ins(%q, %k, %v : {0}, {0}, {0}) outs(%init : {0}) -> {0}
  return %0 : {0}
})",
                       type);
}

llvm::Error Calibration::measureDevice(DeviceModel &device) {
  std::vector<std::pair<double, double>> gemm, attention;
  double spread = 0;
  auto add = [&](std::vector<std::pair<double, double>> &rates,
                 const std::string &text, double size,
                 double operations) -> llvm::Error {
    llvm::Expected<Timing> timing = time(text, 1);
    if (!timing)
      return timing.takeError();
    rates.emplace_back(size, operations / timing->median);
    spread = std::max(spread, timing->spread);
    return llvm::Error::success();
  };
  for (int64_t size : {64, 128, 256, 512, 1024}) {
    options.progress(llvm::formatv("contraction of {0} cubed", size).str());
    if (llvm::Error error =
            add(gemm, matmulText(size), size, 2.0 * size * size * size))
      return error;
  }
  constexpr int64_t headDim = 64;
  for (int64_t tokens : {256, 512, 1024, 2048}) {
    options.progress(llvm::formatv("attention of {0} tokens", tokens).str());
    if (llvm::Error error = add(attention, attentionText(tokens, headDim),
                                tokens, 4.0 * tokens * tokens * headDim))
      return error;
  }
  // The fastest rate seen stands for the peak.
  double peak = 0;
  for (auto *rates : {&gemm, &attention})
    for (auto [size, rate] : *rates)
      peak = std::max(peak, rate);
  peak = rounded(peak);
  device.peak["f32"] = peak;
  device.interval = rounded(spread);
  for (auto *rates : {&gemm, &attention}) {
    AchievedRate achieved;
    achieved.type = "f32";
    achieved.library = "mercury";
    achieved.interval = rounded(spread);
    if (rates == &attention) {
      achieved.work = AchievedRate::Work::Attention;
      achieved.headDim = headDim;
    }
    for (auto [size, rate] : *rates)
      achieved.fraction.points.emplace_back(size, rounded(rate / peak));
    device.achieved.push_back(std::move(achieved));
  }
  return llvm::Error::success();
}

llvm::Error Calibration::measureMemory(DeviceModel &device) {
  options.progress("memory");
  // Sums of vectors beyond the caches: two are read, one is written.
  constexpr int64_t elements = int64_t(1) << 25;
  std::string type = llvm::formatv("tensor<{0}xf32>", elements);
  std::string text = llvm::formatv(R"(
func.func @f(%a: {0}, %b: {0}) -> {0} {{
  %0 = linalg.add ins(%a, %b : {0}, {0}) outs(%a : {0}) -> {0}
  return %0 : {0}
})",
                                   type);
  llvm::Expected<Timing> timing = time(text, 1);
  if (!timing)
    return timing.takeError();
  device.memoryBandwidth = rounded(3 * 4 * elements / timing->median);
  device.memoryFraction = 1; // it is what kernels reach
  device.memory = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
                  sysconf(_SC_PAGE_SIZE) / ranks;
  // A program of one element.
  timing = time(matmulText(1), 1);
  if (!timing)
    return timing.takeError();
  device.launch = rounded(timing->median);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// Seconds of one operation `%r = operation : result`, out of programs with
/// more and less of it.
llvm::Expected<Timing> Calibration::timeOperation(llvm::StringRef result,
                                                  llvm::StringRef operation,
                                                  int64_t elements) {
  constexpr int few = 2, many = 18;
  Timing timings[2];
  for (bool isLong : {false, true}) {
    std::string body;
    for (int i = 0; i < (isLong ? many : few); ++i)
      body += llvm::formatv("  %{0} = {1}\n", i, operation);
    std::string text = llvm::formatv(
        R"(
commir.topology @t levels [#commir.level<gpu, {0}>]
func.func @f(%x: tensor<{1}xf32>, %parts: tensor<{0}x{1}xf32>,
             %init: tensor<{1}xf32>, %whole: tensor<{0}x{1}xf32>) -> {2} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ranks = arith.constant {0} : index
  %last = arith.constant {3} : index
  %me = commir.rank_coord {{gpu}
  %up = arith.addi %me, %one : index
  %next = arith.remui %up, %ranks : index
  %down = arith.addi %me, %last : index
  %previous = arith.remui %down, %ranks : index
{4}  return %{5} : {2}
})",
        ranks, elements, result, ranks - 1, body, (isLong ? many : few) - 1);
    llvm::Expected<Timing> timing = time(text, ranks);
    if (!timing)
      return timing.takeError();
    timings[isLong] = *timing;
  }
  Timing each;
  each.median =
      std::max(timings[1].median - timings[0].median, 1e-9) / (many - few);
  each.spread = std::max(timings[0].spread, timings[1].spread);
  return each;
}

llvm::Error Calibration::measureLinks(Level &level) {
  struct Operation {
    Primitive primitive;
    const char *text;
    bool isWhole; ///< its result is the whole tensor
    double factor;
  };
  double n = ranks, shared = (n - 1) / n;
  const Operation operations[] = {
      {Primitive::SendRecv,
       "commir.permute %x into %init to %next from %previous over {gpu} : "
       "tensor<{1}xf32> into tensor<{1}xf32> -> tensor<{1}xf32>",
       false, 1},
      {Primitive::AllGather,
       "commir.all_gather %x into %whole over {gpu} : tensor<{1}xf32> into "
       "tensor<{0}x{1}xf32> -> tensor<{0}x{1}xf32>",
       true, shared},
      {Primitive::ReduceScatter,
       "commir.reduce_scatter sum %parts into %init over {gpu} : "
       "tensor<{0}x{1}xf32> into tensor<{1}xf32> -> tensor<{1}xf32>",
       false, shared},
      {Primitive::AllReduce,
       "commir.all_reduce sum %whole over {gpu} : tensor<{0}x{1}xf32> -> "
       "tensor<{0}x{1}xf32>",
       true, 2 * shared},
      {Primitive::AllToAll,
       "commir.all_to_all %parts into %whole over {gpu} : tensor<{0}x{1}xf32> "
       "into tensor<{0}x{1}xf32> -> tensor<{0}x{1}xf32>",
       true, shared},
      {Primitive::Broadcast,
       "commir.broadcast %x into %init from %zero over {gpu} : "
       "tensor<{1}xf32> into tensor<{1}xf32> -> tensor<{1}xf32>",
       false, 1}};
  std::map<double, double> interval;
  for (const Operation &operation : operations) {
    Curve &curve = level.curves[operation.primitive];
    for (int64_t part : {256, 4096, 65536, 1 << 20}) {
      options.progress(llvm::formatv("{0} of {1} elements",
                                     stringify(operation.primitive), part)
                           .str());
      // Formatted by hand: the text has braces of its own.
      std::string text = operation.text;
      for (auto [place, value] :
           {std::pair("{0}", ranks), std::pair("{1}", part)})
        for (size_t at; (at = text.find(place)) != std::string::npos;)
          text.replace(at, 3, std::to_string(value));
      std::string result =
          operation.isWhole
              ? llvm::formatv("tensor<{0}x{1}xf32>", ranks, part).str()
              : llvm::formatv("tensor<{0}xf32>", part).str();
      llvm::Expected<Timing> timing = timeOperation(result, text, part);
      if (!timing)
        return timing.takeError();
      bool isOne = operation.primitive == Primitive::SendRecv ||
                   operation.primitive == Primitive::Broadcast;
      double bytes = 4.0 * part * (isOne ? 1 : ranks);
      curve.points.emplace_back(
          bytes, rounded(operation.factor * bytes / timing->median));
      double &worst = interval[bytes];
      worst = std::max(worst, timing->spread);
      if (operation.primitive == Primitive::SendRecv) {
        level.bandwidth = std::max(level.bandwidth, curve.points.back().second);
        if (part == 256)
          level.latency = rounded(timing->median);
      }
    }
  }
  for (auto [bytes, spread] : interval)
    level.interval.points.emplace_back(bytes, rounded(std::max(spread, 1e-3)));
  return llvm::Error::success();
}

llvm::Expected<TopologyModel> Calibration::run() {
  TopologyModel machine;
  if (llvm::Error error = measureDevice(machine.device))
    return std::move(error);
  if (llvm::Error error = measureMemory(machine.device))
    return std::move(error);
  Level &level = machine.levels.emplace_back();
  level.name = "gpu";
  level.size = ranks;
  if (ranks > 1)
    if (llvm::Error error = measureLinks(level))
      return std::move(error);
  return machine;
}

llvm::Expected<TopologyModel> tune::calibrate(mlir::MLIRContext &context,
                                              const CalibrateOptions &options) {
  return Calibration(context, options).run();
}
