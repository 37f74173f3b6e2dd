//===- LoopOps.cpp - Index arithmetic of distributed loops ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

using namespace mlir;
using namespace mercury::commir;

LogicalResult ShiftOp::verify() {
  int64_t modulus = getModulus();
  // shift_c1
  if (modulus <= 0)
    return emitOpError() << "modulus must be positive, got " << modulus;
  // shift_c2
  if (getStride() == 0)
    return emitOpError("stride must not be zero");
  return success();
}

OpFoldResult PositionOp::fold(FoldAdaptor adaptor) {
  auto index = dyn_cast_if_present<IntegerAttr>(adaptor.getIndex());
  mercury::TokenOrder order = getOrder().getValue();
  if (order.isNatural())
    return getIndex();
  int64_t extent = getOrder().getExtent();
  if (!index || index.getInt() < 0 || index.getInt() >= extent)
    return {};
  return IntegerAttr::get(IndexType::get(getContext()),
                          order.position(index.getInt(), extent));
}

OpFoldResult ShiftOp::fold(FoldAdaptor adaptor) {
  auto index = dyn_cast_if_present<IntegerAttr>(adaptor.getIndex());
  auto coordinate = dyn_cast_if_present<IntegerAttr>(adaptor.getCoordinate());
  int64_t modulus = getModulus();
  if (modulus == 1)
    return IntegerAttr::get(IndexType::get(getContext()), 0);
  if (!index || !coordinate)
    return {};
  // In 128 bits, in which neither product nor sum overflows.
  auto wide = [](int64_t value) {
    return APInt(128, value, /*isSigned=*/true);
  };
  APInt sum = wide(index.getInt()) + wide(static_cast<int64_t>(getStride())) *
                                         wide(coordinate.getInt());
  int64_t rest = sum.srem(wide(modulus)).getSExtValue();
  return IntegerAttr::get(IndexType::get(getContext()),
                          rest < 0 ? rest + modulus : rest);
}
