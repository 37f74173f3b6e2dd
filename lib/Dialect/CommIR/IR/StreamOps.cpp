//===- StreamOps.cpp - Work on streams ------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "VerifyAxes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

//===----------------------------------------------------------------------===//
// launch
//===----------------------------------------------------------------------===//

/// `type` as a kernel sees it: from its first element on.
static Type withoutOffset(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  auto layout =
      memref ? dyn_cast<StridedLayoutAttr>(memref.getLayout()) : nullptr;
  if (!layout)
    return type;
  auto strided =
      StridedLayoutAttr::get(type.getContext(), 0, layout.getStrides());
  SmallVector<int64_t> identity(memref.getRank());
  int64_t stride = 1;
  for (int64_t dim = memref.getRank(); dim-- > 0;) {
    identity[dim] = stride;
    stride *= memref.getDimSize(dim);
  }
  MemRefLayoutAttrInterface other =
      ArrayRef(identity) == layout.getStrides()
          ? MemRefLayoutAttrInterface(
                AffineMapAttr::get(AffineMap::getMultiDimIdentityMap(
                    memref.getRank(), type.getContext())))
          : MemRefLayoutAttrInterface(strided);
  return MemRefType::get(memref.getShape(), memref.getElementType(), other,
                         memref.getMemorySpace());
}

Type commir::kernelArgumentType(Type type) { return withoutOffset(type); }

LogicalResult LaunchOp::verify() {
  // launch_c3
  for (Type type : getOperandTypes()) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    if (!memref)
      continue;
    auto ranked = dyn_cast<MemRefType>(type);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!ranked || !ranked.hasStaticShape() ||
        failed(ranked.getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return emitOpError()
             << "expects buffers of static shape and strides, got " << type;
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // launch_c1
  Operation *kernel = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  auto function = dyn_cast_or_null<FunctionOpInterface>(kernel);
  if (!function || !kernel->hasAttr(kKernelAttrName) ||
      !function.getResultTypes().empty())
    return emitOpError() << "expects " << getKernelAttr()
                         << " to be a function without results that has the "
                            "attribute '"
                         << kKernelAttrName << "'";
  // launch_c2
  ArrayRef<Type> expected = function.getArgumentTypes();
  if (expected.size() != getNumOperands())
    return emitOpError() << "passes " << getNumOperands() << " operands to "
                         << getKernelAttr() << ", which takes "
                         << expected.size();
  for (auto [i, type] : llvm::enumerate(getOperandTypes()))
    if (withoutOffset(type) != withoutOffset(expected[i]))
      return emitOpError() << "passes " << type << " as argument " << i
                           << " of " << getKernelAttr() << ", which is "
                           << expected[i];
  return success();
}

void LaunchOp::getEffects(Effects &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<BaseMemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable()) {
    effects.emplace_back(MemoryEffects::Read::get(), &output);
    effects.emplace_back(MemoryEffects::Write::get(), &output);
  }
}

//===----------------------------------------------------------------------===//
// record_event, wait_event
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyEvent(OpT op) {
  int64_t event = op.getEventAttr().getInt();
  if (event < 0)
    return op.emitOpError()
           << "expects an event that is not negative, got " << event;
  if (op.getStream().empty())
    return success();
  return verifyAxes(op, toAxisList(op.getStream()));
}

// record_event_c1, record_event_c2
LogicalResult RecordEventOp::verify() { return verifyEvent(*this); }
// wait_event_c1, wait_event_c2
LogicalResult WaitEventOp::verify() { return verifyEvent(*this); }

/// Nothing moves across: what an event orders is not in the IR.
static void addAll(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Write::get(), NetworkResource::get());
}

void RecordEventOp::getEffects(Effects &effects) { addAll(effects); }
void WaitEventOp::getEffects(Effects &effects) { addAll(effects); }
