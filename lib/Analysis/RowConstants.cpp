//===- RowConstants.cpp - Elements of constants along a row ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/RowEvaluation.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mercury;

/// The number that a constant of this type has in these bits.
static Piece numberOf(Type type, bool isLogical, const APInt &bits) {
  Piece piece{{0, 1}};
  if (auto real = dyn_cast<FloatType>(type)) {
    APFloat value(real.getFloatSemantics(), bits);
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    piece.isFloat = true;
    piece.real = value.convertToDouble();
  } else {
    piece.first = isLogical ? bits.getZExtValue() : bits.getSExtValue();
  }
  return piece;
}

/// Elements of a constant by their number, in the order in which it is stored;
/// null where they cannot be read.
static std::function<Piece(int64_t)> readerOf(ElementsAttr attr) {
  Type type = attr.getElementType();
  if (!type.isIntOrIndexOrFloat())
    return nullptr;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isLogical = type.isInteger(1);
  if (width > 64)
    return nullptr;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (isa<FloatType>(type))
      return [=, begin = dense.value_begin<APFloat>()](int64_t i) {
        return numberOf(type, false, (*(begin + i)).bitcastToAPInt());
      };
    return [=, begin = dense.value_begin<APInt>()](int64_t i) {
      return numberOf(type, isLogical, *(begin + i));
    };
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  size_t bytes = llvm::divideCeil(width, 8);
  if (!blob || blob->getData().size() != bytes * attr.getNumElements())
    return nullptr;
  return [=, data = blob->getData().data()](int64_t i) {
    uint64_t word = 0;
    std::memcpy(&word, data + bytes * i, bytes);
    return numberOf(type, isLogical,
                    APInt(width, word, /*isSigned=*/false,
                          /*implicitTrunc=*/true));
  };
}

std::optional<Row> RowEvaluator::readConstant(ElementsAttr attr,
                                              ArrayRef<Row> at, Span keys) {
  ArrayRef<int64_t> shape = attr.getShapedType().getShape();
  Row result;
  std::function<Piece(int64_t)> reader = readerOf(attr);
  int64_t size = attr.getNumElements();
  bool isLinear = !attr.getElementType().isInteger(1);
  auto appendElement = [&](Span span, int64_t i) {
    if (!reader || i < 0 || i >= size)
      return false;
    Piece element = reader(i);
    element.keys = span;
    append(result, element, isLinear);
    return true;
  };
  if (attr.isSplat())
    return appendElement(keys, 0) ? std::optional(result) : std::nullopt;
  Result place = index(at, shape, keys);
  if (!place)
    return std::nullopt;
  for (const Piece &piece : *place) {
    auto [begin, end] = piece.keys;
    if (!charge(1 + (piece.isConstant() ? 0 : (end - begin) / 16)))
      return std::nullopt;
    if (piece.isConstant() && !appendElement(piece.keys, piece.first))
      return std::nullopt;
    for (int64_t n = begin; n < end && !piece.isConstant(); ++n)
      if (!appendElement({n, n + 1}, piece.at(n)))
        return std::nullopt;
  }
  return result;
}
