//===- CandidateCost.cpp - Seconds of candidates --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mercury;

// Ways of messages beside collectives, whose way is their primitive.
static constexpr int passOn = 16, passBothWays = 17, fetchFromOwner = 18;
/// As in ScheduleTraffic.cpp.
static constexpr int64_t maxStrides = 16;

size_t CandidateCost::Hash::operator()(const Key &key) const {
  uint64_t bits;
  std::memcpy(&bits, &key.bytes, sizeof bits);
  uint64_t hash = key.axes * 0x9e3779b97f4a7c15u ^ bits ^ uint64_t(key.way);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

CandidateCost::CandidateCost(const CostProblem &problem, const LinkTimes &links)
    : problem(problem), links(links), topology(links.topology()) {
  exact = !problem.op.mask &&
          problem.direction == CostProblem::Direction::Forward &&
          topology.levels.size() <= maxCostLevels;
  LocalTimes locals(topology.device);
  LocalWork work;
  work.kind = problem.kind;
  work.type = problem.type;
  work.library = problem.library;
  work.headDim = problem.headDim;
  rate = locals.rateOf(work);
  memoryRate = locals.memoryRate();
  const OperatorModel &op = problem.op;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool all = !op.loops[l].reduction;
    for (const OperatorModel::Tensor &input : op.inputs)
      all &= input.dimOfLoop(l).has_value();
    isBatch.push_back(all);
    if (op.loops[l].reduction) {
      keyLoop = l;
      isGenerated = problem.library.empty();
    }
  }
}

void CandidateCost::enter(const Division &next, const Candidate &c) {
  if (division != &next || next.axes != axes) {
    division = &next;
    axes = next.axes;
    for (size_t a = 0; a < axes.size(); ++a) {
      size_t bit =
          std::find(known.begin(), known.end(), axes[a]) - known.begin();
      if (bit == known.size()) {
        if (known.size() == 64) {
          // Too many for the bits: begin anew.
          known.clear();
          times.clear();
          hops.clear();
          axes.clear();
          return enter(next, c);
        }
        known.push_back(axes[a]);
      }
      names[a] = uint64_t(1) << bit;
    }
  }
  const OperatorModel &op = problem.op;
  partial = 0;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    shifts[l] = 0;
    if (op.loops[l].reduction)
      partial |= c.ranks[l];
  }
  for (const Candidate::Time &time : c.times)
    for (const Candidate::Time::Member &m : time.members)
      if (m.shifted)
        shifts[time.loop] |= division->units[m.unit];
  readExtents(c);
  readTimes(c);
  readWork(c);
}

uint64_t CandidateCost::namesOf(AxisMask mask) const {
  uint64_t all = 0;
  for (; mask != 0; mask &= mask - 1)
    all |= names[std::countr_zero(mask)];
  return all;
}

//===----------------------------------------------------------------------===//
// Extents and work
//===----------------------------------------------------------------------===//

void CandidateCost::readExtents(const Candidate &c) {
  const OperatorModel &op = problem.op;
  int64_t multiple[maxLoops], count[maxLoops];
  for (size_t l = 0; l < op.loops.size(); ++l)
    multiple[l] = count[l] = division->sizeOf(c.ranks[l]);
  for (const Candidate::Time &time : c.times) {
    int64_t steps = division->sizeOf(division->units[time.members[0].unit]);
    count[time.loop] *= steps;
    multiple[time.loop] *= steps * (time.bothDirections ? 2 : 1);
  }
  size_t inputs = op.inputs.size(), tensors = inputs + op.results.size();
  auto modelOf = [&](size_t t) -> const OperatorModel::Tensor & {
    return t < inputs ? op.inputs[t] : op.results[t - inputs];
  };
  for (size_t t = 0; t < tensors; ++t)
    for (size_t d = 0; d < modelOf(t).loopOfDim.size(); ++d)
      if (int loop = modelOf(t).loopOfDim[d]; loop >= 0)
        for (const AxisSequence *axes :
             {&c.tensors[t].entry[d], &c.tensors[t].nest[d]})
          if (!axes->empty())
            multiple[loop] = std::lcm(multiple[loop], division->sizeOf(*axes));
  for (size_t l = 0; l < op.loops.size(); ++l) {
    int64_t extent = op.loops[l].extent;
    padded[l] =
        (extent / multiple[l] + (extent % multiple[l] != 0)) * multiple[l];
    tile[l] = padded[l] / count[l];
  }
  held = 0;
  for (size_t t = 0; t < tensors; ++t) {
    const OperatorModel::Tensor &model = modelOf(t);
    const std::vector<int64_t> &shape =
        t < inputs ? problem.inputShapes[t] : problem.resultShapes[t - inputs];
    double own = model.elementBytes;
    shard[t] = tileBytes[t] = model.elementBytes;
    for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
      int loop = model.loopOfDim[d];
      int64_t whole = loop >= 0 ? padded[loop] : shape[d];
      auto part = [&](const AxisSequence &axes) {
        int64_t ranks = division->sizeOf(axes);
        return double((whole + ranks - 1) / ranks);
      };
      shard[t] *= part(c.tensors[t].nest[d]);
      own *= part(c.tensors[t].entry[d]);
      tileBytes[t] *= double(loop >= 0 ? tile[loop] : whole);
    }
    // Coupled results are finished to something smaller.
    if (t < inputs || op.coupled.empty())
      held += own;
  }
}

