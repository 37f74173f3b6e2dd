//===- Signature.cpp - What a function takes and gives --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "RunError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mercury::run {

char RunError::ID;

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << '\'' << type << '\'';
  return text;
}

static std::optional<ElementKind> kindOf(Type type) {
  if (type.isF64())
    return ElementKind::F64;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isSignlessInteger(64))
    return ElementKind::I64;
  if (type.isSignlessInteger(32))
    return ElementKind::I32;
  if (type.isSignlessInteger(8))
    return ElementKind::I8;
  if (type.isSignlessInteger(1))
    return ElementKind::I1;
  return std::nullopt;
}

llvm::Expected<TensorSpec> specOf(Type type, const llvm::Twine &what) {
  if (type.isIndex())
    return TensorSpec{ElementKind::I64, {}};
  if (std::optional<ElementKind> kind = kindOf(type))
    return TensorSpec{*kind, {}};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return badInput(
        what + " has type " + printType(type) +
        ", but only ranked tensors, index, f64, f32, f16, bf16, i64, "
        "i32, i8 and i1 can be run");
  for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
    if (ShapedType::isDynamic(extent))
      return badInput(what + " has type " + printType(type) +
                      " with a dynamic extent in dimension " +
                      llvm::Twine(dim) + ", but extents must be static");
  std::optional<ElementKind> kind = kindOf(tensor.getElementType());
  if (!kind)
    return badInput(what + " has elements of type " +
                    printType(tensor.getElementType()) +
                    ", but only f64, f32, f16, bf16, i64, i32, i8 and i1 can "
                    "be run");
  return TensorSpec{*kind, tensor.getShape().vec()};
}

llvm::Expected<Signature> signatureOf(func::FuncOp function) {
  Signature signature;
  auto append = [&](TypeRange types, llvm::StringRef kind,
                    std::vector<TensorSpec> &specs) -> llvm::Error {
    for (auto [i, type] : llvm::enumerate(types)) {
      llvm::Expected<TensorSpec> spec = specOf(
          type, kind + " " + llvm::Twine(i) + " of @" + function.getSymName());
      if (!spec)
        return spec.takeError();
      specs.push_back(*spec);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error =
          append(function.getArgumentTypes(), "argument", signature.arguments))
    return std::move(error);
  for (Type type : function.getArgumentTypes())
    signature.isNumber.push_back(!isa<RankedTensorType>(type));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (!isa<RankedTensorType>(type))
      return badInput("result " + llvm::Twine(i) + " of @" +
                      function.getSymName() + " has type " + printType(type) +
                      ", but results are ranked tensors");
  if (llvm::Error error =
          append(function.getResultTypes(), "result", signature.results))
    return std::move(error);
  return signature;
}

/// "@a, @b"
static std::string listNames(llvm::ArrayRef<func::FuncOp> functions) {
  std::string text;
  for (func::FuncOp function : functions)
    text += (text.empty() ? "@" : ", @") + function.getSymName().str();
  return text;
}

llvm::Expected<func::FuncOp> findEntry(ModuleOp module, llvm::StringRef name) {
  SmallVector<func::FuncOp> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      all.push_back(function);
  if (all.empty())
    return badInput("the module has no func.func with a body");
  auto named = [&](llvm::StringRef wanted) -> func::FuncOp {
    auto it = llvm::find_if(
        all, [&](func::FuncOp f) { return f.getSymName() == wanted; });
    return it == all.end() ? func::FuncOp() : *it;
  };
  if (!name.empty()) {
    name.consume_front("@");
    if (func::FuncOp function = named(name))
      return function;
    return badInput("the module has no function @" + name + "; it has " +
                    listNames(all));
  }
  if (all.size() == 1)
    return all.front();
  SmallVector<func::FuncOp> visible =
      llvm::filter_to_vector(all, [](func::FuncOp f) { return f.isPublic(); });
  if (visible.size() == 1)
    return visible.front();
  if (func::FuncOp function = named("main"))
    return function;
  return badInput("the module has several functions (" + listNames(all) +
                  "); name one with --entry");
}

OwningOpRef<ModuleOp> isolateEntry(ModuleOp module, llvm::StringRef entry) {
  OwningOpRef<ModuleOp> copy(module.clone());
  SymbolTable symbols(*copy);
  auto root = symbols.lookup<func::FuncOp>(entry);
  root.setPublic();
  llvm::SetVector<Operation *> reached;
  reached.insert(root);
  for (size_t i = 0; i < reached.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(reached[i]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          reached.insert(symbol);
  for (auto function : llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
    if (!reached.contains(function))
      symbols.erase(function);
  // Scripts that were to be applied before.
  StringRef isScript = transform::TransformDialect::kWithNamedSequenceAttrName;
  for (Operation &op : llvm::make_early_inc_range(*copy->getBody()))
    if (op.hasAttr(isScript) ||
        isa<transform::TransformDialect>(op.getDialect()))
      op.erase();
  (*copy)->removeAttr(isScript);
  return copy;
}

} // namespace mercury::run
