//===- Measurements.cpp - Runs of schedules, kept in a file ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Measurements.h"

#include <cmath>

using namespace mercury;

Verdict Measurements::read(bool &isOurs) {
  std::optional<llvm::json::Object> root;
  if (Verdict verdict = file.read(root, isOurs); !verdict || !root)
    return verdict;
  auto refuse = [&](const std::string &why) {
    isOurs = false;
    runs.clear();
    return file.refuse(why);
  };
  for (auto [name, expected] :
       {std::pair("operator", &problem.op),
        std::pair("topology", &problem.topology),
        std::pair("goal", &problem.goal), std::pair("ranks", &ranks)}) {
    llvm::StringRef found = root->getString(name).value_or("");
    if (found != *expected)
      return refuse("it is of " + std::string(name) + " '" + found.str() +
                    "', not '" + *expected + "'");
  }
  const llvm::json::Array *list = root->getArray("schedules");
  if (!list)
    return refuse("it has no 'schedules'");
  for (const llvm::json::Value &item : *list) {
    const llvm::json::Object *object = item.getAsObject();
    auto schedule = object ? object->getString("schedule") : std::nullopt;
    const llvm::json::Array *all =
        object ? object->getArray("seconds") : nullptr;
    if (!schedule || !all)
      return refuse("an entry lacks 'schedule' or 'seconds'");
    for (const llvm::json::Value &value : *all) {
      double seconds = value.getAsNumber().value_or(0);
      if (!(seconds > 0) || !std::isfinite(seconds))
        return refuse("a run of '" + schedule->str() +
                      "' has no time above zero");
      runs[schedule->str()].push_back(seconds);
    }
  }
  return Verdict::ok();
}

Verdict Measurements::open(std::string path, const TuningKey &key,
                           std::string what, std::string &remark) {
  file.path = std::move(path);
  problem = key;
  ranks = std::move(what);
  runs.clear();
  if (file.path.empty())
    return Verdict::ok();
  bool isOurs = true;
  Verdict verdict = read(isOurs);
  return verdict || isOurs ? verdict : file.moveAside(verdict, remark);
}

const std::vector<double> &
Measurements::runsOf(const std::string &schedule) const {
  static const std::vector<double> none;
  auto it = runs.find(schedule);
  return it == runs.end() ? none : it->second;
}

void Measurements::add(const std::string &schedule, double seconds) {
  runs[schedule].push_back(seconds);
}

size_t Measurements::size() const {
  size_t count = 0;
  for (const auto &[schedule, seconds] : runs)
    count += seconds.size();
  return count;
}

Verdict Measurements::save() const {
  if (file.path.empty())
    return Verdict::ok();
  llvm::json::Array list;
  for (const auto &[schedule, seconds] : runs)
    list.push_back(llvm::json::Object{{"schedule", schedule},
                                      {"seconds", llvm::json::Array(seconds)}});
  return file.write(llvm::json::Object{{"operator", problem.op},
                                       {"topology", problem.topology},
                                       {"goal", problem.goal},
                                       {"ranks", ranks},
                                       {"schedules", std::move(list)}});
}
