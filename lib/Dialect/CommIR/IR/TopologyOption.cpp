//===- TopologyOption.cpp - Machines as options say them ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/TopologyOption.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// The only topology of a file.
static std::optional<TopologyModel>
readFile(StringRef path, MLIRContext *context, std::string &error) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    error = "cannot read topology file '" + path.str() +
            "': " + file.getError().message();
    return std::nullopt;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  // The first error says where the file is wrong.
  std::string reason;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (reason.empty())
      llvm::raw_string_ostream(reason)
          << diagnostic.getLocation() << ": " << diagnostic;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, context);
  if (!module) {
    error = "cannot parse topology file '" + path.str() + "': " + reason;
    return std::nullopt;
  }
  auto found = llvm::to_vector(module->getOps<TopologyOp>());
  if (found.size() == 1)
    return found[0].getModel();
  error = "topology file '" + path.str() + "' has " +
          (found.empty() ? "no commir.topology" : "several:");
  for (TopologyOp topology : found)
    error += " @" + topology.getSymName().str();
  return std::nullopt;
}

std::optional<TopologyModel>
commir::readTopology(StringRef text, MLIRContext *context, std::string &error) {
  if (text.ends_with(".mlir") || text.ends_with(".mlirbc"))
    return readFile(text, context, error);
  std::optional<TopologyModel> model =
      parseTopology(std::string_view(text), error);
  if (!model)
    error = "topology '" + text.str() + "': " + error;
  return model;
}