void CandidateCost::readWork(const Candidate &c) {
  const OperatorModel &op = problem.op;
  double iterations = 1, cube = 1;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    iterations *= double(tile[l]);
    if (!isBatch[l])
      cube *= double(tile[l]);
  }
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  double operations = problem.kind == LocalWork::Kind::Elementwise ? 0
                      : isAttention ? double(problem.headDim + problem.valueDim)
                                    : 1;
  bool hasReduction = op.loops.size() > 0 && op.loops[keyLoop].reduction;
  double size =
      isAttention && hasReduction ? double(tile[keyLoop]) : std::cbrt(cube);
  bool reduces = false, movesState = false;
  kernels = 1;
  for (const Candidate::Time &time : c.times)
    kernels *= time.bothDirections ? 2 : 1;
  size = isAttention ? size / kernels : size / std::cbrt(double(kernels));
  for (size_t t = 0; t < c.times.size(); ++t) {
    reduces |= op.loops[c.times[t].loop].reduction && loops[t].steps > 1;
    movesState |= loopTimes[t].moves;
  }
  double memoryBytes = 0, stateBytes = 0;
  for (size_t t = 0; t < op.inputs.size(); ++t)
    memoryBytes += tileBytes[t];
  for (size_t r = 0; r < op.results.size(); ++r) {
    double bytes = tileBytes[op.inputs.size() + r];
    memoryBytes += bytes * (hasReduction ? 2 * kernels : 1);
    stateBytes +=
        bytes * double(problem.stateBytes) / double(op.results[r].elementBytes);
  }
  double mergeBytes =
      reduces || movesState ? problem.mergePasses * stateBytes : 0;
  double compute = 2 * iterations * operations / rate.at(size);
  // What moves is added to a new tile at each step.
  double stepFill = 0;
  if (isGenerated && movesState)
    for (size_t r = 0; r < op.results.size(); ++r)
      stepFill += tileBytes[op.inputs.size() + r] / memoryRate;
  leaf = std::max(compute, memoryBytes / memoryRate) + mergeBytes / memoryRate +
         stepFill;
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

const LinkSeconds &CandidateCost::timeOf(const Message &message) {
  auto [it, isNew] =
      times.try_emplace(Key{message.axes, message.way, message.bytes});
  LinkSeconds &seconds = it->second;
  if (!isNew)
    return seconds;
  AxisList list;
  for (uint64_t rest = message.axes; rest != 0; rest &= rest - 1)
    list.push_back(known[std::countr_zero(rest)]);
  // Axes stand in the order of the topology.
  auto place = [&](const AxisRef &axis) {
    return std::pair(topology.find(axis.level) - topology.levels.data(),
                     axis.pre);
  };
  std::sort(list.begin(), list.end(), [&](const AxisRef &a, const AxisRef &b) {
    return place(a) < place(b);
  });
  LinkTime time;
  if (message.way < passOn) {
    time = links.collective(static_cast<Primitive>(message.way),
                            links.shapeOf(list), message.bytes);
  } else {
    auto [hop, isNewHop] = hops.try_emplace(Key{message.axes, message.way, 0});
    if (isNewHop) {
      std::vector<int64_t> strides = {1};
      if (message.way == passBothWays)
        strides.push_back(-1);
      if (message.way == fetchFromOwner) {
        int64_t owners = topology.sizeOf(list) - 1,
                looked = std::min(owners, maxStrides);
        strides.clear();
        for (int64_t k = 0; k < looked; ++k)
          strides.push_back(1 + k * owners / looked);
      }
      hop->second = links.hopOf(list, strides);
    }
    time = links.hop(hop->second, message.bytes);
  }
  seconds.seconds = time.seconds;
  seconds.fixed = time.fixed;
  seconds.launch = time.launch;
  for (const LinkLoad &load : time.loads)
    seconds.level[load.level] += load.seconds;
  return seconds;
}

