//===- CollectiveOps.cpp - What ranks exchange ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/AxisSyntax.h"
#include "VerifyAxes.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

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

/// A request is an index, so it is not negative.
static LogicalResult verifyRequest(Operation *op, IntegerAttr request) {
  if (request && request.getInt() < 0)
    return op->emitOpError()
           << "request must not be negative, got " << request.getInt();
  return success();
}

/// C1 and C4 of every communication op. That the result is of the output's type
/// on tensors, and that buffers have none, is checked by inferReturnTypes.
static LogicalResult verifyCommon(Operation *op, ArrayAttr axes, Value output,
                                  IntegerAttr request) {
  if (axes.empty())
    return op->emitOpError("expects at least one axis");
  if (failed(verifyAxes(op, toAxisList(axes))))
    return failure();
  if (request && isa<TensorType>(output.getType()))
    return op->emitOpError("has a request, which only buffers allow");
  return verifyRequest(op, request);
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
    return op->emitOpError()
           << "element types disagree: " << ta << " and " << tb;
  if (isa<TensorType>(a.getType()) != isa<TensorType>(b.getType()))
    return op->emitOpError("mixes tensors and buffers");
  return success();
}

static LogicalResult verifySameShape(Operation *op, Value a, Value b) {
  auto ta = cast<ShapedType>(a.getType()), tb = cast<ShapedType>(b.getType());
  if (ta.getShape() != tb.getShape())
    return op->emitOpError()
           << "input and output have different shapes: " << ta << " and " << tb;
  return success();
}

LogicalResult AllGatherOp::verify() {
  // all_gather_c1, all_gather_c4, all_gather_c3, all_gather_c2
  return failure(
      failed(verifyCommon(*this, getAxes(), getOutput(), getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifyPieces(*this, getAxes(), getOutput(), getInput(), "output",
                          "input")));
}

LogicalResult ReduceScatterOp::verify() {
  // reduce_scatter_c1, reduce_scatter_c4, reduce_scatter_c3, reduce_scatter_c2
  return failure(
      failed(verifyCommon(*this, getAxes(), getOutput(), getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifyPieces(*this, getAxes(), getInput(), getOutput(), "input",
                          "output")));
}

LogicalResult AllToAllOp::verify() {
  // all_to_all_c1, all_to_all_c4, all_to_all_c3, all_to_all_c2
  if (failed(verifyCommon(*this, getAxes(), getOutput(), getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifySameShape(*this, getInput(), getOutput())))
    return failure();
  auto type = cast<ShapedType>(getInput().getType());
  std::optional<int64_t> size = groupSize(*this, toAxisList(getAxes()));
  if (type.getRank() == 0 || (size && type.getDimSize(0) != *size))
    return emitOpError() << "expects a first extent of " << size.value_or(1)
                         << " (ranks over "
                         << mercury::print(toAxisList(getAxes())) << "), got "
                         << type;
  return success();
}

LogicalResult BroadcastOp::verify() {
  // broadcast_c1, broadcast_c4, broadcast_c3, broadcast_c2
  return failure(
      failed(verifyCommon(*this, getAxes(), getOutput(), getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifySameShape(*this, getInput(), getOutput())));
}

LogicalResult PermuteOp::verify() {
  // permute_c1, permute_c4, permute_c3, permute_c2
  return failure(
      failed(verifyCommon(*this, getAxes(), getOutput(), getRequestAttr())) ||
      failed(verifyElements(*this, getInput(), getOutput())) ||
      failed(verifySameShape(*this, getInput(), getOutput())));
}

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1, all_reduce_c4
  return verifyCommon(*this, getAxes(), getOutput(), getRequestAttr());
}

LogicalResult WaitOp::verify() {
  // wait_c1
  return verifyRequest(*this, getRequestAttr());
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
  // hop_c3
  for (auto hop : getHops().getAsRange<HopAttr>())
    if (failed(verifyAxes(*this, hop.getAxisList())))
      return failure();
  // hop_c4
  return verifyRequest(*this, getRequestAttr());
}

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

/// Of the output's type on tensors, nothing on buffers.
static LogicalResult inferFrom(Value output, SmallVectorImpl<Type> &types) {
  if (isa<TensorType>(output.getType()))
    types.push_back(output.getType());
  return success();
}

#define MERCURY_INFER(OP, OUTPUT)                                              \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location>,   \
                                     ValueRange operands, DictionaryAttr,      \
                                     OpaqueProperties, RegionRange,            \
                                     SmallVectorImpl<Type> &types) {           \
    return inferFrom(operands[OUTPUT], types);                                 \
  }
MERCURY_INFER(AllGatherOp, 1)
MERCURY_INFER(ReduceScatterOp, 1)
MERCURY_INFER(AllToAllOp, 1)
MERCURY_INFER(BroadcastOp, 1)
MERCURY_INFER(PermuteOp, 1)
MERCURY_INFER(AllReduceOp, 0)
#undef MERCURY_INFER

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
