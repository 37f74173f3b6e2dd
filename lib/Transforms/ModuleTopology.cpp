//===- ModuleTopology.cpp - The topology of a module ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/ModuleTopology.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/TopologyOption.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

LogicalResult mercury::setModuleTopology(ModuleOp module, StringRef text) {
  if (text.empty())
    return success();
  MLIRContext *context = module.getContext();
  StringRef given = text;
  if (text.consume_front("@")) {
    if (!module.lookupSymbol<TopologyOp>(text))
      return module.emitError() << "no topology is called '" << given << "'";
    module->setAttr(kTopologyAttrName, FlatSymbolRefAttr::get(context, text));
    return success();
  }
  std::string error;
  std::optional<TopologyModel> model = readTopology(text, context, error);
  if (!model)
    return module.emitError() << error;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string name = "topology";
  for (unsigned i = 0; module.lookupSymbol(name); ++i)
    name = "topology_" + std::to_string(i);
  TopologyOp::create(b, module.getLoc(), StringRef(name), *model);
  module->setAttr(kTopologyAttrName, FlatSymbolRefAttr::get(context, name));
  for (auto function : module.getOps<func::FuncOp>())
    function->removeAttr(kTopologyAttrName);
  return success();
}
