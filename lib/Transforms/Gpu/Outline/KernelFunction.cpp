//===- KernelFunction.cpp - Local ops as a function and a launch ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "Alignment.h"
#include "LocalOp.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// What a kernel takes
//===----------------------------------------------------------------------===//

namespace {
/// The values that ops take from outside.
struct KernelOperands {
  /// In order of their first use.
  llvm::SetVector<Value> used;
  llvm::SmallPtrSet<Value, 8> written;
  /// What is passed: numbers and buffers that are only read, buffers that are
  /// written. Of several views of one buffer that is written, the buffer.
  llvm::SetVector<Value> inputs, outputs;

  explicit KernelOperands(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      used.insert_range(op->getOperands());
      getUsedValuesDefinedAbove(op->getRegions(), used);
      SmallVector<MemoryEffects::EffectInstance> effects;
      cast<MemoryEffectOpInterface>(op).getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects)
        if (isa<MemoryEffects::Write>(effect.getEffect()))
          written.insert(effect.getValue());
    }
    for (Value value : used) {
      if (isConstant(value))
        continue;
      Value passed = passedFor(value);
      bool isWritten = llvm::any_of(used, [&](Value other) {
        return written.contains(other) && passedFor(other) == passed;
      });
      (isWritten ? outputs : inputs).insert(passed);
    }
  }

  /// Constants are made again inside.
  static bool isConstant(Value value) {
    if (isa<BaseMemRefType>(value.getType()))
      return baseOf(value).buffer.getDefiningOp<memref::GetGlobalOp>();
    return matchPattern(value, m_Constant());
  }

  Value passedFor(Value value) const {
    if (!isa<MemRefType>(value.getType()))
      return value;
    Value buffer = baseOf(value).buffer;
    bool isShared = false, isWritten = false;
    for (Value other : used) {
      if (!isa<MemRefType>(other.getType()) || baseOf(other).buffer != buffer)
        continue;
      isShared |= other != value;
      isWritten |= written.contains(other);
    }
    return isShared && isWritten ? buffer : value;
  }
};
} // namespace

/// `value`, a view of `buffer` at a static distance, of which the kernel has
/// `inside`.
static Value makeView(OpBuilder &b, Value value, Value inside) {
  auto type = cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t ignored;
  (void)type.getStridesAndOffset(strides, ignored);
  return memref::ReinterpretCastOp::create(
      b, value.getLoc(),
      MemRefType::get(
          type.getShape(), type.getElementType(),
          StridedLayoutAttr::get(b.getContext(), baseOf(value).offset, strides),
          type.getMemorySpace()),
      inside, baseOf(value).offset, type.getShape(), strides);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static void fillBody(func::FuncOp kernel, const KernelOperands &operands,
                     ArrayRef<Operation *> ops) {
  OpBuilder b = OpBuilder::atBlockEnd(kernel.addEntryBlock());
  IRMapping inside;
  for (auto [value, argument] :
       llvm::zip(llvm::concat<const Value>(operands.inputs.getArrayRef(),
                                           operands.outputs.getArrayRef()),
                 kernel.getArguments()))
    inside.map(value, argument);
  for (Value value : operands.used) {
    if (inside.contains(value))
      continue;
    Value buffer = value;
    if (isa<MemRefType>(value.getType()))
      buffer = baseOf(value).buffer;
    if (!inside.contains(buffer))
      inside.map(buffer, b.clone(*buffer.getDefiningOp())->getResult(0));
    if (value != buffer)
      inside.map(value, makeView(b, value, inside.lookup(buffer)));
  }
  for (Operation *op : ops)
    b.clone(*op, inside);
  func::ReturnOp::create(b, kernel.getLoc());
}

static func::FuncOp makeFunction(OpBuilder &b, Location loc, StringRef name,
                                 const KernelOperands &operands,
                                 ArrayRef<Operation *> ops) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  for (Value value : llvm::concat<const Value>(
           operands.inputs.getArrayRef(), operands.outputs.getArrayRef())) {
    types.push_back(kernelArgumentType(value.getType()));
    NamedAttrList list;
    if (isa<MemRefType>(value.getType()))
      list.set("llvm.align", b.getI64IntegerAttr(knownAlignment(value)));
    attrs.push_back(list.getDictionary(b.getContext()));
  }
  auto kernel =
      func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  kernel.setPrivate();
  kernel->setAttr(kKernelAttrName, b.getUnitAttr());
  kernel.setAllArgAttrs(attrs);
  fillBody(kernel, operands, ops);
  return kernel;
}

void KernelFunctions::outline(ArrayRef<Operation *> ops, const Twine &prefix) {
  KernelOperands operands(ops);
  OpBuilder b(ops.back());
  Location loc = ops.front()->getLoc();
  OpBuilder apart(b.getContext());
  func::FuncOp kernel = makeFunction(apart, loc, "kernel", operands, ops);
  std::string text;
  llvm::raw_string_ostream(text) << kernel;
  auto [entry, isNew] = known.try_emplace(text, kernel);
  if (isNew) {
    std::string name;
    for (unsigned n = 0; name.empty() || symbols.lookup(name); ++n)
      name = (prefix + "_" + Twine(n)).str();
    kernel.setSymName(name);
    symbols.insert(kernel);
  } else {
    kernel.erase();
  }
  LaunchOp::create(b, loc, SymbolRefAttr::get(entry->second),
                   operands.inputs.getArrayRef(),
                   operands.outputs.getArrayRef());
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
