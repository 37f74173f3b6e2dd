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
#include "Jit.h"
#include "Mercury/Schedule/GeneratedBlocks.h"
#include "Mercury/Tuning/LinkTimes.h"
#include "Probes.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace mercury;
using namespace mercury::tune;

/// Four digits: more were never measured.
static double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return std::strtod(text, nullptr);
}

namespace {
/// Figures that follow from the time of a probe.
struct Figures {
  size_t probe = 0;
  /// What is done: operations, bytes, or nothing.
  double amount = 0;
  double size = 0; ///< of the problem or message
};

class Calibration {
public:
  Calibration(mlir::MLIRContext &context, const CalibrateOptions &options,
              ProgressBar &bar)
      : options(options), bar(bar), probes(context, bar),
        ranks(options.ranks > 0
                  ? options.ranks
                  : std::max(1u, std::thread::hardware_concurrency())) {}

  llvm::Expected<TopologyModel> run();

private:
  /// Contractions by local code of a kind, whose kernel is called `library`,
  /// where they are as large as the blocks that it is asked to compute in.
  llvm::Error addGemm(llvm::StringRef local, std::string library,
                      const std::vector<int64_t> &blocks = {});
  llvm::Error addAttention();
  llvm::Error addDevice();
  llvm::Error addLinks();
  void setRates(DeviceModel &device) const;
  void setMemory(DeviceModel &device) const;
  void setLinks(Level &level) const;

  const CalibrateOptions &options;
  ProgressBar &bar;
  Probes probes;
  int64_t ranks;
  /// Cases of one achieved rate.
  struct Cases {
    AchievedRate rate;
    std::vector<Figures> figures;
  };
  std::vector<Cases> cases;
  Figures memory, launch;
  std::map<Primitive, std::vector<Figures>> links;
};
} // namespace

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// Of attention that is measured.
static constexpr int64_t kHeadDim = 64;

using Blocks = std::vector<int64_t>;

/// In these blocks; none: the generator's choice.
static std::string matmulText(int64_t size, const Blocks &blocks = {}) {
  std::string type = llvm::formatv("tensor<{0}x{0}xf32>", size), asked;
  if (!blocks.empty())
    asked = llvm::formatv("{{commir.tile = array<i64: {0:$[, ]}>} ",
                          llvm::make_range(blocks.begin(), blocks.end()));
  return llvm::formatv(R"(
func.func @f(%a: {0}, %b: {0}, %c: {0}) -> {0} {{
  %0 = linalg.matmul {1}ins(%a, %b : {0}, {0}) outs(%c : {0}) -> {0}
  return %0 : {0}
})",
                       type, asked);
}

/// Beside the generator's 96 x 1024 x 384: few rows, few columns, all deep, all
/// small. Rows are whole register blocks.
static const Blocks otherBlocks[] = {
    {48, 512, 256}, {192, 256, 256}, {96, 512, 512}, {96, 256, 192}};

