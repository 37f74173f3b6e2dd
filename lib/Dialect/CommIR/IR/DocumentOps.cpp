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
