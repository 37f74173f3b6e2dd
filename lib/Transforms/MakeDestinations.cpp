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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mercury {
#define GEN_PASS_DEF_MAKEDESTINATIONSPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury::commir;

static MemRefType bufferType(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
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
      auto placed = bufferization::MaterializeInDestinationOp::create(
          b, value.getLoc(), value, destination);
      stores.emplace_back(placed.getResult(), buffer);
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
