//===- CostModel.cpp - Seconds of a schedule in closed form ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/CostModel.h"
#include "Mercury/Schedule/Balance.h"
#include "ScheduleTraffic.h"
#include "StepTable.h"

#include <algorithm>
#include <cmath>

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

double mercury::overlapped(double work, double communication, double share) {
  // While it runs, work goes on at 1 - share of its rate.
  return std::max(communication, work + share * communication);
}

namespace {
/// Several communications that run at the same time.
struct Bundle {
  double fixed = 0;    ///< launch and latency
  double streamed = 0; ///< of the busiest level
  double launch = 0;
  double interval = 0;
  size_t slowest = 0; ///< that level
  /// Per level.
  llvm::SmallVector<double, 4> seconds, bytes;

  explicit Bundle(size_t levels = 0) : seconds(levels, 0), bytes(levels, 0) {}
  bool empty() const { return fixed + streamed == 0; }
  void add(const LinkTime &time) {
    fixed = std::max(fixed, time.fixed);
    launch = std::max(launch, time.launch);
    interval = std::max(interval, time.interval);
    // What is streamed of one communication is that of its busiest level.
    for (const LinkLoad &load : time.loads) {
      seconds[load.level] += load.seconds;
      bytes[load.level] += load.bytes;
      if (seconds[load.level] > streamed) {
        streamed = seconds[load.level];
        slowest = load.level;
      }
    }
  }
  void add(const Bundle &other) {
    fixed = std::max(fixed, other.fixed);
    launch = std::max(launch, other.launch);
    interval = std::max(interval, other.interval);
    for (size_t l = 0; l < seconds.size(); ++l) {
      seconds[l] += other.seconds[l];
      bytes[l] += other.bytes[l];
      if (seconds[l] > streamed) {
        streamed = seconds[l];
        slowest = l;
      }
    }
  }
};

/// Times of a time loop's communication, of one step.
struct LoopTimes {
  size_t loop = 0, factor = 0;
  int64_t steps = 0;
  Bundle passed, ahead, moved, all;
  double moveMerge = 0; ///< seconds to add what has arrived
  /// Place among the factors of the step table, or nothing.
  std::optional<size_t> masked;
};

/// A figure at one end of its interval.
struct Side {
  double work = 0, link = 0; ///< -1, 0 or 1
};
} // namespace

class CostModel::Impl {
public:
  Impl(CostProblem p, const TopologyModel &topology)
      : problem(std::move(p)), links(topology), device(links.topology().device),
        locals(device), reader(problem, links),
        tables(problem.op, links.topology()) {
    for (bool backward : {false, true})
      for (bool causal : {false, true}) {
        work.kind = problem.kind;
        work.type = problem.type;
        work.library = problem.library;
        work.headDim = problem.headDim;
        work.causal = causal;
        work.backward = backward;
        rates[backward][causal] = locals.rateOf(work);
      }
    findRoles();
  }

  Cost estimate(const Schedule &s);
  double seconds(const Schedule &s);
  double lowerBound() const;
  std::vector<std::string> assumptions() const;

  CostProblem problem;
  LinkTimes links;

private:
  struct Step {
    double seconds = 0;
    double compute = 0; ///< work in it
    double memory = 0;  ///< of which bound by memory
    double launch = 0;
    llvm::SmallVector<double, 4>
        busy; ///< per level, seconds its ports are taken
  };
  void findRoles();
  void prepare(const Schedule &s, bool backward);
  LinkTime timeOf(const Transfer &transfer);
  Bundle bundleOf(const std::vector<Transfer> &list);
  double stepSeconds(double whole, double cut, double rows, double &memory);
  void leaf(size_t combination, double scale, Step &step);
  void run(size_t depth, size_t combination, double executions, Side side,
           Step &step, Cost *cost);
  double total(Side side, Cost *cost);
  template <typename Visitor> void forEachPass(Visitor visit);

  const DeviceModel &device;
  LocalTimes locals;
  TrafficReader reader;
  StepTables tables;
  LocalWork work;
  Rate rates[2][2]; ///< by backward, by whether a mask cuts

  std::vector<bool> isBatch; ///< per loop: everything has a part of it
  size_t keyLoop = 0, queryLoop = 0;
  bool hasRoles = false;

