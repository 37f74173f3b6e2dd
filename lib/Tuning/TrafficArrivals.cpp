//===- TrafficArrivals.cpp - How tiles come in loops ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTraffic.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mercury;

/// Whether other ranks use the ports that messages over `axes` need.
bool TrafficReader::isShared(const AxisList &axes) const {
  GroupShape shape = links.shapeOf(axes);
  for (size_t l = 0; l < shape.sizes.size(); ++l)
    if (shape.sizes[l] > 1 && links.sharing(l) > 1)
      return true;
  return false;
}

double TrafficReader::partsOf(const Schedule &s, size_t i, size_t depth,
                              const AxisList &broadcast,
                              bool &liesApart) const {
  const OperatorModel::Tensor &tensor = problem.op.inputs[i];
  auto reaches = [&](const AxisList &axes) {
    return std::any_of(axes.begin(), axes.end(), [&](const AxisRef &axis) {
      return contains(broadcast, axis);
    });
  };
  double parts = 1;
  for (size_t d = 0; d < tensor.loopOfDim.size(); ++d) {
    int loop = tensor.loopOfDim[d];
    if (loop < 0)
      continue;
    // The factors that divide a block.
    int64_t block = sizeOf(s.inputs[i].nest.dims[d]), count = 1, inside = 1;
    bool isKnown = true, ofReceivers = false;
    for (size_t f = 0; f < s.loops[loop].size(); ++f) {
      const Factor &factor = s.loops[loop][f];
      int64_t size = factor.count(topology);
      count *= size;
      if (count <= block || size == 1)
        continue;
      inside *= std::min(size, count / block);
      if (factor.kind == Factor::Kind::Rank) {
        ofReceivers |= reaches(factor.axes);
        continue;
      }
      for (const Shift &shift : factor.shifts)
        ofReceivers |= reaches(shift.axes);
      for (size_t t = depth; t < traffic.loops.size(); ++t)
        isKnown &= traffic.loops[t].loop != size_t(loop) ||
                   traffic.loops[t].factor != f;
    }
    if (inside == 1 || !isKnown)
      continue;
    // All ranks that a broadcast reaches receive the same.
    if (ofReceivers)
      return 1;
    parts *= double(inside);
    liesApart |= isApart(tensor, problem.inputShapes[i], s.inputs[i].nest, d);
  }
  return parts;
}

/// A tile that comes in the body of loop `depth` - 1.
void TrafficReader::arrive(size_t depth, Primitive primitive, AxisList axes,
                           double bytes, bool isOutside, Arrived how) {
  llvm::sort(
      axes, [&](const AxisRef &a, const AxisRef &b) { return isBefore(a, b); });
  std::vector<Transfer> one;
  if (primitive == Primitive::Broadcast) {
    collective(one, primitive, axes, bytes);
  } else {
    int64_t owners = sizeOf(axes) - 1, looked = std::min(owners, maxStrides);
    std::vector<int64_t> strides;
    for (int64_t k = 0; k < looked; ++k)
      strides.push_back(1 + k * owners / looked);
    if (looked > 0)
      shift(one, axes, strides, bytes / double(looked));
  }
  if (one.empty())
    return;
  flights[depth - 1].arrivals.push_back({communicator(axes), isOutside});
  how.transfer = one.front();
  arrivals[depth - 1].push_back(how);
}

