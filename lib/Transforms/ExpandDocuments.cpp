//===- ExpandDocuments.cpp - Bounds of documents as operators -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandDocuments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// Attention that reads ranges, and how many keys it has.
struct Reader {
  AttentionOp attention;
  int64_t keys;
};
} // namespace

/// The one whose keys the ranges are of, where its keys are static.
static std::optional<Reader> readerOf(DocumentRangesOp op) {
  for (Operation *user : op->getUsers())
    if (auto attention = dyn_cast<AttentionOp>(user))
      if (attention.getKeyBegin() == op.getBegin() &&
          !attention.getKeyOrderAttr() && !attention.getKeyStart())
        if (int64_t keys = attention.getMapExtents()[attention.getKeyLoop()];
            !ShapedType::isDynamic(keys))
          return Reader{attention, keys};
  return std::nullopt;
}

/// Fails where the documents are not of all keys.
static LogicalResult checkKeys(DocumentRangesOp op, int64_t numKeys,
                               function_ref<InFlightDiagnostic()> emitError) {
  std::optional<Reader> reader = readerOf(op);
  if (!reader || reader->keys == numKeys)
    return success();
  InFlightDiagnostic error = emitError();
  error << (op.getSegments() ? "there are segments of "
                             : "lengths of documents sum to ")
        << numKeys << " keys, but attention has " << reader->keys;
  error.attachNote(reader->attention.getLoc()) << "reads the ranges here";
  return error;
}

/// Where documents begin, and where the last of them ends.
static FailureOr<SmallVector<int64_t>>
boundsOf(DocumentRangesOp op, ArrayRef<int64_t> elements, int64_t sequence) {
  SmallVector<int64_t> bounds = {0};
  auto emitError = [&] {
    InFlightDiagnostic error = op.emitOpError();
    if (cast<ShapedType>(op.getBegin().getType()).getRank() > 1)
      error << "sequence " << sequence << ": ";
    return error;
  };
  for (auto [i, element] : llvm::enumerate(elements)) {
    if (!op.getSegments()) {
      if (element < 0)
        return emitError() << "length of document " << i << " is " << element;
      bounds.push_back(bounds.back() + element);
    } else if (i > 0) {
      if (element < elements[i - 1])
        return emitError() << "segments decrease: that of key " << i << " is "
                           << element << " after " << elements[i - 1];
      if (element != elements[i - 1])
        bounds.push_back(i);
    }
  }
  if (op.getSegments())
    bounds.push_back(elements.size());
  else if (failed(checkKeys(op, bounds.back(), emitError)))
    return failure();
  return bounds;
}

