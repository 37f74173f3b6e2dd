//===- MakeDestinations.cpp - Arguments and results in buffers -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mercury {
#define GEN_PASS_DEF_MAKEDESTINATIONSPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury::commir;

static MemRefType bufferType(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

static bool isFreshFill(linalg::FillOp fill) {
  return fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
}

/// Gives each use of an empty tensor, and of one that is filled, a tensor of
/// its own in front of it: what CSE has made one would be one buffer that lives
/// from the first use to the last.
static void separateEmptyTensors(func::FuncOp function) {
  SmallVector<Operation *> made;
  function.walk([&](linalg::FillOp fill) {
    if (fill.hasPureTensorSemantics() && isFreshFill(fill))
      made.push_back(fill);
  });
  function.walk([&](tensor::EmptyOp empty) { made.push_back(empty); });
  for (Operation *op : made) {
    if (op->use_empty()) {
      op->erase();
      continue;
    }
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      // A fill inside a loop would run at every step.
      Operation *user =
          isa<linalg::FillOp>(op)
              ? op->getBlock()->findAncestorOpInBlock(*use.getOwner())
              : use.getOwner();
      OpBuilder b(user);
      use.set(b.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

/// Stores `value` in `destination`. What is only reshaped on the way is
/// computed there: the destination is reshaped instead.
static Value storeIn(OpBuilder &b, Value value, Value destination) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) ||
      !op->hasOneUse())
    return bufferization::MaterializeInDestinationOp::create(b, value.getLoc(),
                                                             value, destination)
        .getResult();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Value reshaped;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    reshaped = tensor::ExpandShapeOp::create(
        b, op->getLoc(), type, destination, collapse.getReassociationIndices());
  else
    reshaped = tensor::CollapseShapeOp::create(
        b, op->getLoc(), type, destination,
        cast<tensor::ExpandShapeOp>(op).getReassociationIndices());
  Value stored = storeIn(b, op->getOperand(0), reshaped);
  IRMapping map;
  map.map(op->getOperand(0), stored);
  return b.clone(*op, map)->getResult(0);
}

namespace {
struct MakeDestinationsPass
    : public mercury::impl::MakeDestinationsPassBase<MakeDestinationsPass> {
  using MakeDestinationsPassBase::MakeDestinationsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || function.isPrivate())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("has control flow between blocks");
      return signalPassFailure();
    }
    auto isTensor = llvm::IsaPred<TensorType>;
    WalkResult walked = function.walk([&](func::CallOp call) {
      if (llvm::none_of(call.getOperandTypes(), isTensor) &&
          llvm::none_of(call.getResultTypes(), isTensor))
        return WalkResult::advance();
      call.emitError() << "calls @" << call.getCallee()
                       << " with tensors, of which no buffers are made; inline "
                          "the call first";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    separateEmptyTensors(function);
    Block &entry = function.front();
    OpBuilder b = OpBuilder::atBlockBegin(&entry);
    SmallVector<Type> types;
    for (BlockArgument argument : entry.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type) {
        types.push_back(argument.getType());
        continue;
      }
      argument.setType(bufferType(type));
      types.push_back(argument.getType());
      auto tensor = bufferization::ToTensorOp::create(
          b, argument.getLoc(), type, argument, /*restrict=*/true);
      argument.replaceAllUsesExcept(tensor.getResult(), tensor);
    }
    auto ret = cast<func::ReturnOp>(entry.getTerminator());
    SmallVector<DictionaryAttr> attrs;
    SmallVector<std::pair<Value, Value>> stores;
    function.getAllArgAttrs(attrs);
    attrs.resize(types.size());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type) {
        function.emitError() << "result " << i << " of type " << value.getType()
                             << " is no tensor; ranks return tensors only";
        return signalPassFailure();
      }
      Value buffer = entry.addArgument(bufferType(type), value.getLoc());
      types.push_back(buffer.getType());
      NamedAttrList marked(function.getResultAttrDict(i));
      marked.set(kResultAttrName, b.getUnitAttr());
      attrs.push_back(marked.getDictionary(b.getContext()));
      // The destination is a tensor for the analysis: what else bufferization
      // keeps in the buffer of one result, it must not read after the store.
      auto destination = bufferization::ToTensorOp::create(
          b, value.getLoc(), type, buffer, /*restrict=*/true,
          /*writable=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(ret);
      stores.emplace_back(storeIn(b, value, destination), buffer);
    }
    b.setInsertionPoint(ret);
    for (auto [value, buffer] : stores) {
      auto store = bufferization::MaterializeInDestinationOp::create(
          b, value.getLoc(), value, buffer);
      store.setRestrict(true);
      store.setWritable(true);
    }
    func::ReturnOp::create(b, ret.getLoc());
    ret.erase();
    function.setFunctionType(b.getFunctionType(types, {}));
    function.setAllArgAttrs(attrs);
    function.setResAttrsAttr(ArrayAttr());
  }
};
} // namespace
