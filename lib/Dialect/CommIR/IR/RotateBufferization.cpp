//===- RotateBufferization.cpp - The rotation on buffers ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mercury::commir;

/// Number of the operand that a result returns.
static unsigned operandOfResult(RotateOp op, unsigned result) {
  return op.getTravel().size() + result;
}

bool RotateOp::bufferizesToMemoryRead(OpOperand &operand,
                                      const AnalysisState &) {
  // With combine the first contribution is the first partial result: what a
  // carry holds before is not read.
  unsigned number = operand.getOperandNumber(), travels = getTravel().size();
  bool isCarry = number >= travels && number < travels + getCarry().size();
  return !(isCarry && hasCombine());
}

bool RotateOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const AnalysisState &) {
  return operand.getOperandNumber() >= getTravel().size();
}

AliasingValueList RotateOp::getAliasingValues(OpOperand &operand,
                                              const AnalysisState &) {
  unsigned number = operand.getOperandNumber();
  if (number < getTravel().size())
    return {};
  return {{getResult(number - getTravel().size()), BufferRelation::Equivalent}};
}

bool RotateOp::isWritable(Value value, const AnalysisState &) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return true;
  if (argument.getOwner()->getParent() != &getBody())
    return argument.getArgNumber() % 2 == 0; // contributions are only read
  return argument.getArgNumber() > getTravel().size();
}

bool RotateOp::isRepetitiveRegion(unsigned) { return true; }

LogicalResult RotateOp::verifyAnalysis(const AnalysisState &state) {
  if (hasBufferSemantics())
    return success();
  Block &body = getBody().front();
  for (auto [i, value] : llvm::enumerate(getBodyYield()->getOperands()))
    if (!state.areEquivalentBufferizedValues(
            value, body.getArgument(1 + operandOfResult(*this, i))))
      return emitOpError() << "body value " << i
                           << " is not updated in place; each step would copy";
  if (hasCombine())
    for (auto [i, value] : llvm::enumerate(
             getCombine().front().front().getTerminator()->getOperands()))
      if (!state.areEquivalentBufferizedValues(
              value, getCombine().front().front().getArgument(2 * i)))
        return emitOpError()
               << "combine value " << i
               << " is not updated in place; each step would copy";
  return success();
}

LogicalResult RotateOp::resolveConflicts(RewriterBase &rewriter,
                                         const AnalysisState &analysis,
                                         const BufferizationState &state) {
  return cast<BufferizableOpInterface>(getOperation())
      .resolveTensorOpOperandConflicts(rewriter, analysis, state);
}

static MemRefType identityType(Type type) {
  auto shaped = cast<ShapedType>(type);
  return MemRefType::get(shaped.getShape(), shaped.getElementType());
}

FailureOr<BufferLikeType>
RotateOp::getBufferType(Value value, const BufferizationOptions &options,
                        const BufferizationState &state,
                        SmallVector<Value> &stack) {
  unsigned operand;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParent() != &getBody())
      return cast<BufferLikeType>(Type(identityType(value.getType())));
    operand = argument.getArgNumber() - 1;
  } else {
    operand = operandOfResult(*this, cast<OpResult>(value).getResultNumber());
  }
  if (operand < getNumMoving())
    return cast<BufferLikeType>(Type(identityType(value.getType())));
  Value init = getOperand(operand);
  if (auto buffer = dyn_cast<BufferLikeType>(init.getType()))
    return buffer;
  return bufferization::getBufferType(init, options, state, stack);
}

/// An allocation of the communication classes of mercury_runtime.h.
static Value allocate(RewriterBase &rewriter, Location loc, Type type,
                      StringRef memoryClass) {
  auto alloc = memref::AllocOp::create(rewriter, loc, identityType(type));
  alloc->setAttr(kMemoryClassAttrName, rewriter.getStringAttr(memoryClass));
  return alloc;
}

