//===- AnnotateRequirements.cpp - What a program needs --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/MemoryFootprint.h"
#include "Mercury/Analysis/WorkCount.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace mercury {
#define GEN_PASS_DEF_ANNOTATEREQUIREMENTSPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static int64_t bytesOf(Value value) {
  return mercury::bytesOf(value.getType());
}

/// The levels that a set of axes crosses: the one with the least bandwidth
/// carries the traffic that matters.
static const Level *slowestLevel(const AxisList &axes,
                                 const TopologyModel &topology) {
  const Level *slowest = nullptr;
  for (const AxisRef &axis : axes) {
    const Level *level = topology.find(axis.level);
    if (level && (!slowest || (level->bandwidth > 0 &&
                               level->bandwidth < slowest->bandwidth)))
      slowest = level;
  }
  return slowest;
}

static llvm::json::Array names(const AxisList &axes) {
  llvm::json::Array list;
  for (const AxisRef &axis : axes)
    list.push_back(print(axis));
  return list;
}

namespace {
struct AnnotateRequirementsPass
    : public mercury::impl::AnnotateRequirementsPassBase<
          AnnotateRequirementsPass> {
  using AnnotateRequirementsPassBase::AnnotateRequirementsPassBase;

  /// Operations per second of the device for the function's products, 0 where
  /// the topology does not say.
  double peakRate(func::FuncOp function, const DeviceModel &device) {
    double rate = 0;
    for (Type type : function.getArgumentTypes()) {
      std::string name;
      llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
      if (auto it = device.peak.find(name); it != device.peak.end())
        rate = rate ? std::min(rate, it->second) : it->second;
    }
    return rate;
  }

  /// Bytes that leave a rank, by ring algorithms over P ranks: all-gather and
  /// reduce-scatter (P - 1) pieces, all-reduce 2 (P - 1) / P of the data,
  /// all-to-all (P - 1) / P.
  int64_t bytesSent(Operation *op, const AxisList &axes,
                    const TopologyModel &topology) {
    int64_t ranks = topology.sizeOf(axes);
    if (auto gather = dyn_cast<AllGatherOp>(op))
      return bytesOf(gather.getInput()) * (ranks - 1);
    if (auto scatter = dyn_cast<ReduceScatterOp>(op))
      return bytesOf(scatter.getOutput()) * (ranks - 1);
    if (auto reduce = dyn_cast<AllReduceOp>(op))
      return 2 * bytesOf(reduce.getOutput()) * (ranks - 1) / ranks;
    if (auto exchange = dyn_cast<AllToAllOp>(op))
      return bytesOf(exchange.getInput()) * (ranks - 1) / ranks;
    return bytesOf(cast<DestinationStyleOpInterface>(op).getDpsInits()[0]);
  }

  llvm::json::Array communication(func::FuncOp function,
                                  const TopologyModel &topology) {
    llvm::json::Array list;
    double rate = peakRate(function, topology.device);
    auto add = [&](Operation *op, StringRef kind, const AxisList &axes,
                   int64_t bytes, int64_t times, int64_t work) {
      const Level *level = slowestLevel(axes, topology);
      llvm::json::Object entry{{"kind", kind},
                               {"axes", names(axes)},
                               {"bytes_per_step", bytes},
                               {"steps", times}};
      if (level)
        entry["domain"] = level->domain.empty() ? level->name : level->domain;
      if (work) {
        entry["multiply_adds_per_step"] = work;
        // Hidden while bytes / bandwidth <= 2 * work / rate.
        if (rate > 0)
          entry["hidden_above_bytes_per_second"] = bytes * rate / (2.0 * work);
      }
      list.push_back(std::move(entry));
    };
    function.walk([&](Operation *op) {
      int64_t times = iterationsAround(op, function);
      if (auto rotate = dyn_cast<RotateOp>(op)) {
        int64_t work = countMultiplyAdds(op);
        SmallVector<Value> tiles(rotate.getTravel());
        llvm::append_range(tiles, rotate.getCarry());
        llvm::MapVector<Attribute, int64_t> bytes; // by axes
        for (auto [tile, hop] : llvm::zip(tiles, rotate.getHops())) {
          SmallVector<Attribute> axes(cast<HopAttr>(hop).getAxes());
          bytes[ArrayAttr::get(op->getContext(), axes)] += bytesOf(tile);
        }
        for (auto [axes, sum] : bytes)
          add(op, "rotate", toAxisList(cast<ArrayAttr>(axes)), sum,
              times * (rotate.getSteps() - 1), work);
      } else if (auto communication = dyn_cast<CommunicationOpInterface>(op)) {
        AxisList axes = toAxisList(communication.getCommunicationAxes());
        add(op, op->getName().stripDialect(), axes,
            bytesSent(op, axes, topology), times, 0);
      }
    });
    return list;
  }

  static llvm::json::Object memory(func::FuncOp function) {
    MemoryFootprint footprint = memoryFootprint(function);
    llvm::json::Object bytes{{"own_shard", footprint.ownShard},
                             {"peak", footprint.peak}};
    for (StringRef name :
         {"travelling", "staging", "workspace", "held_for_others"})
      bytes[name] = footprint.peakOfClass.lookup(name);
    return bytes;
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || function.isPrivate())
      return;
    TopologyOp topology = lookupTopology(function);
    if (!topology)
      return;
    llvm::json::Object all;
    if (auto text = function->getAttrOfType<StringAttr>(kRequirementsAttrName))
      if (llvm::Expected<llvm::json::Value> parsed =
              llvm::json::parse(text.getValue())) {
        if (auto *object = parsed->getAsObject())
          all = std::move(*object);
      } else {
        llvm::consumeError(parsed.takeError());
      }
    bool onBuffers = llvm::any_of(function.getArgumentTypes(),
                                  llvm::IsaPred<BaseMemRefType>);
    if (onBuffers) {
      classifyAllocations(function);
      all["bytes"] = memory(function);
    } else {
      all["communication"] = communication(function, topology.getModel());
      all["multiply_adds"] = countMultiplyAdds(function);
    }
    if (auto print =
            function->getAttrOfType<StringAttr>(kFingerprintAttrName)) {
      all["fingerprint"] = print.getValue();
      function->removeAttr(kFingerprintAttrName);
    }
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(all));
    function->setAttr(kRequirementsAttrName,
                      StringAttr::get(&getContext(), text));
  }
};
} // namespace
