//===- TranslateRegistration.cpp - Topologies for mercury-translate -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Target/Topology/BuildTopology.h"
#include "Mercury/Target/Topology/Translate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

// Translations take no options of their own: these are the tool's.
static llvm::cl::OptionCategory category("Importers of topologies");
static llvm::cl::opt<std::string>
    machineOption("machine",
                  llvm::cl::desc("The machine that fills gaps, as h100-sxm"),
                  llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    levelsOption("levels",
                 llvm::cl::desc("Levels above the node, as rack=2,node=4"),
                 llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    networkOption("net",
                  llvm::cl::desc("The network of these levels, as "
                                 "100Gbps-roce or 400Gbps-ib-x8"),
                  llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    nameOption("topology-name", llvm::cl::init("machine"),
               llvm::cl::desc("What the topology is called"),
               llvm::cl::cat(category));

using FileReader = std::optional<NodeDescription>(std::string_view,
                                                  FileFault &);

static OwningOpRef<Operation *>
import(FileReader *read, llvm::SourceMgr &sources, MLIRContext *context) {
  const llvm::MemoryBuffer *file =
      sources.getMemoryBuffer(sources.getMainFileID());
  context->loadDialect<CommIRDialect>();
  auto at = [&](int64_t line) {
    return FileLineColLoc::get(context, file->getBufferIdentifier(),
                               unsigned(line), line ? 1 : 0);
  };
  if (nameOption.empty()) {
    emitError(at(0)) << "--topology-name expects a name, got ''";
    return nullptr;
  }
  FileFault fault;
  std::optional<NodeDescription> node =
      read(std::string_view(file->getBuffer()), fault);
  if (!node) {
    emitError(at(fault.line)) << fault.reason;
    return nullptr;
  }
  BuildOptions options{machineOption, levelsOption, networkOption};
  std::string error;
  std::optional<BuiltTopology> built = buildTopology(*node, options, error);
  if (!built) {
    emitError(at(0)) << error;
    return nullptr;
  }
  for (const std::string &remark : built->remarks)
    emitRemark(at(0)) << remark;
  OwningOpRef<ModuleOp> module = ModuleOp::create(at(0));
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  TopologyOp::create(builder, at(0), StringRef(nameOption), built->model);
  return OwningOpRef<Operation *>(module.release());
}

static LogicalResult exportDot(Operation *op, llvm::raw_ostream &os) {
  bool hasTopology = false;
  op->walk([&](TopologyOp topology) {
    os << printDot(topology.getModel(),
                   std::string_view(topology.getSymName()));
    hasTopology = true;
  });
  if (!hasTopology)
    return op->emitError() << "there is no commir.topology to draw";
  return success();
}

void mercury::registerTopologyTranslations(
    void (*registerDialects)(DialectRegistry &)) {
  // The tools' other options are those of LLVM's libraries.
  llvm::cl::HideUnrelatedOptions(category);
  static TranslateToMLIRRegistration ncclXml(
      "nccl-xml-to-topology",
      "a machine's topology from the XML that NCCL dumps or takes",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return import(readNcclXml, sources, context);
      });
  static TranslateToMLIRRegistration nvidiaSmi(
      "nvidia-smi-to-topology",
      "a machine's topology from what `nvidia-smi topo -m` prints",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return import(readNvidiaSmi, sources, context);
      });
  static TranslateFromMLIRRegistration dot(
      "topology-to-dot", "a picture of commir.topology for Graphviz",
      [](Operation *op, llvm::raw_ostream &os) { return exportDot(op, os); },
      registerDialects);
}