void CandidateCost::send(FixedList<Message, maxTensors * 2> &list,
                         AxisMask axes, int way, double bytes) {
  if (axes == 0 || bytes <= 0)
    return;
  uint64_t all = namesOf(axes);
  // What goes the same way goes in one group of messages.
  if (way >= passOn)
    for (Message &other : list)
      if (other.axes == all && other.way == way) {
        other.bytes += bytes;
        return;
      }
  if (!list.isFull())
    list.push_back({all, way, bytes});
}

void CandidateCost::add(Bundle &bundle,
                        const FixedList<Message, maxTensors * 2> &list) {
  for (const Message &message : list) {
    const LinkSeconds &time = timeOf(message);
    bundle.fixed = std::max(bundle.fixed, time.fixed);
    bundle.launch = std::max(bundle.launch, time.launch);
    for (size_t l = 0; l < topology.levels.size(); ++l) {
      bundle.level[l] += time.level[l];
      bundle.streamed = std::max(bundle.streamed, bundle.level[l]);
    }
  }
}

static bool contains(const AxisSequence &axes, uint8_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

size_t CandidateCost::timeOf(const Candidate &c, size_t loop, uint8_t axis,
                             bool shifted) const {
  // From the innermost loop outwards.
  size_t any = c.times.size();
  for (size_t order = c.times.size(); order-- > 0;)
    for (size_t t = 0; t < c.times.size(); ++t) {
      const Candidate::Time &time = c.times[t];
      if (time.order != order || time.loop != loop)
        continue;
      if (!shifted && division->units[time.members[0].unit] >> axis & 1)
        return t;
      for (const Candidate::Time::Member &m : time.members)
        if (shifted && m.shifted && division->units[m.unit] >> axis & 1)
          return t;
      any = t;
    }
  return any;
}

bool CandidateCost::isApart(const Candidate &c, size_t t, size_t dim) const {
  size_t inputs = problem.op.inputs.size();
  const OperatorModel::Tensor &model =
      t < inputs ? problem.op.inputs[t] : problem.op.results[t - inputs];
  const std::vector<int64_t> &shape =
      t < inputs ? problem.inputShapes[t] : problem.resultShapes[t - inputs];
  for (size_t d = 0; d < dim; ++d) {
    int loop = model.loopOfDim[d];
    if ((loop >= 0 ? padded[loop] : shape[d]) >
        division->sizeOf(c.tensors[t].nest[d]))
      return true;
  }
  return false;
}

/// Packs or unpacks what a collective moves.
void CandidateCost::copy(double bytes) {
  if (!isGenerated)
    return;
  finish += 2 * bytes / memoryRate;
  ++finishes;
}

void CandidateCost::readInput(const Candidate &c, size_t i) {
  const Candidate::Tensor &tensor = c.tensors[i];
  size_t dims = problem.op.inputs[i].loopOfDim.size();
  AxisMask gathered = 0, exchanged = 0;
  bool unpacks = false, exchangesApart = false;
  for (size_t d = 0; d < dims; ++d)
    for (uint8_t axis : tensor.entry[d]) {
      bool isHere = contains(tensor.nest[d], axis), isElsewhere = false;
      for (size_t other = 0; other < dims; ++other)
        isElsewhere |= other != d && contains(tensor.nest[other], axis);
      if (isElsewhere) {
        exchanged |= AxisMask(1) << axis;
        exchangesApart |= isApart(c, i, d);
      } else if (!isHere) {
        gathered |= AxisMask(1) << axis;
        unpacks |= isApart(c, i, d);
      }
    }
  auto collective = [&](Primitive primitive, AxisMask axes, double bytes) {
    if (axes != 0 && bytes > 0)
      before +=
          timeOf(Message{namesOf(axes), static_cast<int>(primitive), bytes})
              .seconds;
  };
  double part = shard[i] / double(division->sizeOf(gathered));
  collective(Primitive::AllToAll, exchanged, part);
  if (exchangesApart)
    copy(part);
  collective(Primitive::AllGather, gathered, shard[i]);
  if (unpacks)
    copy(shard[i]);
  readLoops(c, i);
}

void CandidateCost::readLoops(const Candidate &c, size_t i) {
  const OperatorModel::Tensor &model = problem.op.inputs[i];
  const Candidate::Tensor &tensor = c.tensors[i];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    const AxisSequence &list = tensor.nest[d];
    int loop = model.loopOfDim[d];
    for (size_t a = 0; a < list.size() && loop >= 0;) {
      auto arrivalOf = [&](uint8_t axis) {
        if (c.ranks[loop] >> axis & 1)
          return Arrival::Local;
        for (size_t other = 0; other < model.loopOfDim.size(); ++other)
          if (other != d && contains(tensor.entry[other], axis))
            return Arrival::AllToAll;
        if (!(shifts[loop] >> axis & 1))
          return Arrival::Broadcast;
        return tensor.fetch >> axis & 1 ? Arrival::Fetch : Arrival::Rotate;
      };
      Arrival arrival = arrivalOf(list[a]);
      bool shifted = arrival == Arrival::Rotate || arrival == Arrival::Fetch;
      size_t t = shifted || arrival == Arrival::Broadcast
                     ? timeOf(c, loop, list[a], shifted)
                     : c.times.size();
      if (t == c.times.size()) {
        ++a;
        continue;
      }
      const Candidate::Time &time = c.times[t];
      // Neighbouring axes that arrive alike move together.
      AxisMask unit = ~AxisMask(0), group = 0;
      for (const Candidate::Time::Member &m : time.members)
        if (shifted && m.shifted && division->units[m.unit] >> list[a] & 1)
          unit = division->units[m.unit];
      for (; a < list.size(); ++a) {
        if (arrivalOf(list[a]) != arrival || !(unit >> list[a] & 1) ||
            timeOf(c, loop, list[a], shifted) != t)
          break;
        group |= AxisMask(1) << list[a];
      }
      double bytes = shard[i];
      if (arrival == Arrival::Broadcast) {
        readsOrder |= time.members.size() > 1 ||
                      !(division->units[time.members[0].unit] & group);
        send(loops[t].ahead, group, static_cast<int>(Primitive::Broadcast),
             bytes);
      } else if (arrival == Arrival::Rotate) {
        if (time.bothDirections)
          send(loops[t].passed, group, passBothWays, bytes / 2);
        else
          send(loops[t].passed, group, passOn, bytes);
      } else {
        // A reader gets the part of the block that it reads.
        for (size_t other = 0; other < model.loopOfDim.size(); ++other)
          if (int around = model.loopOfDim[other]; around >= 0 && other != d)
            for (AxisMask rest = c.ranks[around]; rest != 0; rest &= rest - 1)
              if (uint8_t axis = std::countr_zero(rest);
                  !contains(tensor.nest[other], axis))
                bytes /= double(division->sizes[axis]);
        // The first tile is the rank's own. The other one of two ranks is the
        // next one, too.
        int64_t owners = division->sizeOf(group) - 1,
                looked = std::min(owners, maxStrides);
        if (looked > 0)
          send(loops[t].passed, group, owners == 1 ? passOn : fetchFromOwner,
               bytes / double(looked));
      }
    }
  }
}

