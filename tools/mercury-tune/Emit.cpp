//===- Emit.cpp - Schedules of a tuned function as text -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// In program order.
static SmallVector<DistributableOpInterface>
scheduledContractions(func::FuncOp function) {
  SmallVector<DistributableOpInterface> ops;
  function.walk([&](DistributableOpInterface op) {
    if (op->hasAttr(kScheduleAttrName) && tensorInputs(op).size() >= 2 &&
        llvm::is_contained(op.getLoops(), utils::IteratorType::reduction))
      ops.push_back(op);
  });
  return ops;
}

static std::string scheduleOf(Operation *op) {
  return print(op->getAttrOfType<ScheduleAttr>(kScheduleAttrName).getValue());
}

void tune::emitSchedules(llvm::raw_ostream &os, func::FuncOp function) {
  for (DistributableOpInterface op : scheduledContractions(function))
    os << scheduleOf(op) << '\n';
}

void tune::emitTopology(llvm::raw_ostream &os, MLIRContext &context,
                        StringRef name, const TopologyModel &machine,
                        ArrayRef<std::string> comments) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  commir::TopologyOp::create(b, module->getLoc(), name, machine);
  for (const std::string &comment : comments)
    os << "// " << comment << '\n';
  module->print(os);
  os << '\n';
}

void tune::emitTransform(llvm::raw_ostream &os, func::FuncOp function) {
  // Handles are split where several operators have one name: all of a name are
  // counted, those without a schedule, too.
  llvm::MapVector<StringRef, SmallVector<Operation *>> byName;
  for (DistributableOpInterface op : scheduledContractions(function))
    byName[op->getName().getStringRef()];
  function.walk([&](Operation *op) {
    if (auto it = byName.find(op->getName().getStringRef()); it != byName.end())
      it->second.push_back(op);
  });
  SmallVector<DistributableOpInterface> contractions =
      scheduledContractions(function);

  os << "// The schedules that mercury-tune found for @"
     << function.getSymName() << ".\n"
     << "module attributes {transform.with_named_sequence} {\n"
     << "  transform.named_sequence @__transform_main(%root: "
        "!transform.any_op) {\n"
     << "    %f0 = transform.structured.match ops{[\"func.func\"]} "
        "attributes{sym_name = \""
     << function.getSymName()
     << "\"} in %root : (!transform.any_op) -> !transform.any_op\n";
  // As the pipeline prepares operators.
  int step = 0;
  for (StringRef pass :
       {"convert-elementwise-to-linalg", "mercury-raise-attention",
        "mercury-promote-accumulators", "mercury-expand-attention"}) {
    os << "    %f" << step + 1 << " = transform.apply_registered_pass \""
       << pass << "\" to %f" << step
       << " : (!transform.any_op) -> !transform.any_op\n";
    ++step;
  }
  int handle = 0;
  for (auto &[name, ops] : byName) {
    int first = handle;
    handle += ops.size();
    os << "    %all" << first << " = transform.structured.match ops{[\"" << name
       << "\"]} in %f" << step
       << " : (!transform.any_op) -> !transform.any_op\n";
    if (ops.size() > 1) {
      os << "    %op" << first << ":" << ops.size()
         << " = transform.split_handle %all" << first
         << " : (!transform.any_op) -> (";
      for (size_t i = 0; i < ops.size(); ++i)
        os << (i ? ", " : "") << "!transform.any_op";
      os << ")\n";
    }
    for (auto [i, op] : llvm::enumerate(ops)) {
      auto distributable = dyn_cast<DistributableOpInterface>(op);
      if (!distributable || !llvm::is_contained(contractions, distributable))
        continue;
      os << "    transform.commir.set_schedule %"
         << (ops.size() > 1 ? "op" : "all") << first;
      if (ops.size() > 1)
        os << "#" << i;
      os << "\n        \"" << scheduleOf(op) << "\" : !transform.any_op\n";
    }
  }
  os << "    transform.yield\n  }\n}\n";
}
