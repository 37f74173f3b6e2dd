//===- CollectiveOps.cpp - What ranks exchange -===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisSyntax.h"
#include "VerifyAxes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

#define GET_OP_CLASSES
#include "Mercury/Dialect/CommIR/IR/CommIROps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult RankCoordOp::verify() {
  // rank_coord_c1, rank_coord_c2
  if (getAxes().empty())
    return emitOpError("expects at least one axis");
  return verifyAxes(*this, toAxisList(getAxes()));
}

/// C1 and C4 of every communication op.
static LogicalResult verifyCommon(Operation *op, ArrayAttr axes, Value output,
                                  Value result, IntegerAttr request) {
  if (axes.empty())
    return op->emitOpError("expects at least one axis");
  if (failed(verifyAxes(op, toAxisList(axes))))
    return failure();
  if (isa<TensorType>(output.getType())) {
    if (!result || result.getType() != output.getType())
      return op->emitOpError() << "on tensors has a result of its output's type "
                               << output.getType();
    if (request)
      return op->emitOpError("has a request, which only buffers allow");
  } else if (result) {
    return op->emitOpError("on buffers has no result");
  }
  return success();
}

static SmallVector<int64_t> prepend(int64_t extent, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> all{extent};
  llvm::append_range(all, shape);
  return all;
}

/// `whole` has the shape of `part` with the group's size in front.
static LogicalResult verifyPieces(Operation *op, ArrayAttr axes, Value whole,
                                  Value part, StringRef wholeName,
                                  StringRef partName) {
  auto wholeType = cast<ShapedType>(whole.getType());
  auto partType = cast<ShapedType>(part.getType());
  int64_t leading = wholeType.getRank() ? wholeType.getDimSize(0) : 0;
  int64_t size = groupSize(op, toAxisList(axes)).value_or(leading);
  SmallVector<int64_t> expected = prepend(size, partType.getShape());
  if (wholeType.getShape() != ArrayRef(expected))
    return op->emitOpError()
           << "expects an " << wholeName << " of " << size << " (ranks over "
           << mercury::print(toAxisList(axes)) << ") pieces of the " << partName
           << "'s shape, got " << wholeType << " for " << partType;
  return success();
}

static LogicalResult verifyElements(Operation *op, Value a, Value b) {
  Type ta = getElementTypeOrSelf(a), tb = getElementTypeOrSelf(b);
  if (ta != tb)
    return op->emitOpError() << "element types disagree: " << ta << " and "
                             << tb;
  if (isa<TensorType>(a.getType()) != isa<TensorType>(b.getType()))
    return op->emitOpError("mixes tensors and buffers");
  return success();
}

static LogicalResult verifySameShape(Operation *op, Value a, Value b) {
  auto ta = cast<ShapedType>(a.getType()), tb = cast<ShapedType>(b.getType());
  if (ta.getShape() != tb.getShape())
    return op->emitOpError() << "input and output have different shapes: " << ta
                             << " and " << tb;
  return success();
}