void CandidateCost::readResult(const Candidate &c, size_t r) {
  const OperatorModel::Tensor &model = problem.op.results[r];
  size_t number = problem.op.inputs.size() + r;
  const Candidate::Tensor &tensor = c.tensors[number];
  AxisMask summed = partial, scattered = 0;
  bool packs = false;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    int loop = model.loopOfDim[d];
    AxisMask seen = 0;
    for (uint8_t axis : tensor.nest[d]) {
      AxisMask bit = AxisMask(1) << axis;
      if (!(partial & bit))
        continue;
      summed &= ~bit;
      if (loop < 0 || !(shifts[loop] & bit)) {
        scattered |= bit;
        packs |= isApart(c, number, d);
        continue;
      }
      if (seen & bit)
        continue;
      size_t t = timeOf(c, loop, axis, /*shifted=*/true);
      if (t == c.times.size())
        continue;
      AxisMask group = 0;
      for (const Candidate::Time::Member &m : c.times[t].members)
        if (m.shifted && division->units[m.unit] & bit)
          for (uint8_t other : tensor.nest[d])
            group |= AxisMask(1) << other & division->units[m.unit] & partial;
      seen |= group;
      send(loops[t].moved, group, passOn, shard[number]);
    }
  }
  auto collective = [&](Primitive primitive, AxisMask axes, double bytes) {
    if (axes != 0 && bytes > 0)
      after +=
          timeOf(Message{namesOf(axes), static_cast<int>(primitive), bytes})
              .seconds;
  };
  double whole = shard[number] * double(division->sizeOf(scattered));
  if (isGenerated) {
    fill += whole / memoryRate;
    fills = 1;
    // Attention divides the state by its sums: the first by the last of them.
    if (problem.kind == LocalWork::Kind::Attention) {
      if (r == 0)
        finish +=
            (whole + whole * double(problem.op.inputs.front().elementBytes) /
                         double(model.elementBytes)) /
            memoryRate;
      if (r + 1 == problem.op.results.size()) {
        finish += whole / memoryRate;
        ++finishes;
      }
    }
  }
  collective(Primitive::ReduceScatter, scattered, whole);
  if (packs)
    copy(whole);
  collective(Primitive::AllReduce, summed, shard[number]);
}

