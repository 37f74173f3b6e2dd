//===- Calibration.cpp - Fits of kernels and collectives ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Calibration.h"
#include "Mercury/Tuning/CurveFit.h"
#include "Mercury/Tuning/LinkTimes.h"
#include "Mercury/Tuning/LocalTimes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

using namespace mercury;
using namespace mercury::predict;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// What curves of attention are told apart by.
struct Case {
  std::string library;
  int64_t headDim = 0;
  bool causal = false;
  auto operator<=>(const Case &) const = default;
};
using Points = std::vector<std::pair<double, double>>;
} // namespace

static std::map<Case, std::map<std::string, Points>>
pointsOf(const std::vector<Sample> &samples, const std::string &generation,
         const std::string &without) {
  std::map<Case, std::map<std::string, Points>> points;
  for (const Sample &s : samples)
    if (s.operation == "attention" && s.generation == generation &&
        s.source != without && s.operations == 0)
      points[{s.library, s.headDim, s.causal}][s.direction].emplace_back(
          s.size, s.fraction);
  return points;
}

/// Rates of both directions, one after the other, of 1 and 2.5 as much work.
static double together(double forward, double backward) {
  return 3.5 / (1 / forward + 2.5 / backward);
}
static double backwardOf(double both, double forward) {
  return 2.5 / std::max(3.5 / both - 1 / forward, 0.1 / both);
}

std::vector<AchievedRate>
mercury::predict::fitRates(const std::vector<Sample> &samples,
                           const std::string &generation,
                           const std::string &without) {
  std::vector<AchievedRate> rates;
  auto points = pointsOf(samples, generation, without);
  auto others = pointsOf(samples, "Hopper", without);
  for (auto &[c, directions] : points) {
    AchievedRate rate;
    rate.work = AchievedRate::Work::Attention;
    rate.type = "bf16";
    rate.library = c.library;
    rate.headDim = c.headDim;
    rate.causal = c.causal;
    rate.interval = 0.1;
    Points forward = directions["fwd"], backward = directions["bwd"],
           both = directions["fwd+bwd"];
    if (forward.empty() && !both.empty() && others.contains(c) &&
        !others[c]["fwd"].empty() && !others[c]["fwd+bwd"].empty()) {
      // Only the sum of both is known: divided as on Hopper.
      Curve known = fitCurve(others[c]["fwd"]),
            sum = fitCurve(others[c]["fwd+bwd"]);
      for (auto [size, value] : both)
        forward.emplace_back(size, value * known.at(size) / sum.at(size));
    }
    if (!forward.empty()) {
      rate.fraction = fitCurve(forward);
      for (auto [size, value] : both)
        backward.emplace_back(size, backwardOf(value, rate.fraction.at(size)));
      rates.push_back(rate);
    }
    if (!backward.empty()) {
      rate.backward = true;
      rate.fraction = fitCurve(backward);
      rates.push_back(rate);
    }
  }
  std::map<std::string, Points> gemms;
  for (const Sample &s : samples)
    if (s.operation == "gemm" && s.generation == generation &&
        s.source != without)
      gemms[s.library].emplace_back(s.size, s.fraction);
  for (auto &[library, list] : gemms) {
    AchievedRate rate;
    bool isFp8 = library.size() > 4 && library.ends_with(" fp8");
    rate.work = AchievedRate::Work::Gemm;
    rate.type = isFp8 ? "f8E4M3FN" : "bf16";
    rate.library = isFp8 ? library.substr(0, library.size() - 4) : library;
    rate.fraction = fitCurve(list);
    rate.interval = 0.1;
    rates.push_back(rate);
  }
  return rates;
}

