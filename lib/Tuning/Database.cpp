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

/// The version is raised when the meaning of entries changes. 2: entries may
/// have ranges.
TuningDatabase::TuningDatabase()
    : file("database", "mercury tuning database", /*version=*/2,
           /*oldest=*/1) {}

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

std::string mercury::describeProblem(const CostProblem &problem,
                                     const ExtentRanges &ranges) {
  const OperatorModel &op = problem.op;
  std::string text = op.name;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    text += std::string(l ? " x " : " ") + (op.loops[l].reduction ? "+" : "");
    if (l < ranges.size() && ranges[l].first < ranges[l].second)
      text += std::to_string(ranges[l].first) + ".." +
              std::to_string(ranges[l].second);
    else
      text += std::to_string(op.loops[l].extent);
  }
  auto add = [&](const std::vector<OperatorModel::Tensor> &tensors,
                 const std::vector<std::vector<int64_t>> &shapes) {
    for (size_t t = 0; t < tensors.size(); ++t) {
      text += " |";
      for (size_t d = 0; d < tensors[t].loopOfDim.size(); ++d) {
        int loop = tensors[t].loopOfDim[d];
        text += loop < 0 ? " -" + std::to_string(shapes[t][d])
                         : " " + std::to_string(loop);
      }
      text += " : " + std::to_string(tensors[t].elementBytes);
    }
  };
  add(op.inputs, problem.inputShapes);
  text += " ->";
  add(op.results, problem.resultShapes);
  if (op.mask)
    text += " | " + print(op.mask->mask) + " from " +
            std::to_string(op.mask->queryStart) + " and " +
            std::to_string(op.mask->keyStart);
  if (problem.finishedBytes > 0)
    text += " | finished to " + std::to_string(problem.finishedBytes);
  if (problem.returnsLogSumExp)
    text += " with its log-sum-exp";
  return text + " | " + problem.type;
}

bool mercury::isWithin(std::string_view pattern, std::string_view text) {
  llvm::SmallVector<llvm::StringRef> wanted, words;
  llvm::StringRef(pattern).split(wanted, ' ');
  llvm::StringRef(text).split(words, ' ');
  return llvm::equal(
      wanted, words, [](llvm::StringRef range, llvm::StringRef word) {
        if (range == word)
          return true;
        if (range.consume_front("+") != word.consume_front("+"))
          return false;
        auto [low, high] = range.split("..");
        int64_t least = 0, most = 0, value = 0;
        return !low.getAsInteger(10, least) && !high.getAsInteger(10, most) &&
               !word.getAsInteger(10, value) && least <= value && value <= most;
      });
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
    entry.validFor = object->getString("valid_for").value_or("").str();
    entry.gap = object->getNumber("gap").value_or(0);
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

std::optional<TuningHit> TuningDatabase::find(const TuningKey &key,
                                              const OperatorModel &op,
                                              const TopologyModel &topology,
                                              std::string &reason) const {
  reason.clear();
  auto read = [&](const TuningEntry &entry,
                  bool isExact) -> std::optional<TuningHit> {
    std::string error;
    std::optional<Schedule> schedule = parseSchedule(entry.schedule, error);
    if (!schedule)
      reason = "the database's schedule cannot be read: " + error;
    else if (Verdict verdict = verify(*schedule, op, topology); !verdict)
      reason = "the database's schedule is illegal: " + verdict.reason();
    else
      return TuningHit{std::move(*schedule), entry, isExact};
    return std::nullopt;
  };
  if (auto it = entries.find(key); it != entries.end())
    return read(it->second, /*isExact=*/true);
  for (const auto &[other, entry] : entries)
    if (other.goal == key.goal && other.topology == key.topology &&
        !entry.validFor.empty() && isWithin(entry.validFor, key.op))
      if (auto hit = read(entry, /*isExact=*/false)) {
        reason.clear();
        return hit;
      }
  if (!reason.empty())
    return std::nullopt;
  for (const auto &[other, entry] : entries)
    if (other.goal == key.goal && other.topology != key.topology &&
        (other.op == key.op ||
         (!entry.validFor.empty() && isWithin(entry.validFor, key.op)))) {
      reason = "the database's entry for this operator is for another "
               "machine: '" +
               entry.machine + "' with fingerprint " + other.topology +
               ", not " + key.topology;
      break;
    }
  return std::nullopt;
}

void TuningDatabase::set(const TuningKey &key, TuningEntry entry) {
  added[key] = entry;
  entries[key] = std::move(entry);
}

Verdict TuningDatabase::save() {
  FileLock lock;
  if (Verdict verdict = file.lock(lock); !verdict)
    return verdict;
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
    if (!entry.validFor.empty()) {
      object["valid_for"] = entry.validFor;
      object["gap"] = entry.gap;
    }
    list.push_back(std::move(object));
  }
  return file.write(llvm::json::Object{{"entries", std::move(list)}});
}
