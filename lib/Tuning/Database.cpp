//===- Database.cpp - Schedules that were found before --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Database.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mercury;

/// The version is raised when the meaning of entries changes.
TuningDatabase::TuningDatabase()
    : file("database", "mercury tuning database", /*version=*/1) {}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

namespace {
/// Writes figures so that no digit is lost.
struct FigureWriter {
  llvm::raw_ostream &os;

  FigureWriter &operator<<(double value) {
    os << llvm::format("%.17g ", value);
    return *this;
  }
  FigureWriter &operator<<(std::string_view text) {
    os << text << ' ';
    return *this;
  }
  FigureWriter &operator<<(const Curve &curve) {
    for (auto [size, figure] : curve.points)
      *this << size << figure;
    return *this << ";";
  }
};
} // namespace

std::string mercury::fingerprint(const TopologyModel &topology) {
  std::string text;
  llvm::raw_string_ostream os(text);
  FigureWriter figures{os};
  for (const Level &level : topology.levels) {
    figures << level.name << level.size << level.bandwidth << level.latency
            << level.domain << level.launch << level.sharedBy
            << level.fullDuplex << level.peerAccess << level.inSwitchReduction
            << level.failureDomain << level.contention << level.interval;
    for (Primitive primitive : level.primitives)
      figures << stringify(primitive);
    for (const auto &[primitive, curve] : level.curves)
      figures << stringify(primitive) << curve;
    figures << "|";
  }
  const DeviceModel &device = topology.device;
  figures << device.memory << device.reservable << device.memoryBandwidth
          << device.memoryFraction << device.launch << device.communicationShare
          << device.interval << device.power;
  for (const auto &[type, rate] : device.peak)
    figures << type << rate;
  for (const AchievedRate &rate : device.achieved)
    figures << static_cast<int>(rate.work) << rate.type << rate.library
            << rate.headDim << rate.causal << rate.backward << rate.fraction
            << rate.interval;
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

std::string mercury::describeProblem(const OperatorModel &op,
                                     std::string_view type) {
  std::string text = op.name;
  for (size_t l = 0; l < op.loops.size(); ++l)
    text += std::string(l ? " x " : " ") + (op.loops[l].reduction ? "+" : "") +
            std::to_string(op.loops[l].extent);
  auto add = [&](const std::vector<OperatorModel::Tensor> &tensors) {
    for (const OperatorModel::Tensor &tensor : tensors) {
      text += " |";
      for (int loop : tensor.loopOfDim)
        text += " " + (loop < 0 ? "-" : std::to_string(loop));
      text += " : " + std::to_string(tensor.elementBytes);
    }
  };
  add(op.inputs);
  text += " ->";
  add(op.results);
  if (op.mask)
    text += " | " + print(op.mask->mask) + " from " +
            std::to_string(op.mask->queryStart) + " and " +
            std::to_string(op.mask->keyStart);
  return text + " | " + std::string(type);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Reads the file into `into`. Not ok, with `isOurs` false, where its contents
/// are none of ours.
Verdict TuningDatabase::read(std::map<TuningKey, TuningEntry> &into,
                             bool &isOurs) const {
  std::optional<llvm::json::Object> root;
  if (Verdict verdict = file.read(root, isOurs); !verdict || !root)
    return verdict;
  auto refuse = [&](const char *why) {
    isOurs = false;
    return file.refuse(why);
  };
  const llvm::json::Array *list = root->getArray("entries");
  if (!list)
    return refuse("it has no 'entries'");
  for (const llvm::json::Value &item : *list) {
    const llvm::json::Object *object = item.getAsObject();
    auto text = [&](const char *name) {
      return object ? object->getString(name) : std::nullopt;
    };
    auto op = text("operator"), topology = text("topology"),
         goal = text("goal"), schedule = text("schedule");
    if (!op || !topology || !goal || !schedule)
      return refuse("an entry lacks one of 'operator', 'topology', 'goal' and "
                    "'schedule'");
    TuningEntry entry;
    entry.machine = text("machine").value_or("").str();
    entry.schedule = schedule->str();
    entry.seconds = object->getNumber("seconds").value_or(0);
    entry.measured = object->getNumber("measured_seconds").value_or(0);
    into[{op->str(), topology->str(), goal->str()}] = std::move(entry);
  }
  return Verdict::ok();
}

Verdict TuningDatabase::open(std::string path, std::string &remark) {
  file.path = std::move(path);
  entries.clear();
  added.clear();
  bool isOurs = true;
  Verdict verdict = read(entries, isOurs);
  if (verdict || isOurs)
    return verdict;
  entries.clear();
  return file.moveAside(verdict, remark);
}

std::optional<Schedule> TuningDatabase::find(const TuningKey &key,
                                             const OperatorModel &op,
                                             const TopologyModel &topology,
                                             std::string &reason) const {
  reason.clear();
  auto it = entries.find(key);
  if (it == entries.end()) {
    for (const auto &[other, entry] : entries)
      if (other.op == key.op && other.goal == key.goal) {
        reason = "the database's entry for this operator is for another "
                 "machine: '" +
                 entry.machine + "' with fingerprint " + other.topology +
                 ", not " + key.topology;
        break;
      }
    return std::nullopt;
  }
  std::string error;
  std::optional<Schedule> schedule = parseSchedule(it->second.schedule, error);
  if (!schedule) {
    reason = "the database's schedule cannot be read: " + error;
    return std::nullopt;
  }
  if (Verdict verdict = verify(*schedule, op, topology); !verdict) {
    reason = "the database's schedule is illegal: " + verdict.reason();
    return std::nullopt;
  }
  return schedule;
}

void TuningDatabase::set(const TuningKey &key, TuningEntry entry) {
  added[key] = entry;
  entries[key] = std::move(entry);
}

Verdict TuningDatabase::save() {
  // What stands there now may be more than what was read.
  std::map<TuningKey, TuningEntry> all;
  bool isOurs = true;
  if (Verdict verdict = read(all, isOurs); !verdict)
    return verdict;
  for (const auto &[key, entry] : added)
    all[key] = entry;
  entries = all;
  llvm::json::Array list;
  for (const auto &[key, entry] : all) {
    llvm::json::Object object{
        {"operator", key.op},         {"topology", key.topology},
        {"goal", key.goal},           {"machine", entry.machine},
        {"schedule", entry.schedule}, {"seconds", entry.seconds}};
    if (entry.measured > 0)
      object["measured_seconds"] = entry.measured;
    list.push_back(std::move(object));
  }
  return file.write(llvm::json::Object{{"entries", std::move(list)}});
}