void CandidateCost::readTimes(const Candidate &c) {
  before = after = fill = finish = 0;
  fills = finishes = 0;
  readsOrder = false;
  for (size_t t = 0; t < c.times.size(); ++t) {
    Loop &loop = loops[t];
    loop.steps = division->sizeOf(division->units[c.times[t].members[0].unit]);
    loop.passed.clear();
    loop.ahead.clear();
    loop.moved.clear();
  }
  for (size_t i = 0; i < problem.op.inputs.size(); ++i)
    readInput(c, i);
  for (size_t r = 0; r < problem.op.results.size(); ++r)
    readResult(c, r);
  for (size_t t = 0; t < c.times.size(); ++t) {
    Times &time = loopTimes[t];
    time = Times();
    add(time.all, loops[t].passed);
    add(time.all, loops[t].ahead);
    add(time.all, loops[t].moved);
    add(time.ahead, loops[t].ahead);
    time.moves = !loops[t].moved.empty();
    // What arrives is added to what was computed: two read, one written.
    if (!problem.isFused)
      for (const Message &message : loops[t].moved)
        time.moveMerge += 3 * message.bytes / memoryRate;
  }
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

double CandidateCost::seconds(const Candidate &c, int64_t chunks) {
  if (readsOrder)
    readTimes(c);
  size_t levels = topology.levels.size();
  double share = topology.device.communicationShare, pieces = double(chunks);
  double launch = topology.device.launch;
  double body = leaf + kernels * launch, busy[maxCostLevels] = {};
  auto whole = [&](const Bundle &bundle) {
    if (bundle.empty())
      return 0.0;
    double launches = problem.isFused ? 0 : (pieces - 1) * bundle.launch;
    return bundle.fixed + launches + bundle.streamed;
  };
  // From the innermost loop outwards.
  for (size_t order = c.times.size(); order-- > 0;) {
    size_t t = 0;
    while (c.times[t].order != order)
      ++t;
    const Times &loop = loopTimes[t];
    double more = double(loops[t].steps - 1);
    double communication = whole(loop.all);
    // The first step waits for what comes from owners; the last one has
    // nothing beside it.
    double startUp = whole(loop.ahead) / (problem.isFused ? pieces : 1);
    double drain =
        communication > body && chunks > 1 && more > 0 ? body / pieces : body;
    double step = body;
    if (communication > 0) {
      step = overlapped(body, communication, share);
      for (size_t l = 0; l < levels; ++l)
        step = std::max(step, busy[l] + loop.all.level[l]);
      if (loop.moves)
        step += loop.moveMerge;
    }
    for (size_t l = 0; l < levels; ++l)
      busy[l] += (busy[l] + (communication > 0 ? loop.all.level[l] : 0)) * more;
    body = startUp + step * more + drain;
  }
  return std::max(fill + fills * launch, before) + body + finish +
         finishes * launch + after;
}