void TrafficReader::readLoopArrivals(const Schedule &s, size_t i,
                                     bool backward) {
  const OperatorModel &op = problem.op;
  const OperatorModel::Tensor &tensor = op.inputs[i];
  const OperandPlan &plan = s.inputs[i];
  double gradient = gradientScale(tensor.elementBytes);
  AxisList broadcast, fetched;
  size_t depth = 0, fetchedAt = traffic.loops.size();
  uint32_t rotates = 0;
  Skew skewed;
  bool fetchedAtOne = true, ownFirst = true, ownLast = true;
  for (size_t d = 0; d < plan.nest.dims.size(); ++d) {
    const AxisList &axes = plan.nest.dims[d];
    int loop = tensor.loopOfDim[d];
    for (size_t a = 0; a < axes.size() && loop >= 0;) {
      Arrival arrival = arrivalOf(s, op, i, axes[a]);
      bool shifted = arrival == Arrival::Rotate || arrival == Arrival::Fetch;
      size_t t = shifted || arrival == Arrival::Broadcast
                     ? timeLoopOf(s, loop, axes, a)
                     : traffic.loops.size();
      if (t == traffic.loops.size()) {
        ++a;
        continue;
      }
      depth = std::max(depth, t + 1);
      if (arrival == Arrival::Broadcast) {
        broadcast.push_back(axes[a++]);
        continue;
      }
      if (arrival == Arrival::Fetch) {
        const Factor &factor = s.loops[loop][traffic.loops[t].factor];
        const Shift *shift = shiftOver(factor, axes[a]);
        fetchedAtOne &= fetched.empty() || fetchedAt == t;
        ownFirst &= shift && isOwn(factor, *shift, /*atLast=*/false);
        ownLast &= shift && isOwn(factor, *shift, /*atLast=*/true);
        fetchedAt = t;
        fetched.push_back(axes[a++]);
        continue;
      }
      rotates |= uint32_t(1) << t;
      LoopTraffic &at = traffic.loops[t];
      const Factor &factor = s.loops[loop][at.factor];
      // Neighbouring axes that arrive alike move together.
      AxisList group;
      const Shift *shift = shiftOver(factor, axes[a]);
      if (!shift) {
        ++a;
        continue;
      }
      for (; a < axes.size(); ++a) {
        if (arrivalOf(s, op, i, axes[a]) != arrival ||
            timeLoopOf(s, loop, axes, a) != t ||
            !contains(shift->axes, axes[a]))
          break;
        group.push_back(axes[a]);
      }
      double bytes = extents.inputs[i];
      std::vector<int64_t> strides = {
          hopStride(factor, *shift, factor.count(topology))};
      if (factor.bidirectional) {
        strides.push_back(-strides.front());
        bytes /= 2;
      }
      this->shift(at.passed, group, strides, bytes);
      if (backward)
        this->shift(at.moved, group, strides, bytes * gradient);
      flights[t].hops |= communicator(group);
      if (!isOwn(factor, *shift, /*atLast=*/false))
        addSkew(skewed, factor, *shift, group, /*atLast=*/false);
    }
  }
  // The first tile is another rank's.
  if (!skewed.offsets.empty() && !backward)
    putRight(traffic.before, skewed, extents.inputs[i]);
  if (fetched.empty() && broadcast.empty())
    return;
  bool liesApart = false;
  double bytes = extents.inputs[i] / partsOf(s, i, depth, broadcast, liesApart);
  if (liesApart && bytes < extents.inputs[i])
    traffic.cut += 2 * extents.inputs[i];
  bool isOutside = !(rotates >> (depth - 1) & 1);
  if (!fetched.empty()) {
    // The first tile is the rank's own, or, in loops further inside, one of so
    // many.
    bool isHere = fetchedAtOne && fetchedAt + 1 == depth,
         firstIsOwn = isHere && ownFirst, lastIsOwn = isHere && ownLast;
    // Staggered by several axes, some ranks fetch their first tile and others
    // their last one: the first step waits, on ports of one's own for a tile.
    double most = 1 - 1 / double(sizeOf(fetched)),
           others = firstIsOwn || lastIsOwn ? 1 : most;
    bool isSkewed = !ownFirst && !ownLast && !isShared(fetched);
    // No work reads a tile that is broadcast then, and so none is in its way.
    Arrived how{{},
                firstIsOwn,
                lastIsOwn && !firstIsOwn,
                !broadcast.empty(),
                isSkewed ? most : 1};
    if (isSkewed)
      others = 1;
    arrive(depth, Primitive::SendRecv, fetched, bytes * others, isOutside, how);
    if (backward)
      arrive(depth, Primitive::SendRecv, fetched, bytes * others * gradient,
             isOutside, how);
  }
  if (!broadcast.empty()) {
    isOutside &= fetched.empty();
    arrive(depth, Primitive::Broadcast, broadcast, bytes, isOutside, {});
    if (backward)
      // Gradients are summed at the owner.
      arrive(depth, Primitive::Broadcast, broadcast, bytes * gradient,
             isOutside, {});
  }
}

/// What comes a step ahead, and what does not.
void TrafficReader::sortArrivals() {
  findFlights(flights);
  for (size_t t = 0; t < flights.size(); ++t) {
    LoopTraffic &at = traffic.loops[t];
    at.isLate = flights[t].isLate;
    for (size_t a = 0; a < arrivals[t].size(); ++a) {
      const Arrived &arrived = arrivals[t][a];
      Transfer transfer = arrived.transfer;
      bool isAhead = flights[t].arrivals[a].comesAhead || arrived.isUnread;
      if (isAhead && arrived.lastIsOwn) {
        at.entered.push_back(transfer);
        transfer.bytes *= double(at.steps - 2) / double(at.steps - 1);
        if (at.steps > 2)
          at.fetched.push_back(transfer);
        continue;
      }
      if (isAhead && arrived.part < 1) {
        at.entered.push_back(transfer);
        transfer.bytes *= arrived.part;
        at.fetched.push_back(transfer);
        continue;
      }
      bool isOwn = arrived.firstIsOwn || arrived.lastIsOwn;
      (isAhead ? isOwn ? at.fetched : at.ahead
       : isOwn ? at.waitedFetched
               : at.waited)
          .push_back(transfer);
    }
  }
}
