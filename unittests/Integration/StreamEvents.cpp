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

#include "Mercury/Analysis/StreamFaults.h"
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
#include <random>

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
  /// Work that a schedule lets overlap with communication: pairs.
  size_t overlaps = 0;

  void print(llvm::StringRef what) const {
    llvm::outs() << programs << what << " programs, " << records
                 << " records and " << waits << " waits, each removed and "
                 << "missed; " << overlaps << " overlaps kept\n";
  }
};

/// What a rank enqueues while a communication is in flight: (communication,
/// other work), each by its number among all that the rank enqueues.
using Overlaps = std::vector<std::set<std::pair<size_t, size_t>>>;

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
    counts.overlaps += checkOverlaps(playRanks(module), before, name);
    for (Operation *op : events(module)) {
      ++(isa<commir::RecordEventOp>(op) ? counts.records : counts.waits);
      EXPECT_TRUE(isMissed(module, op)) << name << " without\n" << print(op);
    }
  }

  static StreamTrace playRanks(ModuleOp module) {
    func::FuncOp entry;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isPrivate())
        entry = function;
    commir::TopologyOp topology = commir::lookupTopology(entry);
    return playStreams(entry, topology ? topology.getModel() : TopologyModel(),
                       1000000);
  }

  static Overlaps findOverlaps(const StreamTrace &trace) {
    Overlaps result;
    for (const std::vector<StreamItem> &items : trace.ranks) {
      auto &pairs = result.emplace_back();
      std::map<size_t, std::vector<size_t>> flights; // by group
      size_t number = 0;
      for (const StreamItem &item : items) {
        if (item.kind == StreamItem::Kind::Finish)
          flights.erase(item.group);
        if (item.kind != StreamItem::Kind::Work)
          continue;
        for (const auto &[group, members] : flights)
          for (size_t member : members)
            if (group != item.group)
              pairs.insert({member, number});
        if (item.starts)
          flights[item.group].push_back(number);
        ++number;
      }
    }
    return result;
  }

  /// Whether no program could let the second of two items be done before the
  /// first: it follows the first through streams and what must be in order.
  static bool isForced(const StreamTrace &trace, ArrayRef<StreamItem *> work,
                       size_t first, size_t second) {
    auto mustFollow = [&](const StreamItem &earlier, const StreamItem &later) {
      if (earlier.stream == later.stream)
        return true;
      if (earlier.group == later.group)
        return false;
      for (const StreamAccess &a : earlier.accesses)
        for (const StreamAccess &b : later.accesses)
          if ((a.writes || b.writes) && overlaps(a.part, b.part))
            return true;
      return trace.compete(earlier, later) &&
             !llvm::is_contained(later.concurrent, earlier.stream);
    };
    llvm::BitVector follows(work.size());
    follows.set(first);
    for (size_t i = first + 1; i <= second; ++i)
      for (unsigned j : follows.set_bits())
        if (mustFollow(*work[j], *work[i])) {
          follows.set(i);
          break;
        }
    return follows.test(second);
  }

  /// Whether the pairs that may be in no order are in none: where both write one
  /// buffer, and nothing else is used, that is a race. Returns how many there
  /// are.
  static size_t checkOverlaps(StreamTrace trace, const Overlaps &overlaps,
                              const std::string &name) {
    size_t count = 0;
    for (auto [rank, pairs] : llvm::enumerate(overlaps)) {
      std::vector<StreamItem *> work;
      for (StreamItem &item : trace.ranks[rank])
        if (item.kind == StreamItem::Kind::Work)
          work.push_back(&item);
      for (auto [first, second] : pairs) {
        if (isForced(trace, work, first, second))
          continue;
        ++count;
        StreamTrace changed;
        changed.isAlone.assign(trace.isAlone.size(), true);
        changed.ranks.push_back(trace.ranks[rank]);
        for (StreamItem &item : changed.ranks[0])
          item.accesses.clear();
        for (size_t number : {first, second})
          changed.ranks[0][work[number] - &trace.ranks[rank][0]]
              .accesses.push_back({BufferRef(), true, Value()});
        EXPECT_EQ(findStreamFaults(changed).size(), 1u)
            << name << ": rank " << rank << " does nothing of\n"
            << print(work[second]->op) << "\nduring\n"
            << print(work[first]->op);
      }
    }
    return count;
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
  counts.print("");
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

namespace {
/// Writes a function of launches and communication over a few buffers and their
/// halves, in loops and under conditions.
class ProgramWriter {
public:
  explicit ProgramWriter(uint64_t seed) : random(seed) {}

  std::string write() {
    text = R"(
commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
func.func private @whole(%a: memref<4xf32>, %b: memref<4xf32>) attributes {commir.kernel} { return }
func.func private @half(%a: memref<2xf32>, %b: memref<2xf32>) attributes {commir.kernel} { return }
func.func @f(%a0: memref<4xf32>, %a1: memref<4xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
)";
    std::vector<std::string> buffers = {"%a0", "%a1"};
    for (unsigned i = 0, end = 1 + below(2); i < end; ++i) {
      buffers.push_back("%x" + std::to_string(i));
      text += buffers.back() + " = memref.alloc() : memref<4xf32>\n";
    }
    block(buffers, "", 4 + below(4), 0);
    for (size_t i = 2; i < buffers.size(); ++i)
      text += "memref.dealloc " + buffers[i] + " : memref<4xf32>\n";
    return text + "return\n}\n";
  }

private:
  unsigned below(unsigned end) { return random() % end; }
  std::string fresh() { return "%v" + std::to_string(values++); }
  static std::string type(bool isHalf) {
    return isHalf ? "memref<2xf32, strided<[1], offset: ?>>" : "memref<4xf32>";
  }

  /// One of the buffers, or a half of it.
  std::string pick(const std::vector<std::string> &buffers, bool isHalf) {
    std::string buffer = buffers[below(buffers.size())];
    if (!isHalf)
      return buffer;
    std::string at = fresh(), view = fresh();
    text += at + " = arith.constant " + std::to_string(2 * below(2)) +
            " : index\n" + view + " = memref.subview " + buffer + "[" + at +
            "] [2] [1] : memref<4xf32> to " + type(true) + "\n";
    return view;
  }

  void waitFor(size_t number) {
    auto [request, a, b, type] = flights[number];
    text += "commir.wait " + std::to_string(request) + " for " + a + ", " + b +
            " : " + type + ", " + type + "\n";
    flights.erase(flights.begin() + number);
  }

  /// `step`: the induction variable of the loop around, or "".
  void block(std::vector<std::string> buffers, const std::string &step,
             unsigned length, unsigned depth) {
    size_t outside = flights.size();
    for (unsigned i = 0; i < length; ++i) {
      bool isHalf = below(2);
      switch (unsigned kind = below(depth < 2 ? 8 : 6)) {
      case 0:
      case 1:
      case 2: {
        std::string a = pick(buffers, isHalf), b = pick(buffers, isHalf);
        text += std::string("commir.launch ") + (isHalf ? "@half" : "@whole") +
                " ins(" + a + " : " + type(isHalf) + ") outs(" + b + " : " +
                type(isHalf) + ")\n";
        break;
      }
      case 3:
      case 4: {
        std::string a = pick(buffers, isHalf), b = pick(buffers, isHalf);
        text += "commir.hop " + a + " into " + b + " by [#commir.hop<{" +
                (below(3) ? "gpu" : "node") + "} by 1>]";
        if (below(3)) {
          text += " request " + std::to_string(requests);
          flights.push_back({requests++, a, b, type(isHalf)});
        }
        text += " : " + type(isHalf) + " into " + type(isHalf) + "\n";
        break;
      }
      case 5:
        text += "commir.all_reduce sum " + pick(buffers, false) + " over {" +
                (below(2) ? "gpu" : "node, gpu") + "} : memref<4xf32>\n";
        break;
      case 6: {
        // Two buffers change places after each step.
        std::string iv = fresh(), p = fresh(), q = fresh();
        std::string first = buffers[below(buffers.size())];
        std::string second = buffers[below(buffers.size())];
        if (first == second)
          break;
        text += fresh() + ":2 = scf.for " + iv +
                " = %c0 to %c3 step %c1 iter_args(" + p + " = " + first + ", " +
                q + " = " + second + ") -> (memref<4xf32>, memref<4xf32>) {\n";
        std::vector<std::string> inside = buffers;
        llvm::erase(inside, first);
        llvm::erase(inside, second);
        inside.push_back(p);
        inside.push_back(q);
        block(inside, iv, 2 + below(4), depth + 1);
        text += "scf.yield " + q + ", " + p + " : memref<4xf32>, " +
                "memref<4xf32>\n}\n";
        break;
      }
      default: {
        if (step.empty())
          break;
        std::string condition = fresh();
        text += condition + " = arith.cmpi ne, " + step + ", %c" +
                (below(2) ? "0" : "1") + " : index\nscf.if " + condition +
                " {\n";
        block(buffers, step, 1 + below(3), depth + 1);
        text += "}\n";
      }
      }
      if (flights.size() > outside && below(2))
        waitFor(outside + below(flights.size() - outside));
    }
    while (flights.size() > outside)
      waitFor(outside);
  }

  struct Flight {
    unsigned request;
    std::string a, b, type;
  };
  std::mt19937_64 random;
  std::string text;
  std::vector<Flight> flights;
  unsigned values = 0, requests = 0;
};
} // namespace

TEST(StreamEvents, RandomPrograms) {
  StreamProgram program("");
  Counts counts;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    program.runRandom(ProgramWriter(seed).write(), counts);
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
  runAll(attentionText(8, 1, 16, 16, 8),
         everySchedule(NamedSchedule::Scope::Attention,
                       {"rack=2,node=2,gpu=2"}));
}