LogicalResult AllGatherOp::verify() {
  // all_gather_c1, all_gather_c4, all_gather_c3, all_gather_c2
  return failure(
      failed(verifyCommon(*this, getAxes(), getOutput(), getResult(),
                          getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifyPieces(*this, getAxes(), getOutput(), getInput(), "output",
                          "input")));
}

LogicalResult ReduceScatterOp::verify() {
  // reduce_scatter_c1, reduce_scatter_c4, reduce_scatter_c3, reduce_scatter_c2
  return failure(
      failed(verifyCommon(*this, getAxes(), getOutput(), getResult(),
                          getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifyPieces(*this, getAxes(), getInput(), getOutput(), "input",
                          "output")));
}

LogicalResult AllToAllOp::verify() {
  // all_to_all_c1, all_to_all_c4, all_to_all_c3, all_to_all_c2
  if (failed(verifyCommon(*this, getAxes(), getOutput(), getResult(),
                          getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifySameShape(*this, getInput(), getOutput())))
    return failure();
  auto type = cast<ShapedType>(getInput().getType());
  std::optional<int64_t> size = groupSize(*this, toAxisList(getAxes()));
  if (type.getRank() == 0 || (size && type.getDimSize(0) != *size))
    return emitOpError() << "expects a first extent of " << size.value_or(1)
                         << " (ranks over " << mercury::print(toAxisList(getAxes()))
                         << "), got " << type;
  return success();
}

LogicalResult BroadcastOp::verify() {
  // broadcast_c1, broadcast_c4, broadcast_c3, broadcast_c2
  return failure(failed(verifyCommon(*this, getAxes(), getOutput(), getResult(),
                                     getRequestAttr())) ||
                 failed(verifyElements(*this, getInput(), getOutput())) ||
                 failed(verifySameShape(*this, getInput(), getOutput())));
}

LogicalResult PermuteOp::verify() {
  // permute_c1, permute_c4, permute_c3, permute_c2
  return failure(failed(verifyCommon(*this, getAxes(), getOutput(), getResult(),
                                     getRequestAttr())) ||
                 failed(verifyElements(*this, getInput(), getOutput())) ||
                 failed(verifySameShape(*this, getInput(), getOutput())));
}

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1, all_reduce_c4
  return verifyCommon(*this, getAxes(), getOutput(), getResult(),
                      getRequestAttr());
}

LogicalResult HopOp::verify() {
  // hop_c1
  if (getSources().empty() || getSources().size() != getHops().size())
    return emitOpError() << "expects one hop per source, got "
                         << getHops().size() << " for " << getSources().size();
  // hop_c2
  for (auto [source, target] : llvm::zip(getSources(), getTargets()))
    if (cast<ShapedType>(source.getType()).getShape() !=
            cast<ShapedType>(target.getType()).getShape() ||
        getElementTypeOrSelf(source) != getElementTypeOrSelf(target))
      return emitOpError() << "source " << source.getType() << " and target "
                           << target.getType() << " disagree";
  return success();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

static void addNetwork(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), NetworkResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), NetworkResource::get());
}

