//===- TopologyVerify.cpp - What a topology may say -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Schedule/GeneratedBlocks.h"
#include "Mercury/Schedule/TopologyModel.h"

#include <cmath>
#include <set>

using namespace mercury;

/// More ranks than this are taken for a typing error.
static constexpr int64_t maxRanks = int64_t(1) << 20;

static bool isIdentifier(std::string_view name) {
  auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name.front()))
    return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9'))
      return false;
  return true;
}

static bool isFigure(double value) {
  return std::isfinite(value) && value >= 0;
}

static std::string text(int64_t value) { return std::to_string(value); }
static std::string text(double value) { return std::to_string(value); }

static std::string nameOf(const Level &level) {
  return "level '" + level.name + "'";
}

/// What is wrong with a curve's points; "": nothing.
static std::string faultOf(const Curve &curve) {
  return curve.isLegal() ? ""
                         : ", of which a size or figure is not positive and "
                           "finite, or the sizes do not increase";
}

static bool allows(const Level &level, Primitive primitive) {
  if (level.primitives.empty())
    return true;
  for (Primitive allowed : level.primitives)
    if (allowed == primitive)
      return true;
  return false;
}

static Verdict verifyFigures(const Level &level) {
  if (!isFigure(level.bandwidth) || !isFigure(level.latency))
    return Verdict::no(nameOf(level) + " has bandwidth " +
                       text(level.bandwidth) + " and latency " +
                       text(level.latency) +
                       ", expected finite figures that are not negative");
  if (!isFigure(level.launch))
    return Verdict::no(nameOf(level) + " has launch " + text(level.launch) +
                       ", expected a finite figure that is not negative");
  // A link of which others take everything carries nothing.
  if (!isFigure(level.contention) || level.contention >= 1)
    return Verdict::no(nameOf(level) + " has contention " +
                       text(level.contention) +
                       ", expected at least 0 and less than 1");
  for (const auto &[primitive, curve] : level.curves) {
    std::string name(stringify(primitive));
    if (std::string fault = faultOf(curve); !fault.empty() || !curve)
      return Verdict::no(nameOf(level) + " has a curve of " + name +
                         (curve ? fault : " without a point"));
    if (!allows(level, primitive))
      return Verdict::no(nameOf(level) + " has a curve of " + name +
                         ", which its primitives do not allow");
  }
  if (std::string fault = faultOf(level.interval); !fault.empty())
    return Verdict::no(nameOf(level) + " has an interval" + fault);
  if (level.inSwitchReduction && !allows(level, Primitive::AllReduce) &&
      !allows(level, Primitive::ReduceScatter))
    return Verdict::no(nameOf(level) +
                       " reduces in its switch, but its primitives allow "
                       "neither all_reduce nor reduce_scatter");
  return Verdict::ok();
}

/// Ports of a level with `inner` ranks inside each coordinate.
static Verdict verifySharing(const Level &level, int64_t inner) {
  if (level.sharedBy < 1)
    return Verdict::no(nameOf(level) + " has shared_by " +
                       text(level.sharedBy) + ", expected at least 1");
  int64_t ranks = level.size * inner;
  if (ranks % level.sharedBy != 0)
    return Verdict::no(nameOf(level) + " has shared_by " +
                       text(level.sharedBy) + ", which does not divide its " +
                       text(ranks) + " ranks");
  if (inner % level.sharedBy != 0 && level.sharedBy % inner != 0)
    return Verdict::no(nameOf(level) + " has shared_by " +
                       text(level.sharedBy) + ", whose ports cross the " +
                       text(inner) + " ranks of each coordinate");
  return Verdict::ok();
}

static Verdict verifyLevels(const std::vector<Level> &levels) {
  std::set<std::string_view> names;
  int64_t ranks = 1;
  for (const Level &level : levels) {
    if (!isIdentifier(level.name))
      return Verdict::no("level name '" + level.name +
                         "' is not a letter or underscore followed by "
                         "letters, digits and underscores");
    if (!names.insert(level.name).second)
      return Verdict::no(nameOf(level) + " is named twice");
    if (level.size < 1)
      return Verdict::no(nameOf(level) + " has size " + text(level.size) +
                         ", expected at least 1");
    if (level.size > maxRanks / ranks)
      return Verdict::no(nameOf(level) + " of size " + text(level.size) +
                         " makes more than " + text(maxRanks) + " ranks");
    ranks *= level.size;
    if (Verdict verdict = verifyFigures(level); !verdict)
      return verdict;
  }
  int64_t inner = ranks;
  for (const Level &level : levels) {
    inner /= level.size;
    if (Verdict verdict = verifySharing(level, inner); !verdict)
      return verdict;
    for (const Level &other : levels)
      if (!level.domain.empty() && level.domain == other.domain &&
          level.sharedBy != other.sharedBy)
        return Verdict::no("levels '" + level.name + "' and '" + other.name +
                           "' of domain '" + level.domain +
                           "' have shared_by " + text(level.sharedBy) +
                           " and " + text(other.sharedBy));
  }
  return Verdict::ok();
}

