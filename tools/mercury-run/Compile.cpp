//===- Compile.cpp - From a module to a program for every rank ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Jit.h"
#include "Mercury/Analysis/WorkCount.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/RowsWithoutKeys.h"
#include "Mercury/Transforms/ModuleTopology.h"
#include "RunError.h"
#include "ScheduleSource.h"
#include "Signature.h"
#include "Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace mlir;

namespace mercury::run {

std::vector<TensorSpec> CompiledProgram::globalArguments() const {
  std::vector<TensorSpec> specs;
  for (const ShardSpec &argument : arguments)
    specs.push_back(argument.global);
  return specs;
}

namespace {
/// Tells the observer when a pipeline reaches the end of a stage.
struct StageObserver : public PassInstrumentation {
  explicit StageObserver(
      const std::function<void(Stage, Operation *)> &observer)
      : observer(observer) {}
  /// A program for devices is complete before its kernels become something else
  /// and the rest calls.
  void runBeforePass(Pass *pass, Operation *op) override {
    if (!sawKernels &&
        llvm::is_contained({"mercury-emulate-kernels", "mercury-patch-kernels",
                            "convert-commir-to-nccl"},
                           pass->getArgument())) {
      sawKernels = true;
      observer(Stage::Gpu, op);
    }
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (!isa<ModuleOp>(op))
      op = op->getParentOfType<ModuleOp>();
    if (pass->getArgument() == "mercury-set-schedule")
      observer(Stage::Scheduled, op);
    else if (pass->getArgument() == "mercury-distribute")
      observer(Stage::Distributed, op);
  }
  std::function<void(Stage, Operation *)> observer;
  bool sawKernels = false;
};

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};
} // namespace

/// The shard of a value of the SPMD function: its local type, and its placement
/// and global type from the attributes of the argument or result.
static llvm::Expected<ShardSpec> shardOf(Type local, DictionaryAttr attrs,
                                         const llvm::Twine &what) {
  ShardSpec shard;
  auto globalType =
      attrs ? attrs.getAs<TypeAttr>(commir::kGlobalTypeAttrName) : nullptr;
  auto placement =
      attrs ? attrs.getAs<commir::PlacementAttr>(commir::kPlacementAttrName)
            : nullptr;
  llvm::Expected<TensorSpec> spec =
      specOf(globalType ? globalType.getValue() : local, what);
  if (!spec)
    return spec.takeError();
  shard.global = std::move(*spec);
  llvm::Expected<TensorSpec> localSpec = specOf(local, what);
  if (!localSpec)
    return localSpec.takeError();
  // mercury-verify-spmd has found that the local type is a block. Extents are
  // padded to what the schedule's factors divide, which may be more than the
  // next multiple of the number of shards.
  shard.placement = placement
                        ? placement.getValue()
                        : Placement::replicated(shard.global.shape.size());
  shard.localShape = localSpec->shape;
  shard.isNumber = !isa<RankedTensorType>(local);
  return shard;
}

/// Fills in the topology, shards and multiply-adds from stage 3, which has a
/// topology.
static llvm::Error describeSPMD(func::FuncOp function,
                                CompiledProgram &program) {
  program.topology = commir::lookupTopology(function).getModel();
  std::string where = " of @" + function.getSymName().str();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto shard = shardOf(type, function.getArgAttrDict(i),
                         "argument " + llvm::Twine(i) + where);
    if (!shard)
      return shard.takeError();
    program.arguments.push_back(std::move(*shard));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto shard = shardOf(type, function.getResultAttrDict(i),
                         "result " + llvm::Twine(i) + where);
    if (!shard)
      return shard.takeError();
    program.results.push_back(std::move(*shard));
  }
  program.multiplyAddsOfRanks =
      countMultiplyAddsOfRanks(function, program.topology);
  program.multiplyAdds = *llvm::max_element(program.multiplyAddsOfRanks);
  program.hasRowsWithoutKeys =
      function->hasAttr(commir::kRowsWithoutKeysAttrName);
  return llvm::Error::success();
}

