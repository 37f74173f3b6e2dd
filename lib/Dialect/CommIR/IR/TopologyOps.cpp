//===- TopologyOps.cpp - The machine --------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "VerifyAxes.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

TopologyModel TopologyOp::getModel() {
  TopologyModel model;
  for (auto level : getLevels().getAsRange<LevelAttr>())
    model.levels.push_back(level.getValue());
  if (auto device = getDeviceAttr())
    model.device = device.getValue();
  // Without a word on it, a domain's ranks inside one coordinate of its
  // outermost level have one port.
  constexpr int64_t limit = 1 << 20; // sizes are not verified yet
  auto isUnsaid = [](const Level &level) { return level.sharedBy == 0; };
  for (Level &level : llvm::make_filter_range(model.levels, isUnsaid)) {
    auto outermost = llvm::find_if(model.levels, [&](const Level &other) {
      return other.domain == level.domain;
    });
    level.sharedBy = 1;
    for (auto it = std::next(outermost); it != model.levels.end(); ++it)
      level.sharedBy = std::min(
          limit, level.sharedBy * std::clamp<int64_t>(it->size, 1, limit));
  }
  return model;
}

void TopologyOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name, const TopologyModel &model) {
  SmallVector<Attribute> levels;
  for (const Level &level : model.levels)
    levels.push_back(LevelAttr::get(builder.getContext(), level));
  DeviceAttr device;
  if (!(model.device == DeviceModel()))
    device = DeviceAttr::get(builder.getContext(), model.device);
  build(builder, state, name, builder.getArrayAttr(levels), device);
}

LogicalResult TopologyOp::verify() {
  // topology_c1
  if (getLevels().empty())
    return emitOpError("expects at least one level");
  // topology_c1 to topology_c5
  if (Verdict verdict = getModel().verify(); !verdict)
    return emitOpError() << verdict.reason();
  return success();
}

/// As TopologyModel::overlap, of axes of levels whose sizes are not known.
static bool mayOverlap(const AxisRef &a, const AxisRef &b) {
  if (a.level != b.level)
    return false;
  if (a == b || a.size == 0 || b.size == 0)
    return true;
  return b.pre % (a.pre * a.size) != 0 && a.pre % (b.pre * b.size) != 0;
}

LogicalResult commir::verifyAxes(Operation *op, const AxisList &axes) {
  TopologyOp topology = lookupTopology(op);
  TopologyModel model;
  if (topology)
    model = topology.getModel();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (topology) {
      if (Verdict verdict = model.verify(axes[i]); !verdict)
        return op->emitOpError() << verdict.reason();
    }
    for (size_t j = 0; j < i; ++j)
      if (topology ? model.overlap(axes[i], axes[j])
                   : mayOverlap(axes[i], axes[j]))
        return op->emitOpError()
               << "axis '" << print(axes[i]) << "' is used twice"
               << (axes[i] == axes[j]
                       ? std::string()
                       : " (it overlaps '" + print(axes[j]) + "')");
  }
  return success();
}

std::optional<int64_t> commir::groupSize(Operation *op, const AxisList &axes) {
  TopologyOp topology = lookupTopology(op);
  if (!topology)
    return std::nullopt;
  return topology.getModel().sizeOf(axes);
}
