//===- Correction.cpp - A machine's figures after measuring ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Correction.h"
#include "Mercury/Tuning/LocalKernels.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

using namespace mercury;

/// How far the closed form is from the simulator where nothing is measured
/// (docs/Rationale/CostModel.md): no run is believed more than that.
static constexpr double kModelInterval = 0.05;
/// Of a figure of which nothing else is said; as LocalTimes and LinkTimes have
/// it.
static constexpr double kAssumedInterval = 0.5;
/// No figure is expected to be nearer than that: it stands for other programs
/// than those that gave it. Between a calibrated host and its programs lay 13
/// to 22%.
static constexpr double kLeastPrior = 0.2;

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

namespace {
/// Figures that are scaled together.
struct FigureGroup {
  std::string name;
  double interval = 0;
  /// How far they are expected to be off.
  double prior() const { return std::max(interval, kLeastPrior); }
  /// Makes the times that they give `factor` times as long, and their interval
  /// `interval`; 0: leaves that.
  std::function<void(TopologyModel &, double factor, double interval)> scale;
};
} // namespace

static double orAssumed(double interval) {
  return interval > 0 ? interval : kAssumedInterval;
}

/// Keeps fractions of the peak at most 1 by a higher peak: a rate that was
/// reached stands for it.
static void raisePeak(DeviceModel &device, const std::string &type) {
  double most = 1;
  for (const AchievedRate &rate : device.achieved)
    if (rate.type == type)
      for (auto [size, fraction] : rate.fraction.points)
        most = std::max(most, fraction);
  if (most == 1)
    return;
  device.peak[type] *= most;
  for (AchievedRate &rate : device.achieved)
    if (rate.type == type)
      for (auto &[size, fraction] : rate.fraction.points)
        fraction /= most;
}

/// What `kernel` (Schedule::patch) computes of the problem: without a mask, and
/// cut by it.
static std::vector<LocalWork> worksOf(const CostProblem &problem,
                                      const std::string &kernel) {
  LocalWork work = workOf(problem, kernel);
  work.backward = problem.direction == CostProblem::Direction::Backward;
  std::vector<LocalWork> works = {work};
  if (problem.op.mask) {
    work.causal = true;
    works.push_back(work);
  }
  return works;
}

/// The rate that the model takes for `work`, as an entry of the device: one
/// that is there, or, where it is that of another case, a new one.
static AchievedRate &entryOf(DeviceModel &device, const LocalWork &work) {
  Rate rate = LocalTimes(device).rateOf(work);
  for (AchievedRate &entry : device.achieved)
    if (&entry.fraction == rate.fraction && entry.type == work.type &&
        entry.headDim == work.headDim && entry.causal == work.causal &&
        entry.backward == work.backward && entry.library == work.library)
      return entry;
  AchievedRate entry;
  entry.work = work.kind == LocalWork::Kind::Attention
                   ? AchievedRate::Work::Attention
                   : AchievedRate::Work::Gemm;
  entry.type = work.type;
  entry.library = work.library;
  entry.headDim = work.headDim;
  entry.causal = work.causal;
  entry.backward = work.backward;
  entry.interval = rate.interval;
  for (auto [size, fraction] : rate.fraction->points)
    entry.fraction.points.emplace_back(size, fraction * rate.scale);
  // The peak may be that of a type with the same rate.
  device.peak.emplace(work.type, rate.peak);
  device.achieved.push_back(std::move(entry));
  return device.achieved.back();
}

static FigureGroup kernelFigures(const CostProblem &problem,
                                 const std::string &kernel,
                                 TopologyModel &topology) {
  std::vector<LocalWork> works = worksOf(problem, kernel);
  double interval = 0;
  for (const LocalWork &work : works)
    interval =
        std::max(interval, orAssumed(entryOf(topology.device, work).interval));
  return {kernel.empty() ? "kernels" : "kernel " + kernel, interval,
          [works](TopologyModel &machine, double factor, double interval) {
            for (const LocalWork &work : works) {
              AchievedRate &entry = entryOf(machine.device, work);
              for (auto &[size, fraction] : entry.fraction.points)
                fraction /= factor;
              if (interval > 0)
                entry.interval = interval;
              raisePeak(machine.device, entry.type);
            }
          }};
}

static FigureGroup memoryFigures(const DeviceModel &device) {
  return {"memory", orAssumed(device.interval),
          [](TopologyModel &machine, double factor, double interval) {
            DeviceModel &device = machine.device;
            double rate = LocalTimes(device).memoryRate() / factor;
            device.memoryBandwidth = std::max(device.memoryBandwidth, rate);
            device.memoryFraction = rate / device.memoryBandwidth;
            if (interval > 0)
              device.interval = interval;
          }};
}