  // Of the schedule at hand.
  bool backward = false;
  int64_t chunks = 1;
  const StepTable *table = nullptr;
  std::vector<LoopTimes> loops;
  std::vector<LinkTime> before, after;
  double batchTiles = 1; ///< product of tiles of all loops but the mask's
  double operations = 0; ///< multiply-adds of each iteration
  double memoryBytes = 0, mergeBytes = 0, queryRows = 1, size = 1;
  double workInterval = 0;
  /// Before and after the loops: seconds of memory, and numbers of kernels.
  double fill = 0, finish = 0, stepFill = 0;
  int fills = 0, finishes = 0;
  int kernels = 1; ///< of a step
  bool assumed = false;
};

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

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void CostModel::Impl::prepare(const Schedule &s, bool isBackward) {
  const OperatorModel &op = problem.op;
  backward = isBackward;
  chunks = std::max<int64_t>(s.chunks, 1);
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
    times.passed = bundleOf(at.passed);
    times.ahead = bundleOf(at.ahead);
    times.moved = bundleOf(at.moved);
    times.all = times.passed;
    times.all.add(times.ahead);
    times.all.add(times.moved);
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
      for (const Transfer &transfer : at.moved)
        times.moveMerge += 3 * transfer.bytes / locals.memoryRate();
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
  kernels = 1;
  for (const LoopPlan &plan : s.loops)
    for (const Factor &factor : plan)
      kernels *= factor.bidirectional ? 2 : 1;
  size = isAttention ? size / kernels : size / std::cbrt(double(kernels));
  queryRows = hasRoles ? double(extents.tile[queryLoop]) : 1;
  memoryBytes = 0;
  double stateBytes = 0;
  for (double bytes : extents.inputTiles)
    memoryBytes += bytes;
  for (size_t r = 0; r < extents.resultTiles.size(); ++r) {
    double bytes = extents.resultTiles[r];
    memoryBytes += bytes * (hasRoles ? 2 * kernels : 1);
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
  // Generated code fills what it adds to and, of attention, divides the state
  // by its sums; the kernels of libraries do so inside.
  fill = finish = stepFill = 0;
  fills = finishes = 0;
  if (problem.library.empty() && hasRoles && !backward) {
    for (double partial : extents.partials)
      fill += partial / locals.memoryRate();
    fills = 1;
    if (isAttention) {
      double state = extents.partials.front();
      finish = (state + extents.partials.back() +
                state * double(op.inputs.front().elementBytes) /
                    double(op.results.front().elementBytes)) /
               locals.memoryRate();
      finishes = 1;
    }
    // What moves is added to a new tile at each step.
    if (movesState)
      for (double bytes : extents.resultTiles)
        stepFill += bytes / locals.memoryRate();
    for (const std::vector<Transfer> *list :
         {&reader.traffic.before, &reader.traffic.after})
      for (const Transfer &transfer : *list)
        if (transfer.copied > 0) {
          finish += transfer.copied / locals.memoryRate();
          ++finishes;
        }
  }
  const Rate &rate = rates[backward][table != nullptr && isAttention];
  workInterval = rate.interval;
  assumed |= rate.assumed;
  // A whole tile, where no mask leaves less.
  if (!table)
    batchTiles = iterations;
}

/// Of a tile's visible pairs, with everything that the other loops have.
double CostModel::Impl::stepSeconds(double whole, double cut, double rows,
                                    double &memory) {
  double compute = 0;
  if (whole > 0)
    compute +=
        2 * whole * batchTiles * operations / rates[backward][false].at(size);
  if (cut > 0)
    compute +=
        2 * cut * batchTiles * operations / rates[backward][true].at(size);
  memory = memoryBytes / locals.memoryRate();
  double merge = mergeBytes * rows / locals.memoryRate();
  double seconds = std::max(compute, memory) + merge + stepFill;
  memory = memory > compute ? seconds : merge;
  return seconds;
}

void CostModel::Impl::leaf(size_t combination, double scale, Step &step) {
  step.launch = kernels * device.launch;
  if (!table) {
    step.compute = stepSeconds(1, 0, 1, step.memory);
  } else {
    step.compute = step.memory = 0;
    bool works = false;
    for (const TilePairs &pairs : table->tiles[combination]) {
      double memory = 0, rows = pairs.rows / std::max(queryRows, 1.0);
      double seconds = pairs.whole + pairs.cut > 0
                           ? stepSeconds(pairs.whole, pairs.cut, rows, memory)
                           : 0;
      works |= seconds > 0;
      if (seconds > step.compute) {
        step.compute = seconds;
        step.memory = memory;
      }
    }
    if (!works)
      step.launch = 0;
  }
  step.compute = step.compute * scale + step.launch;
  step.seconds = step.compute;
  std::fill(step.busy.begin(), step.busy.end(), 0);
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Runs the loops from `depth` inwards once. `executions` is how often that is
/// done in all, for what `cost` sums.
void CostModel::Impl::run(size_t depth, size_t combination, double executions,
                          Side side, Step &step, Cost *cost) {
  if (depth == loops.size()) {
    leaf(combination, 1 + side.work * workInterval, step);
    return;
  }
  const LoopTimes &loop = loops[depth];
  int64_t n = loop.steps;
  bool varies = false;
  for (size_t d = depth; d < loops.size(); ++d)
    varies |= loops[d].masked.has_value();
  varies &= loop.masked.has_value();

  double pieces = double(chunks);
  auto seconds = [&](const Bundle &bundle) {
    if (bundle.empty())
      return 0.0;
    double launches = problem.isFused ? 0 : (pieces - 1) * bundle.launch;
    return (bundle.fixed + launches + bundle.streamed) *
           std::max(1 + side.link * bundle.interval, 0.05);
  };
  double communication = seconds(loop.all);
  double startUp = 0, steady = 0, drain = 0, compute = 0, memory = 0,
         launch = 0, bodies = 0;
  llvm::SmallVector<double, 4> busy(step.busy.size(), 0);
  Step body;
  body.busy.resize(step.busy.size());
  if (!loop.ahead.empty())
    startUp += seconds(loop.ahead) / (problem.isFused ? pieces : 1);

  double exposed = startUp;
  for (int64_t t = 0; t < n; ++t) {
    // Equal steps: the first, and the one that stands for all others.
    double repeats = 1;
    if (!varies && t == 1)
      repeats = double(n - 1);
    if (t == 0 || varies)
      run(depth + 1,
          loop.masked ? combination * size_t(n) + size_t(t) : combination,
          executions * (varies ? 1 : double(n)), side, body, cost);
    launch += body.launch * repeats;
    bodies += body.seconds * repeats;
    // What moves results runs in all steps but the first, all else in all but
    // the last.
    bool last = t + 1 == n, first = t == 0;
    double with = 0;
    if (varies) {
      Bundle none;
      const Bundle *kinds[] = {last ? &none : &loop.passed,
                               last ? &none : &loop.ahead,
                               first ? &none : &loop.moved};
      double fixed = 0, streamed = 0;
      for (const Bundle *kind : kinds) {
        fixed = std::max(fixed, seconds(*kind) - kind->streamed);
        streamed += kind->streamed;
      }
      with = streamed > 0 || fixed > 0
                 ? std::min(communication, fixed + streamed)
                 : 0;
    } else {
      // One step of all is without.
      with = first ? 0 : communication;
    }
    double took = body.seconds;
    if (with > 0) {
      took = overlapped(body.seconds, with, device.communicationShare);
      for (size_t l = 0; l < busy.size(); ++l)
        took = std::max(took, body.busy[l] + loop.all.seconds[l]);
    }
    exposed += (took - body.seconds) * repeats;
    double merge = t > 0 && with > 0 && !loop.moved.empty()
                       ? loop.moveMerge * (1 + side.work * workInterval)
                       : 0;
    took += merge;
    compute += (body.compute + merge) * repeats;
    memory += (body.memory + merge) * repeats;
    for (size_t l = 0; l < busy.size(); ++l)
      busy[l] +=
          (body.busy[l] + (with > 0 ? loop.all.seconds[l] : 0)) * repeats;
    bool isDrain = varies ? last : first;
    if (isDrain) {
      // Where pieces are worked on as they come, the last one is what is left.
      if (communication > body.seconds && pieces > 1 && n > 1) {
        double left = body.seconds / pieces;
        exposed -= took - left;
        took = left;
      }
      drain += took;
    } else {
      steady += took * repeats;
    }
    if (!varies && t == 1)
      break;
  }
  step.compute = compute;
  step.memory = memory;
  step.launch = launch;
  step.seconds = startUp + steady + drain;
  step.busy = busy;
  if (!cost)
    return;
  Cost::TimeLoop &line = cost->timeLoops[depth];
  line.startUp += startUp * executions;
  line.steady += steady * executions;
  line.drain += drain * executions;
  if (loop.all.empty())
    return;
  cost->traffic[loop.all.slowest].exposed += exposed * executions;
  double hidden = double(n - 1), given = bodies / double(n);
  for (size_t l = 0; l < busy.size(); ++l) {
    Cost::Traffic &traffic = cost->traffic[l];
    double times = hidden * executions, more = executions;
    traffic.bytes += loop.all.bytes[l] * times + loop.ahead.bytes[l] * more;
    traffic.seconds +=
        loop.all.seconds[l] * times + loop.ahead.seconds[l] * more;
    if (loop.all.bytes[l] <= 0 || n < 2)
      continue;
    // Hidden as long as it takes no longer than the work it runs beside.
    double time =
        given / std::max(1 - device.communicationShare, 0.01) - loop.all.fixed;
    traffic.service = std::max(traffic.service,
                               time > 0 ? loop.all.bytes[l] / time : HUGE_VAL);
  }
}

double CostModel::Impl::total(Side side, Cost *cost) {
  Step step;
  step.busy.resize(links.topology().levels.size());
  if (cost)
    cost->timeLoops.resize(loops.size());
  run(0, 0, 1, side, step, cost);
  double memoryScale = 1 + side.work * workInterval;
  double filled = fill * memoryScale + fills * device.launch;
  double launches = (fills + finishes) * device.launch;
  step.memory += (fill + finish) * memoryScale;
  step.launch += launches;
  step.compute += (fill + finish) * memoryScale + launches;
  double seconds =
      step.seconds + finish * memoryScale + finishes * device.launch;
  // What comes before the loops does so beside the fill.
  double gathered = 0;
  for (const LinkTime &time : before)
    gathered += time.seconds * std::max(1 + side.link * time.interval, 0.05);
  seconds += std::max(filled, gathered);
  double hidden = gathered > 0 ? std::min(filled / gathered, 1.0) : 0;
  for (const std::vector<LinkTime> *list : {&before, &after})
    for (const LinkTime &time : *list) {
      double took =
          time.seconds * std::max(1 + side.link * time.interval, 0.05);
      if (list == &after)
        seconds += took;
      else
        took *= 1 - hidden;
      if (!cost)
        continue;
      const LinkLoad *slowest = nullptr;
      for (const LinkLoad &load : time.loads) {
        cost->traffic[load.level].bytes += load.bytes;
        cost->traffic[load.level].seconds += load.seconds;
        if (!slowest || load.seconds > slowest->seconds)
          slowest = &load;
      }
      if (slowest)
        cost->traffic[slowest->level].exposed += took;
    }
  if (cost) {
    cost->compute += step.compute;
    cost->launch += step.launch;
    double link = 0;
    for (size_t l = 0; l < cost->traffic.size(); ++l)
      if (cost->traffic[l].exposed > link) {
        link = cost->traffic[l].exposed;
        cost->boundLevel = l;
      }
    double best = step.compute - step.launch;
    cost->bound =
        step.memory > best / 2 ? Cost::Bound::Memory : Cost::Bound::Compute;
    if (step.launch > best) {
      best = step.launch;
      cost->bound = Cost::Bound::Launch;
    }
    if (link > best)
      cost->bound = Cost::Bound::Link;
  }
  return seconds;
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
    for (const Rate &rate : rates[isBackward])
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

std::vector<std::string> CostModel::Impl::assumptions() const {
  std::vector<std::string> lines;
  for (size_t l = 0; l < links.topology().levels.size(); ++l) {
    const Level &level = links.topology().levels[l];
    if (level.size > 1 && level.bandwidth <= 0)
      lines.push_back("level '" + level.name + "' has no bandwidth; " +
                      std::to_string(int64_t(links.bandwidth(l) / 1e9)) +
                      " GB/s are assumed");
  }
  for (bool isBackward : {false, true}) {
    if (problem.direction == (isBackward ? CostProblem::Direction::Forward
                                         : CostProblem::Direction::Backward))
      continue;
    const Rate &rate = rates[isBackward][problem.op.mask.has_value()];
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
double CostModel::lowerBound() const { return impl->lowerBound(); }
std::vector<std::string> CostModel::assumptions() const {
  return impl->assumptions();
}
const CostProblem &CostModel::problem() const { return impl->problem; }
void CostModel::setMergePasses(double passes) {
  impl->problem.mergePasses = passes;
}
const LinkTimes &CostModel::links() const { return impl->links; }