/// Reads the requirements, which the conversion to the NCCL API has written:
///   {"communicators": [["node", "gpu:(1)2"], ...], "bytes": {"peak": 8}, ...}
static void readRequirements(ModuleOp module, CompiledProgram &program) {
  auto global =
      module.lookupSymbol<LLVM::GlobalOp>(program.entry + "_requirements");
  auto text = cast<StringAttr>(global.getValueOrNull()).getValue();
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text.rtrim('\0')));
  const llvm::json::Object &object = *value.getAsObject();
  if (const llvm::json::Object *bytes = object.getObject("bytes"))
    program.staticPeakBytes = bytes->getInteger("peak").value_or(0);
  for (const llvm::json::Value &entry : *object.getArray("communicators")) {
    Communicator &communicator = program.communicators.emplace_back();
    for (const llvm::json::Value &axis : *entry.getAsArray()) {
      TextCursor cursor{std::string_view(*axis.getAsString())};
      std::string reason;
      [[maybe_unused]] bool parsed =
          parse(cursor, communicator.emplace_back(), reason);
      assert(parsed && program.topology.verify(communicator.back()));
    }
  }
}

/// Libraries whose functions, by the beginning of their names, a program calls.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    libraries[] = {{"mercury_blas_", "blas"}, {"mercury_simt_", "simt"}};

/// Loads those that `module` calls.
static llvm::Error loadLibraries(ModuleOp module) {
  for (auto [prefix, name] : libraries) {
    bool calls =
        llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(), [&](auto function) {
          return function.isExternal() &&
                 function.getSymName().starts_with(prefix);
        });
    if (!calls)
      continue;
    if (llvm::Error error = loadSymbols(("libmercury_" + name + ".so").str()))
      return badInput(name +
                      " is not available: " + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

double leastBoundOf(Operation *function) {
  double bound = 0;
  function->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        isa<tensor::EmptyOp, linalg::FillOp>(op))
      return;
    for (Type type : op->getResultTypes()) {
      if (!isa<RankedTensorType>(type))
        continue;
      if (auto spec = specOf(type, "a value"))
        bound = std::max(bound, errorBound(spec->element));
      else
        llvm::consumeError(spec.takeError());
    }
  });
  return bound;
}

/// Leaves the entry alone in `module`: what it calls becomes part of it.
static llvm::Error inlineCalls(OwningOpRef<ModuleOp> &module,
                               const std::string &entry) {
  PassManager pm(module->getContext());
  pm.addPass(createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  if (failed(pm.run(*module)))
    return badInput("cannot distribute @" + entry);
  module = isolateEntry(*module, entry);
  return llvm::Error::success();
}

/// What ranks run on, as messages say it.
static llvm::StringRef nameOf(Target target) {
  switch (target) {
  case Target::CPU:
    return "CPU ranks";
  case Target::CUDA:
    return "CUDA devices";
  case Target::Emulated:
    return "emulated devices";
  }
  llvm_unreachable("a target of mercury-run");
}

/// Runs the passes and leaves verified IR.
static LogicalResult runVerified(PassManager &pm, ModuleOp module,
                                 const CompileOptions &options) {
  pm.enableVerifier(options.verifyEach);
  return failure(failed(pm.run(module)) ||
                 (!options.verifyEach && failed(verify(module))));
}

/// Whether the function is at stage 3, where arguments are blocks.
static bool isOfOneRank(func::FuncOp function) {
  return llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
    return function.getArgAttr(i, commir::kGlobalTypeAttrName);
  });
}

/// Stage 0, 1 or 2 -> stage 3, in place.
static llvm::Error distribute(ModuleOp module, const CompileOptions &options,
                              CompiledProgram &program) {
  Stopwatch watch;
  auto function = module.lookupSymbol<func::FuncOp>(program.entry);
  program.leastBound = leastBoundOf(function);
  // A schedule may be a script that asks for the topology.
  module.getContext()->loadDialect<commir::CommIRDialect>();
  if (failed(setModuleTopology(module, options.topology)))
    return badInput("");
  llvm::Expected<ScheduleChoice> choice =
      resolveSchedule(module, function, options.schedule, options.promote);
  if (!choice)
    return choice.takeError();
  program.schedule = choice->label;
  PassManager pm(module.getContext());
  DistributePipelineOptions pipeline;
  pipeline.schedule = choice->option;
  pipeline.balance = options.balance;
  pipeline.promote = options.promote;
  buildDistributePipeline(pm, pipeline);
  pm.addInstrumentation(
      std::make_unique<StageObserver>([&](Stage stage, Operation *op) {
        if (stage == Stage::Scheduled) {
          // What has been raised has its mask here.
          auto scheduled =
              cast<ModuleOp>(op).lookupSymbol<func::FuncOp>(program.entry);
          program.inputMultiplyAdds = countMultiplyAdds(scheduled);
          program.isMasked = hasMask(scheduled) && !isOfOneRank(scheduled);
        }
        if (options.observer)
          options.observer(stage, op);
      }));
  if (failed(runVerified(pm, module, options)))
    return badInput("cannot distribute @" + program.entry);
  program.distributeSeconds = watch.seconds();
  function = module.lookupSymbol<func::FuncOp>(program.entry);
  if (options.observer)
    options.observer(Stage::SPMD, module);
  return describeSPMD(function, program);
}

