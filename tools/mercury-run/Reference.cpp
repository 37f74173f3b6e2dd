//===- Reference.cpp - The function on one rank ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "Jit.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "RunError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace mercury::run {

static constexpr llvm::StringLiteral dialectName("commir");

/// True for stage 2: placement ops, or rank loops.
static bool isDistributed(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool isRankLoop = false;
        if (auto forall = dyn_cast<scf::ForallOp>(op))
          isRankLoop = forall.getMapping().has_value();
        return isRankLoop || isa<commir::ShardOp, commir::ReplicateOp,
                                 commir::ReshardOp, commir::ShiftOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Removes what only distribution needs: topologies, and the dialect's
/// discardable attributes.
static void dropDistribution(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (op.getName().getDialectNamespace() == dialectName)
      op.erase();
  auto strip = [&](DictionaryAttr attrs) {
    SmallVector<StringAttr> names;
    if (attrs)
      for (NamedAttribute attr : attrs)
        if (attr.getName().getValue().split('.').first == dialectName)
          names.push_back(attr.getName());
    return names;
  };
  module.walk([&](Operation *op) {
    for (StringAttr name : strip(op->getDiscardableAttrDictionary()))
      op->removeDiscardableAttr(name);
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      for (StringAttr name : strip(function.getArgAttrDict(i)))
        function.removeArgAttr(i, name);
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      for (StringAttr name : strip(function.getResultAttrDict(i)))
        function.removeResultAttr(i, name);
  });
}

/// What the arguments hold is for the ranks to judge; there the run ends.
static void dropChecks(ModuleOp module) {
  SmallVector<Operation *> checks;
  module.walk([&](commir::CheckDocumentsOp op) { checks.push_back(op); });
  for (Operation *check : checks)
    check->erase();
}

static LogicalResult runPasses(ModuleOp module, llvm::StringRef pipeline) {
  PassManager pm(module.getContext());
  return failure(failed(parsePassPipeline(pipeline, pm)) ||
                 failed(pm.run(module)));
}

/// The loop that most tensors are contiguous along, if it is not the innermost.
static std::optional<unsigned> contiguousLoop(linalg::LinalgOp op) {
  SmallVector<unsigned> votes(op.getNumLoops(), 0);
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumResults())
      if (auto dim = dyn_cast<AffineDimExpr>(map.getResults().back()))
        ++votes[dim.getPosition()];
  unsigned best = votes.size() - 1;
  for (auto [loop, count] : llvm::enumerate(votes))
    if (count > votes[best])
      best = loop;
  return best + 1 == votes.size() ? std::nullopt : std::optional(best);
}

/// Puts that loop inside the others, where reductions stand otherwise, so that
/// a reference of some size takes seconds and not minutes: C += A * B runs over
/// rows, K, columns. Every element sums in the same order as before.
static LogicalResult reorderLoops(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() && op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    std::optional<unsigned> innermost = contiguousLoop(op);
    if (!innermost)
      continue;
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> named =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(named))
        continue;
      generic = *named;
    }
    SmallVector<unsigned> order;
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
      if (loop != *innermost)
        order.push_back(loop);
    order.push_back(*innermost);
    rewriter.setInsertionPoint(generic);
    if (failed(linalg::interchangeGenericOp(rewriter, generic, order)))
      return failure();
  }
  return success();
}

/// Tensors -> the llvm dialect; results become trailing arguments.
static LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager pm(module.getContext());
  if (failed(reorderLoops(module)) ||
      failed(parsePassPipeline(
          "convert-elementwise-to-linalg,eliminate-empty-tensors,"
          "one-shot-bufferize{bufferize-function-boundaries "
          "function-boundary-type-conversion=identity-layout-map},"
          "buffer-results-to-out-params{modify-public-functions}",
          pm)))
    return failure();
  buildLowerBufferizedToLLVM(pm);
  return pm.run(module);
}