/// The results, if all that they depend on is constant; null if not.
static FailureOr<std::pair<DenseElementsAttr, DenseElementsAttr>>
foldRanges(DocumentRangesOp op) {
  SmallVector<int64_t> elements(
      op.getStaticLengths().value_or(ArrayRef<int64_t>()));
  size_t perSequence = elements.size();
  int64_t sequences = 1;
  std::pair<DenseElementsAttr, DenseElementsAttr> none;
  if (Value operand = op.getSegments() ? op.getSegments() : op.getLengths()) {
    DenseIntElementsAttr constant;
    if (!matchPattern(operand, m_Constant(&constant)))
      return none;
    for (const APInt &element : constant)
      elements.push_back(element.getSExtValue());
    perSequence = constant.getType().getShape().back();
    for (int64_t extent : constant.getType().getShape().drop_back())
      sequences *= extent;
  }
  std::optional<int64_t> start =
      op.getQueryStart() ? getConstantIntValue(op.getQueryStart()) : 0;
  auto type = cast<RankedTensorType>(op.getBegin().getType());
  SmallVector<APInt> begins, ends;
  auto number = [](int64_t value) {
    return APInt(32, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  };
  for (int64_t sequence = 0; sequence < sequences; ++sequence) {
    FailureOr<SmallVector<int64_t>> bounds = boundsOf(
        op, ArrayRef(elements).slice(sequence * perSequence, perSequence),
        sequence);
    if (failed(bounds))
      return failure();
    if (!start)
      continue;
    for (int64_t row = 0; row < type.getShape().back(); ++row) {
      int64_t position = *start + row;
      bool isKey = position >= 0 && position < bounds->back();
      auto *end = llvm::upper_bound(*bounds, position);
      begins.push_back(number(isKey ? end[-1] : 0));
      ends.push_back(number(isKey ? *end : 0));
    }
  }
  if (!start)
    return none;
  return std::pair(DenseElementsAttr::get(type, begins),
                   DenseElementsAttr::get(type, ends));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
/// The body of an operator over sequences and their rows.
struct BodyBuilder {
  OpBuilder &b;
  Location loc;
  SmallVector<Value> sequence; ///< indices of the dimensions in front

  BodyBuilder(OpBuilder &b, Location loc, int64_t front) : b(b), loc(loc) {
    for (int64_t dim = 0; dim < front; ++dim)
      sequence.push_back(linalg::IndexOp::create(b, loc, dim));
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value number(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
  }
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }
  /// Of this sequence.
  Value extract(Value values, Value at) {
    SmallVector<Value> indices(sequence);
    indices.push_back(at);
    return tensor::ExtractOp::create(b, loc, values, indices);
  }

  /// How many of this sequence's `values`, which do not decrease, `precede`
  /// the target; a number from 0 to all of them whatever they hold. Without a
  /// loop, so that bodies of kernels can have it.
  Value countPreceding(Value values, arith::CmpIPredicate precede,
                       Value target) {
    int64_t left = cast<ShapedType>(values.getType()).getShape().back();
    Value found = index(0);
    while (left > 0) {
      // After a step at most left - half elements are undecided.
      int64_t half = std::max<int64_t>(left / 2, 1);
      Value next = arith::AddIOp::create(b, loc, found, index(half));
      Value last = arith::SubIOp::create(b, loc, next, index(1));
      found =
          select(compare(precede, extract(values, last), target), next, found);
      left -= half;
    }
    return found;
  }
};
} // namespace

/// An operator without inputs over the elements of `numResults` tensors.
static SmallVector<Value>
buildRows(OpBuilder &b, Location loc, RankedTensorType type,
          ArrayRef<OpFoldResult> sizes, unsigned numResults,
          function_ref<SmallVector<Value>(BodyBuilder &)> body) {
  SmallVector<Value> empty;
  for (unsigned i = 0; i < numResults; ++i)
    empty.push_back(
        tensor::EmptyOp::create(b, loc, sizes, type.getElementType()));
  SmallVector<AffineMap> maps(numResults,
                              b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto rows = linalg::GenericOp::create(
      b, loc, SmallVector<Type>(numResults, type), ValueRange(), empty, maps,
      loops, [&](OpBuilder &b, Location loc, ValueRange) {
        BodyBuilder builder(b, loc, type.getRank() - 1);
        linalg::YieldOp::create(b, loc, body(builder));
      });
  return SmallVector<Value>(rows->getResults());
}

/// Where each document ends; a negative length counts as 0. The sums of 2, 4,
/// ... lengths, one operator each: a reduction would have to be padded.
static Value buildEnds(OpBuilder &b, Location loc, Value lengths) {
  auto type = cast<RankedTensorType>(lengths.getType());
  int64_t front = type.getRank() - 1, count = type.getShape().back();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, lengths);
  Value sums = lengths;
  for (int64_t step = 1; step == 1 || step < count; step *= 2)
    sums = buildRows(
        b, loc, type, sizes, 1, [&](BodyBuilder &body) -> SmallVector<Value> {
          OpBuilder &b = body.b;
          Value zero = body.number(int64_t(0));
          auto read = [&](Value at) -> Value {
            Value element = body.extract(sums, at);
            return step > 1 ? element
                            : arith::MaxSIOp::create(b, loc, element, zero);
          };
          Value document = linalg::IndexOp::create(b, loc, front);
          Value hasMore = body.compare(arith::CmpIPredicate::uge, document,
                                       body.index(step));
          Value before = read(body.select(
              hasMore,
              arith::SubIOp::create(b, loc, document, body.index(step)),
              document));
          return {arith::AddIOp::create(b, loc, read(document),
                                        body.select(hasMore, before, zero))};
        })[0];
  return sums;
}

static SmallVector<Value> buildRanges(OpBuilder &b, DocumentRangesOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getBegin().getType());
  int64_t front = type.getRank() - 1;
  bool isSegments = op.getSegments() != nullptr;
  Value values = isSegments ? op.getSegments() : op.getLengths();
  if (!values)
    values = arith::ConstantOp::create(
        b, loc,
        b.getI32TensorAttr(SmallVector<int32_t>(*op.getStaticLengths())));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, values);
  sizes.back() = b.getIndexAttr(type.getShape().back());
  int64_t count = cast<ShapedType>(values.getType()).getShape().back();
  if (!isSegments && count > 0)
    values = buildEnds(b, loc, values);
  return buildRows(
      b, loc, type, sizes, 2, [&](BodyBuilder &body) -> SmallVector<Value> {
        OpBuilder &b = body.b;
        Value none = body.number(int64_t(0));
        if (count == 0)
          return {none, none};
        Value position = linalg::IndexOp::create(b, loc, front);
        if (op.getQueryStart())
          position =
              arith::AddIOp::create(b, loc, op.getQueryStart(), position);
        Value last = body.index(count - 1), isKey, begin, end;
        if (isSegments) {
          isKey = body.compare(arith::CmpIPredicate::ule, position, last);
          Value own = body.extract(
              values, arith::MinUIOp::create(b, loc, position, last));
          begin = body.number(
              body.countPreceding(values, arith::CmpIPredicate::slt, own));
          end = body.number(
              body.countPreceding(values, arith::CmpIPredicate::sle, own));
        } else {
          // Documents that end before the position.
          Value before = body.countPreceding(values, arith::CmpIPredicate::sle,
                                             body.number(position));
          Value isFirst =
              body.compare(arith::CmpIPredicate::eq, before, body.index(0));
          Value previous =
              body.select(isFirst, before,
                          arith::SubIOp::create(b, loc, before, body.index(1)));
          begin = body.select(isFirst, none, body.extract(values, previous));
          end = body.extract(values,
                             arith::MinUIOp::create(b, loc, before, last));
          isKey = arith::AndIOp::create(
              b, loc,
              body.compare(arith::CmpIPredicate::sge, position, body.index(0)),
              body.compare(arith::CmpIPredicate::ule, before, last));
        }
        return {body.select(isKey, begin, none), body.select(isKey, end, none)};
      });
}