static std::string attentionText(int64_t heads, int64_t tokens) {
  std::string type =
      llvm::formatv("tensor<{0}x{1}x{2}xf32>", heads, tokens, kHeadDim);
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

static std::string sumText(int64_t elements) {
  std::string type = llvm::formatv("tensor<{0}xf32>", elements);
  return llvm::formatv(R"(
func.func @f(%a: {0}, %b: {0}) -> {0} {{
  %0 = linalg.add ins(%a, %b : {0}, {0}) outs(%a : {0}) -> {0}
  return %0 : {0}
})",
                       type);
}

llvm::Error Calibration::addGemm(llvm::StringRef local, std::string library,
                                 const Blocks &blocks) {
  Cases &gemm = cases.emplace_back();
  gemm.rate.library = library;
  for (int64_t size : {64, 128, 256, 512, 1024}) {
    if (llvm::any_of(blocks, [&](int64_t block) { return block > size; }))
      continue;
    llvm::Expected<size_t> probe =
        probes.add(llvm::formatv("{0}, {1} cubed",
                                 blocks.empty() ? local.str() : library, size),
                   matmulText(size, blocks), local);
    if (!probe)
      return probe.takeError();
    gemm.figures.push_back({*probe, 2.0 * size * size * size, double(size)});
  }
  return llvm::Error::success();
}

llvm::Error Calibration::addAttention() {
  Cases &attention = cases.emplace_back();
  attention.rate.work = AchievedRate::Work::Attention;
  attention.rate.headDim = kHeadDim;
  for (int64_t tokens : {32, 64, 128, 256, 512, 1024, 2048}) {
    // Heads that are short are many.
    int64_t heads = std::max<int64_t>(512 * 512 / (tokens * tokens), 1);
    llvm::Expected<size_t> probe =
        probes.add(llvm::formatv("attention of {0} tokens", tokens),
                   attentionText(heads, tokens));
    if (!probe)
      return probe.takeError();
    attention.figures.push_back(
        {*probe, 4.0 * heads * tokens * tokens * kHeadDim, double(tokens)});
  }
  return llvm::Error::success();
}

llvm::Error Calibration::addDevice() {
  if (llvm::Error error = addGemm("codegen", ""))
    return error;
  for (const Blocks &blocks : otherBlocks)
    if (llvm::Error error = addGemm("codegen", generatedName(blocks), blocks))
      return error;
  // Where it was built.
  if (llvm::Error missing = run::loadSymbols("libmercury_blas.so"))
    llvm::consumeError(std::move(missing));
  else if (llvm::Error error = addGemm("blas", "blas"))
    return error;
  if (llvm::Error error = addAttention())
    return error;
  // Vectors beyond the caches: two are read, one is written.
  constexpr int64_t elements = int64_t(1) << 24;
  llvm::Expected<size_t> sum = probes.add("memory", sumText(elements));
  if (!sum)
    return sum.takeError();
  memory = {*sum, 3.0 * 4 * elements};
  // A program of one element.
  llvm::Expected<size_t> little = probes.add("launch", matmulText(1));
  if (!little)
    return little.takeError();
  launch.probe = *little;
  return llvm::Error::success();
}

void Calibration::setRates(DeviceModel &device) const {
  // The fastest rate seen stands for the peak.
  double peak = 0;
  for (const Cases &one : cases)
    for (const Figures &figures : one.figures)
      peak = std::max(peak, figures.amount / probes.of(figures.probe).value);
  peak = rounded(peak);
  device.peak["f32"] = peak;
  for (const Cases &one : cases) {
    AchievedRate achieved = one.rate;
    achieved.type = "f32";
    for (const Figures &figures : one.figures) {
      Median time = probes.of(figures.probe);
      double part = figures.amount / time.value / peak;
      achieved.fraction.points.emplace_back(figures.size,
                                            std::min(rounded(part), 1.0));
      achieved.interval = std::max(achieved.interval, rounded(time.interval()));
    }
    device.achieved.push_back(std::move(achieved));
  }
}

void Calibration::setMemory(DeviceModel &device) const {
  Median time = probes.of(memory.probe);
  device.memoryBandwidth = rounded(memory.amount / time.value);
  device.memoryFraction = 1; // it is what kernels reach
  device.memory = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
                  sysconf(_SC_PAGE_SIZE) / ranks;
  device.launch = rounded(probes.of(launch.probe).value);
  device.interval = rounded(std::max(time.interval(), 1e-3));
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

namespace {
struct LinkProbe {
  Primitive primitive;
  /// `%next = operation : types`, of ranks {0}, elements {1}, and the operand
  /// {2}. What it writes to holds nothing that would have to be copied.
  const char *text;
  /// Of the operand and the result: the tensor of all ranks, or a rank's part.
  bool takesWhole, givesWhole;
};
} // namespace

static constexpr LinkProbe linkProbes[] = {
    {Primitive::SendRecv,
     "commir.permute {2} into %part to %next from %previous over {{gpu} : "
     "tensor<{1}xf32> into tensor<{1}xf32> -> tensor<{1}xf32>",
     false, false},
    {Primitive::AllGather,
     "commir.all_gather {2} into %whole over {{gpu} : tensor<{1}xf32> into "
     "tensor<{0}x{1}xf32> -> tensor<{0}x{1}xf32>",
     false, true},
    {Primitive::ReduceScatter,
     "commir.reduce_scatter sum {2} into %part over {{gpu} : "
     "tensor<{0}x{1}xf32> into tensor<{1}xf32> -> tensor<{1}xf32>",
     true, false},
    {Primitive::AllReduce,
     "commir.all_reduce sum {2} over {{gpu} : tensor<{0}x{1}xf32> -> "
     "tensor<{0}x{1}xf32>",
     true, true},
    {Primitive::AllToAll,
     "commir.all_to_all {2} into %whole over {{gpu} : tensor<{0}x{1}xf32> "
     "into tensor<{0}x{1}xf32> -> tensor<{0}x{1}xf32>",
     true, true},
    {Primitive::Broadcast,
     "commir.broadcast {2} into %part from %zero over {{gpu} : "
     "tensor<{1}xf32> into tensor<{1}xf32> -> tensor<{1}xf32>",
     false, false}};

/// A program with the operation so often, one after the other.
static std::string linkText(const LinkProbe &probe, int64_t ranks,
                            int64_t elements, int count) {
  std::string part = llvm::formatv("tensor<{0}xf32>", elements),
              whole = llvm::formatv("tensor<{0}x{1}xf32>", ranks, elements),
              result = probe.givesWhole ? whole : part;
  std::string body;
  for (int i = 0; i < count; ++i) {
    // Where it can be, the operand is what came before.
    std::string operand = i > 0 && probe.takesWhole == probe.givesWhole
                              ? "%" + std::to_string(i - 1)
                          : probe.takesWhole ? "%b"
                                             : "%a";
    body += "  %" + std::to_string(i) + " = ";
    body += llvm::formatv(false, probe.text, ranks, elements, operand);
    body += "\n";
  }
  return llvm::formatv(R"(
commir.topology @t levels [#commir.level<gpu, {0}>]
func.func @f(%a: {1}, %b: {2}) -> {3} {{
  %part = tensor.empty() : {1}
  %whole = tensor.empty() : {2}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ranks = arith.constant {0} : index
  %last = arith.constant {4} : index
  %me = commir.rank_coord {{gpu}
  %up = arith.addi %me, %one : index
  %next = arith.remui %up, %ranks : index
  %down = arith.addi %me, %last : index
  %previous = arith.remui %down, %ranks : index
{5}  return %{6} : {3}
})",
                       ranks, part, whole, result, ranks - 1, body, count - 1);
}

llvm::Error Calibration::addLinks() {
  constexpr int few = 2, many = 10;
  for (const LinkProbe &probe : linkProbes)
    for (int64_t elements : {256, 4096, 65536, 1 << 20}) {
      llvm::Expected<size_t> number = probes.addDifference(
          llvm::formatv("{0} of {1} elements", stringify(probe.primitive),
                        elements),
          linkText(probe, ranks, elements, few),
          linkText(probe, ranks, elements, many), many - few, ranks);
      if (!number)
        return number.takeError();
      bool isWhole = probe.takesWhole || probe.givesWhole;
      double bytes = 4.0 * elements * (isWhole ? ranks : 1);
      links[probe.primitive].push_back(
          {*number, busFactor(probe.primitive, ranks) * bytes, bytes});
    }
  return llvm::Error::success();
}

void Calibration::setLinks(Level &level) const {
  std::map<double, double> interval;
  for (const auto &[primitive, cases] : links)
    for (const Figures &one : cases) {
      Median time = probes.of(one.probe);
      // Lost in noise: nothing is said of this size.
      if (time.value <= 0)
        continue;
      double bandwidth = rounded(one.amount / time.value);
      level.curves[primitive].points.emplace_back(one.size, bandwidth);
      double &worst = interval[one.size];
      worst = std::max({worst, std::min(time.interval(), 1.0), 1e-3});
      if (primitive != Primitive::SendRecv)
        continue;
      level.bandwidth = std::max(level.bandwidth, bandwidth);
      if (level.latency == 0)
        level.latency = rounded(time.value);
    }
  for (auto [bytes, worst] : interval)
    level.interval.points.emplace_back(bytes, rounded(worst));
}

llvm::Expected<TopologyModel> Calibration::run() {
  bar.begin(options.budget);
  if (llvm::Error error = addDevice())
    return std::move(error);
  if (ranks > 1)
    if (llvm::Error error = addLinks())
      return std::move(error);
  if (llvm::Error error = probes.measure(options.budget))
    return std::move(error);
  bar.clear();
  TopologyModel machine;
  setRates(machine.device);
  setMemory(machine.device);
  Level &level = machine.levels.emplace_back();
  level.name = "gpu";
  level.size = ranks;
  setLinks(level);
  return machine;
}

llvm::Expected<TopologyModel> tune::calibrate(mlir::MLIRContext &context,
                                              const CalibrateOptions &options,
                                              ProgressBar &bar) {
  return Calibration(context, options, bar).run();
}
