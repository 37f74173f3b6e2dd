//===- CommIRToNCCL.cpp - SPMD functions into calls -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Mercury/Conversion/Passes.h"
#include "Mercury/Runtime/mercury_runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

namespace mercury {
#define GEN_PASS_DEF_CONVERTCOMMIRTONCCLPASS
#include "Mercury/Conversion/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

/// Converts one function that ranks run.
class FunctionConversion {
public:
  FunctionConversion(func::FuncOp function, const TopologyModel &topology,
                     CallTarget target)
      : function(function), topology(topology), target(target),
        converter(function.getContext()) {}

  LogicalResult run();

private:
  void convertSignature();
  void convertAllocations(CallBuilder &calls);
  void convertReturns(CallBuilder &calls);
  void addProgress(CallBuilder &calls);
  void addPacked();
  void addRequirements();

  func::FuncOp function;
  const TopologyModel &topology;
  CallTarget target;
  LLVMTypeConverter converter;
  Communicators communicators;
  Value context;
  llvm::json::Array values; ///< description of arguments and results
};

} // namespace

/// (memrefs...) -> () becomes (context, pointers...) -> i32.
void FunctionConversion::convertSignature() {
  Block &entry = function.front();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  context = entry.insertArgument(0u, pointer, function.getLoc());
  SmallVector<Type> types{pointer};
  for (BlockArgument argument : entry.getArguments().drop_front()) {
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      argument.setType(pointer);
      Value made = bufferAt(b, argument.getLoc(), converter, argument, type);
      Operation *descriptor = made.getDefiningOp();
      argument.replaceUsesWithIf(made, [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user != descriptor && !isa<LLVM::InsertValueOp>(user);
      });
    }
    types.push_back(argument.getType());
  }
  function.setArgAttrsAttr(ArrayAttr());
  function.setFunctionType(b.getFunctionType(types, b.getI32Type()));
}

static int32_t memoryClass(Operation *alloc) {
  auto name = alloc->getAttrOfType<StringAttr>(kMemoryClassAttrName);
  if (!name || name.getValue() == "workspace")
    return MERCURY_WORKSPACE;
  if (name.getValue() == "travelling")
    return MERCURY_TRAVELLING;
  if (name.getValue() == "staging")
    return MERCURY_STAGING;
  if (name.getValue() == "held_for_others")
    return MERCURY_HELD_FOR_OTHERS;
  return MERCURY_OWN_SHARD;
}

/// Allocations come from the context. One that fails ends the function: it has
/// recorded why.
void FunctionConversion::convertAllocations(CallBuilder &calls) {
  SmallVector<memref::AllocOp> allocs;
  SmallVector<memref::DeallocOp> deallocs;
  function.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  function.walk([&](memref::DeallocOp op) { deallocs.push_back(op); });
  auto pointer = LLVM::LLVMPointerType::get(function.getContext());
  for (memref::DeallocOp op : deallocs) {
    OpBuilder b(op);
    Value memory = op.getMemref();
    // What is allocated in a loop lives as long as the function.
    auto alloc = memory.getDefiningOp<memref::AllocOp>();
    if (alloc && alloc->getBlock() != &function.front()) {
      b.setInsertionPoint(function.front().getTerminator());
      alloc->moveBefore(&function.front(), function.front().begin());
    }
    calls.call(b, op.getLoc(), "mercury_free", {},
               ValueRange{context, calls.pointer(b, op.getLoc(), memory)});
    op.erase();
  }
  for (memref::AllocOp op : allocs)
    if (op->getBlock() != &function.front())
      op->moveBefore(&function.front(), function.front().begin());
  SmallVector<Value> pointers;
  for (memref::AllocOp op : allocs) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    int64_t bits =
        type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
    int64_t bytes = type.getNumElements() * ((bits + 7) / 8);
    auto owner = op->getAttrOfType<IntegerAttr>(kMemoryOwnerAttrName);
    Value memory = calls.call(
        b, loc, "mercury_alloc", pointer,
        ValueRange{context, arith::ConstantIntOp::create(b, loc, bytes, 64),
                   arith::ConstantIntOp::create(b, loc, memoryClass(op), 32),
                   arith::ConstantIntOp::create(
                       b, loc, owner ? owner.getInt() : -1, 32)});
    op.replaceAllUsesWith(bufferAt(b, loc, converter, memory, type));
    pointers.push_back(memory);
    op.erase();
  }
  // Blocks are split from the end, so that each check dominates what follows.
  Block *failed = nullptr;
  for (Value memory : llvm::reverse(pointers)) {
    Operation *call = memory.getDefiningOp();
    Block *here = call->getBlock();
    Block *rest = here->splitBlock(std::next(Block::iterator(call)));
    OpBuilder b(function.getContext());
    if (!failed) {
      failed = b.createBlock(&function.getBody(), function.getBody().end());
      Value status = calls.call(b, call->getLoc(), "mercury_status",
                                b.getI32Type(), context);
      func::ReturnOp::create(b, call->getLoc(), status);
    }
    b.setInsertionPointToEnd(here);
    Value null = LLVM::ZeroOp::create(b, call->getLoc(), pointer);
    Value isNull = LLVM::ICmpOp::create(b, call->getLoc(),
                                        LLVM::ICmpPredicate::eq, memory, null);
    cf::CondBranchOp::create(b, call->getLoc(), isNull, failed, ValueRange(),
                             rest, ValueRange());
  }
}

