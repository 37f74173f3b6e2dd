//===- DistributeReductions.cpp - The ends of a nest's reductions ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DistributedOp.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "RankLoop.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// The ordinary reduction of `partials` into `init`, placed.
static Value reduceOne(DistributedOp &dist, unsigned result, Value partials,
                       Value init, const Placement &placement) {
  RewriterBase &b = dist.b;
  Location loc = dist.loc;
  Value reduced = dist.op.createReduction(
      b, loc, result, partials, dist.placer.place(init, placement, {}));
  if (placement.isReplicated())
    return ReplicateOp::create(b, loc, reduced);
  return ShardOp::create(b, loc, reduced,
                         PlacementAttr::get(b.getContext(), placement),
                         ArrayAttr());
}

/// Results that are coupled: the pivot is reduced, what each rank holds is
/// rescaled to it, and the rest is reduced one by one. What enters is merged in
/// afterwards.
static void reduceCoupled(DistributedOp &dist, unsigned group,
                          ArrayRef<unsigned> members, unsigned pivot,
                          ValueRange partials, MutableArrayRef<Value> results) {
  RewriterBase &b = dist.b;
  Location loc = dist.loc;
  Placement rows = without(dist.atEnd(pivot), dist.partial);
  Value top =
      reduceOne(dist, pivot, partials[pivot], dist.neutral(pivot), rows);
  SmallVector<Placed> others;
  for (unsigned i : members)
    if (i != pivot)
      others.push_back({partials[i], dist.inLoops(i), /*isPartial=*/true});
  SmallVector<Value> rescaled = onShards(
      b, loc, dist.topology, others,
      {{partials[pivot], dist.inLoops(pivot), /*isPartial=*/true}, {top, rows}},
      [&](ValueRange mine, ValueRange theirs) {
        SmallVector<Value> state;
        size_t next = 0;
        for (unsigned i : members)
          state.push_back(i == pivot ? theirs[0] : mine[next++]);
        state = dist.op.createRescale(b, loc, group, state, theirs[1]);
        SmallVector<Value> made;
        for (auto [i, value] : llvm::zip(members, state))
          if (i != pivot)
            made.push_back(value);
        return made;
      });
  size_t next = 0;
  for (unsigned i : members)
    results[i] = i == pivot ? dist.placer.place(top, dist.atEnd(i), {})
                            : reduceOne(dist, i, rescaled[next++],
                                        dist.neutral(i), dist.atEnd(i));
  if (llvm::all_of(members,
                   [&](unsigned i) { return dist.model.neutralInit[i]; }))
    return;
  SmallVector<Placed> into, from;
  for (unsigned i : members) {
    Value init =
        dist.model.neutralInit[i]
            ? dist.placer.place(dist.neutral(i), dist.atEnd(i), {})
            : dist.placer.enter(dist.onPadded().getDpsInitOperand(i)->get(),
                                dist.s.results[i].nest, dist.model.results[i]);
    into.push_back({init, dist.atEnd(i)});
    from.push_back({results[i], dist.atEnd(i)});
  }
  SmallVector<Value> merged =
      onShards(b, loc, dist.topology, into, from,
               [&](ValueRange mine, ValueRange theirs) {
                 return dist.op.createMerge(b, loc, group, mine, theirs);
               });
  for (auto [i, value] : llvm::zip(members, merged))
    results[i] = value;
}

SmallVector<Value> mercury::endReductions(DistributedOp &dist,
                                          ValueRange nestResults) {
  SmallVector<Value> results(nestResults);
  if (dist.partial.empty())
    return results;
  for (auto [group, members] : llvm::enumerate(dist.op.getGroups())) {
    if (std::optional<unsigned> pivot = dist.op.getPivot(group)) {
      reduceCoupled(dist, group, members, *pivot, nestResults, results);
      continue;
    }
    for (unsigned i : members) {
      Value init = dist.model.neutralInit[i]
                       ? dist.neutral(i)
                       : dist.placer.enter(
                             dist.onPadded().getDpsInitOperand(i)->get(),
                             dist.s.results[i].nest, dist.model.results[i]);
      results[i] = reduceOne(dist, i, nestResults[i], init, dist.atEnd(i));
    }
  }
  return results;
}
