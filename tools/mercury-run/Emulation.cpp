//===- Emulation.cpp - The clock of another machine -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulation.h"
#include "Report.h"
#include "RunError.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstring>

namespace mercury::run {

EmulatedMachine::EmulatedMachine(const Prediction &prediction)
    : links(prediction.topology),
      progress(prediction.topology.device.communicationShare),
      launched(prediction.topology.numRanks()) {
  for (const std::vector<SimulatedItem> &items : prediction.program.ranks) {
    std::vector<double> &seconds = kernels.emplace_back();
    for (const SimulatedItem &item : items)
      if (item.kind == SimulatedItem::Kind::Compute)
        seconds.push_back(item.seconds);
  }
  interface.user = this;
  interface.begin = [](void *user, const mercury_host_work *work, double now,
                       char *error, size_t errorSize) {
    return static_cast<EmulatedMachine *>(user)->begin(*work, now, error,
                                                       errorSize);
  };
  interface.advance = [](void *user, double now, int64_t *ended,
                         int32_t capacity, double *next) {
    return static_cast<EmulatedMachine *>(user)->advance(now, ended, capacity,
                                                         next);
  };
}

llvm::Expected<Demand>
EmulatedMachine::demandOf(const mercury_host_work &work) {
  std::vector<int64_t> ranks(work.ranks, work.ranks + work.num_ranks);
  auto collective = [&](Primitive primitive) {
    std::sort(ranks.begin(), ranks.end());
    return links.collective(primitive, ranks, work.bytes);
  };
  switch (work.kind) {
  case MERCURY_KERNEL: {
    const std::vector<double> &seconds = kernels[ranks[0]];
    if (seconds.empty())
      return runtimeFailure("launches a kernel, but none is predicted");
    ++launched[ranks[0]];
    Demand demand;
    demand.isCompute = true;
    demand.devices = ranks;
    demand.busy = seconds[work.index % seconds.size()];
    return demand;
  }
  case MERCURY_MESSAGE:
    return links.message(ranks[0], ranks[1], work.bytes);
  case MERCURY_ALL_GATHER:
    return collective(Primitive::AllGather);
  case MERCURY_REDUCE_SCATTER:
    return collective(Primitive::ReduceScatter);
  case MERCURY_ALL_REDUCE:
    return collective(Primitive::AllReduce);
  case MERCURY_BROADCAST:
    return collective(Primitive::Broadcast);
  }
  llvm_unreachable("a kind of mercury_host_work");
}

int64_t EmulatedMachine::begin(const mercury_host_work &work, double now,
                               char *error, size_t errorSize) {
  llvm::Expected<Demand> demand = demandOf(work);
  if (!demand) {
    std::string text = llvm::toString(demand.takeError());
    std::strncpy(error, text.c_str(), errorSize - 1);
    return -1;
  }
  // What has ended before shares nothing with it.
  std::vector<SharedProgress::Id> some;
  while (progress.nextChange() <= now) {
    progress.advance(now, some);
    ended.insert(ended.end(), some.begin(), some.end());
  }
  return static_cast<int64_t>(progress.start(now, std::move(*demand)));
}

int32_t EmulatedMachine::advance(double now, int64_t *numbers, int32_t capacity,
                                 double *next) {
  std::vector<SharedProgress::Id> some;
  while (progress.nextChange() <= now) {
    progress.advance(now, some);
    ended.insert(ended.end(), some.begin(), some.end());
  }
  *next = progress.nextChange();
  size_t count = std::min<size_t>(capacity, ended.size());
  std::copy_n(ended.begin(), count, numbers);
  ended.erase(ended.begin(), ended.begin() + count);
  return static_cast<int32_t>(count);
}

void printEmulation(llvm::raw_ostream &os, const Prediction &prediction,
                    const RunResult &run, double timeScale) {
  auto number = [](const char *form, double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(form, value);
    return text;
  };
  double predicted = prediction.simulation.seconds,
         measured = run.medianSeconds();
  std::string time = printSeconds(measured);
  if (run.seconds.size() > 1)
    time += " (median of " + std::to_string(run.seconds.size()) + ")";
  os << printTable(
      {{"schedule", "ranks", "predicted", "measured", "ratio", "time scale"},
       {prediction.schedule, std::to_string(prediction.topology.numRanks()),
        printSeconds(predicted), time,
        predicted > 0 ? number("%.3f", measured / predicted) : "-",
        number("%.3g", timeScale)}});
}

void printEmulationJSON(llvm::raw_ostream &os, const Prediction &prediction,
                        const RunResult &run, double timeScale) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schedule", prediction.schedule);
    json.attribute("ranks", prediction.topology.numRanks());
    json.attribute("predicted_seconds", prediction.simulation.seconds);
    json.attribute("seconds", run.medianSeconds());
    json.attributeArray("all_seconds", [&] {
      for (double seconds : run.seconds)
        json.value(seconds);
    });
    json.attribute("time_scale", timeScale);
  });
  os << '\n';
}

llvm::Error EmulatedMachine::check(int64_t repetitions) const {
  for (size_t rank = 0; rank < launched.size(); ++rank) {
    int64_t predicted = kernels[rank].size() * repetitions;
    if (launched[rank] != predicted)
      return runtimeFailure("rank " + llvm::Twine(rank) + " has launched " +
                            llvm::Twine(launched[rank]) + " kernels, but " +
                            llvm::Twine(predicted) + " are predicted");
  }
  return llvm::Error::success();
}

} // namespace mercury::run