static FigureGroup launchFigures(const DeviceModel &device) {
  return {"launch", orAssumed(device.interval),
          [](TopologyModel &machine, double factor, double) {
            machine.device.launch *= factor;
          }};
}

static FigureGroup levelFigures(const TopologyModel &topology, size_t index) {
  const Level &level = topology.levels[index];
  double interval = 0;
  for (auto [size, value] : level.interval.points)
    interval = std::max(interval, value);
  interval = orAssumed(interval);
  return {"level " + level.name, interval,
          [index, before = interval](TopologyModel &machine, double factor,
                                     double interval) {
            Level &level = machine.levels[index];
            level.bandwidth /= factor;
            level.latency *= factor;
            level.launch *= factor;
            for (auto &[primitive, curve] : level.curves)
              for (auto &[size, bandwidth] : curve.points)
                bandwidth /= factor;
            if (interval > 0 && !level.interval)
              level.interval.points = {{1, interval}};
            else if (interval > 0)
              for (auto &[size, value] : level.interval.points)
                value *= interval / before;
          }};
}

//===----------------------------------------------------------------------===//
// The fit
//===----------------------------------------------------------------------===//

namespace {
class Fit {
public:
  Fit(const CostProblem &problem, const TopologyModel &given,
      const std::vector<MeasuredSchedule> &measured)
      : problem(problem), topology(given), measured(measured) {
    std::set<std::string> kernels;
    for (const MeasuredSchedule &one : measured)
      if (std::string kernel = kernelOf(one.schedule, problem);
          kernels.insert(kernel).second)
        groups.push_back(kernelFigures(problem, kernel, topology));
    groups.push_back(memoryFigures(topology.device));
    if (topology.device.launch > 0)
      groups.push_back(launchFigures(topology.device));
    for (size_t level = 0; level < topology.levels.size(); ++level)
      if (topology.levels[level].size > 1)
        groups.push_back(levelFigures(topology, level));
  }

  Correction run();

private:
  using Vector = std::vector<double>;
  TopologyModel scaled(const Vector &factors) const;
  Vector residuals(const Vector &factors) const;
  double misfit(const Vector &factors) const;
  /// A step of least squares around `factors`; `spread` becomes the standard
  /// deviation of each.
  Vector step(const Vector &factors, Vector &spread) const;

  const CostProblem &problem;
  TopologyModel topology; ///< with entries for the problem's kernels
  const std::vector<MeasuredSchedule> &measured;
  std::vector<FigureGroup> groups;
};
} // namespace

/// Factors are logarithms.
TopologyModel Fit::scaled(const Vector &factors) const {
  TopologyModel machine = topology;
  for (size_t i = 0; i < groups.size(); ++i)
    groups[i].scale(machine, std::exp(factors[i]), /*interval=*/0);
  return machine;
}

/// Logarithms of measured over predicted.
Fit::Vector Fit::residuals(const Vector &factors) const {
  CostModel model(problem, scaled(factors));
  Vector residuals;
  for (const MeasuredSchedule &one : measured)
    residuals.push_back(std::log(one.seconds / model.seconds(one.schedule)));
  return residuals;
}

static double weightOf(const MeasuredSchedule &one) {
  return 1 / (one.interval * one.interval + kModelInterval * kModelInterval);
}

double Fit::misfit(const Vector &factors) const {
  double sum = 0;
  Vector rest = residuals(factors);
  for (size_t i = 0; i < rest.size(); ++i)
    sum += rest[i] * rest[i] * weightOf(measured[i]);
  for (size_t j = 0; j < factors.size(); ++j)
    sum += std::pow(factors[j] / groups[j].prior(), 2);
  return sum;
}

/// Inverts a symmetric positive definite matrix in place (Gauss-Jordan).
static void invert(std::vector<std::vector<double>> &matrix) {
  size_t n = matrix.size();
  for (size_t pivot = 0; pivot < n; ++pivot) {
    double scale = 1 / matrix[pivot][pivot];
    matrix[pivot][pivot] = 1;
    for (double &value : matrix[pivot])
      value *= scale;
    for (size_t row = 0; row < n; ++row) {
      if (row == pivot)
        continue;
      double part = matrix[row][pivot];
      matrix[row][pivot] = 0;
      for (size_t column = 0; column < n; ++column)
        matrix[row][column] -= part * matrix[pivot][column];
    }
  }
}

