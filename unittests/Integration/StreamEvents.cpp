//===- StreamEvents.cpp - Every event of every schedule is needed ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events are inserted into programs of every shipped schedule. The checker,
// which shares only the trace with what inserts, must accept each program, and
// must reject it without any one of its records and waits.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Mercury/Transforms/Passes.h"
#include "Programs.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

//===----------------------------------------------------------------------===//
// Down to launches
//===----------------------------------------------------------------------===//

/// Stage 0 -> buffers, communication that starts early, and local work.
static void buildUpToBuffers(OpPassManager &pm, const Case &c, int64_t chunks) {
  DistributePipelineOptions distribute;
  distribute.schedule = c.schedule;
  distribute.topology = c.topology;
  buildDistributePipeline(pm, distribute);
  pm.addNestedPass<func::FuncOp>(createAnnotateRequirementsPass());
  pm.addNestedPass<func::FuncOp>(createExpandAttentionPass());
  pm.addNestedPass<func::FuncOp>(createMakeDestinationsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createOneShotBufferizePass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  pm.addPass(createConvertBufferizationToMemRefPass());
  LowerRotationPassOptions rotation;
  rotation.chunks = chunks;
  pm.addNestedPass<func::FuncOp>(createLowerRotationPass(rotation));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createOverlapPass());
  pm.addPass(createVerifyCommunicationPass());
}

/// Each op that computes becomes a kernel of its own. Constants go inside.
static void outlineKernels(ModuleOp module) {
  SmallVector<Operation *> work;
  module.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, commir::OnlineAttentionOp, memref::CopyOp>(op))
      work.push_back(op);
  });
  SymbolTable symbols(module);
  for (Operation *op : work) {
    OpBuilder b(op);
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    SmallVector<Value> inputs, outputs, inside;
    auto dps = dyn_cast<DestinationStyleOpInterface>(op);
    for (Value value : used) {
      Operation *defining = value.getDefiningOp();
      bool isOutput = dps ? llvm::is_contained(dps.getDpsInits(), value)
                          : value == cast<memref::CopyOp>(op).getTarget();
      if (defining && (defining->hasTrait<OpTrait::ConstantLike>() ||
                       isa<memref::GetGlobalOp>(defining)))
        inside.push_back(value);
      else
        (isOutput ? outputs : inputs).push_back(value);
    }
    SmallVector<Value> arguments(inputs);
    llvm::append_range(arguments, outputs);
    SmallVector<Type> types;
    for (Value argument : arguments)
      types.push_back(commir::kernelArgumentType(argument.getType()));
    b.setInsertionPointToEnd(module.getBody());
    auto kernel = func::FuncOp::create(b, op->getLoc(), "kernel",
                                       b.getFunctionType(types, {}));
    kernel.setPrivate();
    kernel->setAttr(commir::kKernelAttrName, b.getUnitAttr());
    symbols.insert(kernel);
    b.setInsertionPointToStart(kernel.addEntryBlock());
    IRMapping mapping;
    mapping.map(arguments, kernel.getArguments());
    for (Value value : inside)
      b.clone(*value.getDefiningOp(), mapping);
    b.clone(*op, mapping);
    func::ReturnOp::create(b, op->getLoc());
    b.setInsertionPoint(op);
    commir::LaunchOp::create(b, op->getLoc(),
                             SymbolRefAttr::get(kernel.getSymNameAttr()),
                             inputs, outputs);
    op->erase();
  }
}

//===----------------------------------------------------------------------===//
// Without one
//===----------------------------------------------------------------------===//

namespace {
/// Events of the programs of a test.
struct Counts {
  size_t programs = 0, records = 0, waits = 0;
};

/// One program and what has been said about it.
class StreamProgram {
public:
  StreamProgram(const std::string &text)
      : context(makeContext()),
        diagnostics(context.get(),
                    [this](Diagnostic &diagnostic) {
                      llvm::raw_string_ostream(said) << diagnostic << "\n";
                    }),
        text(text) {}