LogicalResult RotateOp::bufferize(RewriterBase &rewriter,
                                  const BufferizationOptions &options,
                                  BufferizationState &state) {
  Location loc = getLoc();
  unsigned travels = getTravel().size(), carries = getCarry().size();
  SmallVector<Value> buffers, unflattened(carries);
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    Value buffer = operand;
    if (isa<TensorType>(operand.getType())) {
      FailureOr<Value> found = getBuffer(rewriter, operand, options, state);
      if (failed(found))
        return failure();
      buffer = *found;
    }
    auto type = cast<MemRefType>(buffer.getType());
    if (i < travels + carries && !type.getLayout().isIdentity()) {
      // The wire takes contiguous tiles: one copy outside the loop.
      Value flat = allocate(rewriter, loc, type, "staging");
      memref::CopyOp::create(rewriter, loc, buffer, flat);
      if (i >= travels)
        unflattened[i - travels] = buffer;
      buffer = flat;
    }
    buffers.push_back(buffer);
  }
  // Travelling tiles are received into two buffers in turn (one for a single
  // hop), carries into one; contributions have a buffer of their own.
  SmallVector<Value> scratch;
  int64_t hops = static_cast<int64_t>(getSteps()) - 1;
  for (Value tile : ArrayRef(buffers).take_front(travels))
    for (int64_t i = 0; i < std::min<int64_t>(hops, 2); ++i)
      scratch.push_back(allocate(rewriter, loc, tile.getType(), "travelling"));
  for (Value tile : ArrayRef(buffers).slice(travels, carries)) {
    if (hops > 0)
      scratch.push_back(allocate(rewriter, loc, tile.getType(), "travelling"));
    if (hasCombine())
      scratch.push_back(allocate(rewriter, loc, tile.getType(), "workspace"));
  }

  auto made =
      RotateOp::create(rewriter, loc, getSteps(), getHops(),
                       ArrayRef(buffers).take_front(travels),
                       ArrayRef(buffers).slice(travels, carries),
                       ArrayRef(buffers).drop_front(travels + carries), scratch,
                       /*combineCount=*/0);
  made->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());

  // The tile of an operand inside the body, as a tensor again if it was one.
  auto tile = [&](BlockArgument argument, unsigned operand,
                  bool arrived) -> Value {
    Value buffer =
        operand < travels + carries
            ? RotateTileOp::create(rewriter, loc, buffers[operand].getType(),
                                   operand, arrived)
                  .getResult()
            : buffers[operand];
    if (!isa<TensorType>(argument.getType()))
      return buffer;
    return ToTensorOp::create(rewriter, loc, argument.getType(), buffer);
  };
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = rewriter.createBlock(&made.getBody(), {},
                                       {rewriter.getIndexType()}, {loc});
    SmallVector<Value> values{body->getArgument(0)};
    for (BlockArgument argument : getBody().front().getArguments().drop_front())
      values.push_back(tile(argument, argument.getArgNumber() - 1, false));
    Operation *yield = getBodyYield();
    rewriter.mergeBlocks(&getBody().front(), body, values);
    if (!getCombine().empty()) {
      rewriter.eraseOp(yield);
      rewriter.setInsertionPointToEnd(body);
      RotateArriveOp::create(rewriter, loc);
      Block *combine = &getCombine().front().front();
      SmallVector<Value> pairs;
      for (BlockArgument argument : combine->getArguments()) {
        unsigned n = argument.getArgNumber();
        pairs.push_back(tile(argument, travels + n / 2, n % 2 == 0));
      }
      yield = combine->getTerminator();
      rewriter.mergeBlocks(combine, body, pairs);
    }
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<RotateYieldOp>(yield, ValueRange());
  }
  rewriter.setInsertionPointAfter(made);
  SmallVector<Value> results(ArrayRef(buffers).drop_front(travels));
  for (auto [i, view] : llvm::enumerate(unflattened)) {
    if (!view)
      continue;
    memref::CopyOp::create(rewriter, loc, results[i], view);
    results[i] = view;
  }
  replaceOpWithBufferizedValues(rewriter, getOperation(), results);
  return success();
}

bool RotateYieldOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return true;
}
bool RotateYieldOp::bufferizesToMemoryWrite(OpOperand &,
                                            const AnalysisState &) {
  return false;
}
bool RotateYieldOp::mustBufferizeInPlace(OpOperand &, const AnalysisState &) {
  return true;
}
AliasingValueList RotateYieldOp::getAliasingValues(OpOperand &,
                                                   const AnalysisState &) {
  return {};
}
LogicalResult RotateYieldOp::bufferize(RewriterBase &rewriter,
                                       const BufferizationOptions &options,
                                       BufferizationState &state) {
  SmallVector<Value> values;
  for (Value value : getValues()) {
    if (isa<TensorType>(value.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      value = *buffer;
    }
    values.push_back(value);
  }
  rewriter.replaceOpWithNewOp<RotateYieldOp>(*this, values);
  return success();
}
