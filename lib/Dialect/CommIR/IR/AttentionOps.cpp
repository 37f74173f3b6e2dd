//===- AttentionOps.cpp - Attention and its online form -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"

using namespace mlir;
using namespace mercury::commir;

/// The tensors or buffers among the operands, in order.
static SmallVector<OpOperand *> shapedOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()))
      operands.push_back(&operand);
  return operands;
}

template <typename OpTy> static AffineMap mapOf(OpTy op, OpOperand &operand) {
  auto maps = op.getIndexingMaps().template getAsValueRange<AffineMapAttr>();
  for (auto [shaped, map] : llvm::zip(shapedOperands(op), maps))
    if (shaped == &operand)
      return map;
  return {};
}

template <typename OpTy> static SmallVector<int64_t> extentsOf(OpTy op) {
  SmallVector<int64_t> extents(op.getMapDims(), ShapedType::kDynamic);
  for (OpOperand *operand : shapedOperands(op))
    for (auto [expr, extent] :
         llvm::zip(op.getMap(*operand).getResults(),
                   cast<ShapedType>(operand->get().getType()).getShape()))
      if (!ShapedType::isDynamic(extent))
        extents[cast<AffineDimExpr>(expr).getPosition()] = extent;
  return extents;
}

template <typename OpTy> static FloatType stateTypeOf(OpTy op) {
  for (Value input : {op.getQuery(), op.getKey(), op.getValue()})
    if (getElementTypeOrSelf(input).isF64())
      return Float64Type::get(op.getContext());
  return Float32Type::get(op.getContext());
}

