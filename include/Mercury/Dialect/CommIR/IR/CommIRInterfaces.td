//===- CommIRInterfaces.td - What passes ask of ops --------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_TD
#define MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_TD

include "mlir/IR/OpBase.td"

def DistributableOpInterface : OpInterface<"DistributableOpInterface"> {
  let description = [{
    An operator that schedules can distribute. It also implements
    TilingInterface and DestinationStyleOpInterface; its loops here are those of
    its iteration domain.
  }];
  let cppNamespace = "::mercury::commir";
  let methods = [
    InterfaceMethod<"Iterator types of the loops.",
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getLoops", (ins)>,
    InterfaceMethod<"Extents of the loops; ShapedType::kDynamic if not static.",
      "::llvm::SmallVector<int64_t>", "getExtents", (ins)>,
    InterfaceMethod<[{
      How loops index an operand; nothing when the access depends on data (the
      operand is then needed whole).}],
      "::std::optional<::mlir::AffineMap>", "getOperandMap",
      (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<[{
      Results that are reduced together, as lists of result numbers; every
      result stands in one group.}],
      "::llvm::SmallVector<::llvm::SmallVector<unsigned>>", "getGroups", (ins)>,
    InterfaceMethod<"Whether the group's reduction has a combiner.",
      "bool", "hasCombiner", (ins "unsigned":$group)>,
    InterfaceMethod<[{
      Whether the group's results are their inputs of the same number reduced by
      the combiner over the leading dimension, and nothing else.}],
      "bool", "isPlainReduction", (ins "unsigned":$group)>,
    InterfaceMethod<[{
      The collective's reduction that equals the group's combiner, if one does.}],
      "::std::optional<::mercury::commir::ReductionKind>", "getCollectiveKind",
      (ins "unsigned":$group)>,
    InterfaceMethod<"Whether the value of result `result`'s init is read.",
      "bool", "readsInit", (ins "unsigned":$result)>,
    InterfaceMethod<[{
      Whether `tensor` is known to hold nothing but the neutral element of the
      reduction into result `result`.}],
      "bool", "isNeutral", (ins "unsigned":$result, "::mlir::Value":$tensor)>,
    InterfaceMethod<[{
      The element by which an input may be extended along loops of its access
      without a change of results: neutral along reductions, anything along
      parallel loops. Nothing when there is none.}],
      "::mlir::TypedAttr", "getPadding", (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<[{
      Fills destinations (tensors of any shape) with the group's neutral
      elements.}],
      "::llvm::SmallVector<::mlir::Value>", "createNeutral",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$group, "::mlir::ValueRange":$destinations)>,
    InterfaceMethod<[{
      Merges `others` into `into`, element by element; in place of `into`.}],
      "::llvm::SmallVector<::mlir::Value>", "createMerge",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$group, "::mlir::ValueRange":$into,
           "::mlir::ValueRange":$others)>,
    InterfaceMethod<[{
      An ordinary reduction of `partials` over their leading dimension into
      `inits`.}],
      "::llvm::SmallVector<::mlir::Value>", "createReduction",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$group, "::mlir::ValueRange":$partials,
           "::mlir::ValueRange":$inits)>
  ];
}

def CommIR_CommunicationOpInterface : OpInterface<"CommunicationOpInterface"> {
  let description = [{
    An op by which the ranks of a group exchange data.
  }];
  let cppNamespace = "::mercury::commir";
  let methods = [
    InterfaceMethod<"Axes whose ranks take part.", "::mlir::ArrayAttr",
      "getCommunicationAxes", (ins), "", "return $_op.getAxesAttr();">
  ];
}

#endif
