//===- DocumentOps.cpp - Bounds of packed documents -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContiguousBuffer.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// document_ranges
//===----------------------------------------------------------------------===//

LogicalResult DocumentRangesOp::verify() {
  // document_ranges_c1
  int given = !!getSegments() + !!getLengths() + !!getStaticLengthsAttr();
  if (given != 1)
    return emitOpError()
           << "expects one of 'segments', 'lengths' and 'static', "
           << "got " << given;
  // document_ranges_c2
  auto begin = cast<RankedTensorType>(getBegin().getType());
  if (begin != getEnd().getType())
    return emitOpError() << "results have different types " << begin << " and "
                         << getEnd().getType();
  auto hasStaticRow = [](RankedTensorType type) {
    return type.getRank() > 0 && !type.isDynamicDim(type.getRank() - 1);
  };
  ArrayRef<int64_t> front;
  if (Value operand = getSegments() ? getSegments() : getLengths()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (!hasStaticRow(type))
      return emitOpError() << "expects a static last dimension, got " << type;
    front = type.getShape().drop_back();
  }
  if (!hasStaticRow(begin))
    return emitOpError() << "expects a static last dimension, got " << begin;
  if (front != begin.getShape().drop_back())
    return emitOpError() << "dimensions in front of the result " << begin
                         << " are not the operand's";
  // document_ranges_c3
  for (auto [document, length] :
       llvm::enumerate(getStaticLengths().value_or(ArrayRef<int64_t>())))
    if (length < 0 || length > std::numeric_limits<int32_t>::max())
      return emitOpError() << "length of document " << document << " is "
                           << length;
  return success();
}

//===----------------------------------------------------------------------===//
// check_documents
//===----------------------------------------------------------------------===//

LogicalResult CheckDocumentsOp::verify() {
  // check_documents_c1
  auto type = cast<ShapedType>(getValues().getType());
  if (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return emitOpError() << "expects a static last dimension, got " << type;
  auto buffer = dyn_cast<MemRefType>(type);
  if (buffer && !memref::isStaticShapeAndContiguousRowMajor(buffer))
    return emitOpError() << "expects a contiguous buffer of static shape, got "
                         << type;
  // check_documents_c2
  if (std::optional<int64_t> keys = getKeys()) {
    if (getSegments())
      return emitOpError() << "expects 'keys' beside 'lengths', got " << *keys
                           << " beside 'segments'";
    if (*keys < 0)
      return emitOpError() << "expects 'keys' not to be negative, got "
                           << *keys;
  }
  return success();
}

void CheckDocumentsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<BaseMemRefType>(getValues().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getValuesMutable());
  effects.emplace_back(MemoryEffects::Write::get(), StatusResource::get());
}

bool CheckDocumentsOp::bufferizesToMemoryRead(
    OpOperand &, const bufferization::AnalysisState &) {
  return true;
}

bool CheckDocumentsOp::bufferizesToMemoryWrite(
    OpOperand &, const bufferization::AnalysisState &) {
  return false;
}

bufferization::AliasingValueList
CheckDocumentsOp::getAliasingValues(OpOperand &,
                                    const bufferization::AnalysisState &) {
  return {};
}

LogicalResult
CheckDocumentsOp::bufferize(RewriterBase &rewriter,
                            const bufferization::BufferizationOptions &options,
                            bufferization::BufferizationState &state) {
  auto type = cast<ShapedType>(getValues().getType());
  if (!type.hasStaticShape())
    return emitOpError() << "expects a static shape on buffers, got " << type;
  FailureOr<Value> buffer =
      contiguousBuffer(rewriter, getValues(), options, state);
  if (failed(buffer))
    return failure();
  rewriter.replaceOpWithNewOp<CheckDocumentsOp>(
      *this, *buffer, getSegmentsAttr(), getKeysAttr());
  return success();
}