  void run(const Case &c, int64_t chunks, Counts &counts) {
    std::string name = c.schedule + " on " + c.topology;
    said.clear();
    auto module = parseSourceString<ModuleOp>(text, context.get());
    PassManager prefix(context.get());
    buildUpToBuffers(prefix, c, chunks);
    ASSERT_TRUE(succeeded(prefix.run(*module))) << name << "\n" << said;
    outlineKernels(*module);
    PassManager insert(context.get());
    insert.addPass(createCSEPass());
    insert.addNestedPass<func::FuncOp>(createInsertEventsPass());
    insert.addNestedPass<func::FuncOp>(createVerifyEventsPass());
    ASSERT_TRUE(succeeded(insert.run(*module))) << name << "\n" << said;
    ++counts.programs;
    for (Operation *op : events(*module)) {
      ++(isa<commir::RecordEventOp>(op) ? counts.records : counts.waits);
      EXPECT_TRUE(isMissed(*module, op)) << name << " without\n" << print(op);
    }
  }

private:
  static SmallVector<Operation *> events(ModuleOp module) {
    SmallVector<Operation *> found;
    module.walk([&](Operation *op) {
      if (isa<commir::RecordEventOp, commir::WaitEventOp>(op))
        found.push_back(op);
    });
    return found;
  }

  /// The op, and the function that it stands in.
  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream(text)
        << *op << "\nof\n"
        << *op->getParentOfType<func::FuncOp>();
    return text;
  }

  /// Whether the checker rejects the module without `op`.
  bool isMissed(ModuleOp module, Operation *op) {
    IRMapping mapping;
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
    mapping.lookup(op)->erase();
    PassManager verify(context.get());
    verify.enableVerifier(false);
    verify.addNestedPass<func::FuncOp>(createVerifyEventsPass());
    said.clear();
    return failed(verify.run(*copy)) && !said.empty();
  }

  std::unique_ptr<MLIRContext> context;
  std::string said;
  ScopedDiagnosticHandler diagnostics;
  std::string text;
};
} // namespace

static void runAll(const std::string &text, const std::vector<Case> &cases,
                   int64_t chunks = 1) {
  StreamProgram program(text);
  Counts counts;
  for (const Case &c : cases)
    program.run(c, chunks, counts);
  EXPECT_EQ(counts.programs, cases.size());
  EXPECT_GT(counts.records, counts.programs / 2);
  llvm::outs() << counts.programs << " programs, " << counts.records
               << " records and " << counts.waits
               << " waits, each removed and missed\n";
}

static const std::vector<std::string> fourRanks = {"gpu=4", "node=2,gpu=2"};

TEST(StreamEvents, Matmul) {
  runAll(matmulText(16, 16, 16),
         everySchedule(NamedSchedule::Scope::Contraction, fourRanks));
}

TEST(StreamEvents, MatmulInChunks) {
  runAll(matmulText(16, 16, 16),
         everySchedule(NamedSchedule::Scope::Contraction, fourRanks),
         /*chunks=*/2);
}

TEST(StreamEvents, MatmulThatDoesNotDivide) {
  runAll(matmulText(9, 9, 9),
         everySchedule(NamedSchedule::Scope::Contraction, fourRanks));
}

TEST(StreamEvents, Attention) {
  runAll(attentionText(4, 1, 16, 16, 8),
         everySchedule(NamedSchedule::Scope::Attention, fourRanks));
}

// Three sets of axes.
TEST(StreamEvents, ThreeLevels) {
  runAll(matmulText(16, 16, 16),
         everySchedule(NamedSchedule::Scope::Contraction,
                       {"rack=2,node=2,gpu=2"}));
  runAll(attentionText(8, 1, 16, 16, 8),
         everySchedule(NamedSchedule::Scope::Attention,
                       {"rack=2,node=2,gpu=2"}));
}