static void addBuffer(Effects &effects, OpOperand &operand, bool read,
                      bool write) {
  if (!isa<BaseMemRefType>(operand.get().getType()))
    return;
  if (read)
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  if (write)
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

#define MERCURY_MOVE_EFFECTS(OP, READS_OUTPUT)                                 \
  void OP::getEffects(Effects &effects) {                                      \
    addNetwork(effects);                                                       \
    addBuffer(effects, getInputMutable(), true, false);                        \
    addBuffer(effects, getOutputMutable(), READS_OUTPUT, true);                \
  }
MERCURY_MOVE_EFFECTS(AllGatherOp, false)
MERCURY_MOVE_EFFECTS(ReduceScatterOp, false)
MERCURY_MOVE_EFFECTS(AllToAllOp, false)
MERCURY_MOVE_EFFECTS(BroadcastOp, false)
MERCURY_MOVE_EFFECTS(PermuteOp, true)
#undef MERCURY_MOVE_EFFECTS

void AllReduceOp::getEffects(Effects &effects) {
  addNetwork(effects);
  addBuffer(effects, getOutputMutable(), true, true);
}

void HopOp::getEffects(Effects &effects) {
  addNetwork(effects);
  for (OpOperand &source : getSourcesMutable())
    addBuffer(effects, source, true, false);
  for (OpOperand &target : getTargetsMutable())
    addBuffer(effects, target, false, true);
}

void WaitOp::getEffects(Effects &effects) {
  addNetwork(effects);
  for (OpOperand &buffer : getBuffersMutable())
    addBuffer(effects, buffer, true, true);
}

//===----------------------------------------------------------------------===//
// Bufferization: the output is written in place
//===----------------------------------------------------------------------===//

static bool writes(Operation *op, OpOperand &operand) {
  return cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
}

static FailureOr<Value>
bufferOf(RewriterBase &rewriter, Value value,
         const bufferization::BufferizationOptions &options,
         bufferization::BufferizationState &state) {
  FailureOr<Value> buffer =
      bufferization::getBuffer(rewriter, value, options, state);
  if (failed(buffer))
    return failure();
  auto type = cast<MemRefType>(buffer->getType());
  if (type.getLayout().isIdentity())
    return buffer;
  // The wire takes contiguous bytes; a pack op of the IR made them so wherever
  // it pays, what is left is a view that needs one copy.
  auto flat = MemRefType::get(type.getShape(), type.getElementType());
  Location loc = value.getLoc();
  Value copy = memref::AllocOp::create(rewriter, loc, flat);
  memref::CopyOp::create(rewriter, loc, *buffer, copy);
  return copy;
}

/// Recreates `op` on the buffers of its operands, without a result.
static LogicalResult
bufferizeInPlace(Operation *op, RewriterBase &rewriter,
                 const bufferization::BufferizationOptions &options,
                 bufferization::BufferizationState &state) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  OperationState made(op->getLoc(), op->getName());
  made.addAttributes(op->getAttrs());
  Value result, staged;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<TensorType>(operand.get().getType())) {
      made.operands.push_back(operand.get());
      continue;
    }
    bool isOutput = dps.isDpsInit(&operand);
    FailureOr<Value> buffer =
        isOutput ? bufferization::getBuffer(rewriter, operand.get(), options,
                                            state)
                 : bufferOf(rewriter, operand.get(), options, state);
    if (failed(buffer))
      return failure();
    if (isOutput) {
      result = *buffer;
      auto type = cast<MemRefType>(buffer->getType());
      if (!type.getLayout().isIdentity()) {
        auto flat = MemRefType::get(type.getShape(), type.getElementType());
        staged = memref::AllocOp::create(rewriter, op->getLoc(), flat);
        memref::CopyOp::create(rewriter, op->getLoc(), *buffer, staged);
        buffer = staged;
      }
    }
    made.operands.push_back(*buffer);
  }
  rewriter.create(made);
  if (staged)
    memref::CopyOp::create(rewriter, op->getLoc(), staged, result);
  bufferization::replaceOpWithBufferizedValues(rewriter, op, result);
  return success();
}

#define MERCURY_BUFFERIZE(OP, READS_OUTPUT)                                    \
  bool OP::bufferizesToMemoryRead(OpOperand &operand,                          \
                                  const bufferization::AnalysisState &) {      \
    return READS_OUTPUT || !writes(*this, operand);                            \
  }                                                                            \
  bool OP::bufferizesToMemoryWrite(OpOperand &operand,                         \
                                   const bufferization::AnalysisState &) {     \
    return writes(*this, operand);                                             \
  }                                                                            \
  bufferization::AliasingValueList OP::getAliasingValues(                      \
      OpOperand &operand, const bufferization::AnalysisState &) {              \
    if (!writes(*this, operand))                                               \
      return {};                                                               \
    return {{getResult(), bufferization::BufferRelation::Equivalent}};         \
  }                                                                            \
  LogicalResult OP::bufferize(                                                 \
      RewriterBase &rewriter,                                                  \
      const bufferization::BufferizationOptions &options,                      \
      bufferization::BufferizationState &state) {                              \
    return bufferizeInPlace(*this, rewriter, options, state);                  \
  }
MERCURY_BUFFERIZE(AllGatherOp, false)
MERCURY_BUFFERIZE(ReduceScatterOp, false)
MERCURY_BUFFERIZE(AllToAllOp, false)
MERCURY_BUFFERIZE(BroadcastOp, false)
MERCURY_BUFFERIZE(PermuteOp, true)
MERCURY_BUFFERIZE(AllReduceOp, true)
#undef MERCURY_BUFFERIZE