llvm::Expected<OneRankProgram> compileOneRank(ModuleOp module,
                                              const ReferenceOptions &options) {
  llvm::Expected<func::FuncOp> found = findEntry(module, options.entry);
  if (!found)
    return found.takeError();
  OneRankProgram program;
  program.entry = found->getSymName();
  llvm::Expected<Signature> signature = signatureOf(*found);
  if (!signature)
    return signature.takeError();
  program.signature = std::move(*signature);

  OwningOpRef<ModuleOp> copy = isolateEntry(module, program.entry);
  auto function = copy->lookupSymbol<func::FuncOp>(program.entry);
  auto cannot = [&](llvm::StringRef step) {
    return badInput("cannot " + step + " @" + program.entry +
                    " for the reference on one rank");
  };
  if (isDistributed(function) &&
      failed(runPasses(*copy, "mercury-erase-placement")))
    return cannot("erase the placement of");
  dropDistribution(*copy);
  if (failed(runPasses(*copy, options.promote
                                  ? "func.func(mercury-expand-attention"
                                    "{type=f64},mercury-materialize-masks,"
                                    "mercury-lower-token-orders)"
                                  : "func.func(mercury-expand-attention,"
                                    "mercury-materialize-masks,"
                                    "mercury-lower-token-orders)")))
    return cannot("expand the attention of");
  dropChecks(*copy);
  if (options.promote &&
      failed(runPasses(*copy, "mercury-promote-accumulators{type=f64}")))
    return cannot("promote the accumulators of");
  function = copy->lookupSymbol<func::FuncOp>(program.entry);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(copy->getContext()));
  if (failed(lowerToLLVM(*copy)))
    return cannot("lower");

  auto engine = createEngine(*copy, options.optLevel);
  if (!engine)
    return runtimeFailure("cannot compile the reference: " +
                          llvm::toString(engine.takeError()));
  auto packed = (*engine)->lookupPacked("_mlir_ciface_" + program.entry);
  if (!packed)
    return runtimeFailure("cannot link the reference: " +
                          llvm::toString(packed.takeError()));
  program.packed = *packed;
  program.engine = std::move(*engine);
  return program;
}

llvm::Error checkArguments(const std::vector<TensorSpec> &specs,
                           const std::vector<HostTensor> &arguments) {
  if (specs.size() != arguments.size())
    return badInput("the function takes " + llvm::Twine(specs.size()) +
                    " arguments, but " + llvm::Twine(arguments.size()) +
                    " are given");
  for (auto [i, spec] : llvm::enumerate(specs))
    if (!(arguments[i].spec == spec))
      return badInput("argument " + llvm::Twine(i) + " has type " + spec.str() +
                      ", but a value of type " + arguments[i].spec.str() +
                      " is given");
  return llvm::Error::success();
}

/// A memref descriptor of the C interface: two pointers, offset, sizes,
/// strides.
static std::vector<int64_t> descriptorOf(HostTensor &tensor) {
  size_t rank = tensor.spec.shape.size();
  auto address = reinterpret_cast<int64_t>(tensor.data.data());
  std::vector<int64_t> words(3 + 2 * rank);
  words[0] = words[1] = address;
  int64_t stride = 1;
  for (size_t dim = rank; dim-- > 0;) {
    words[3 + dim] = tensor.spec.shape[dim];
    words[3 + rank + dim] = stride;
    stride *= tensor.spec.shape[dim];
  }
  return words;
}

llvm::Expected<std::vector<HostTensor>>
runOneRank(const OneRankProgram &program,
           const std::vector<HostTensor> &arguments) {
  if (llvm::Error error =
          checkArguments(program.signature.arguments, arguments))
    return std::move(error);
  std::vector<HostTensor> inputs = arguments, results;
  for (const TensorSpec &spec : program.signature.results)
    results.emplace_back(spec, 0xff);
  std::vector<std::vector<int64_t>> descriptors;
  for (std::vector<HostTensor> *tensors : {&inputs, &results})
    for (HostTensor &tensor : *tensors)
      descriptors.push_back(descriptorOf(tensor));
  // A packed function takes the address of each argument: of a number, or of a
  // pointer to a descriptor.
  std::vector<void *> pointers, addresses;
  for (std::vector<int64_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  for (void *&pointer : pointers)
    addresses.push_back(&pointer);
  for (auto [i, isNumber] : llvm::enumerate(program.signature.isNumber))
    if (isNumber)
      addresses[i] = inputs[i].data.data();
  program.packed(addresses.data());
  return results;
}

llvm::Expected<std::vector<HostTensor>>
computeReference(ModuleOp module, const ReferenceOptions &options,
                 const std::vector<HostTensor> &arguments) {
  llvm::Expected<OneRankProgram> program = compileOneRank(module, options);
  if (!program)
    return program.takeError();
  return runOneRank(*program, arguments);
}

} // namespace mercury::run