/// "gemm bf16", "attention bf16 head_dim 128 causal backward 'fa3'"
static std::string nameOf(const AchievedRate &rate) {
  bool isGemm = rate.work == AchievedRate::Work::Gemm;
  std::string name = (isGemm ? "gemm " : "attention ") + rate.type;
  if (rate.headDim)
    name += " head_dim " + text(rate.headDim);
  name += rate.causal ? " causal" : "";
  name += rate.backward ? " backward" : "";
  return name + (rate.library.empty() ? "" : " '" + rate.library + "'");
}

static Verdict verifyAchieved(const DeviceModel &device) {
  std::set<std::string> names;
  for (const AchievedRate &rate : device.achieved) {
    std::string name = "device has an achieved rate of " + nameOf(rate);
    if (!names.insert(name).second)
      return Verdict::no(name + " twice");
    if (!device.peak.count(rate.type))
      return Verdict::no(name + ", but no peak rate for '" + rate.type + "'");
    if (rate.work == AchievedRate::Work::Gemm && (rate.headDim || rate.causal))
      return Verdict::no(name + ", but head_dim and causal are attention's");
    if (isGeneratedName(rate.library) && !blocksOf(rate.library, rate.work))
      return Verdict::no(name + ", expected generated[rows,columns,depth] of "
                                "gemm, generated[rows,keys] of attention, "
                                "sizes that are positive");
    if (rate.headDim < 0)
      return Verdict::no(name + ", expected a head_dim that is not negative");
    if (std::string fault = faultOf(rate.fraction);
        !fault.empty() || !rate.fraction)
      return Verdict::no(name + (rate.fraction ? fault : " without a point"));
    for (auto [size, fraction] : rate.fraction.points)
      if (fraction > 1)
        return Verdict::no(name + " with fraction " + text(fraction) +
                           " at size " + text(size) +
                           ", expected at most 1 of the peak");
    if (!isFigure(rate.interval))
      return Verdict::no(name + " with interval " + text(rate.interval) +
                         ", expected a finite figure that is not negative");
  }
  return Verdict::ok();
}

static Verdict verifyDevice(const DeviceModel &device) {
  if (device.memory < 0 || device.reservable < 0)
    return Verdict::no("device has memory " + text(device.memory) +
                       " and reservable " + text(device.reservable) +
                       ", expected figures that are not negative");
  if (device.reservable > device.memory && device.memory != 0)
    return Verdict::no("device has reservable " + text(device.reservable) +
                       ", more than its memory " + text(device.memory));
  auto noFigure = [](const std::string &what, double value) {
    return Verdict::no("device has " + what + " " + text(value) +
                       ", expected a finite figure that is not negative");
  };
  if (!isFigure(device.memoryBandwidth))
    return noFigure("memory bandwidth", device.memoryBandwidth);
  for (auto &[type, rate] : device.peak)
    if (!isFigure(rate))
      return Verdict::no("device has peak rate " + text(rate) + " for '" +
                         type +
                         "', expected a finite figure that is not negative");
  if (!isFigure(device.launch))
    return noFigure("launch", device.launch);
  if (!isFigure(device.interval))
    return noFigure("interval", device.interval);
  if (!isFigure(device.power))
    return noFigure("power", device.power);
  if (!isFigure(device.memoryFraction) || device.memoryFraction > 1)
    return Verdict::no("device has bandwidth_fraction " +
                       text(device.memoryFraction) +
                       ", expected at least 0 and at most 1");
  if (!isFigure(device.communicationShare) || device.communicationShare >= 1)
    return Verdict::no("device has communication_share " +
                       text(device.communicationShare) +
                       ", expected at least 0 and less than 1");
  return verifyAchieved(device);
}

Verdict TopologyModel::verify() const {
  if (Verdict verdict = verifyLevels(levels); !verdict)
    return verdict;
  return verifyDevice(device);
}
