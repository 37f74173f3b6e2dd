//===- DocumentOps.cpp - Bounds of packed documents -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

using namespace mlir;
using namespace mercury::commir;

int64_t DocumentRangesOp::getNumKeys() {
  if (getSegments())
    return getSegments().getType().getShape().back();
  return getKeysAttr() ? getKeysAttr().getInt()
                       : getBegin().getType().getShape().back();
}

LogicalResult DocumentRangesOp::verify() {
  // document_ranges_c1
  int given = !!getSegments() + !!getLengths() + !!getStaticLengthsAttr();
  if (given != 1)
    return emitOpError() << "expects one of 'segments', 'lengths' and 'static', "
                         << "got " << given;
  // document_ranges_c2
  RankedTensorType begin = getBegin().getType();
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
  if (getKeysAttr() && (getSegments() || getNumKeys() < 0))
    return emitOpError() << "'keys' is a number of keys beside lengths, got "
                         << getNumKeys();
  // document_ranges_c4
  if (!getStaticLengths())
    return success();
  return verifyLengths(*getStaticLengths(), getNumKeys(),
                               [&] { return emitOpError(); });
}

LogicalResult DocumentRangesOp::verifyLengths(
    ArrayRef<int64_t> lengths, int64_t numKeys,
    function_ref<InFlightDiagnostic()> emitError) {
  int64_t sum = 0;
  for (auto [document, length] : llvm::enumerate(lengths)) {
    if (length < 0)
      return emitError() << "length of document " << document << " is "
                         << length;
    sum += length;
  }
  if (sum != numKeys)
    return emitError() << "lengths of documents sum to " << sum
                       << ", but there are " << numKeys << " keys";
  return success();
}