void FunctionConversion::convertReturns(CallBuilder &calls) {
  function.walk([&](func::ReturnOp op) {
    if (op.getNumOperands())
      return;
    OpBuilder b(op);
    Value status =
        calls.call(b, op.getLoc(), "mercury_status", b.getI32Type(), context);
    func::ReturnOp::create(b, op.getLoc(), status);
    op.erase();
  });
}

/// Levels of loops below `op`.
static unsigned loopDepth(Operation *op) {
  unsigned depth = 0;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      depth =
          std::max(depth, loopDepth(&inner) + isa<LoopLikeOpInterface>(inner));
  return depth;
}

/// Loops over tiles beside a wait may run while something is under way: they
/// let it move on once an iteration. A loop with less than two levels below is
/// too short a piece for that.
void FunctionConversion::addProgress(CallBuilder &calls) {
  llvm::SmallSetVector<Operation *, 8> loops;
  function.walk([&](WaitOp wait) {
    // Of the iteration, or call, that the wait is in.
    Operation *step = wait;
    do {
      step = step->getParentOp();
      for (Region &region : step->getRegions())
        for (auto nest : region.getOps<scf::ForOp>())
          nest->walk([&](scf::ForOp loop) {
            if (loopDepth(loop) >= 2)
              loops.insert(loop);
          });
    } while (step != function && !isa<LoopLikeOpInterface>(step));
  });
  for (Operation *loop : loops) {
    bool communicates =
        loop->walk([](Operation *op) {
              return isa_and_nonnull<CommIRDialect>(op->getDialect())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (communicates)
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(&loop->getRegion(0).front());
    calls.call(b, loop->getLoc(), "mercury_progress", {}, context);
  }
}

/// int f_packed(context, void **) unpacks the pointers and calls f.
void FunctionConversion::addPacked() {
  OpBuilder b(function->getContext());
  b.setInsertionPointAfter(function);
  Location loc = function.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto packed = func::FuncOp::create(
      b, loc, (function.getName() + "_packed").str(),
      b.getFunctionType({pointer, pointer}, b.getI32Type()));
  Block *entry = packed.addEntryBlock();
  b.setInsertionPointToStart(entry);
  SmallVector<Value> operands{entry->getArgument(0)};
  for (auto [i, type] :
       llvm::enumerate(function.getArgumentTypes().drop_front())) {
    Value slot =
        LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(1),
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Value value = LLVM::LoadOp::create(b, loc, pointer, slot);
    if (type != Type(pointer)) // a scalar by address
      value = LLVM::LoadOp::create(b, loc, converter.convertType(type), value);
    if (value.getType() != type)
      value =
          UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
    operands.push_back(value);
  }
  auto call = func::CallOp::create(b, loc, function, operands);
  func::ReturnOp::create(b, loc, call.getResults());
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The text `f_requirements`: what a launcher has to provide.
void FunctionConversion::addRequirements() {
  llvm::json::Array sets, levels;
  for (const AxisList &axes : communicators.list()) {
    llvm::json::Array names;
    for (const AxisRef &axis : axes)
      names.push_back(print(axis));
    sets.push_back(std::move(names));
  }
  for (const Level &level : topology.levels)
    levels.push_back(
        llvm::json::Object{{"name", level.name}, {"size", level.size}});
  llvm::json::Object requirements{{"topology", std::move(levels)},
                                  {"communicators", std::move(sets)},
                                  {"values", std::move(values)}};
  if (auto more = function->getAttrOfType<StringAttr>(kRequirementsAttrName)) {
    if (auto parsed = llvm::json::parse(more.getValue())) {
      if (auto *object = parsed->getAsObject())
        for (auto &[key, value] : *object)
          requirements[key] = value;
    } else {
      llvm::consumeError(parsed.takeError());
    }
  }
  function->removeAttr(kRequirementsAttrName);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(requirements));
  text += '\0';
  OpBuilder b(function);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  LLVM::GlobalOp::create(
      b, function.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::External,
      (function.getName() + "_requirements").str(), b.getStringAttr(text));
}

LogicalResult FunctionConversion::run() {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto global = function.getArgAttrOfType<TypeAttr>(i, kGlobalTypeAttrName);
    auto placement =
        function.getArgAttrOfType<PlacementAttr>(i, kPlacementAttrName);
    llvm::json::Object value{
        {"kind",
         function.getArgAttr(i, kResultAttrName) ? "result" : "argument"},
        {"local", typeText(function.getArgumentTypes()[i])}};
    if (global)
      value["global"] = typeText(global.getValue());
    if (placement)
      value["placement"] = placement.getText().str();
    values.push_back(std::move(value));
  }
  convertSignature();
  CallBuilder calls(function, context, topology, communicators, converter,
                    target);
  addProgress(calls);
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa_and_nonnull<CommIRDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!calls.knows(op))
      return op->emitOpError("is left at the conversion to calls");
    if (failed(calls.replace(op)))
      return failure();
  }
  convertAllocations(calls);
  convertReturns(calls);
  addPacked();
  addRequirements();
  return success();
}

