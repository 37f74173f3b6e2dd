//===- CostModel.cpp - Seconds of a schedule in closed form ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CostModelImpl.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Tuning/LocalKernels.h"

#include <set>

using namespace mercury;

/// Multiply-adds of backward beside forward: two products each of a GEMM; of
/// attention five (scores again, and gradients of V, P, Q, K) beside two.
static constexpr double gemmBackward = 2, attentionBackward = 2.5;

std::string_view mercury::stringify(Cost::Bound bound) {
  switch (bound) {
  case Cost::Bound::Compute:
    return "compute";
  case Cost::Bound::Launch:
    return "launch";
  case Cost::Bound::Memory:
    return "memory";
  case Cost::Bound::Link:
    return "link";
  }
  return "";
}

void CostModel::Impl::findRoles() {
  const OperatorModel &op = problem.op;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool all = !op.loops[l].reduction;
    for (const OperatorModel::Tensor &input : op.inputs)
      all &= input.dimOfLoop(l).has_value();
    isBatch.push_back(all);
    if (op.loops[l].reduction) {
      keyLoop = l;
      hasRoles = true;
    }
  }
  queryLoop = keyLoop;
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (!op.loops[l].reduction && op.inputs.size() > 1 &&
        !op.inputs[1].dimOfLoop(l))
      queryLoop = l;
  if (op.mask) {
    queryLoop = op.mask->query;
    keyLoop = op.mask->key;
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void CostModel::Impl::addKernel(const std::string &name) {
  Kernel &made = kernels.emplace_back();
  made.name = name;
  LocalWork work = workOf(problem, name);
  for (bool backward : {false, true})
    for (bool causal : {false, true}) {
      work.causal = causal;
      work.backward = backward;
      made.rates[backward][causal] = locals.rateOf(work);
    }
}

size_t CostModel::Impl::numberOf(const std::string &patch) {
  for (size_t k = 0; k < kernels.size(); ++k)
    if (kernels[k].name == patch)
      return k;
  addKernel(patch);
  return kernels.size() - 1;
}

void CostModel::Impl::chooseKernel(Schedule &s) {
  // Its own blocks are for generated code.
  if (!s.tile.empty() || comparable == 1)
    return;
  Schedule best = s;
  double least = HUGE_VAL;
  for (size_t k = 0; k < comparable; ++k) {
    if (!setKernel(s, problem, links.topology(), kernels[k].name))
      continue;
    if (double took = seconds(s); took < least) {
      least = took;
      best = s;
    }
  }
  s = std::move(best);
}

/// The chord between two points of the larger of two lines is never below it,
/// so that curves need to be compared at their points only.
Rate CostModel::Impl::fastestRate() {
  std::vector<const Rate *> rates;
  for (size_t k = 0; k < comparable; ++k)
    for (const Rate &rate : kernels[k].rates[false])
      if (&rate == kernels[k].rates[false] || problem.op.mask)
        rates.push_back(&rate);
  Rate fastest = *rates.front();
  if (rates.size() == 1)
    return fastest;
  std::set<double> sizes;
  for (const Rate *rate : rates)
    if (rate->fraction)
      for (auto [size, part] : rate->fraction->points)
        sizes.insert(size);
  if (sizes.empty())
    return fastest;
  envelope.points.clear();
  for (double size : sizes) {
    double part = 0;
    for (const Rate *rate : rates)
      part = std::max(part, rate->at(size) / fastest.peak);
    envelope.points.emplace_back(size, part);
  }
  fastest.fraction = &envelope;
  fastest.scale = 1;
  return fastest;
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

LinkTime CostModel::Impl::timeOf(const Transfer &transfer) {
  LinkTime time =
      transfer.isHop ? links.hop(reader.hop(transfer), transfer.bytes)
                     : links.collective(transfer.primitive,
                                        reader.group(transfer), transfer.bytes);
  assumed |= time.assumed;
  return time;
}

Bundle CostModel::Impl::bundleOf(const std::vector<Transfer> &list) {
  Bundle bundle(links.topology().levels.size());
  for (const Transfer &transfer : list)
    bundle.add(timeOf(transfer));
  return bundle;
}

Bundle CostModel::Impl::sequenceOf(const std::vector<Transfer> &list) {
  Bundle bundle(links.topology().levels.size());
  for (const Transfer &transfer : list)
    bundle.follow(timeOf(transfer));
  return bundle;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void CostModel::Impl::prepare(const Schedule &s, bool isBackward) {
  const OperatorModel &op = problem.op;
  backward = isBackward;
  chunks = std::max<int64_t>(s.chunks, 1);
  kernel = numberOf(s.tile.empty() ? s.patch : kernelOf(s, problem));
  reader.read(s, backward);
  const LocalExtents &extents = reader.extents;
  table = op.mask ? &tables.of(s, extents.padded) : nullptr;

  before.clear();
  after.clear();
  for (const Transfer &transfer : reader.traffic.before)
    before.push_back(timeOf(transfer));
  for (const Transfer &transfer : reader.traffic.after)
    after.push_back(timeOf(transfer));

  bool reduces = false, movesState = false;
  loops.clear();
  for (const LoopTraffic &at : reader.traffic.loops) {
    LoopTimes times;
    times.loop = at.loop;
    times.factor = at.factor;
    times.steps = at.steps;
    Bundle passed = bundleOf(at.passed), moved = bundleOf(at.moved);
    times.moves = !moved.empty();
    times.startsEarly = !passed.empty() && !at.isLate;
    times.late = bundleOf({});
    if (at.isLate) {
      times.late = passed;
      times.late.add(moved);
      passed = moved = bundleOf({});
    }
    passed.add(bundleOf(at.fetched));
    times.passed = passed;
    times.moved = moved;
    times.ahead = bundleOf(at.ahead);
    times.all = times.passed;
    times.all.add(times.ahead);
    times.all.add(times.moved);
    times.first = sequenceOf(at.ahead);
    for (const Transfer &transfer : at.entered)
      times.first.follow(timeOf(transfer));
    times.waited = sequenceOf(at.waited);
    times.waitedOwn = sequenceOf(at.waitedFetched);
    if (table)
      for (size_t f = 0; f < table->factors.size(); ++f)
        if (table->factors[f] == std::pair(at.loop, at.factor)) {
          times.masked = f;
          times.steps = table->taken[f];
        }
    reduces |= op.loops[at.loop].reduction && at.steps > 1;
    movesState |= !at.moved.empty();
    // What arrives is added to what was computed: two read, one written.
    if (!problem.isFused)
      times.moveMerge = 3 * at.movedBytes / locals.memoryRate();
    loops.push_back(std::move(times));
  }

  double iterations = 1, cube = 1;
  batchTiles = 1;
  for (size_t l = 0; l < extents.tile.size(); ++l) {
    double tile = double(extents.tile[l]);
    iterations *= tile;
    if (!isBatch[l])
      cube *= tile;
    if (!op.mask || (l != op.mask->query && l != op.mask->key))
      batchTiles *= tile;
  }
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  operations = problem.kind == LocalWork::Kind::Elementwise ? 0
               : isAttention ? double(problem.headDim + problem.valueDim)
                             : 1;
  if (backward)
    operations *= isAttention ? attentionBackward : gemmBackward;
  size =
      isAttention && hasRoles ? double(extents.tile[keyLoop]) : std::cbrt(cube);
  // Halves that travel both ways are worked on one after the other.
  halves = 1;
  for (const LoopPlan &plan : s.loops)
    for (const Factor &factor : plan)
      halves *= factor.bidirectional ? 2 : 1;
  size = isAttention ? size / halves : size / std::cbrt(double(halves));
  queryRows = hasRoles ? double(extents.tile[queryLoop]) : 1;
  memoryBytes = 0;
  double stateBytes = 0;
  for (double bytes : extents.inputTiles)
    memoryBytes += bytes;
  for (size_t r = 0; r < extents.resultTiles.size(); ++r) {
    double bytes = extents.resultTiles[r];
    memoryBytes += bytes * (hasRoles ? 2 * halves : 1);
    stateBytes +=
        bytes * double(problem.stateBytes) / double(op.results[r].elementBytes);
  }
  // Backward sums gradients of queries, and of keys and values that pass by.
  mergeBytes = reduces || movesState ? problem.mergePasses * stateBytes : 0;
  if (backward && mergeBytes > 0)
    for (size_t i = 1; i < extents.inputTiles.size(); ++i)
      mergeBytes += problem.mergePasses * extents.inputTiles[i] *
                    double(problem.stateBytes) /
                    double(op.inputs[i].elementBytes);
  // Programs fill what they add to and, of attention, divide the state by its
  // sums; foreign kernels do so inside.
  fill = finish = 0;
  fills = finishes = 0;
  if (!problem.isForeign && hasRoles && !backward) {
    // What moves is added to a new tile at each step, which is filled before,
    // and in the end to what is there from steps of loops around.
    const std::vector<LoopTraffic> &at = reader.traffic.loops;
    for (size_t t = 0; t < at.size(); ++t) {
      if (at[t].movedBytes == 0)
        continue;
      loops[t].moveMerge += device.launch;
      if (t + 1 == at.size() || at[t + 1].movedBytes == 0)
        loops[t].fill = at[t].movedBytes / locals.memoryRate() + device.launch;
      if (t > 0 && at[t - 1].movedBytes == 0)
        loops[t].add = loops[t].moveMerge;
    }
    if (at.empty() || at[0].movedBytes == 0) {
      for (double partial : extents.partials)
        fill += partial / locals.memoryRate();
      fills = 1;
    }
    if (isAttention) {
      double state = extents.partials.front();
      finish = (state + extents.partials.back() +
                state * double(op.inputs.front().elementBytes) /
                    double(op.results.front().elementBytes)) /
               locals.memoryRate();
      finishes = 1;
      // Partial states are brought to one maximum before they are summed.
      if (reader.traffic.isPartial) {
        finish += 2 * (state + extents.partials.back()) / locals.memoryRate();
        finishes += 2;
      }
    }
    // Blocks that are cut into parts lie apart: copied before.
    if (reader.traffic.cut > 0) {
      fill += reader.traffic.cut / locals.memoryRate();
      ++fills;
    }
    // What loops have added up is summed where it is, and then copied.
    if (reader.traffic.summed > 0 && !isAttention) {
      finish += reader.traffic.summed / locals.memoryRate();
      ++finishes;
    }
    for (const std::vector<Transfer> *list :
         {&reader.traffic.before, &reader.traffic.after})
      for (const Transfer &transfer : *list)
        if (transfer.copied > 0) {
          finish += transfer.copied / locals.memoryRate();
          ++finishes;
        }
  }
  const Rate &rate = rateOf(table != nullptr && isAttention);
  workInterval = rate.interval;
  assumed |= rate.assumed;
  wholeRate = rateOf(false).at(size);
  cutRate = table ? rateOf(true).at(size) : 0;
  // A whole tile, where no mask leaves less.
  if (!table)
    batchTiles = iterations;
}

template <typename Visitor> void CostModel::Impl::forEachPass(Visitor visit) {
  if (problem.direction != CostProblem::Direction::Backward)
    visit(false);
  if (problem.direction != CostProblem::Direction::Forward)
    visit(true);
}

Cost CostModel::Impl::estimate(const Schedule &s) {
  Cost cost;
  cost.traffic.resize(links.topology().levels.size());
  forEachPass([&](bool isBackward) {
    assumed = false;
    prepare(s, isBackward);
    cost.seconds += total({}, &cost);
    cost.low += total({-1, -1}, nullptr);
    cost.high += total({1, 1}, nullptr);
    for (size_t d = 0; d < loops.size(); ++d) {
      cost.timeLoops[d].loop = loops[d].loop;
      cost.timeLoops[d].factor = loops[d].factor;
      cost.timeLoops[d].steps = loops[d].steps;
    }
    cost.assumed |= assumed;
  });
  return cost;
}

double CostModel::Impl::lowerBound() const {
  const OperatorModel &op = problem.op;
  TopologyModel one;
  double iterations =
      double(workOfRanks(Schedule::replicated(op), op, one).front());
  double each = problem.kind == LocalWork::Kind::Elementwise ? 0
                : problem.kind == LocalWork::Kind::Attention
                    ? double(problem.headDim + problem.valueDim)
                    : 1;
  double sum = 0;
  for (bool isBackward : {false, true}) {
    if (problem.direction == (isBackward ? CostProblem::Direction::Forward
                                         : CostProblem::Direction::Backward))
      continue;
    double fastest = 0;
    for (size_t k = 0; k < comparable; ++k)
      for (const Rate &rate : kernels[k].rates[isBackward])
        fastest = std::max(fastest, rate.highest());
    double more = !isBackward ? 1
                  : problem.kind == LocalWork::Kind::Attention
                      ? attentionBackward
                      : gemmBackward;
    if (fastest > 0)
      sum += 2 * iterations * each * more / fastest;
  }
  // Below what the same sum may round to elsewhere.
  return sum / double(links.topology().numRanks()) * (1 - 1e-12);
}

static std::string microseconds(double seconds) {
  return std::to_string(std::lround(seconds * 1e6)) + " us";
}

std::vector<std::string> CostModel::Impl::assumptions() const {
  std::vector<std::string> lines;
  for (size_t l = 0; l < links.topology().levels.size(); ++l) {
    const Level &level = links.topology().levels[l];
    if (level.size > 1 && level.bandwidth <= 0)
      lines.push_back("level '" + level.name + "' has no bandwidth; " +
                      std::to_string(int64_t(links.bandwidth(l) / 1e9)) +
                      " GB/s are assumed");
    // Curves contain both.
    if (level.size > 1 && level.curves.empty() && level.latency <= 0 &&
        level.launch <= 0)
      lines.push_back("level '" + level.name +
                      "' has no latency and no launch cost; " +
                      microseconds(links.latency(l)) + " and " +
                      microseconds(links.launch(l)) + " are assumed");
  }
  for (bool isBackward : {false, true}) {
    if (problem.direction == (isBackward ? CostProblem::Direction::Forward
                                         : CostProblem::Direction::Backward))
      continue;
    const Rate &rate =
        kernels.front().rates[isBackward][problem.op.mask.has_value()];
    if (rate.assumed && problem.kind != LocalWork::Kind::Elementwise)
      lines.push_back("the device has no rate of this kind of work in '" +
                      problem.type + "'; up to " +
                      std::to_string(int64_t(rate.highest() / 1e9)) +
                      " Gflop/s are assumed");
  }
  if (device.memoryBandwidth <= 0)
    lines.push_back("the device has no memory bandwidth; " +
                    std::to_string(int64_t(locals.memoryRate() / 1e9)) +
                    " GB/s are assumed");
  if (device.launch <= 0)
    lines.push_back("the device has no launch cost; " + microseconds(0) +
                    " are assumed");
  return lines;
}

double CostModel::Impl::seconds(const Schedule &s) {
  double sum = 0;
  forEachPass([&](bool isBackward) {
    prepare(s, isBackward);
    sum += total({}, nullptr);
  });
  return sum;
}

//===----------------------------------------------------------------------===//
// CostModel
//===----------------------------------------------------------------------===//

CostModel::CostModel(CostProblem problem, const TopologyModel &topology)
    : impl(std::make_unique<Impl>(std::move(problem), topology)) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel &&) = default;

Cost CostModel::estimate(const Schedule &schedule) {
  return impl->estimate(schedule);
}
double CostModel::seconds(const Schedule &schedule) {
  return impl->seconds(schedule);
}
void CostModel::chooseKernel(Schedule &schedule) {
  impl->chooseKernel(schedule);
}
double CostModel::lowerBound() const { return impl->lowerBound(); }
Rate CostModel::fastestRate() const { return impl->fastestRate(); }
std::vector<std::string> CostModel::assumptions() const {
  return impl->assumptions();
}
const CostProblem &CostModel::problem() const { return impl->problem; }
void CostModel::setMergePasses(double passes) {
  impl->problem.mergePasses = passes;
}
const LinkTimes &CostModel::links() const { return impl->links; }