/// Fraction of the peak that the fit without a source says of a kernel; 0 where
/// nothing else speaks of it.
static double predictKernel(const std::vector<Sample> &samples,
                            const Sample &of, const std::string &without) {
  if (of.operations > 0) {
    // So small that launching takes most of it: no shorter than the shortest,
    // no faster than the fastest.
    double floor = 0, fastest = 0;
    for (const Sample &s : samples)
      if (s.key() == of.key() && s.source != without && s.operations > 0) {
        double seconds = s.operations / (s.fraction * s.peak);
        floor = floor > 0 ? std::min(floor, seconds) : seconds;
        fastest = std::max(fastest, s.fraction);
      }
    if (floor == 0)
      return 0;
    double seconds = std::max(floor, of.operations / (fastest * of.peak));
    return of.operations / seconds / of.peak;
  }
  DeviceModel device;
  device.peak["bf16"] = device.peak["f8E4M3FN"] = 1;
  device.interval = 0.1;
  device.achieved = fitRates(samples, of.generation, without);
  std::string library = of.library;
  if (library.ends_with(" fp8"))
    library.resize(library.size() - 4);
  // Only a curve of the same case counts, in another direction's place none.
  auto has = [&](bool backward) {
    return std::any_of(device.achieved.begin(), device.achieved.end(),
                       [&](const AchievedRate &r) {
                         return r.library == library &&
                                r.headDim == of.headDim &&
                                r.backward == backward &&
                                (of.operation == "attention") ==
                                    (r.work == AchievedRate::Work::Attention);
                       });
  };
  LocalTimes times(device);
  auto fraction = [&](bool backward) {
    LocalWork work;
    work.kind = of.operation == "attention" ? LocalWork::Kind::Attention
                                            : LocalWork::Kind::Gemm;
    work.type = of.library.ends_with(" fp8") ? "f8E4M3FN" : "bf16";
    work.library = library;
    work.headDim = of.headDim;
    work.causal = of.causal;
    work.backward = backward;
    return times.rateOf(work).at(of.size);
  };
  if (!has(false) && of.direction != "bwd")
    return 0;
  if (!has(true) && of.direction != "fwd")
    return 0;
  if (of.direction == "fwd")
    return fraction(false);
  if (of.direction == "bwd")
    return fraction(true);
  return together(fraction(false), fraction(true));
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Bus bandwidth of a collective, with the curve that the samples of other
/// sources give for whole nodes in the place of the machine's own.
static double predictCollective(const std::vector<Sample> &samples,
                                const Sample &of, const std::string &without) {
  static const std::map<std::string, Primitive> primitives = {
      {"all_reduce", Primitive::AllReduce},
      {"all_gather", Primitive::AllGather},
      {"reduce_scatter", Primitive::ReduceScatter},
      {"alltoall", Primitive::AllToAll},
      {"sendrecv", Primitive::SendRecv},
      {"broadcast", Primitive::Broadcast}};
  Primitive primitive = primitives.at(of.operation);
  int64_t perNode = of.ranks / std::max<int64_t>(of.nodes, 1);
  std::string text = of.machine + ":", error;
  if (of.nodes > 1)
    text += "node=" + std::to_string(of.nodes) + ",";
  text += "gpu=" + std::to_string(perNode == 1 ? 1 : 8);
  std::optional<TopologyModel> topology = parseTopology(text, error);
  if (!topology)
    return 0;
  Level &level = topology->levels.back();
  level.curves.clear();
  Points points;
  for (const Sample &s : samples)
    if (s.operation == of.operation && s.generation == of.generation &&
        s.library == of.library && s.ranks == 8 && s.nodes == 1 && !s.ring &&
        s.source != without)
      points.emplace_back(s.size, s.bandwidth);
  if (of.ring)
    level.inSwitchReduction = false;
  else if (!points.empty() && perNode > 1)
    level.curves[primitive] = fitCurve(points);
  LinkTimes times(*topology);
  GroupShape group;
  if (of.nodes > 1)
    group.sizes.push_back(of.nodes);
  group.sizes.push_back(perNode);
  double seconds = times.collective(primitive, group, of.size).seconds;
  return busFactor(primitive, of.ranks) * of.size / seconds;
}

//===----------------------------------------------------------------------===//
// Table (a)
//===----------------------------------------------------------------------===//

void mercury::predict::printCalibration(const std::vector<Sample> &samples,
                                        bool all) {
  std::map<std::string, std::set<std::string>> sources;
  for (const Sample &s : samples)
    sources[s.key()].insert(s.source);
  struct Line {
    const Sample *sample;
    double fit, left;
  };
  std::map<std::string, std::vector<Line>> groups;
  std::vector<Line> judged;
  for (const Sample &s : samples) {
    auto predict = [&](const std::string &without) {
      return s.fraction > 0 ? predictKernel(samples, s, without)
                            : predictCollective(samples, s, without);
    };
    double fit = predict(""), left = predict(s.source);
    auto error = [&](double value) {
      return value > 0 ? std::abs(value / s.measured() - 1) : NAN;
    };
    Line line{&s, error(fit), error(left)};
    bool counts = sources[s.key()].size() > 1 && !std::isnan(line.left);
    groups[(counts ? "1" : "2") + s.key()].push_back(line);
    if (counts)
      judged.push_back(line);
  }
  std::printf("(a) Calibration: kernels, GEMM, collectives\n"
              "    error of the fit, and of a fit without the row's source\n\n"
              "  %-44s %5s  %8s %8s  %8s %8s\n",
              "operation|library|generation", "rows", "fit", "90%", "left out",
              "90%");
  bool rest = false;
  for (auto &[key, lines] : groups) {
    if (key[0] == '2' && !rest) {
      std::printf("  without target: no other source\n");
      rest = true;
    }
    std::vector<double> fit, left;
    for (const Line &line : lines) {
      if (!std::isnan(line.fit))
        fit.push_back(line.fit);
      if (!std::isnan(line.left))
        left.push_back(line.left);
    }
    std::printf("  %-44s %5zu  %7.1f%% %7.1f%%", key.c_str() + 1, lines.size(),
                100 * median(fit), 100 * ninetieth(fit));
    if (left.empty())
      std::printf("  %8s %8s\n", "-", "-");
    else
      std::printf("  %7.1f%% %7.1f%%\n", 100 * median(left),
                  100 * ninetieth(left));
  }
  std::vector<double> fit, left;
  for (const Line &line : judged) {
    fit.push_back(line.fit);
    left.push_back(line.left);
  }
  std::printf("\n  %zu rows with another source: fit %.1f%%, 90%% below %.1f%%;"
              " source left out: median %.1f%% (target 20%%), 90%% below %.1f%%"
              " (target 50%%)\n",
              judged.size(), 100 * median(fit), 100 * ninetieth(fit),
              100 * median(left), 100 * ninetieth(left));
  std::sort(judged.begin(), judged.end(),
            [](const Line &a, const Line &b) { return a.left > b.left; });
  std::printf("  worst:\n");
  for (size_t i = 0; i < judged.size() && (all || i < 10); ++i) {
    const Sample &s = *judged[i].sample;
    std::printf(
        "    %5.1f%%  line %zu of %s: %s %s %s, size %.0f, %lld ranks\n",
        100 * judged[i].left, s.line, s.source.c_str(), s.operation.c_str(),
        s.library.c_str(), s.direction.c_str(), s.size,
        static_cast<long long>(s.ranks));
  }
  std::printf("\n");
}

void mercury::predict::printRates(const std::vector<Sample> &samples) {
  for (const char *generation : {"Ampere", "Hopper", "Blackwell"}) {
    std::printf("%s\n", generation);
    for (const AchievedRate &rate : fitRates(samples, generation, "")) {
      std::printf("  {%s, \"%s\", \"%s\", %lld, %d, %d, {{",
                  rate.work == AchievedRate::Work::Gemm ? "gemm" : "attention",
                  rate.type.c_str(), rate.library.c_str(),
                  static_cast<long long>(rate.headDim), rate.causal,
                  rate.backward);
      for (auto [size, value] : rate.fraction.points)
        std::printf("{%.0f, %.3f}, ", size, value);
      std::printf("}}}\n");
    }
  }
}