namespace {
struct ConvertCommIRToNCCLPass
    : public mercury::impl::ConvertCommIRToNCCLPassBase<
          ConvertCommIRToNCCLPass> {
  using ConvertCommIRToNCCLPassBase::ConvertCommIRToNCCLPassBase;

  void runOnOperation() override {
    if (target != "host" && target != "device") {
      getOperation().emitError()
          << "target '" << target << "' is not one of host, device";
      return signalPassFailure();
    }
    CallTarget kind = target == "host" ? CallTarget::Host : CallTarget::Device;
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          llvm::none_of(function.getResultTypes(), llvm::IsaPred<TensorType>))
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      TopologyOp topology = lookupTopology(function);
      if (!topology) {
        function.emitError("no topology resolves");
        return signalPassFailure();
      }
      TopologyModel model = topology.getModel();
      if (failed(FunctionConversion(function, model, kind).run()))
        return signalPassFailure();
    }
    for (auto topology :
         llvm::make_early_inc_range(getOperation().getOps<TopologyOp>()))
      topology.erase();
    getOperation()->removeAttr(kTopologyAttrName);
    getOperation()->walk([](FunctionOpInterface function) {
      function->removeAttr(kTopologyAttrName);
      function->removeAttr(kKernelAttrName);
    });
  }
};
} // namespace
