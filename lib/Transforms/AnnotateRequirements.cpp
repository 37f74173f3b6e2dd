//===- AnnotateRequirements.cpp - What a program needs --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/LinkTraffic.h"
#include "Mercury/Analysis/MemoryFootprint.h"
#include "Mercury/Analysis/WorkCount.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  int64_t bytesSent(Operation *op, int64_t ranks) {
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

  /// Multiply-adds that the communication can hide behind: those of the step of
  /// the loop that it comes ahead in (see mercury-overlap).
  static int64_t workBeside(Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    bool comesAhead =
        loop && llvm::all_of(op->getOperands(), [&](Value operand) {
          auto dps = cast<DestinationStyleOpInterface>(op);
          return !isa<TensorType>(operand.getType()) ||
                 llvm::is_contained(dps.getDpsInits(), operand) ||
                 loop.isDefinedOutsideOfLoop(operand);
        });
    return comesAhead ? countMultiplyAdds(loop) : 0;
  }

  llvm::json::Array communication(func::FuncOp function,
                                  const TopologyModel &topology) {
    llvm::json::Array list;
    double rate = peakRate(function, topology.device);
    auto add = [&](StringRef kind, const AxisList &axes, int64_t bytes,
                   int64_t times, int64_t work, const LinkTraffic &traffic) {
      llvm::json::Array domains;
      for (const LinkTraffic::Domain &domain : traffic.domains()) {
        llvm::json::Object entry{{"domain", domain.name},
                                 {"levels", domain.levels},
                                 {"bytes_per_step", domain.bytes}};
        // Hidden while bytes / bandwidth <= 2 * work / rate.
        if (work && rate > 0)
          entry["hidden_above_bytes_per_second"] =
              domain.bytes * rate / (2.0 * work);
        domains.push_back(std::move(entry));
      }
      llvm::json::Object entry{{"kind", kind},
                               {"axes", names(axes)},
                               {"bytes_per_step", bytes},
                               {"steps", times},
                               {"domains", std::move(domains)}};
      if (work)
        entry["multiply_adds_per_step"] = work;
      list.push_back(std::move(entry));
    };
    function.walk([&](Operation *op) {
      int64_t times = iterationsAround(op, function);
      if (auto rotate = dyn_cast<RotateOp>(op)) {
        SmallVector<Value> tiles(rotate.getTravel());
        llvm::append_range(tiles, rotate.getCarry());
        struct Sum {
          int64_t bytes = 0;
          std::optional<LinkTraffic> traffic;
        };
        llvm::MapVector<Attribute, Sum> sums; // by axes
        for (auto [tile, attr] : llvm::zip(tiles, rotate.getHops())) {
          auto hop = cast<HopAttr>(attr);
          SmallVector<Attribute> axes(hop.getAxes());
          Sum &sum = sums[ArrayAttr::get(op->getContext(), axes)];
          if (!sum.traffic)
            sum.traffic.emplace(topology);
          sum.bytes += bytesOf(tile);
          sum.traffic->shift(hop.getAxisList(), hop.getStride(), bytesOf(tile));
        }
        for (auto &[axes, sum] : sums)
          add("rotate", toAxisList(cast<ArrayAttr>(axes)), sum.bytes,
              times * (rotate.getSteps() - 1), countMultiplyAdds(op),
              *sum.traffic);
      } else if (auto communication = dyn_cast<CommunicationOpInterface>(op)) {
        AxisList axes = toAxisList(communication.getCommunicationAxes());
        int64_t ranks = topology.sizeOf(axes), bytes = bytesSent(op, ranks);
        LinkTraffic traffic(topology);
        if (isa<PermuteOp>(op)) // to whom differs from step to step
          traffic.sendSomewhere(axes, bytes);
        else if (isa<AllToAllOp>(op))
          traffic.exchange(axes, ranks > 1 ? bytes / (ranks - 1) : 0);
        else
          traffic.shift(axes, /*stride=*/1, bytes);
        add(op->getName().stripDialect(), axes, bytes, times, workBeside(op),
            traffic);
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
    if (auto text =
            function->getAttrOfType<StringAttr>(kRequirementsAttrName)) {
      llvm::Expected<llvm::json::Value> parsed =
          llvm::json::parse(text.getValue());
      if (!parsed)
        llvm::consumeError(parsed.takeError());
      else if (auto *object = parsed->getAsObject())
        all = std::move(*object);
    }
    bool onBuffers = llvm::any_of(function.getArgumentTypes(),
                                  llvm::IsaPred<BaseMemRefType>);
    if (onBuffers) {
      classifyAllocations(function);
      all["bytes"] = memory(function);
    } else {
      all["communication"] = communication(function, topology.getModel());
      all["multiply_adds"] = *llvm::max_element(
          countMultiplyAddsOfRanks(function, topology.getModel()));
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