template <typename OpTy>
static void
effectsOf(OpTy op,
          SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
              &effects,
          bool readsOutputs) {
  for (OpOperand *operand : shapedOperands(op)) {
    if (!isa<MemRefType>(operand->get().getType()))
      continue;
    bool isOutput = op.isDpsInit(operand);
    if (!isOutput || readsOutputs)
      effects.emplace_back(MemoryEffects::Read::get(), operand);
    if (isOutput)
      effects.emplace_back(MemoryEffects::Write::get(), operand);
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static const char *const kNames[] = {"query", "key", "value"};

/// Of the loop that `name` says.
static LogicalResult verifyOrder(Operation *op, StringRef name, Value start,
                                 int64_t extent, TokenOrderAttr order) {
  if (!order)
    return success();
  int64_t begin = start ? getConstantIntValue(start).value_or(0) : 0,
          end = begin + (ShapedType::isDynamic(extent) ? 0 : extent);
  if (begin >= 0 && end <= order.getExtent())
    return success();
  return op->emitOpError() << "'" << name << "_order' has indices [0, "
                           << order.getExtent() << "), " << name << " takes ["
                           << begin << ", " << end << ")";
}

/// Checks of both forms, under the labels of the first.
template <typename OpTy> static LogicalResult verifyCommon(OpTy op) {
  SmallVector<OpOperand *> operands = shapedOperands(op);
  // attention_c1
  ArrayAttr maps = op.getIndexingMaps();
  if (maps.size() != operands.size())
    return op.emitOpError()
           << "expects one map per tensor or buffer operand, "
           << "got " << maps.size() << " for " << operands.size();
  for (AffineMap map : maps.getAsValueRange<AffineMapAttr>()) {
    if (map.getNumDims() < 4 || map.getNumSymbols() != 0 ||
        map.getNumDims() != op.getMapDims())
      return op.emitOpError()
             << "expects maps over one domain of at least four dimensions, "
             << "without symbols, got " << AffineMapAttr::get(map);
  }
  unsigned key = op.getKeyLoop(), query = op.getQueryLoop(), feature = key + 1,
           valueFeature = key + 2;
  for (auto [operand, map] :
       llvm::zip(operands, maps.getAsValueRange<AffineMapAttr>())) {
    auto type = cast<ShapedType>(operand->get().getType());
    unsigned number = operand->getOperandNumber();
    // attention_c2
    if (!map.isProjectedPermutation() || map.getNumResults() != type.getRank())
      return op.emitOpError()
             << "operand " << number << " of type " << type
             << " expects a projected permutation with " << type.getRank()
             << " results, got " << AffineMapAttr::get(map);
    // attention_c3, attention_c4
    bool isOutput = op.isDpsInit(operand);
    bool isMask = !isOutput && operand->get() == op.getMask();
    auto expect = [&](unsigned dim, bool has) -> LogicalResult {
      if (map.isFunctionOfDim(dim) == has)
        return success();
      return op.emitOpError()
             << (number < 3 ? StringRef(kNames[number])
                 : isOutput ? StringRef("an output")
                 : isMask   ? StringRef("mask")
                            : StringRef("key_range"))
             << (has ? " has to be indexed by " : " cannot be indexed by ")
             << "d" << dim << ", got " << AffineMapAttr::get(map);
    };
    unsigned firstOutput = operands.size() - op.getOutputs().size();
    bool isFirstOutput = isOutput && operands[firstOutput] == operand;
    if (number == 0 || isOutput)
      for (unsigned dim = 0; dim <= query; ++dim)
        if (failed(expect(dim, true)))
          return failure();
    bool isKeyOrValue = number == 1 || number == 2;
    if (isKeyOrValue && failed(expect(query, false)))
      return failure();
    if (!isMask && failed(expect(key, isKeyOrValue)))
      return failure();
    if (failed(expect(feature, number == 0 || number == 1)) ||
        failed(expect(valueFeature, number == 2 || isFirstOutput)))
      return failure();
  }
  // attention_c5
  SmallVector<int64_t> extents = op.getMapExtents();
  for (auto [operand, map] :
       llvm::zip(operands, maps.getAsValueRange<AffineMapAttr>())) {
    auto type = cast<ShapedType>(operand->get().getType());
    for (auto [expr, extent] : llvm::zip(map.getResults(), type.getShape())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (!ShapedType::isDynamic(extent) && extent != extents[dim])
        return op.emitOpError()
               << "operand " << operand->getOperandNumber() << " of type "
               << type << " has extent " << extent << " along d" << dim
               << ", another operand has " << extents[dim];
    }
  }
  // attention_c7
  bool onTensors = isa<TensorType>(op.getQuery().getType());
  for (OpOperand *operand : operands)
    if (isa<TensorType>(operand->get().getType()) != onTensors)
      return op.emitOpError() << "mixes tensors and buffers: operand 0 is of "
                              << "type " << op.getQuery().getType()
                              << ", operand " << operand->getOperandNumber()
                              << " of type " << operand->get().getType();
  if (onTensors ? op.getResultTypes() != op.getOutputs().getTypes()
                : op->getNumResults() != 0)
    return op.emitOpError()
           << "expects " << (onTensors ? op.getOutputs().size() : 0)
           << " results of the outputs' types, got " << op->getNumResults();
  // attention_c8
  if (!op.getKeyBegin() != !op.getKeyEnd())
    return op.emitOpError() << "expects both ends of 'key_range' or none";
  // attention_c9
  if (failed(verifyOrder(op, "query", op.getQueryStart(), extents[query],
                         op.getQueryOrderAttr())))
    return failure();
  return verifyOrder(op, "key", op.getKeyStart(), extents[key],
                     op.getKeyOrderAttr());
}

template <typename OpTy>
static LogicalResult verifyState(OpTy op, unsigned firstOfState) {
  for (Value output : op.getOutputs().drop_front(firstOfState))
    if (getElementTypeOrSelf(output) != op.getStateType())
      return op.emitOpError() << "keeps its state in " << op.getStateType()
                              << ", got an output of type " << output.getType();
  return success();
}

LogicalResult AttentionOp::verify() {
  // attention_c4
  if (getOutputs().empty() || getOutputs().size() > 2)
    return emitOpError() << "expects one or two outputs, got "
                         << getOutputs().size();
  if (failed(verifyCommon(*this)))
    return failure();
  // attention_c6
  return verifyState(*this, 1);
}

LogicalResult OnlineAttentionOp::verify() {
  // online_attention_c4
  if (getOutputs().size() != 3)
    return emitOpError() << "expects three outputs, got "
                         << getOutputs().size();
  if (failed(verifyCommon(*this)))
    return failure();
  // online_attention_c6
  return verifyState(*this, 0);
}

#define MERCURY_ATTENTION(OP, READS_OUTPUTS)                                   \
  AffineMap OP::getMap(OpOperand &operand) { return mapOf(*this, operand); }   \
  SmallVector<int64_t> OP::getMapExtents() { return extentsOf(*this); }        \
  FloatType OP::getStateType() { return stateTypeOf(*this); }                  \
  void OP::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    effectsOf(*this, effects, READS_OUTPUTS);                                  \
  }
MERCURY_ATTENTION(AttentionOp, false)
MERCURY_ATTENTION(OnlineAttentionOp, true)
#undef MERCURY_ATTENTION
