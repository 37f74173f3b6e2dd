//===- Wishes.cpp - Where what follows would have results -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wishes.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Analysis/ReshapePlacement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
class WishFinder {
public:
  WishFinder(const llvm::SetVector<Operation *> &producers,
             const TopologyModel &topology)
      : producers(producers), topology(topology) {}

  void wish(Value value, const Placement &placement) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return;
    Operation *op = result.getOwner();
    if (producers.contains(op)) {
      Placements &found = wishes[op];
      found.resize(op->getNumResults());
      std::optional<Placement> &own = found[result.getResultNumber()];
      if (!own)
        own = placement;
    } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      if (auto source = sourcePlacement(op, placement, topology))
        wish(op->getOperand(0), *source);
    } else if (auto distributable = dyn_cast<DistributableOpInterface>(op)) {
      wishInputs(distributable, result.getResultNumber(), placement);
    }
  }

  Wishes wishes;

private:
  /// The operator runs where its result is wanted; so do its inputs.
  void wishInputs(DistributableOpInterface op, size_t number,
                  const Placement &placement) {
    if (firstDynamicValue(op))
      return;
    OperatorModel model = buildOperatorModel(op);
    const OperatorModel::Tensor &result = model.results[number];
    for (auto [input, tensor] : llvm::zip(tensorInputs(op), model.inputs)) {
      if (!tensor.mapped || !result.mapped)
        continue;
      Placement wanted = Placement::replicated(tensor.loopOfDim.size());
      for (auto [dim, loop] : llvm::enumerate(tensor.loopOfDim))
        if (auto from = loop < 0 ? std::nullopt : result.dimOfLoop(loop)) {
          wanted.dims[dim] = placement.dims[*from];
          wanted.setOrder(dim, placement.orderOf(*from));
        }
      wish(input->get(), wanted);
    }
  }

  const llvm::SetVector<Operation *> &producers;
  const TopologyModel &topology;
};
} // namespace

Wishes mercury::findWishes(DistributableOpInterface op,
                           const Schedule &schedule,
                           const llvm::SetVector<Operation *> &producers,
                           const TopologyModel &topology) {
  WishFinder finder(producers, topology);
  for (auto [input, plan] : llvm::zip(tensorInputs(op), schedule.inputs))
    finder.wish(input->get(), plan.entry);
  return std::move(finder.wishes);
}

Schedule mercury::scheduleFor(const OperatorModel &op,
                              const Placements &results) {
  Schedule schedule = Schedule::replicated(op);
  for (auto [tensor, placement] : llvm::zip(op.results, results))
    for (size_t dim = 0; placement && dim < tensor.loopOfDim.size(); ++dim) {
      int loop = tensor.loopOfDim[dim];
      if (loop < 0 || !schedule.loops[loop].empty())
        continue;
      for (const AxisRef &axis : placement->dims[dim]) {
        Factor factor;
        factor.axes = {axis};
        schedule.loops[loop].push_back(factor);
      }
    }
  auto place = [&](const OperatorModel::Tensor &tensor, Placement &placement) {
    for (auto [dim, loop] : llvm::enumerate(tensor.loopOfDim))
      if (tensor.mapped && loop >= 0)
        for (const Factor &factor : schedule.loops[loop])
          placement.dims[dim].push_back(factor.axes.front());
  };
  for (auto [tensor, plan] : llvm::zip(op.inputs, schedule.inputs)) {
    place(tensor, plan.nest);
    plan.entry = plan.nest;
  }
  for (auto [tensor, plan] : llvm::zip(op.results, schedule.results)) {
    place(tensor, plan.nest);
    plan.exit = plan.nest;
  }
  return schedule;
}