Fit::Vector Fit::step(const Vector &factors, Vector &spread) const {
  constexpr double delta = 0.01;
  size_t n = factors.size();
  Vector rest = residuals(factors), gradient(n);
  std::vector<Vector> slopes, curvature(n, Vector(n));
  for (size_t j = 0; j < n; ++j) {
    Vector more = factors, less = factors;
    more[j] += delta;
    less[j] -= delta;
    more = residuals(more);
    less = residuals(less);
    Vector &slope = slopes.emplace_back();
    for (size_t i = 0; i < rest.size(); ++i)
      slope.push_back((more[i] - less[i]) / (2 * delta));
  }
  for (size_t j = 0; j < n; ++j) {
    double prior = std::pow(groups[j].prior(), -2);
    gradient[j] = -prior * factors[j];
    curvature[j][j] = prior;
    for (size_t i = 0; i < rest.size(); ++i) {
      gradient[j] -= slopes[j][i] * rest[i] * weightOf(measured[i]);
      for (size_t k = 0; k < n; ++k)
        curvature[j][k] += slopes[j][i] * slopes[k][i] * weightOf(measured[i]);
    }
  }
  invert(curvature);
  Vector change(n);
  for (size_t j = 0; j < n; ++j) {
    spread[j] = std::sqrt(curvature[j][j]);
    for (size_t k = 0; k < n; ++k)
      change[j] += curvature[j][k] * gradient[k];
  }
  return change;
}

static double rootMeanSquare(const std::vector<double> &logarithms) {
  double sum = 0;
  for (double one : logarithms)
    sum += std::pow(std::expm1(-one), 2);
  return std::sqrt(sum / logarithms.size());
}

Correction Fit::run() {
  Vector factors(groups.size()), spread(groups.size());
  Correction result;
  result.errorBefore = rootMeanSquare(residuals(factors));
  double best = misfit(factors);
  for (int round = 0; round < 50; ++round) {
    Vector change = step(factors, spread);
    // The model has corners: half a step may be better than a whole one.
    double part = 1, before = best;
    for (; part > 1e-3; part /= 2) {
      Vector next = factors;
      for (size_t j = 0; j < next.size(); ++j)
        next[j] += part * change[j];
      if (double now = misfit(next); now < best) {
        best = now;
        factors = std::move(next);
        break;
      }
    }
    if (best > before * (1 - 1e-9))
      break;
  }
  result.errorAfter = rootMeanSquare(residuals(factors));
  result.topology = topology;
  for (size_t j = 0; j < groups.size(); ++j) {
    CorrectedFigure figure{groups[j].name, std::exp(factors[j]),
                           groups[j].interval, groups[j].interval};
    figure.isTold = spread[j] < 0.9 * groups[j].prior();
    // What is left of the error is that of figures that the runs tell.
    if (figure.isTold)
      figure.interval = std::max(spread[j], result.errorAfter);
    groups[j].scale(result.topology, figure.factor,
                    figure.isTold ? figure.interval : 0);
    result.figures.push_back(std::move(figure));
  }
  return result;
}

std::vector<std::string> mercury::describe(const Correction &correction,
                                           size_t schedules) {
  std::vector<std::string> lines = {
      llvm::formatv("corrected by runs of {0} schedules: the root mean square "
                    "of errors was {1:P0} and is {2:P0}",
                    schedules, correction.errorBefore, correction.errorAfter)};
  for (const CorrectedFigure &figure : correction.figures)
    lines.push_back(
        figure.isTold
            ? llvm::formatv(
                  "  {0}: {1:F2} of the time, +-{2:P0} (was +-{3:P0})",
                  figure.name, figure.factor, figure.interval, figure.before)
                  .str()
            : llvm::formatv(
                  "  {0}: {1:F2} of the time; the runs hardly tell it",
                  figure.name, figure.factor)
                  .str());
  return lines;
}

/// "" or what a correction cannot begin with.
static std::string missingFigure(const CostProblem &problem,
                                 const TopologyModel &topology) {
  LocalWork work = workOf(problem, "");
  const DeviceModel &device = topology.device;
  double taken = LocalTimes(device).rateOf(work).peak;
  bool hasPeak = false;
  for (const auto &[type, peak] : device.peak)
    hasPeak |= peak == taken;
  if (!hasPeak)
    return "peak rate for '" + work.type + "'";
  if (device.memoryBandwidth <= 0)
    return "memory bandwidth";
  for (const Level &level : topology.levels)
    if (level.size > 1 && level.bandwidth <= 0)
      return "bandwidth of level '" + level.name + "'";
  return "";
}

std::optional<Correction> mercury::correctFigures(
    const CostProblem &problem, const TopologyModel &topology,
    const std::vector<MeasuredSchedule> &measured, std::string &error) {
  if (std::string missing = missingFigure(problem, topology);
      !missing.empty()) {
    error = "the topology has no " + missing +
            " to correct; begin with mercury-tune --calibrate, or with a "
            "machine by name";
    return std::nullopt;
  }
  if (measured.empty()) {
    error = "no schedule was measured";
    return std::nullopt;
  }
  return Fit(problem, topology, measured).run();
}
