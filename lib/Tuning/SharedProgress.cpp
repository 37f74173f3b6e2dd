//===- SharedProgress.cpp - Activities that share ports -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/SharedProgress.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mercury;

/// Times that differ by less are one: rounding must not part what happens
/// together.
static bool isBy(double time, double until) {
  return time <= until + 1e-12 * std::abs(until);
}

SharedProgress::Id SharedProgress::start(double now, Demand demand) {
  // Speeds are not needed before time passes.
  if (now > changedAt)
    setSpeeds();
  Activity activity;
  activity.id = numStarted++;
  activity.demand = std::move(demand);
  activity.left = activity.demand.busy;
  activity.isBusy = activity.demand.fixed <= 0;
  activity.since = now;
  activity.changeAt = now + activity.demand.fixed;
  for (const Demand::Use &use : activity.demand.uses)
    numResources =
        std::max(numResources, static_cast<size_t>(use.resource) + 1);
  for (int64_t device : activity.demand.devices)
    numDevices = std::max(numDevices, static_cast<size_t>(device) + 1);
  active.push_back(std::move(activity));
  hasChanged = true;
  changedAt = now;
  return active.back().id;
}

double SharedProgress::nextChange() {
  setSpeeds();
  double next = std::numeric_limits<double>::infinity();
  for (const Activity &activity : active)
    next = std::min(next, activity.changeAt);
  return next;
}

double SharedProgress::advance(double until, std::vector<Id> &ended) {
  ended.clear();
  double now = std::min(until, nextChange());
  for (auto it = active.begin(); it != active.end();) {
    if (!isBy(it->changeAt, now)) {
      ++it;
      continue;
    }
    hasChanged = true;
    changedAt = now;
    if (it->isBusy || it->left <= 0) {
      ended.push_back(it->id);
      it = active.erase(it);
      continue;
    }
    it->isBusy = true;
    it->since = now;
    ++it;
  }
  return now;
}

std::vector<double> SharedProgress::fairSpeeds() const {
  std::vector<const Activity *> growing;
  for (const Activity &activity : active)
    if (activity.isBusy && !activity.demand.isCompute)
      growing.push_back(&activity);
  std::vector<double> speeds(growing.size(), -1);
  std::vector<double> capacity(numResources, 1), load(numResources);
  double speed = 0;
  while (true) {
    std::fill(load.begin(), load.end(), 0);
    for (size_t i = 0; i < growing.size(); ++i)
      if (speeds[i] < 0)
        for (const Demand::Use &use : growing[i]->demand.uses)
          load[use.resource] += use.load;
    double step = 1 - speed;
    for (size_t r = 0; r < numResources; ++r)
      if (load[r] > 0)
        step = std::min(step, capacity[r] / load[r]);
    speed += step;
    for (size_t r = 0; r < numResources; ++r)
      capacity[r] -= step * load[r];
    bool grows = false;
    for (size_t i = 0; i < growing.size(); ++i) {
      if (speeds[i] >= 0)
        continue;
      const std::vector<Demand::Use> &uses = growing[i]->demand.uses;
      bool isFull = std::any_of(uses.begin(), uses.end(), [&](auto &use) {
        return capacity[use.resource] <= 1e-12;
      });
      if (isFull || speed >= 1)
        speeds[i] = speed;
      else
        grows = true;
    }
    if (!grows)
      return speeds;
  }
}

void SharedProgress::setSpeed(Activity &activity, double speed, double now) {
  if (speed == activity.speed)
    return;
  if (activity.speed > 0)
    activity.left -= activity.speed * (now - activity.since);
  activity.left = std::max(activity.left, 0.0);
  activity.since = now;
  activity.speed = speed;
  activity.changeAt = activity.left > 0 ? now + activity.left / speed : now;
}

void SharedProgress::setSpeeds() {
  if (!hasChanged)
    return;
  hasChanged = false;
  std::vector<double> fair = fairSpeeds();
  std::vector<bool> isDisturbed(numDevices);
  size_t next = 0;
  for (Activity &activity : active) {
    if (activity.demand.isCompute)
      continue;
    for (int64_t device : activity.demand.devices)
      isDisturbed[device] = true;
    if (activity.isBusy)
      setSpeed(activity, fair[next++], changedAt);
  }
  for (Activity &activity : active)
    if (activity.isBusy && activity.demand.isCompute)
      setSpeed(activity,
               isDisturbed[activity.demand.devices.front()]
                   ? 1 - communicationShare
                   : 1,
               changedAt);
}