/// Stage 3 -> the llvm dialect, in place; of CUDA devices only as far as
/// `last`, before the toolkit is needed.
static llvm::Error lower(ModuleOp module, const CompileOptions &options,
                         Stage last, CompiledProgram &program) {
  Stopwatch watch;
  PassManager pm(module.getContext());
  bool kernelsOnly = options.target == Target::CUDA && last == Stage::Gpu;
  if (options.target == Target::Emulated) {
    EmulatedPipelineOptions pipeline;
    pipeline.kernels = options.kernels;
    pipeline.chip = options.chip;
    pipeline.local = options.local;
    pipeline.chunks = options.chunks;
    buildEmulatedPipeline(pm, pipeline);
  } else if (options.target == Target::CUDA) {
    GpuPipelineOptions pipeline;
    pipeline.chip = options.chip;
    pipeline.local = options.local;
    pipeline.chunks = options.chunks;
    if (kernelsOnly)
      buildGpuKernels(pm, pipeline);
    else
      buildGpuPipeline(pm, pipeline);
  } else {
    HostPipelineOptions pipeline;
    pipeline.local = options.local;
    pipeline.chunks = options.chunks;
    buildHostPipeline(pm, pipeline);
  }
  if (options.observer && options.target != Target::CPU)
    pm.addInstrumentation(std::make_unique<StageObserver>(options.observer));
  if (failed(runVerified(pm, module, options)))
    return badInput("cannot lower @" + program.entry + " for " +
                    nameOf(options.target));
  program.lowerSeconds = watch.seconds();
  if (options.observer)
    options.observer(kernelsOnly ? Stage::Gpu : Stage::LLVM, module);
  if (!kernelsOnly)
    readRequirements(module, program);
  return llvm::Error::success();
}

llvm::Expected<OwningOpRef<ModuleOp>>
lowerProgram(ModuleOp module, const CompileOptions &options, Stage last,
             CompiledProgram &program) {
  auto enter = [&](llvm::StringRef phase) {
    if (options.phase)
      options.phase(phase);
  };
  llvm::Expected<func::FuncOp> entry = findEntry(module, options.entry);
  if (!entry)
    return entry.takeError();
  // Refuse what cannot be run before a pass meets it.
  if (llvm::Expected<Signature> signature = signatureOf(*entry); !signature)
    return signature.takeError();
  program.entry = entry->getSymName();
  OwningOpRef<ModuleOp> copy = isolateEntry(module, program.entry);
  enter("distributing");
  if (llvm::Error error = inlineCalls(copy, program.entry))
    return std::move(error);
  if (llvm::Error error = distribute(*copy, options, program))
    return std::move(error);
  if (last < Stage::Gpu)
    return copy;
  enter("lowering");
  if (llvm::Error error = lower(*copy, options, last, program))
    return std::move(error);
  return copy;
}

llvm::Expected<CompiledProgram> compileProgram(ModuleOp module,
                                               const CompileOptions &options) {
  CompiledProgram program;
  llvm::Expected<OwningOpRef<ModuleOp>> lowered =
      lowerProgram(module, options, Stage::LLVM, program);
  if (!lowered)
    return lowered.takeError();
  if (options.phase)
    options.phase("generating machine code");
  Stopwatch watch;
  if (llvm::Error error = loadLibraries(**lowered))
    return std::move(error);
  auto engine = createEngine(**lowered, options.optLevel);
  if (!engine)
    return runtimeFailure("cannot compile @" + program.entry + ": " +
                          llvm::toString(engine.takeError()));
  llvm::Expected<void *> packed = (*engine)->lookup(program.entry + "_packed");
  if (!packed)
    return runtimeFailure("cannot link @" + program.entry + ": " +
                          llvm::toString(packed.takeError()));
  program.packed =
      reinterpret_cast<int (*)(mercury_context *, void **)>(*packed);
  program.engine = std::move(*engine);
  program.jitSeconds = watch.seconds();
  return program;
}

} // namespace mercury::run