/// What is no constant is checked when the program runs.
static void buildCheck(OpBuilder &b, DocumentRangesOp op) {
  Value operand = op.getSegments() ? op.getSegments() : op.getLengths();
  if (!operand || matchPattern(operand, m_Constant()))
    return;
  std::optional<Reader> reader = readerOf(op);
  bool hasKeys = reader && !op.getSegments(); // those of segments are static
  CheckDocumentsOp::create(
      b, op.getLoc(), operand, op.getSegments() ? b.getUnitAttr() : UnitAttr(),
      hasKeys ? b.getI64IntegerAttr(reader->keys) : IntegerAttr());
}

LogicalResult mercury::expandDocumentRanges(RewriterBase &b,
                                            DocumentRangesOp op) {
  if (op.getSegments() &&
      failed(checkKeys(
          op, cast<ShapedType>(op.getSegments().getType()).getShape().back(),
          [&] { return op.emitOpError(); })))
    return failure();
  FailureOr<std::pair<DenseElementsAttr, DenseElementsAttr>> constants =
      foldRanges(op);
  if (failed(constants))
    return failure();
  b.setInsertionPoint(op);
  buildCheck(b, op);
  SmallVector<Value> ranges;
  if (constants->first)
    ranges = {arith::ConstantOp::create(b, op.getLoc(), constants->first),
              arith::ConstantOp::create(b, op.getLoc(), constants->second)};
  else
    ranges = buildRanges(b, op);
  b.replaceOp(op, ranges);
  return success();
}
