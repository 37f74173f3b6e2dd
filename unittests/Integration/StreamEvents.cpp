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
// must reject it without any one of its records and waits. Compute that the
// schedule lets overlap with communication may still.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Mercury/Transforms/Passes.h"
#include "RandomStreams.h"
#include "StreamPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

//===----------------------------------------------------------------------===//
// Without one
//===----------------------------------------------------------------------===//

namespace {
/// Events of the programs of a test.
struct Counts {
  size_t programs = 0, records = 0, waits = 0;
  /// Work that a schedule lets overlap with communication: pairs.
  size_t overlaps = 0;

  void print(llvm::StringRef what) const {
    llvm::outs() << programs << what << " programs, " << records
                 << " records and " << waits << " waits, each removed and "
                 << "missed; " << overlaps << " overlaps kept\n";
    llvm::outs().flush();
  }
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
    DistributePipelineOptions distribute;
    distribute.schedule = c.schedule;
    distribute.topology = c.topology;
    distribute.balance = c.balance;
    buildDistributePipeline(prefix, distribute);
    buildLaunches(prefix, chunks);
    ASSERT_TRUE(succeeded(prefix.run(*module))) << name << "\n" << said;
    checkOrderOfHost(*module, name);
    insertAndRemove(*module, name, counts);
  }

  /// Inserts events, and removes each of them. False: the program communicates
  /// as it must not.
  bool runRandom(const std::string &randomText, Counts &counts) {
    auto module = parseSourceString<ModuleOp>(randomText, context.get());
    if (!module) {
      ADD_FAILURE() << said << "\n" << randomText;
      return false;
    }
    said.clear();
    PassManager verify(context.get());
    verify.addPass(createVerifyCommunicationPass());
    if (failed(verify.run(*module)))
      return false;
    insertAndRemove(*module, randomText, counts);
    return true;
  }

private:
  void insertAndRemove(ModuleOp module, const std::string &name,
                       Counts &counts) {
    Overlaps before = findOverlaps(playRanks(module));
    PassManager insert(context.get());
    insert.addNestedPass<func::FuncOp>(createInsertEventsPass());
    insert.addNestedPass<func::FuncOp>(createVerifyEventsPass());
    said.clear();
    ASSERT_TRUE(succeeded(insert.run(module))) << name << "\n" << said;
    ++counts.programs;
    std::string lost;
    counts.overlaps += countOverlaps(playRanks(module), before, lost);
    EXPECT_EQ(lost, "") << name;
    for (Operation *op : events(module)) {
      ++(isa<commir::RecordEventOp>(op) ? counts.records : counts.waits);
      EXPECT_TRUE(isMissed(module, op)) << name << " without\n" << print(op);
    }
  }

  /// In each step of a loop, tiles are sent before the step's contraction or
  /// attention is enqueued.
  static void checkOrderOfHost(ModuleOp module, const std::string &name) {
    auto isHeavy = [&](Operation *op) {
      auto launch = dyn_cast<commir::LaunchOp>(op);
      if (!launch)
        return false;
      auto kernel = module.lookupSymbol(launch.getKernelAttr());
      return kernel
          ->walk([](Operation *inner) {
            auto op = dyn_cast<linalg::LinalgOp>(inner);
            return isa<commir::OnlineAttentionOp>(inner) ||
                           (op && linalg::isaContractionOpInterface(op))
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    };
    // The outermost of three rings may not be in flight with the other two.
    CommunicatorTable communicators;
    module.walk([&](commir::HopOp hop) {
      for (auto attr : hop.getHops().getAsRange<commir::HopAttr>()) {
        AxisList axes;
        for (commir::AxisAttr axis : attr.getAxes())
          axes.push_back(axis.getValue());
        communicators.indexOf(axes);
      }
    });
    if (communicators.size() > kMaxCommunicators)
      return;
    module.walk([&](scf::ForOp loop) {
      bool isLate = false;
      loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
        isLate |= isHeavy(op);
        if (isa<commir::HopOp>(op) && op->getParentOfType<scf::ForOp>() == loop)
          EXPECT_FALSE(isLate) << name << "\n" << print(op);
      });
    });
  }

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
    llvm::raw_string_ostream(text) << *op << "\nof\n"
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
  counts.print("");
}

TEST(StreamEvents, RandomPrograms) {
  StreamProgram program("");
  Counts counts;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    program.runRandom(writeRandomStreams(seed), counts);
  }
  EXPECT_GT(counts.programs, 200u);
  counts.print(" random");
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

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

// Heads in groups, rows that do not divide.
TEST(StreamEvents, AttentionInGroups) {
  runAll(attentionText(4, 2, 15, 13, 8),
         everySchedule(NamedSchedule::Scope::Attention, fourRanks));
}

// In a balanced order: tokens are exchanged before and after, and each step has
// a kernel that finds ranges of keys.
TEST(StreamEvents, CausalAttention) {
  runAll(maskedText("right 0", 4, 16, 16).attention(),
         everySchedule(NamedSchedule::Scope::Attention, fourRanks));
}

// A ring that ends early.
TEST(StreamEvents, WindowOfAttention) {
  runAll(
      maskedText("left 5 right 0", 4, 32, 32).attention(),
      {{"ring", "gpu=4", "none"}, {"double_ring", "node=2,gpu=2", "zigzag"}});
}

// Two contractions: what one leaves in flight meets the other.
TEST(StreamEvents, Chain) {
  runAll(R"(
func.func @chain(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<16x16xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%i : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %1 = linalg.matmul ins(%0, %c : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%i : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %1 : tensor<16x16xbf16>
})",
         everySchedule(NamedSchedule::Scope::Contraction, fourRanks));
}

// Three sets of axes.
TEST(StreamEvents, ThreeLevels) {
  runAll(matmulText(16, 16, 16),
         everySchedule(NamedSchedule::Scope::Contraction,
                       {"rack=2,node=2,gpu=2"}));
  runAll(
      attentionText(8, 1, 16, 16, 8),
      everySchedule(NamedSchedule::Scope::Attention, {"rack=2,node=2,gpu=2"}));
}
